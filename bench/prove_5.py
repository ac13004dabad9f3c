"""The long runs of issue 5: dialogue, 10,000 random requests, a store that grows, and what traces cost.

What falls short is put down by name as it is found; the run fails for it once everything was measured.
"""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import pairwise
from json import loads
from pathlib import Path
from typing import Any, Final

from bench import prove_dialogue, trace_cost
from bench.idle import STEMMA
from bench.proof import ROOT, Figure, Proof, collecting

SEEDS: Final = {"random requests": 4_242, "distractors": 7, "traces": trace_cost.SEED}
TARGETS: Final[dict[str, Figure]] = {
    "random requests whose trace or text breaks a rule": 0,
    "random requests by vectors": 10_000,
    "recall p50 with traces over without": 1.05,
    "sizes of the store that grows": [1, 3, 10, 30],
}
_REQUESTS: Final = "tests/simulation/test_random_requests.py"
_SERVERS: Final = ("embedded", "served")
# The last part is beyond the 10,000, by words alone.
_PARTS: Final = 11
_FACTORS: Final = (1, 3, 10, 30)
_STORES: Final = (10_000, 200_000)
_SUBJECT: Final = 10_000
_TOLD: Final = ("probes", "probes_sha256", "seed", "embedder", "room", "forecast_error", "is_forecast_trusted")


def main(out: Path) -> None:
    """Run all, the most important first, and write what was measured."""
    drawing = out.with_name("growth.svg")
    with collecting(out, issue="5", seeds=SEEDS) as proof:
        proof.put("targets", TARGETS)
        short = _part(proof, "dialogue", prove_dialogue.measure)
        short += _part(proof, "random requests", partial(random_requests, parts=range(_PARTS)))
        for size in _STORES:
            measured = partial(traces, subject=_SUBJECT, store=size, requests=trace_cost.REQUESTS)
            short += _part(proof, f"traces, {size:,} memories in the store", measured)
        short += _part(proof, "growth", partial(growth, drawing=drawing, factors=_FACTORS))
        proof.put("falls short", [*short])
        assert not short, f"{len(short)} figures fall short, the first: {short[0]}"


def _part(proof: Proof, name: str, measure: Callable[[Proof], list[str]]) -> list[str]:
    """Measure one part; one that breaks off is put down and keeps the others from nothing."""
    began = time.monotonic()
    try:
        short = measure(proof)
    except (AssertionError, OSError) as error:
        # The message of another error may hold a path.
        short = [f"{name}: broke off: {error if isinstance(error, AssertionError) else type(error).__name__}"[:500]]
    proof.put(f"{name}: minutes", round((time.monotonic() - began) / 60, 1))
    proof.put(f"{name}: falls short", [*short])
    return short


def random_requests(proof: Proof, parts: Iterable[int]) -> list[str]:
    """Ask at random, part by part, of both servers at once; a part's figures stand in the file when it has ended."""
    short: list[str] = []
    asked = 0
    for part in parts:
        running = {server: _start(part, server) for server in _SERVERS}
        told: dict[str, Figure] = {}
        for server, one in running.items():
            printed, _ = one.communicate()
            lines = re.findall(r"^\.?(\{.*\})", printed, re.MULTILINE)
            found: dict[str, Any] = loads(lines[-1]) if lines else {}
            told[server] = {**found, "passed": one.returncode == 0}
            asked += found.get("requests", 0)
            if one.returncode != 0:
                ended = re.findall(r"^FAILED (.*)$", printed, re.MULTILINE)
                short.append(f"random requests, part {part}, {server}: {' | '.join(ended)[:500] or 'no answer'}")
        proof.put(f"random requests, part {part + 1} of {_PARTS}", told)
    proof.put("random requests in all", asked)
    return short


def _start(part: int, server: str) -> subprocess.Popen[str]:
    chosen = ["-k", f"part{part:02d} and {server}", "-m", "prove", "-q", "-s", "-p", "no:cacheprovider"]
    command = [sys.executable, "-m", "pytest", _REQUESTS, *chosen]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def traces(proof: Proof, subject: int, store: int, requests: int) -> list[str]:
    """Measure what traces cost in a process of its own, so that its memory is its own."""
    sizes = ["--subject", str(subject), "--store", str(store), "--requests", str(requests)]
    found: dict[str, Any] = loads(_printed([sys.executable, "-m", "bench.trace_cost", *sizes]).splitlines()[-1])
    name = f"traces, {store:,} memories in the store"
    proof.put(name, found)
    ratio, between = found["p50, on over off"], found["p50, on over off, 95 % interval"]
    if ratio <= trace_cost.MOST_OVER_OFF:
        return []
    return [f"{name}: p50 {ratio} for {trace_cost.MOST_OVER_OFF}, 95 % of draws {between[0]} to {between[1]}"]


def growth(proof: Proof, drawing: Path, factors: Sequence[int]) -> list[str]:
    """Grow the shipped fixture through the product's command, and put the table, the drawing and the stages down."""
    sizes = ",".join(map(str, factors))
    command = [str(STEMMA), "stress", "--example", "--factor", sizes, "--seed", str(SEEDS["distractors"]), "--json"]
    found: dict[str, Any] = loads(_printed([*command, "--plot", str(drawing)]))
    proof.put("growth", {name: found[name] for name in _TOLD})
    for size in found["sizes"]:
        proof.put(f"growth, {size['factor']:g} times", size)
    lost = [each for each in found["anchors"] if each["lost_at"] not in (None, 1)]
    proof.put("growth, anchors lost on the way", lost)
    proof.put("growth, drawing", drawing.name)
    return nameless(found)


def _printed(command: list[str]) -> str:
    """Run a command and give what it prints; an error's last line is put into the assertion."""
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    if done.returncode:
        print(done.stderr, file=sys.stderr, flush=True)
    assert done.returncode == 0, f"{done.stderr.splitlines()[-1][:300] if done.stderr else 'it ended in silence'}"
    return done.stdout


def nameless(report: dict[str, Any]) -> list[str]:
    """Name what a growth run does not explain: a lost anchor without its stage, and a recall that falls unexplained."""
    short = [
        f"growth: {each['probe']} {each['key']} is lost at {each['lost_at']:g} times and no stage is named"
        for each in report["anchors"]
        if each["lost_at"] is not None and each["stage"] in (None, "unknown")
    ]
    sizes = report["sizes"]
    for one, after in pairwise(sizes):
        fell = (after["anchor_recall"] or 0.0) < (one["anchor_recall"] or 0.0)
        if fell and not after["reasons"]:
            short.append(f"growth: recall falls at {after['factor']:g} times and no stage is named")
    return short
