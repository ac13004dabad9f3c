"""The candidates of one query: both legs within a subject, read under one snapshot. Order and admission are core's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from stemma.app import admitting, embed, turn_search
from stemma.app.models_recall import IndexState
from stemma.app.past import Past
from stemma.app.runtime import Runtime
from stemma.app.took import clock_ms
from stemma.app.turn_search import LEG_LIMIT, TURNS_LEAST
from stemma.core.analyse import terms
from stemma.core.dialogue.support import Support, support
from stemma.core.dialogue.turns import Question
from stemma.core.fuse import Hit, Query
from stemma.core.lexical import query_terms
from stemma.core.registry import half_life_of
from stemma.core.trace import Item
from stemma.core.traced import EPISODE, MEMORY, Held
from stemma.record_json import decode
from stemma.records import Registry
from stemma.state import MemoryRow
from stemma.store import index, log, traces
from stemma.store.connection import Isolation
from stemma.store.index import DenseAnswer, DenseQuery, LexicalAnswer, Where
from stemma.store.transaction import Row, Transaction


@dataclass(frozen=True, slots=True)
class Pool:
    """Everything that was found, and what is known of the query and of the index it was found in.

    `past` is the state it was found in, where that is not the present one. `held` counts what was looked among, and
    `took_ms` is how long that and the finding took. `dense` is the query as a vector, for who looks further.
    """

    items: list[Item]
    query: Query
    terms: frozenset[str]
    half_lives: dict[str, float | None]
    index_state: IndexState
    uncompiled: int
    registry: Registry
    question: Question | None = None
    rows: dict[str, Row] = field(default_factory=dict)
    past: Past | None = None
    held: Held = field(default_factory=Held)
    extractor: str | None = None
    core: tuple[str, ...] = ()
    dense: DenseQuery | None = None
    took_ms: tuple[float, float] = (0.0, 0.0)

    @property
    def support(self) -> Support | None:
        """Say how far the turns that were found support an answer; None where none were."""
        ranked = [item.turn for item in self.items if item.turn is not None]
        return None if self.question is None else support(ranked, self.question, self.question.recipe.support)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is looked for, among what of a subject, and at which moment; `memory_kinds` None means every kind.

    `turns` is how many of what was said are brought along, and each leg's limit there.
    """

    query: str
    now: datetime
    item_kinds: Sequence[str] = (MEMORY,)
    memory_kinds: Sequence[str] | None = None
    turns: int = TURNS_LEAST


def pool(runtime: Runtime, tenant: str, subject: str, asked: Asked) -> Pool:
    """Find what shares a word with the query or is near to it, memories and (where asked for) episodes."""
    began = clock_ms()
    vector = embed.query_vector(runtime, asked.query)
    embedded_ms = clock_ms() - began

    def read(t: Transaction) -> Pool:
        begun = clock_ms()
        said = EPISODE in asked.item_kinds
        held = runtime.traces.scopes.held(t, subject, asked.now, kinds=asked.memory_kinds, with_episodes=said)
        looked = clock_ms()
        found = _read(runtime, t, subject, asked, vector)
        return replace(found, held=held, took_ms=(looked - begun, clock_ms() - looked + embedded_ms))

    return runtime.store.run(tenant, read, read_only=True, isolation=Isolation.REPEATABLE_READ)


def with_turns(runtime: Runtime, tenant: str, subject: str, asked: Asked, found: Pool) -> Pool:
    """Add to the memories that were found what was said, without looking for the memories again."""

    def read(t: Transaction) -> Pool:
        begun = clock_ms()
        named = (runtime, t, subject, asked.query, asked.now, found.dense)
        said, question = turn_search.items(*named, limit=asked.turns)
        held = replace(found.held, total=found.held.total + traces.count_episodes(t, subject))
        took_ms = found.took_ms[0], found.took_ms[1] + clock_ms() - begun
        return replace(found, items=[*found.items, *said], question=question, held=held, took_ms=took_ms)

    return runtime.store.run(tenant, read, read_only=True, isolation=Isolation.REPEATABLE_READ)


