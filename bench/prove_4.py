"""The long runs of issue 4: public sets beside both plain legs, 100,000 passages, ten minutes of spoiled files."""

from __future__ import annotations

import re
import subprocess
import sys
from json import loads
from pathlib import Path
from typing import Any, Final

from bench import passages_load, synthetic_passages
from bench.places import sets_folder, vector_folder
from bench.proof import ROOT, Figure, Proof, collecting
from bench.public_documents import SETS, is_there

SEEDS: Final = {"SciFact's other abstracts": 7, "passages": passages_load.SEED, "spoiled files": 100}
TARGETS: Final[dict[str, Figure]] = {
    "R-105 below the better leg, any set": False,
    "recall@10 of the dense leg against exact": 1.0,
    "R-103 filtered search over the study's exact + lexical": 1.3,
    "slowest reading of a spoiled file, s": 5.0,
}
_READINGS: Final = "tests/property/test_reader_fuzz.py"
_READ: Final = re.compile(r"(\d+) (\d+) (\d+) (\d+\.\d+(?:e-\d+)?) (\d+)$", re.MULTILINE)


def main(out: Path) -> None:
    """Run all, the most important first, and write what was measured."""
    with collecting(out, issue="4", seeds=SEEDS) as proof:
        proof.put("targets", TARGETS)
        held = [name for name in SETS if is_there(sets_folder(), name)]
        proof.put("sets that are not there, unmeasured", [name for name in SETS if name not in held])
        below = [name for name in held if _public_set(proof, name)]
        proof.put("sets below the better leg", [*below])
        proof.put(f"{passages_load.PASSAGES:,} passages, shelves of 1 in {synthetic_passages.SHELVES}", _passages())
        spoiled = _spoiled()
        proof.put("spoiled files for ten minutes", spoiled)
        assert spoiled["passed"], f"readers: {spoiled['ended']}"


def _public_set(proof: Proof, name: str) -> bool:
    """Measure one set in a process of its own, and say whether any figure is below the better plain leg's."""
    found = _last_line("bench.search_check", "--only", name)
    for called, figures in found.items():
        proof.put(called, figures)
    return any(any(figures["below_the_better_leg"].values()) for figures in found.values())


def _passages() -> dict[str, Any]:
    return _last_line("bench.passages_load")


def _last_line(module: str, *more: str) -> dict[str, Any]:
    """Run a module of this folder apart, so that its peak of memory is its own, and read the line it prints last."""
    places = ["--data", str(sets_folder()), "--cache", str(vector_folder())]
    command = [sys.executable, "-m", module, *places, *more]
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    if done.returncode:
        print(done.stderr, file=sys.stderr, flush=True)
        raise AssertionError(f"{module} {' '.join(more)}: {done.stderr.splitlines()[-1][:300] if done.stderr else ''}")
    found: dict[str, Any] = loads(done.stdout.splitlines()[-1])
    return found


def _spoiled() -> dict[str, Figure]:
    """Run the readers' long tests, and add up what they print: seed, tried, read, slowest, megabytes."""
    command = [sys.executable, "-m", "pytest", _READINGS, "-q", "-s", "-m", "prove", "-p", "no:cacheprovider"]
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    parts = [list(map(float, each)) for each in _READ.findall(done.stdout)]
    return {
        "files": int(sum(each[1] for each in parts)),
        "read": int(sum(each[2] for each in parts)),
        "slowest reading s": max((each[3] for each in parts), default=None),
        "peak memory MB": max((each[4] for each in parts), default=None),
        "failed": re.findall(r"^FAILED (.*)$", done.stdout, re.MULTILINE),
        "ended": (done.stdout.splitlines() or [""])[-1],
        "passed": done.returncode == 0,
    }
