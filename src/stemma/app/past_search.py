"""The candidates of a query among what was known at an earlier moment: the same legs as `search`, over a past state."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from stemma.app import embed, episode_index, index_texts
from stemma.app.admitting import past_core
from stemma.app.models_recall import IndexState
from stemma.app.past import Past, past_of
from stemma.app.runtime import Runtime
from stemma.app.scope import held_in_past
from stemma.app.search import Asked, Pool, best_of_keys, half_lives_of
from stemma.app.took import clock_ms
from stemma.app.turn_search import LEG_LIMIT, excerpt_of, item_of
from stemma.core import lexical
from stemma.core.analyse import date_terms_of_query, term_hash, terms
from stemma.core.dialogue.hear import Indexed, Sought, hear, mixtures
from stemma.core.dialogue.rank import rank
from stemma.core.dialogue.turns import Question, Turn
from stemma.core.fuse import Hit, Query
from stemma.core.status import in_force
from stemma.core.trace import Excerpt, Item
from stemma.core.traced import EPISODE, MEMORY
from stemma.records import LogEpisode, Saying
from stemma.state import MemoryRow
from stemma.store import index, turns
from stemma.store.index import DenseQuery, LexicalRow
from stemma.store.transaction import Transaction

Cosines = dict[bytes, float]
Owner = tuple[str, str]


def pool_as_of(runtime: Runtime, tenant: str, subject: str, asked: Asked, as_of: datetime) -> Pool:
    """Find what `search.pool` would have found in the log as recorded by `as_of`, read at `now`.

    Texts whose vector is gone, or was never made, are found by their words alone; `index_state` counts them.
    """
    began, now, query = clock_ms(), asked.now, asked.query
    past = past_of(runtime, tenant, subject, as_of)
    said = len(past.episodes) if EPISODE in asked.item_kinds else 0
    held = held_in_past([*past.rows.values()], now, kinds=asked.memory_kinds, episodes=said)
    looked = clock_ms()
    vector = embed.query_vector(runtime, query)
    rows = _memory_rows(tenant, past, now) if MEMORY in asked.item_kinds else []
    spoken = _episode_rows(tenant, past) if EPISODE in asked.item_kinds else []
    state, cosines = _cosines(runtime, tenant, subject, vector, sorted({row.text_hash for row in (*rows, *spoken)}))
    found = _Found(rows, terms(query), cosines, runtime.calibration.fusion.sample_size)
    said_then, question = _turns(runtime, tenant, past, asked, _indexed(spoken, cosines), vector)
    memories = {owner: past.rows[owner] for kind, owner in found.hits if kind == MEMORY}
    _add_overlays(found.hits, memories, past, now)
    core = past_core(past, now) if MEMORY in asked.item_kinds else []
    for name in core:
        memories.setdefault(name, past.rows[name])
        found.hits.setdefault((MEMORY, name), Hit(name))
    return Pool(
        items=[*(Item(owner, found.hits[MEMORY, owner], memory=row) for owner, row in memories.items()), *said_then],
        query=found.query,
        question=question if EPISODE in asked.item_kinds else None,
        terms=frozenset(terms(query)),
        half_lives=half_lives_of(past.registry, memories.values()),
        index_state=state,
        uncompiled=0,
        registry=past.registry,
        core=tuple(core),
        rows={owner: past.row_of(owner) for owner in memories},
        past=past,
        held=held,
        extractor=past.extractor,
        took_ms=(looked - began, clock_ms() - looked),
    )


class _Found:
    """The hits of both legs over the rows of a past state, with what is known of the query."""

    def __init__(self, rows: Sequence[LexicalRow], words: Sequence[str], cosines: Cosines, sample_size: int) -> None:
        """Rank the rows by words, then by nearness; each leg gives its best `LEG_LIMIT`."""
        self.best: dict[Owner, str] = {}
        self.hits: dict[Owner, Hit] = {}
        near = self._nearness(rows, cosines)
        for owner, (cosine, item) in sorted(near.items(), key=lambda each: (-each[1][0], each[0]))[:LEG_LIMIT]:
            self._hit(owner, item, cosine=cosine)
        texts = [((row.item_kind, row.owner_id), row.item_id, row.weights) for row in rows]
        ranked, ideal = lexical.rank(lexical.query_terms(words), texts, LEG_LIMIT)
        for owner, item, bm25 in ranked:
            self._hit(owner, item, bm25=bm25, cosine=near[owner][0] if owner in near else None)
        sample = sorted((row.text_hash, row.item_id) for row in rows if row.text_hash in cosines)[:sample_size]
        floor = min((cosines[text_hash] for text_hash, _ in sample), default=None)
        self.query = Query(ideal, floor, len(sample))

    def _nearness(self, rows: Iterable[LexicalRow], cosines: Cosines) -> dict[Owner, tuple[float, str]]:
        near: dict[Owner, tuple[float, str]] = {}
        for row in rows:
            if (cosine := cosines.get(row.text_hash)) is not None:
                owner = row.item_kind, row.owner_id
                near[owner] = max(near.get(owner, (cosine, row.item_id)), (cosine, row.item_id))
        return near

    def _hit(self, owner: Owner, item: str, *, cosine: float | None, bm25: float | None = None) -> None:
        self.hits[owner] = Hit(owner[1], bm25=bm25, cosine=cosine)
        self.best[owner] = item


def _cosines(
    runtime: Runtime, tenant: str, subject: str, vector: embed.QueryVector, text_hashes: list[bytes]
) -> tuple[IndexState, Cosines]:
    def read(t: Transaction) -> tuple[IndexState, Cosines]:
        state, usable = embed.index_state(runtime, t, vector, subject)
        if usable is None:
            return state, {}
        found = index.cosines_of_texts(t, DenseQuery(usable.model_id, usable.vector), text_hashes)
        lacking = len(text_hashes) - len(found)
        return state.model_copy(update={"outstanding": lacking, "complete": lacking == 0}), found

    return runtime.store.run(tenant, read, read_only=True)


def _indexed(rows: Sequence[LexicalRow], cosines: Cosines) -> list[Indexed]:
    return [
        Indexed(row.owner_id, row.item_id, row.text_hash, row.weights, row.turn, cosines.get(row.text_hash))
        for row in rows
        if isinstance(row.turn, Turn)
    ]


def _turns(
    runtime: Runtime,
    tenant: str,
    past: Past,
    asked: Asked,
    indexed: Sequence[Indexed],
    vector: embed.QueryVector,
) -> tuple[list[Item], Question]:
    """Rank what was said by then as `turn_search` does, from rows made anew instead of the index."""
    fusion, recipe = runtime.calibration.fusion, runtime.calibration.dialogue
    sought = Sought(
        text=asked.query,
        words=frozenset(lexical.query_terms(terms(asked.query))),
        dates=frozenset(map(term_hash, date_terms_of_query(asked.query))),
        sample_size=fusion.sample_size,
        limit=asked.turns,
    )
    parts, mixed = mixtures(indexed, recipe), dict[str, float]()
    if parts and vector.model_id is not None and vector.vector is not None:
        dense = DenseQuery(vector.model_id, vector.vector)
        mixed = runtime.store.run(tenant, lambda t: turns.mixed_cosines(t, dense, parts), read_only=True)
    heard, question = hear(indexed, sought, recipe, mixed)
    episodes = {each.episode_id: each for each in past.episodes}
    best = rank(heard, question, fusion)[: asked.turns]
    return [item_of(each, _excerpt(episodes[each.heard.owner], each.heard.item)) for each in best], question


def _excerpt(episode: LogEpisode, item: str) -> Excerpt:
    head = {name: getattr(episode, name) for name in ("episode_id", "key", "source", "speaker")}
    for content_hash, saying in _last_said(episode).items():
        content = episode.revisions[content_hash]
        passage = episode_index.passages_by_item(episode.episode_id, content_hash, content).get(item)
        if passage is not None:
            said = episode_index.said_of(saying, episode.source)
            return excerpt_of(passage, content, head, said.time_of(passage.message))
    raise AssertionError(f"{item} is a passage of no content of its episode")


def _last_said(episode: LogEpisode) -> dict[str, Saying]:
    said = sorted(episode.sayings, key=lambda each: each.occurred_at)
    return {each.content_hash: each for each in said}


def _add_overlays(hits: dict[Owner, Hit], memories: dict[str, MemoryRow], past: Past, now: datetime) -> None:
    """Add what holds for a while under a claim key that was found, as `search` does."""
    best = best_of_keys(hits, memories)
    for row in past.rows.values():
        near = best.get((row.voice, row.claim_key or ""))
        is_overlay = row.valid_to is not None and in_force(row, now)
        if near is not None and is_overlay and row.id not in memories and _holds(row, now):
            memories[row.id] = row
            hits[MEMORY, row.id] = replace(near, item=row.id)


def _holds(row: MemoryRow, now: datetime) -> bool:
    return (row.valid_from is None or row.valid_from <= now) and row.valid_to is not None and now < row.valid_to


def _memory_rows(tenant: str, past: Past, now: datetime) -> list[LexicalRow]:
    standing = (row for row in past.rows.values() if in_force(row, now))
    return [row for each in standing for row in index_texts.lexical_rows(tenant, each)]


def _episode_rows(tenant: str, past: Past) -> list[LexicalRow]:
    """Give the rows that the store would hold: a content is indexed as of the first saying of it that was recorded."""
    rows: list[LexicalRow] = []
    for episode in past.episodes:
        first: dict[str, Saying] = {}
        for saying in sorted(episode.sayings, key=lambda each: (each.recorded_at, each.occurred_at)):
            first.setdefault(saying.content_hash, saying)
        for content_hash, saying in first.items():
            named = (tenant, episode.subject_id, episode.episode_id, content_hash)
            said = episode_index.said_of(saying, episode.source)
            rows += episode_index.lexical_rows(*named, episode.revisions[content_hash], said)
    return rows
