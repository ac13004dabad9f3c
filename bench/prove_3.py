"""The long runs of issue 3: histories by the thousand on the pure derivation and on a store, its cost, its mutants."""

from __future__ import annotations

import subprocess
import sys
import time
from json import loads
from pathlib import Path
from typing import Any, Final

from bench.mutants import DELEGATES, NAMED, SEED
from bench.proof import ROOT, Figure, Proof, collecting

SEEDS: Final = {"load": 11, "pure histories": 1, "store histories": 40_000_000, "mutants": SEED}
PURE_HISTORIES, STORE_HISTORIES, PARTS = 10_000, 2_000, 10
SIZES: Final = (5_000, 10_000)
# Of the 90 minutes of a run; what comes last takes what is left.
LIMIT_SECONDS, MUTANTS_LEAST_SECONDS = 78 * 60, 10 * 60
TARGETS: Final[dict[str, Figure]] = {
    "compile CPU ms an episode, vectors off": 2,
    "compile CPU of 10,000 over that of 5,000 episodes": 2.3,
    "compile after one new episode, share of the whole": 0.05,
    "share of mutants killed in each module": 0.9,
}


def main(out: Path) -> None:
    """Run all, the most important first, and write what was measured."""
    began = time.monotonic()
    with collecting(out, issue="3", seeds=SEEDS) as proof:
        proof.put("targets", TARGETS)
        _histories(proof, "pure histories, every check", "pure", PURE_HISTORIES, SEEDS["pure histories"])
        _cost(proof)
        _histories(proof, "store histories", "store", STORE_HISTORIES, SEEDS["store histories"])
        left = max(MUTANTS_LEAST_SECONDS, LIMIT_SECONDS - (time.monotonic() - began))
        _mutants(proof, left)


def _histories(proof: Proof, name: str, kind: str, count: int, seed: int) -> None:
    """Run histories in parts, each in two processes at once, so that what was proven stands in the file."""
    for part in range(PARTS):
        share = count // PARTS // 2
        first = seed + part * 2 * share
        running = [_start(kind, share, first + half * share) for half in range(2)]
        told = [each.communicate() for each in running]
        for each, (_, errors) in zip(running, told, strict=True):
            assert each.returncode == 0, f"{name}: {errors[-1_500:]}"
        done: list[dict[str, Any]] = [loads(printed.splitlines()[-1]) for printed, _ in told]
        broken = [each for one in done for each in one["broken"]]
        proof.put(
            f"{name}, part {part + 1} of {PARTS}",
            {
                "first_seed": first,
                "histories": sum(one["histories"] for one in done),
                "cpu_seconds": round(sum(one["cpu_seconds"] for one in done), 1),
                "broken": broken,
            },
        )
        assert not broken, f"{name}: {broken[0]}"


def _start(kind: str, count: int, seed: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.simulation.thousands", kind, str(count), str(seed)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def _cost(proof: Proof) -> None:
    """Compile one subject of 5,000 and of 10,000 episodes, half as many facts, each contested or changing."""
    spent: dict[int, float] = {}
    for episodes in SIZES:
        code = (
            "import json; from bench.spine_load import run; "
            f"print(json.dumps(run({episodes}, 1, seed={SEEDS['load']})))"
        )
        done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True)
        figures: dict[str, Any] = loads(done.stdout.splitlines()[-1])
        proof.put(f"{episodes} episodes of one subject, vectors off", figures)
        spent[episodes] = figures["compile CPU ms an episode"]["both"] * episodes
        after_one = figures["compile after one episode CPU ms"] / spent[episodes]
        proof.put(f"{episodes} episodes: compile after one new one, share of the whole", round(after_one, 4))
    small, large = SIZES
    proof.put("compile CPU of 10,000 over that of 5,000 episodes", round(spent[large] / spent[small], 2))


def _mutants(proof: Proof, seconds: float) -> None:
    """Plant faults, a random sample of each module's; what is known so far stands in the file at every moment."""
    command = [sys.executable, "-m", "bench.mutants", *NAMED, *DELEGATES, "--seconds", f"{seconds:.0f}"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        for line in running.stdout:
            if line.startswith("{"):
                proof.put("mutants", loads(line))
    assert running.returncode == 0, f"the mutants ended with {running.returncode}"
