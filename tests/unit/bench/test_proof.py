"""What a long run leaves behind."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from bench import proof

ENDLESS = """
import signal
from bench import proof

def main(out):
    with proof.collecting(out, issue="0", seeds={}) as figures:
        figures.put("begun", True)
        signal.pause()
"""


def test_a_run_that_ends_leaves_its_figures_seeds_and_commit(tmp_path: Path) -> None:
    out = tmp_path / "results" / "2.json"
    with proof.collecting(out, issue="2", seeds={"episodes": 7}) as figures:
        figures.put("recall_p50_ms", 12.5)
    record = json.loads(out.read_text())
    assert (record["outcome"], record["issue"], record["seeds"]) == ("passed", "2", {"episodes": 7})
    assert record["figures"] == {"recall_p50_ms": 12.5}
    assert len(record["commit"]) == 40
    assert record["machine"]["cores"] == len(os.sched_getaffinity(0))
    assert list(out.parent.iterdir()) == [out]


def test_a_run_that_breaks_off_keeps_what_it_had_measured_and_says_why(tmp_path: Path) -> None:
    out = tmp_path / "2.json"
    with pytest.raises(AssertionError), proof.collecting(out, issue="2", seeds={}) as figures:
        figures.put("kills", 199)
        assert json.loads(out.read_text())["outcome"] == "unfinished"
        raise AssertionError("episode lost")
    record = json.loads(out.read_text())
    assert (record["outcome"], record["figures"]) == ("failed: episode lost", {"kills": 199})


def test_the_record_names_neither_the_machine_nor_a_path(tmp_path: Path) -> None:
    out = tmp_path / "2.json"
    with proof.collecting(out, issue="2", seeds={}):
        pass
    text = out.read_text()
    assert socket.gethostname() not in text
    assert str(tmp_path) not in text and str(proof.ROOT) not in text


def test_a_run_that_outlives_its_time_closes_its_record(tmp_path: Path) -> None:
    (tmp_path / "bench").mkdir()
    (tmp_path / "bench" / "proof.py").write_bytes(Path(proof.__file__).read_bytes())
    (tmp_path / "bench" / "prove_0.py").write_text(ENDLESS)
    environment = {**os.environ, "GIT_DIR": str(proof.ROOT / ".git")}
    command = [sys.executable, "-m", "bench.proof", "0", "0.json"]
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE) as run:
        assert run.stdout is not None and run.stdout.readline() == b"begun: true\n"
        run.terminate()
        assert run.wait(timeout=30) == 1
    record = json.loads((tmp_path / "0.json").read_text())
    assert (record["outcome"], record["figures"]) == ("broke off: SystemExit", {"begun": True})
