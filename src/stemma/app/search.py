"""The candidates of one query: both legs within a subject, read under one snapshot. Order and admission are core's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from stemma.app import embed
from stemma.app.episode_index import passages_by_item
from stemma.app.models_recall import IndexState
from stemma.app.past import Past
from stemma.app.runtime import Runtime
from stemma.core.analyse import terms
from stemma.core.fuse import Hit, Query
from stemma.core.lexical import query_terms
from stemma.core.passages import Passage
from stemma.core.registry import half_life_of
from stemma.core.trace import Excerpt, Item
from stemma.record_json import decode
from stemma.records import Content, Registry
from stemma.state import MemoryRow
from stemma.store import episodes, index, log
from stemma.store.connection import Isolation
from stemma.store.index import DenseAnswer, DenseQuery, LexicalAnswer, Where
from stemma.store.transaction import Row, Transaction

# Cutting the legs to 200 costs .006 R@10 on dialogue, and to 50 no more (the retrieval study, section 3).
LEG_LIMIT = 200
MEMORY, EPISODE = "memory", "episode"


@dataclass(frozen=True, slots=True)
class Pool:
    """Everything that was found, and what is known of the query and of the index it was found in.

    `past` is the state it was found in, where that is not the present one.
    """

    items: list[Item]
    query: Query
    terms: frozenset[str]
    half_lives: dict[str, float | None]
    index_state: IndexState
    uncompiled: int
    rows: dict[str, Row] = field(default_factory=dict)
    past: Past | None = None


def pool(
    runtime: Runtime, tenant: str, subject: str, *, query: str, now: datetime, kinds: Sequence[str] = (MEMORY,)
) -> Pool:
    """Find what shares a word with the query or is near to it, memories and (where asked for) episodes."""
    vector = embed.query_vector(runtime, query)

    def read(t: Transaction) -> Pool:
        return _read(
            runtime,
            t,
            subject,
            query,
            vector,
            Where(scope=(), item_kinds=kinds, now=now, subject_ids=[subject]),
        )

    return runtime.store.run(tenant, read, read_only=True, isolation=Isolation.REPEATABLE_READ)


def _read(runtime: Runtime, t: Transaction, subject: str, query: str, vector: embed.QueryVector, where: Where) -> Pool:
    words = terms(query)
    state, usable = embed.index_state(runtime, t, vector)
    lexical = index.candidates_lexical(t, where, query_terms(words), limit=LEG_LIMIT)
    dense, cosines = DenseAnswer(), {}
    if usable is not None:
        asked = DenseQuery(usable.model_id, usable.vector, runtime.calibration.fusion.sample_size)
        dense = index.candidates_dense(t, where, asked, limit=LEG_LIMIT)
        known = {(hit.item_kind, hit.owner_id) for hit in dense.hits}
        lone = [hit.owner_id for hit in lexical.hits if (hit.item_kind, hit.owner_id) not in known]
        cosines = index.cosines(t, where, asked, lone)
    hits = _hits(lexical, dense, cosines)
    rows = t.all("memories_by_id", {"ids": [owner for kind, owner in hits if kind == MEMORY]})
    memories = {row["id"]: decode(MemoryRow, row["body"]) for row in rows}
    rows += _overlays(t, subject, where.now, hits, memories)
    best = {(hit.item_kind, hit.owner_id): hit.item_id for hit in dense.hits}
    best |= {(hit.item_kind, hit.owner_id): hit.item_id for hit in lexical.hits}
    excerpts = _excerpts(t, {owner: best[kind, owner] for kind, owner in hits if kind == EPISODE})
    registry, _ = runtime.registered(t)
    return Pool(
        items=_items(hits, memories, excerpts),
        query=Query(lexical.ideal, dense.floor, dense.sampled),
        terms=frozenset(words),
        half_lives=half_lives_of(registry, memories.values()),
        index_state=state,
        uncompiled=log.uncompiled(t, subject),
        rows={row["id"]: row for row in rows},
    )


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


def _items(
    hits: dict[tuple[str, str], Hit], memories: dict[str, MemoryRow], excerpts: dict[str, Excerpt]
) -> list[Item]:
    items = []
    for (kind, owner), hit in hits.items():
        memory, excerpt = memories.get(owner), excerpts.get(owner)
        if kind == MEMORY and memory is not None:
            items.append(Item(owner, hit, memory=memory))
        elif kind == EPISODE and excerpt is not None:
            items.append(Item(owner, hit, excerpt=excerpt))
    return items


def half_lives_of(registry: Registry, memories: Iterable[MemoryRow]) -> dict[str, float | None]:
    """Give the half-life of each memory in days, by id; None for one that does not fade."""
    return {each.id: half_life_of(registry, each.claim_key, each.kind) for each in memories}


def _excerpts(t: Transaction, items: dict[str, str]) -> dict[str, Excerpt]:
    """Give the passage that each indexed item of an episode is, by episode."""
    if not items:
        return {}
    heads = {row["episode_id"]: row for row in episodes.by_id(t, items)}
    said: dict[tuple[str, str], Row] = {}
    for row in episodes.sayings_of(t, items):
        said[row["episode_id"], row["content_hash"]] = row
    found: dict[str, Excerpt] = {}
    for row in episodes.revisions_of(t, items):
        episode, content_hash = row["episode_id"], row["content_hash"]
        content = decode(Content, row["content"])
        passage = passages_by_item(episode, content_hash, content).get(items[episode])
        if passage is None:
            continue
        occurred_at = log.saying_of(said[episode, content_hash]).occurred_at
        found[episode] = excerpt_of(passage, content, heads[episode], occurred_at)
    return found


def excerpt_of(passage: Passage, content: Content, head: Mapping[str, Any], occurred_at: datetime) -> Excerpt:
    """Give a passage of an episode as it was said; `head` is the episode's own row."""
    text = content.text if passage.message is None else content.messages[passage.message].content
    return Excerpt(
        episode_id=head["episode_id"],
        key=head["key"],
        text=passage.shown if text is None or passage.claim is not None else text[passage.start : passage.end],
        message=passage.message,
        start=passage.start,
        end=passage.end,
        occurred_at=occurred_at,
        role=None if passage.message is None else content.messages[passage.message].role,
        source=content.source or head["source"],
        speaker=content.speaker or head["speaker"],
    )
