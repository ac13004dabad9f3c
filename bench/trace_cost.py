"""What traces cost a recall: each request asked with its trace and without any, in turn, on a store filled by COPY.

Query vectors are looked up, not made, so the share of the trace is as large as it gets.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import random
import resource
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

import numpy as np
import psycopg

from bench import synthetic_passages
from bench.copied_memories import RETIRED_EVERY, STEP, Filled, Filler, centres
from bench.proof import Figure
from bench.spine_load import Server, fresh
from stemma import Stemma
from stemma.app import recall as recalling
from stemma.app.models_recall import RecallItem
from stemma.app.scope import Scopes
from stemma.app.traces import Make, Retention, Traces
from stemma.core.trace import Ask, Item, Stage, StageRecord
from stemma.core.traced import Held
from stemma.models.embedder import Embedder
from stemma.models.embedding import DEFAULT_EMBEDDER
from stemma.store.connection import Store
from stemma.store.transaction import Transaction

SUBJECT, STORE, REQUESTS, SEED = 10_000, 200_000, 300, 29
BLOCK: Final = 50
# How many older traces the store keeps while it is measured: as many as it does by default.
OLDER: Final = 10_000
WARMING: Final = 20
_DRAWS: Final = 2_000
# The most that the median of recall with traces may be, as a share of that without.
MOST_OVER_OFF: Final = 1.05
ON, OFF, KEPT_NONE = "on", "off", "made and not kept"


class Planted:
    """An embedder that knows the vectors of the questions and makes none."""

    def __init__(self, embedder: Embedder) -> None:
        """Take the place of another, whose vector space it names."""
        self.id, self.dimensions = embedder.id, embedder.dimensions
        self.known: dict[str, list[float]] = {}

    def passages(self, texts: Sequence[str]) -> list[list[float]]:
        """Refuse: what is stored has its vectors."""
        raise AssertionError(f"{len(texts)} texts have no vector")

    def query(self, text: str) -> list[float]:
        """Give a question's vector."""
        return self.known[text]


class _Uncounted(Scopes):
    def held(
        self, t: Transaction, subject: str, now: datetime, *, kinds: Sequence[str] | None, with_episodes: bool
    ) -> Held:
        """Count nothing: what a subject holds is read by traces alone."""
        return Held()


class _Untraced(Traces):
    def __init__(self) -> None:
        super().__init__()
        self.scopes = _Uncounted()

    def note(self, tenant: str, trace_id: str, make: Make, *, stored: bool) -> None:
        """Forget the request."""

    def write_when_many(self, store: Store) -> None:
        """Write nothing."""


def _unrecorded(
    stages: Sequence[tuple[str, Stage]],
    items: Sequence[Item],
    ask: Ask,
    clock: Callable[[], float],
    seen: list[Sequence[Item]],
) -> tuple[list[Item], list[StageRecord]]:
    """Send items through the stages and note nothing."""
    current = list(items)
    for _, stage in stages:
        current, _ = stage(current, ask)
    return current, []


@contextmanager
def untraced(memory: Stemma) -> Iterator[None]:
    """Let recall make no trace, for which there is no setting: a store that keeps none makes and writes them all.

    Left out is what only they need: the stages' records, the count of what the subject holds, the note, the writing.
    """
    made = memory.runtime.traces
    memory.runtime.traces = _Untraced()
    try:
        with patch.object(recalling, "run", _unrecorded):
            yield
    finally:
        memory.runtime.traces = made


@contextmanager
def keeping_none(memory: Stemma) -> Iterator[None]:
    """Let traces be kept as by a store whose settings keep none."""
    kept = memory.runtime.traces.retention
    memory.runtime.traces.retention = Retention(days=kept.days, most=0)
    try:
        yield
    finally:
        memory.runtime.traces.retention = kept


WAYS: Final[Mapping[str, Callable[[Stemma], AbstractContextManager[None]]]] = {
    ON: lambda _: nullcontext(),
    OFF: untraced,
    KEPT_NONE: keeping_none,
}


