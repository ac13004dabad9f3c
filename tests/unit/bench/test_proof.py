"""What a long run leaves behind."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path

import pytest

from bench import proof


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
    assert (record["outcome"], record["figures"]) == ("AssertionError: episode lost", {"kills": 199})


def test_the_record_names_neither_the_machine_nor_a_path(tmp_path: Path) -> None:
    out = tmp_path / "2.json"
    with proof.collecting(out, issue="2", seeds={}):
        pass
    text = out.read_text()
    assert socket.gethostname() not in text
    assert str(tmp_path) not in text and str(proof.ROOT) not in text
