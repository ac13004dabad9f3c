"""Ingest, compile, recall and bundle under a synthetic load, in CPU time of client and server and in wall time.

CPU is what to compare: neighbours on the machine hardly change it. The corpus is drawn by a seed: one fact for every
two episodes, half of them claims on keys that are contested, half statements whose value changes.
"""

from __future__ import annotations

import os
import random
import resource
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

from stemma import Stemma

BATCH = 100
READS = 200
START = datetime(2026, 1, 1, tzinfo=UTC)
Episode = dict[str, Any]
Asked = TypeVar("Asked")


@dataclass(slots=True)
class Spent:
    """Seconds of wall, of this process and of the server."""

    wall: float = 0.0
    client: float = 0.0
    server: float = 0.0

    @property
    def cpu(self) -> float:
        """CPU seconds of client and server together."""
        return self.client + self.server


class Server:
    """The CPU of an embedded server: its postmaster, the children it has and those it has reaped."""

    def __init__(self, store: Path) -> None:
        self._pid = int((store / "pg" / "postmaster.pid").read_text().split()[0])

    def cpu_seconds(self) -> float:
        """Add up user and system time over the server's processes."""
        ticks = 0
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = stat.read_text().rsplit(")", 1)[1].split()
            except (FileNotFoundError, ProcessLookupError):
                continue
            if int(stat.parent.name) == self._pid:
                ticks += sum(int(each) for each in fields[11:15])
            elif int(fields[1]) == self._pid:
                ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")

    def resident_mb(self) -> float:
        """Return the proportional memory of the server's processes."""
        total = 0
        for status in Path("/proc").glob("[0-9]*/stat"):
            try:
                parent = int(status.read_text().rsplit(")", 1)[1].split()[1])
                if self._pid not in (parent, int(status.parent.name)):
                    continue
                lines = (status.parent / "smaps_rollup").read_text().splitlines()
            except (FileNotFoundError, ProcessLookupError):
                continue
            total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
        return round(total / 1024, 1)


@contextmanager
def measured(server: Server) -> Iterator[Spent]:
    """Measure the block."""
    spent = Spent(time.perf_counter(), time.process_time(), server.cpu_seconds())
    try:
        yield spent
    finally:
        spent.wall = time.perf_counter() - spent.wall
        spent.client = time.process_time() - spent.client
        spent.server = server.cpu_seconds() - spent.server


def facts_of(episodes: int, subjects: int) -> int:
    """Say how many facts each subject has: one for every two of its episodes, an even number."""
    return 2 * max(4, episodes // subjects // 4)


def corpus(episodes: int, subjects: int, seed: int) -> list[Episode]:
    """Draw episodes: subjects in turn, times a minute apart; each fact is said at least once, at a random moment."""
    draw = random.Random(seed)
    facts = facts_of(episodes, subjects)
    told: list[list[int]] = []
    for _ in range(subjects):
        again = max(0, -(-episodes // subjects) - facts)
        told.append([*range(facts), *draw.choices(range(facts), k=again)])
        draw.shuffle(told[-1])
    drawn = []
    for number in range(episodes):
        said: Episode = {
            "subject_id": f"subject-{number % subjects}",
            "source": f"source-{number % 7}",
            "occurred_at": (START + timedelta(minutes=number)).isoformat(),
        }
        name, is_stated = divmod(told[number % subjects][number // subjects], 2)
        if is_stated:
            said["text"] = f"Carrier{name} charges {draw.randrange(1, 90) / 10}% on every parcel."
        else:
            said["claims"] = [{"key": f"key-{name}", "value": f"value {draw.randrange(5)}"}]
        drawn.append(said)
    return drawn


@contextmanager
def fresh(embedder: str) -> Iterator[tuple[Stemma, Server]]:
    """Open a store of its own in a temporary folder."""
    folder = Path(tempfile.mkdtemp(prefix="stemma-bench-"))
    folder.chmod(0o755)
    try:
        with Stemma(folder / "store", embedder=embedder) as memory:
            yield memory, Server(folder / "store")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def run(episodes: int, subjects: int, *, seed: int, embedder: str = "none") -> dict[str, Any]:
    """Load one store and return its figures; times in milliseconds unless the name says otherwise."""
    drawn = corpus(episodes, subjects, seed)
    with fresh(embedder) as (memory, server):
        names = facts_of(episodes, subjects) // 2
        for key in range(names):
            memory.put_claim_key(f"key-{key}", cardinality="single", policy="latest", kind="fact")
        with measured(server) as ingest:
            for start in range(0, episodes, BATCH):
                memory.add_episodes(drawn[start : start + BATCH])
        with measured(server) as first:
            created = memory.compile_memories()
        with measured(server) as again:
            second = memory.compile_memories()
        after_one = _after_one(memory, server)
        asked = [f"What does Carrier{number % names} charge on a parcel?" for number in range(READS)]
        memory.bundle(asked[0], subject_id="subject-0")
        recalls = reads(server, lambda query: memory.recall("subject-0", query), asked)
        bundles = reads(server, lambda query: memory.bundle(query, subject_id="subject-0"), asked)
        return {
            "episodes": episodes,
            "subjects": subjects,
            "facts of each subject": facts_of(episodes, subjects),
            "embedder": embedder,
            "ingest episodes/s": round(episodes / ingest.wall, 1),
            "ingest CPU ms an episode": _each(ingest, episodes),
            "compile CPU ms an episode": _each(first, episodes),
            "compile wall s": round(first.wall, 2),
            "memories": created.memories_created,
            "second compile creates": second.memories_created,
            "second compile CPU ms": round(again.cpu * 1000 / subjects, 2),
            "compile after one episode CPU ms": after_one,
            "recall": recalls,
            "bundle": bundles,
            "client peak memory MB": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
            "server memory MB (PSS)": server.resident_mb(),
            "load average at the end": round(os.getloadavg()[0], 1),
        }


def _each(spent: Spent, count: int) -> dict[str, float]:
    return {
        "client": round(spent.client * 1000 / count, 3),
        "server": round(spent.server * 1000 / count, 3),
        "both": round(spent.cpu * 1000 / count, 3),
    }


def _after_one(memory: Stemma, server: Server) -> float:
    total = 0.0
    for day in range(1, 6):
        at = datetime(2027, 1, day, tzinfo=UTC).isoformat()
        memory.add_episodes(
            [{"subject_id": "subject-0", "text": f"Carrier1 charges {day}% on every parcel.", "occurred_at": at}]
        )
        with measured(server) as spent:
            memory.compile_memories("subject-0")
        total += spent.cpu
    return round(total * 1000 / 5, 2)


def reads(server: Server, read: Callable[[Asked], object], queries: Sequence[Asked]) -> dict[str, float]:
    """Time each read: wall at the median and the 99th percentile, and CPU a read, of both sides and of the client."""
    times = []
    with measured(server) as spent:
        for query in queries:
            began = time.perf_counter()
            read(query)
            times.append(time.perf_counter() - began)
    times.sort()
    return {
        "p50 ms": round(times[len(times) // 2] * 1000, 2),
        "p99 ms": round(times[int(len(times) * 0.99)] * 1000, 2),
        "CPU ms": round(spent.cpu * 1000 / len(queries), 2),
        "CPU ms, client alone": round(spent.client * 1000 / len(queries), 2),
    }
