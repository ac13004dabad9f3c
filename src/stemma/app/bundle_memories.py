"""What of a subject may go into a prompt: memories and the core list, else clauses of episodes, and open conflicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from stemma.app import memory_view as view
from stemma.app import models_recall as wire
from stemma.app.admitting import as_clauses, with_evidence, with_past_evidence
from stemma.app.models_memories import Conflict, Memory
from stemma.app.past_search import pool_as_of
from stemma.app.runtime import Runtime
from stemma.app.search import Asked, Pool, pool, with_turns
from stemma.app.took import clock_ms
from stemma.core.admit.greetings import asks_nothing
from stemma.core.admit.rules import ASKED_FROM, CORE
from stemma.core.stages import chain
from stemma.core.trace import Ask, Item, StageRecord, run
from stemma.core.traced import EPISODE, MEMORY
from stemma.store.transaction import Transaction

MOST_ITEMS: Final = 200
MOST_CONFLICTS: Final = 50
# Of what was said, so much is looked at: three clauses are delivered at most.
MOST_TURNS: Final = 20


@dataclass(frozen=True, slots=True)
class Material:
    """What may go into the text: memories and excerpts in order, the conflicts that touch them, how they were found."""

    memories: list[Memory] = field(default_factory=list)
    conflicts: list[tuple[Conflict, list[Memory]]] = field(default_factory=list)
    items: Sequence[Item] = ()
    found: Pool | None = None
    chain: Sequence[StageRecord] = ()
    seen: Sequence[Sequence[Item]] = ()

    @property
    def core(self) -> frozenset[str]:
        """The ids of what the core list alone admits."""
        return frozenset(item.id for item in self.items if item.rule == CORE)

    @property
    def excerpts(self) -> list[Item]:
        """The clauses of episodes, in order."""
        return [item for item in self.items if item.excerpt is not None]


def remembered(
    runtime: Runtime, tenant: str, request: wire.BundleRequest, now: datetime, given: Mapping[str, int]
) -> Material:
    """Gather what is known of a request's subject; episodes are asked where no memory answers.

    `given` says how many bundles ago the request's conversation was last given a memory.
    """
    if request.subject_id is None:
        return Material()
    subject, asks = request.subject_id, not asks_nothing(request.query, runtime.rules)
    if request.as_of is None:
        asked = Asked(query=request.query, now=now, turns=MOST_TURNS)
        found = pool(runtime, tenant, subject, asked)
    else:
        # The past is derived once, so what was said is found with the memories.
        asked = Asked(query=request.query, now=now, turns=MOST_TURNS, item_kinds=(MEMORY, EPISODE))
        found = pool_as_of(runtime, tenant, subject, asked, request.as_of)
    memories = replace(found, items=[item for item in found.items if item.memory is not None])
    ask = _ask(memories, now, asks=asks, given=given)
    material = _gathered(runtime, tenant, subject, memories, ask)
    if not asks or any(_answers(item) for item in material.items):
        return material
    if request.as_of is None:
        found = with_turns(runtime, tenant, subject, asked, found)
    found = replace(found, items=as_clauses(found.items, found.terms))
    return _gathered(runtime, tenant, subject, found, _ask(found, now, asks=asks, given=given))


def _answers(item: Item) -> bool:
    return item.similarity is not None and item.similarity.value >= ASKED_FROM


def _ask(found: Pool, now: datetime, *, asks: bool, given: Mapping[str, int]) -> Ask:
    return Ask(
        query=found.query,
        terms=found.terms,
        now=now,
        k=MOST_ITEMS,
        for_prompt=True,
        half_lives=found.half_lives,
        question=found.question,
        core=frozenset(found.core),
        asks_nothing=not asks,
        given=given,
    )


def _gathered(runtime: Runtime, tenant: str, subject: str, found: Pool, ask: Ask) -> Material:
    def read(t: Transaction) -> Material:
        past = found.past
        if past is None:
            whole = with_evidence(t, subject, ask, found.items, found.registry)
        else:
            whole = with_past_evidence(ask, found.items, past)
        seen: list[Sequence[Item]] = []
        stages = chain(runtime.calibration.fusion, runtime.calibration.scale)
        items, records = run(stages, found.items, whole, clock_ms, seen)
        return replace(_material(t, subject, items, found, ask.now), chain=records, seen=seen)

    return runtime.store.run(tenant, read, read_only=True)


def _material(t: Transaction, subject: str, items: Sequence[Item], found: Pool, now: datetime) -> Material:
    past = found.past
    evidence = past.evidence if past else None
    rows = [found.rows[item.id] for item in items if item.memory is not None]
    memories = view.memories(t, rows, now, evidence)
    touched = {each.id for each in memories}
    page = {"subject_id": subject, "after": "", "limit": MOST_CONFLICTS, "now": now}
    open_rows = past.conflict_rows(now) if past else t.all("open_conflicts", page)
    listed = [view.conflict(subject, row, now) for row in open_rows]
    chosen = [each for each in listed if each.status == "open" and touched & set(each.memory_ids)][:MOST_CONFLICTS]
    named = [side for each in chosen for side in each.memory_ids]
    sides = [past.row_of(side) for side in named] if past else t.all("memories_by_id", {"ids": named})
    by_id = {each.id: each for each in view.memories(t, sides, now, evidence)}
    conflicts = [(each, [by_id[side] for side in each.memory_ids if side in by_id]) for each in chosen]
    return Material(memories, conflicts, items, found)