@dataclass(slots=True)
class Way:
    """What one way of asking took: a wall time for each request, and CPU of the answer, of writing, of the server."""

    times: list[float] = field(default_factory=list)
    answering: float = 0.0
    writing: float = 0.0
    server: float = 0.0

    @property
    def cpu(self) -> float:
        """CPU seconds of all."""
        return self.answering + self.writing + self.server

    def figures(self) -> dict[str, Figure]:
        """Give them in milliseconds, CPU for each request."""
        each = 1_000 / len(self.times)
        return {
            "p50 ms": round(float(np.quantile(self.times, 0.5)) * 1_000, 2),
            "p99 ms": round(float(np.quantile(self.times, 0.99)) * 1_000, 2),
            "CPU ms, answering thread": round(self.answering * each, 3),
            "CPU ms, writing of traces": round(self.writing * each, 3),
            "CPU ms, server": round(self.server * each, 2),
        }


def order(ways: Sequence[str], blocks: int) -> list[tuple[int, str]]:
    """Say which block is asked in which way, in turn: each block in every way, and every second one backwards."""
    return [(block, way) for block in range(blocks) for way in (ways if block % 2 == 0 else ways[::-1])]


def spread(one: Sequence[float], other: Sequence[float], quantile: float, seed: int) -> list[float]:
    """Give the 95 % interval of the ratio of two quantiles, by drawing requests, asked both ways, again and again."""
    draw = np.random.default_rng(seed)
    places = draw.integers(0, len(one), (_DRAWS, len(one)))
    first, second = (np.quantile(np.array(each)[places], quantile, axis=1) for each in (one, other))
    return [round(float(each), 3) for each in np.quantile(first / second, (0.025, 0.975))]