def _read(runtime: Runtime, t: Transaction, subject: str, asked_for: Asked, vector: embed.QueryVector) -> Pool:
    words = terms(asked_for.query)
    state, usable = embed.index_state(runtime, t, vector, subject)
    size = runtime.calibration.fusion.sample_size
    asked = None if usable is None else DenseQuery(usable.model_id, usable.vector, size)
    hits: dict[tuple[str, str], Hit] = {}
    query, question = Query(0.0), None
    if MEMORY in asked_for.item_kinds:
        where = Where(scope=(), item_kinds=[MEMORY], now=asked_for.now, subject_ids=[subject])
        hits, query = _legs(t, where, query_terms(words), asked)
    rows = t.all("memories_by_id", {"ids": [owner for _, owner in hits]})
    memories = {row["id"]: decode(MemoryRow, row["body"]) for row in rows}
    rows += _overlays(t, subject, asked_for.now, hits, memories)
    core = admitting.core_rows(t, subject, asked_for.now) if MEMORY in asked_for.item_kinds else []
    for row in core:
        if row["id"] not in memories:
            memories[row["id"]] = decode(MemoryRow, row["body"])
            hits[MEMORY, row["id"]] = Hit(row["id"])
            rows.append(row)
    items = [Item(owner, hit, memory=memories[owner]) for (_, owner), hit in hits.items() if owner in memories]
    if EPISODE in asked_for.item_kinds:
        said, question = turn_search.items(
            runtime, t, subject, asked_for.query, asked_for.now, asked, limit=asked_for.turns
        )
        items += said
    registry, extractor = runtime.registered(t)
    return Pool(
        items=items,
        query=query,
        question=question,
        terms=frozenset(words),
        half_lives=half_lives_of(registry, memories.values()),
        index_state=state,
        uncompiled=log.uncompiled(t, subject),
        registry=registry,
        rows={row["id"]: row for row in rows},
        extractor=extractor.version,
        core=tuple(row["id"] for row in core),
        dense=asked,
    )


def _legs(
    t: Transaction, where: Where, words: Sequence[int], asked: DenseQuery | None
) -> tuple[dict[tuple[str, str], Hit], Query]:
    """Ask both legs, and the dense one of what the words alone found."""
    lexical = index.candidates_lexical(t, where, words, limit=LEG_LIMIT)
    dense, cosines = DenseAnswer(), {}
    if asked is not None:
        dense = index.candidates_dense(t, where, asked, limit=LEG_LIMIT)
        known = {(hit.item_kind, hit.owner_id) for hit in dense.hits}
        lone = [hit.owner_id for hit in lexical.hits if (hit.item_kind, hit.owner_id) not in known]
        cosines = index.cosines(t, where, asked, lone)
    return _hits(lexical, dense, cosines), Query(lexical.ideal, dense.floor, dense.sampled)


def _overlays(
    t: Transaction, subject: str, now: datetime, hits: dict[tuple[str, str], Hit], memories: dict[str, MemoryRow]
) -> list[Row]:
    """Add what holds for a while under a claim key that was found; it is as near to the query as what it overlays."""
    best = best_of_keys(hits, memories)
    if not best:
        return []
    found = []
    keys = sorted({key for _, key in best})
    for stored in t.all("overlays_of_keys", {"subject_id": subject, "claim_keys": keys, "now": now}):
        row = decode(MemoryRow, stored["body"])
        near = best.get((row.voice, row.claim_key or ""))
        if near is not None and row.id not in memories:
            memories[row.id] = row
            hits[MEMORY, row.id] = replace(near, item=row.id)
            found.append(stored)
    return found


def best_of_keys(hits: Mapping[tuple[str, str], Hit], memories: Mapping[str, MemoryRow]) -> dict[tuple[str, str], Hit]:
    """Give the nearest hit under each (voice, claim key) that was found."""
    best: dict[tuple[str, str], Hit] = {}
    for (_, owner), hit in hits.items():
        row = memories.get(owner)
        if row is not None and row.claim_key is not None:
            name = (row.voice, row.claim_key)
            best[name] = max(best.get(name, hit), hit, key=lambda each: (each.bm25 or 0.0, each.cosine or -1.0))
    return best


def _hits(
    lexical: LexicalAnswer, dense: DenseAnswer, cosines: dict[tuple[str, str], float]
) -> dict[tuple[str, str], Hit]:
    """Bring the two legs together, one hit an owner."""
    found = {(hit.item_kind, hit.owner_id): Hit(hit.owner_id, bm25=hit.bm25) for hit in lexical.hits}
    for near in dense.hits:
        name = (near.item_kind, near.owner_id)
        found[name] = replace(found.get(name, Hit(near.owner_id)), cosine=near.cosine)
    for name, cosine in cosines.items():
        found[name] = replace(found[name], cosine=cosine)
    return found


def half_lives_of(registry: Registry, memories: Iterable[MemoryRow]) -> dict[str, float | None]:
    """Give the half-life of each memory in days, by id; None for one that does not fade."""
    return {each.id: half_life_of(registry, each.claim_key, each.kind) for each in memories}
