"""Collects what a long run measures and writes it as one file, whole at every moment.

A run of issue N is `bench/prove_N.py` with `main(out: Path) -> None`; `scripts/prove N` calls it through this module.
"""

from __future__ import annotations

import importlib
import json
import os
import platform
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType
from typing import Final

Figure = int | float | str | bool | None | list["Figure"] | dict[str, "Figure"]

ROOT: Final = Path(__file__).resolve().parent.parent


class Proof:
    """The figures of one run; each one stands in the file as soon as it is put down."""

    def __init__(self, out: Path, issue: str, seeds: dict[str, int]) -> None:
        self._out = out
        self._record: dict[str, Figure] = {
            "issue": issue,
            "commit": _git("rev-parse", "HEAD"),
            "changed_files": len(_git("status", "--porcelain").splitlines()),
            "machine": machine(),
            "seeds": dict(seeds),
            "started_at": _now(),
            "ended_at": None,
            "outcome": "unfinished",
            "figures": {},
        }
        self._figures: dict[str, Figure] = {}
        self._write()

    def put(self, name: str, figure: Figure) -> None:
        """Put one figure down under its name, print it, and write the file."""
        self._figures[name] = figure
        print(f"{name}: {json.dumps(figure)}", flush=True)
        self._write()

    def end(self, outcome: str) -> None:
        """Say how the run ended: `passed`, or what went wrong."""
        self._record["ended_at"] = _now()
        self._record["outcome"] = outcome
        self._write()

    def _write(self) -> None:
        self._record["figures"] = self._figures
        text = json.dumps(self._record, indent=2, ensure_ascii=False) + "\n"
        self._out.parent.mkdir(parents=True, exist_ok=True)
        beside = self._out.with_suffix(".part")
        beside.write_text(text, encoding="utf-8")
        # A reader, or a run that is cut short, sees the old file or the new one and never a half.
        beside.replace(self._out)


@contextmanager
def collecting(out: Path, *, issue: str, seeds: dict[str, int]) -> Iterator[Proof]:
    """Yield the proof of one run; the file says `passed` only if the block ends without an error."""
    proof = Proof(out, issue, seeds)
    try:
        yield proof
    except BaseException as error:
        # Other errors' texts may hold a path; they stand in the log.
        proof.end(f"failed: {error}" if isinstance(error, AssertionError) else f"broke off: {type(error).__name__}")
        raise
    proof.end("passed")


def machine() -> dict[str, Figure]:
    """Describe the machine without its name, its user or a path."""
    return {
        "system": platform.system(),
        "architecture": platform.machine(),
        "python": platform.python_version(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
    }


def main(arguments: list[str]) -> None:
    """Run `bench.prove_<issue>` and have it write to the given file."""
    issue, out = arguments
    # The time limit ends a run by this signal; as an exception it lets the run stop its servers and close its record.
    signal.signal(signal.SIGTERM, _end)
    run = importlib.import_module(f"bench.prove_{issue}")
    run.main(Path(out))


def _end(number: int, frame: FrameType | None) -> None:
    raise SystemExit("ended by a signal, at the time limit or by hand")


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


if __name__ == "__main__":
    main(sys.argv[1:])