def run(*, subject: int = SUBJECT, store: int = STORE, requests: int = REQUESTS) -> dict[str, Any]:
    """Fill a store and measure it; sizes are memories."""
    if subject % STEP or store % subject or requests % BLOCK:
        raise ValueError(f"a subject is a multiple of {STEP}, a store of that, and requests of {BLOCK}")
    with fresh(DEFAULT_EMBEDDER) as (memory, server):
        opened = memory.runtime.embedder
        assert opened is not None
        embedder = Planted(opened)
        memory.runtime.embedder = embedder
        began = time.perf_counter()
        filler = Filler(memory, embedder.id, centres(embedder.dimensions, SEED), SEED)
        filled = filler.fill(0, subject)
        for number in range(1, store // subject):
            filler.fill(number, subject)
        filling = time.perf_counter() - began
        questions = _questions(filled, embedder, WARMING + requests)
        _warm(memory, filled, questions[:WARMING])
        _put_older(memory, filler)
        filler.settle()
        found: dict[str, Any] = {
            "memories in the store": store,
            "memories of the asked subject": subject,
            "requests in each way": requests,
            "older traces": OLDER,
            "filling s": round(filling, 1),
        }
        # As a server does once it is open: what was filled in here is no garbage of the requests.
        gc.collect()
        gc.freeze()
        asked = questions[WARMING:]
        found |= _compared(_measured(memory, server, filled.subject, asked, (ON, OFF)), ON)
        found["traces lost"] = memory.runtime.traces.lost
        # What the first writing takes away is no cost of a request.
        _measured(memory, server, filled.subject, asked[:BLOCK], (KEPT_NONE,))
        few = asked[: max(BLOCK, requests // 4 // BLOCK * BLOCK)]
        none_kept = _compared(_measured(memory, server, filled.subject, few, (KEPT_NONE, OFF)), KEPT_NONE)
        found["a store that keeps no traces"] = none_kept
        found["client memory MB (RSS)"] = _resident_mb()
        found["client peak memory MB, filling included"] = _peak_mb()
        found["server memory MB (PSS)"] = server.resident_mb()
        found["load average at the end"] = round(os.getloadavg()[0], 1)
        return found


def _questions(filled: Filled, embedder: Planted, count: int) -> list[str]:
    """Ask for as many memories that stand, no two alike, by five words of each and a vector near its own."""
    draw = random.Random(SEED)
    # Of the even ones some are superseded.
    places = draw.sample(range(1, len(filled.ids), 2), min(len(filled.ids) // 2, 2 * count))
    for place in places:
        question = synthetic_passages.question_of(filled.texts[place].split(), draw)
        near = synthetic_passages.vectors_about(filled.vectors[place : place + 1], 1, SEED + place)
        embedder.known.setdefault(question, near[0].tolist())
        if len(embedder.known) == count:
            return [*embedder.known]
    raise AssertionError(f"{len(embedder.known)} questions of {count}; a larger subject has more")


def _warm(memory: Stemma, filled: Filled, questions: Sequence[str]) -> None:
    """Ask some, and hold what was filled to what it has to be: all counted, all with vectors, found by its words."""
    found = 0
    for question in questions:
        answer = memory.recall(filled.subject, question)
        assert answer.index_state.complete, answer.index_state
        assert answer.trace_id is not None
        scope = memory.get_trace(answer.trace_id).stages[1]
        assert (scope.entered, scope.dropped_count) == (len(filled.ids), len(filled.ids) // RETIRED_EVERY)
        words = set(question.split())
        found += any(isinstance(one, RecallItem) and words <= set(one.memory.text.split()) for one in answer.items)
    assert found >= 0.9 * len(questions), f"{found} of {len(questions)} found what they ask for"


def _put_older(memory: Stemma, filler: Filler) -> None:
    """Fill the store's traces up to as many as it keeps, copies of a real one, so that each new one takes an old."""
    with psycopg.connect(filler.address) as connection:
        connection.execute(
            "INSERT INTO traces (tenant_id, trace_id, subject_id, recorded_at, names, body) "
            "SELECT tenant_id, 'older ' || n, subject_id, recorded_at - n * interval '1 minute', names, body "
            "FROM (SELECT * FROM traces WHERE tenant_id = %s LIMIT 1) AS one, generate_series(1, %s) AS n",
            [memory.tenant, OLDER],
        )


def _measured(
    memory: Stemma, server: Server, subject: str, questions: Sequence[str], ways: Sequence[str]
) -> dict[str, Way]:
    """Ask every question in every way, block by block."""
    found = {way: Way() for way in ways}
    for block, way in order(ways, len(questions) // BLOCK):
        with WAYS[way](memory):
            _ask(memory, server, subject, questions[block * BLOCK : (block + 1) * BLOCK], found[way])
    return found


def _ask(memory: Stemma, server: Server, subject: str, questions: Sequence[str], way: Way) -> None:
    spent = server.cpu_seconds()
    both, own = time.process_time(), time.thread_time()
    for question in questions:
        began = time.perf_counter()
        memory.recall(subject, question)
        way.times.append(time.perf_counter() - began)
    answering = time.thread_time() - own
    # What still waits belongs to this block.
    memory.runtime.traces.write(memory.runtime.store)
    way.answering += answering
    way.writing += time.process_time() - both - answering
    way.server += server.cpu_seconds() - spent


def _compared(found: Mapping[str, Way], traced: str) -> dict[str, Any]:
    one, off = found[traced], found[OFF]
    told: dict[str, Any] = {way: each.figures() for way, each in found.items()}
    for name, quantile in (("p50", 0.5), ("p99", 0.99)):
        ratio = float(np.quantile(one.times, quantile) / np.quantile(off.times, quantile))
        told[f"{name}, {traced} over off"] = round(ratio, 3)
        told[f"{name}, {traced} over off, 95 % interval"] = spread(one.times, off.times, quantile, SEED)
    told[f"CPU of the answering thread, {traced} over off"] = round(one.answering / off.answering, 3)
    told[f"CPU of all, {traced} over off"] = round(one.cpu / off.cpu, 3)
    return told


def _resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return round(pages * resource.getpagesize() / 2**20, 1)


def _peak_mb() -> float:
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1)


def main() -> None:
    """Run one load and print its figures as one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--subject", type=int, default=SUBJECT, help="memories of the asked subject")
    parser.add_argument("--store", type=int, default=STORE, help="memories of all subjects")
    parser.add_argument("--requests", type=int, default=REQUESTS, help="requests in each way")
    asked = parser.parse_args()
    print(json.dumps(run(subject=asked.subject, store=asked.store, requests=asked.requests)))


if __name__ == "__main__":
    main()
