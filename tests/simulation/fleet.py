"""Several real processes on one store: each opens it, waits for the others, and does its steps. Also the stores of
these tests: new ones, embedded or served, that nobody has used.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from threading import BrokenBarrierError
from typing import Any, Literal

from stemma import Stemma
from tests.forking import context
from tests.serving import fork
from tests.simulation.histories import CLAIM_KEYS, SOURCES, SUBJECT
from tests.stores import Server, open_folder

Step = (
    tuple[Literal["send"], list[dict[str, Any]]]
    | tuple[Literal["import"], list[str]]
    | tuple[Literal["compile", "register", "meet"]]
)

_barriers: list[Any] = []


@dataclass(slots=True)
class Report:
    """What one worker saw: every outcome, and each compile's counts with the hash after it."""

    outcomes: Counter[str] = field(default_factory=Counter)
    compiles: list[tuple[dict[str, int], str]] = field(default_factory=list)

    @property
    def state_hash(self) -> str:
        """Return the hash after the last compile."""
        return self.compiles[-1][1]


class Crew:
    """Eight worker processes that live as long as the tests of a file."""

    def __init__(self, size: int = 8) -> None:
        forks = context()
        self.size = size
        self._pool = ProcessPoolExecutor(size, forks, _remember_barrier, (forks.Barrier(size),))

    def do(self, store: str, clock: datetime, shares: list[list[Step]]) -> list[Report]:
        """Let one process a share do its steps and return what each saw; only all of them together can meet."""
        work = [self._pool.submit(do_steps, store, clock, share, len(shares) == self.size) for share in shares]
        wait(work, timeout=180)
        # One that broke leaves the others waiting at the barrier: its error is the one to tell.
        broken = [one.exception(timeout=0) for one in work]
        told = sorted((each for each in broken if each is not None), key=lambda each: "did not get as far" in str(each))
        if told:
            raise told[0]
        return [one.result(timeout=0) for one in work]

    def close(self) -> None:
        """End the processes."""
        self._pool.shutdown()


def _remember_barrier(barrier: Any) -> None:
    _barriers.append(barrier)


def do_steps(store: str, clock: datetime, steps: list[Step], together: bool) -> Report:
    """Open a store and do the steps; at a meeting wait until all others have come as far."""
    report = Report()
    with Stemma(_place(store), clock=lambda: clock, embedder="none") as stemma:
        for step in steps:
            if step[0] == "send":
                send(stemma, step[1], report)
            elif step[0] == "import":
                stemma.import_log(step[1])
            elif step[0] == "register":
                register(stemma)
            elif step[0] == "compile":
                compile_subject(stemma, report)
            elif together:
                _meet()
    return report


def _meet() -> None:
    try:
        _barriers[0].wait(timeout=120)
    except BrokenBarrierError as error:
        raise AssertionError("another process did not get as far") from error


def send(stemma: Stemma, batch: list[dict[str, Any]], report: Report) -> None:
    """Ingest one batch and count its outcomes."""
    results = stemma.add_episodes(batch).results
    assert [one.index for one in results] == list(range(len(batch)))
    report.outcomes.update(one.outcome for one in results)


def compile_subject(stemma: Stemma, report: Report) -> None:
    """Compile and note the counts and the hash."""
    counts = stemma.compile_memories(subject_id=SUBJECT).model_dump(mode="json")
    state_hash = counts.pop("state_hash")
    report.compiles.append((counts, state_hash))


def register(stemma: Stemma) -> None:
    """Register the sources and the claim keys of the drawn histories."""
    for name, authority in SOURCES.items():
        stemma.put_source(name, authority=authority)
    for key, policy in CLAIM_KEYS.items():
        stemma.put_claim_key(key, cardinality="single", **policy)


def _place(store: str) -> str | Path:
    return store if store.startswith("postgresql://") else Path(store)


def export_acts(store: str) -> list[str]:
    """Return the human acts of a store's log as an export of their own: its first line, then theirs."""
    done = fork("export", "--store", store)
    assert done.returncode == 0, done.stderr.decode()
    lines = done.stdout.decode().splitlines()
    return [lines[0], *(line for line in lines[1:] if json.loads(line).get("type") == "act")]


def import_acts(store: str, lines: list[str]) -> None:
    """Replay human acts, as the lines of an export, through `stemma import`."""
    done = fork("import", "-", "--store", store, send="".join(f"{line}\n" for line in lines).encode())
    assert done.returncode == 0, done.stderr.decode()


@contextmanager
def fresh_served(server: Server) -> Iterator[str]:
    """Make a migrated, empty database on a server and give its address."""
    name = server.fresh()
    try:
        yield f"{str(server.target).rsplit('/', 1)[0]}/{name}"
    finally:
        server.drop(name)


@contextmanager
def fresh_embedded() -> Iterator[str]:
    """Make a folder for an embedded store."""
    folder = open_folder()
    try:
        yield str(folder / "store")
    finally:
        shutil.rmtree(folder)
