"""The long runs of issue 6: a server held to its OpenAPI document for a quarter of an hour without keys and with them.

What falls short is put down by name as it is found; the run fails for it once everything was measured.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Final

import httpx

from bench.proof import Figure, Proof, collecting
from tests.fuzzing import LONG_SECONDS, SEED, fuzz
from tests.serving import Served, run, serve

SEEDS: Final = {"requests by schemathesis": SEED}
TARGETS: Final[dict[str, Figure]] = {
    "findings of schemathesis": 0,
    "answers of 5xx": 0,
    "what did not hold of a trace": 0,
    "exit code at SIGTERM": 0,
    "exit code of verify": 0,
}
_SAMPLE: Final = re.compile(r'stemma_http_requests_total\{operation="([^"]+)",status="(\d+)"\} ([\d.e+]+)')


def main(out: Path) -> None:
    """Run all, the most important first, and write what was measured."""
    with collecting(out, issue="6", seeds=SEEDS) as proof:
        proof.put("targets", TARGETS)
        short: list[str] = []
        for name, with_keys in (("without keys", False), ("with keys", True)):
            short += _part(proof, f"schemathesis {name}", partial(schemathesis, name=name, with_keys=with_keys))
        proof.put("falls short", [*short])
        assert not short, f"{len(short)} figures fall short, the first: {short[0]}"


def _part(proof: Proof, name: str, measure: Callable[[Proof], Iterable[str]]) -> list[str]:
    """Measure one part; one that breaks off is put down and keeps the others from nothing."""
    try:
        return [*measure(proof)]
    except (AssertionError, OSError, httpx.HTTPError) as error:
        proof.put(f"{name} broke off", f"{type(error).__name__}: {error}")
        return [f"{name} broke off"]


def schemathesis(proof: Proof, *, name: str, with_keys: bool, seconds: int = LONG_SECONDS) -> Iterable[str]:
    """Ask a server of its own for so long, then look at what it counted, how it ends, and at its store."""
    with tempfile.TemporaryDirectory(prefix="stemma-prove-") as place:
        folder = Path(place)
        folder.chmod(0o755)
        store = folder / "store"
        key = _key(store) if with_keys else None
        running = serve(store, folder / "log", "--compile-every", "5")
        try:
            findings = fuzz(running.address, folder / "report.json", seconds, key=key)
            counted = _figures(running, key)
        finally:
            ended = running.stop()
        checked = run("verify", "--store", str(store), "--json").returncode
    told: dict[str, Figure] = {
        "operations": findings.operations,
        "requests": findings.requests,
        "phases": dict(findings.phases),
        "findings": [*findings.found],
        "how they are seen again": findings.shown,
        **counted,
        "exit code at SIGTERM": ended,
        "exit code of verify": checked,
    }
    proof.put(f"schemathesis {name}, {seconds} s", told)
    return [f"schemathesis {name}: {what} is {told[what]}" for what in _SHORT if told[what] not in (0, [])]


_SHORT: Final = (
    "findings",
    "answers of 5xx",
    "what did not hold of a trace",
    "exit code at SIGTERM",
    "exit code of verify",
)


def _key(store: Path) -> str:
    made = run("keys", "create", "--scopes", "read,write,admin", "--store", str(store), "--json")
    return str(made.answer["key"])


def _figures(running: Served, key: str | None) -> dict[str, Figure]:
    headers = {} if key is None else {"X-API-Key": key}
    text = httpx.get(f"{running.address}/metrics", headers=headers, timeout=60).text
    counts = [(status, int(float(count))) for _, status, count in _SAMPLE.findall(text)]
    by_status: dict[str, int] = {}
    for status, count in counts:
        by_status[status] = by_status.get(status, 0) + count
    violations = re.search(r"^stemma_trace_violations_total ([\d.e+]+)$", text, re.MULTILINE)
    resident = re.search(r"^process_resident_memory_bytes ([\d.e+]+)$", text, re.MULTILINE)
    assert violations is not None, "no figure of traces"
    return {
        "answers by status": dict(sorted(by_status.items())),
        "answers of 5xx": sum(count for status, count in counts if status.startswith("5")),
        "what did not hold of a trace": int(float(violations[1])),
        "resident MB at the end": round(float(resident[1]) / 2**20, 1) if resident else "unknown",
    }
