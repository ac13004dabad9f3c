"""The demo: real input through the whole path, in a store of its own. It prints nothing; the command line shows it."""

from __future__ import annotations

import contextlib
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from stemma.app import embed
from stemma.app.compile import compile_memories
from stemma.app.demo_input import Batch, Episode
from stemma.app.ingest import add_episodes
from stemma.app.memories import get_memory, list_decisions
from stemma.app.models_episodes import AddEpisodes
from stemma.app.models_memories import CompileRequest, CompileResult, Decision, ListDecisions, Memory, MemoryById
from stemma.app.models_recall import RecallRequest, RecallResult
from stemma.app.recall import recall
from stemma.app.runtime import Runtime

BATCH_SIZE = 100
Advance = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of a subject, and the day on which: a memory of spring is asked for in spring."""

    subject: str
    text: str
    now: datetime | None = None


@dataclass(slots=True)
class Told:
    """What the demo did: counts, figures and seconds by step, in order."""

    ingested: dict[str, Counter[str]] = field(default_factory=dict)
    rejected: list[str] = field(default_factory=list)
    compiles: list[CompileResult] = field(default_factory=list)
    answers: list[tuple[Question, RecallResult]] = field(default_factory=list)
    pair: tuple[Decision, Memory, Memory] | None = None
    outstanding: int = 0
    seconds: dict[str, float] = field(default_factory=dict)


def run(
    runtime: Runtime, tenant: str, batches: Sequence[Batch], questions: Sequence[Question], advance: Advance
) -> Told:
    """Ingest, compile twice, ask, find a superseded pair; `advance` is told (step, done, of)."""
    told = Told()
    with _timed(told, "ingest"):
        _ingest(runtime, tenant, batches, told, advance)
    for number in (1, 2):
        with _timed(told, f"compile {number}"):
            advance("compile", number, 2)
            told.compiles.append(compile_memories(runtime, tenant, CompileRequest(), wait_for_vectors=False))
    with _timed(told, "recall"):
        for question in questions:
            request = RecallRequest(subject_id=question.subject, query=question.text, k=3, now=question.now)
            told.answers.append((question, recall(runtime, tenant, request)))
    told.pair = _superseded_pair(runtime, tenant, [question.subject for question in questions])
    told.outstanding = embed.outstanding(runtime, tenant)
    return told


@contextlib.contextmanager
def _timed(told: Told, step: str) -> Iterator[None]:
    began = time.perf_counter()
    yield
    told.seconds[step] = time.perf_counter() - began


def _ingest(runtime: Runtime, tenant: str, batches: Sequence[Batch], told: Told, advance: Advance) -> None:
    total = sum(len(batch.episodes) for batch in batches)
    done = 0
    for batch in batches:
        counts: Counter[str] = Counter()
        for part in _parts(batch):
            results = add_episodes(runtime, tenant, AddEpisodes(episodes=list(part))).results
            counts.update(each.outcome.value for each in results)
            told.rejected += [f"{each.key}: {each.error.detail}" for each in results if each.error is not None]
            done += len(results)
            advance("ingest", done, total)
        told.ingested[batch.label] = counts


def _parts(batch: Batch) -> list[tuple[Episode, ...]]:
    return [batch.episodes[start : start + BATCH_SIZE] for start in range(0, len(batch.episodes), BATCH_SIZE)]


def _superseded_pair(runtime: Runtime, tenant: str, subjects: Sequence[str]) -> tuple[Decision, Memory, Memory] | None:
    for subject in dict.fromkeys(subjects):
        for decision in list_decisions(runtime, tenant, ListDecisions(subject_id=subject)).items:
            if decision.winner_id is not None and decision.undone_at is None:
                winner = get_memory(runtime, tenant, MemoryById(memory_id=decision.winner_id))
                loser = get_memory(runtime, tenant, MemoryById(memory_id=decision.loser_id))
                return decision, winner, loser
    return None
