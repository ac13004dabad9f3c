"""The turns of a query: one read of a subject's dialogues, ranked by the recipe, with the texts of the best."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from stemma.app.episode_index import passages_by_item, said_of
from stemma.app.runtime import Runtime
from stemma.core import lexical
from stemma.core.analyse import date_terms_of_query, term_hash, terms
from stemma.core.calibration import Calibration
from stemma.core.dialogue.newest import Scope, is_about_now, terms_of
from stemma.core.dialogue.parameters import Dialogue
from stemma.core.dialogue.rank import Ranked, rank
from stemma.core.dialogue.turns import Heard, Question
from stemma.core.fuse import Hit
from stemma.core.passages import Passage, item_prefix
from stemma.core.trace import Excerpt, Item
from stemma.record_json import decode
from stemma.records import Content
from stemma.store import episodes, log, turns
from stemma.store.index import DenseQuery
from stemma.store.transaction import Row, Transaction
from stemma.store.turns import TurnQuery

# Cutting the legs to 200 costs .006 R@10 on dialogue, and to 50 no more (the retrieval study, section 3).
LEG_LIMIT: Final = 200
TURNS_LEAST: Final = 60


def turns_wanted(k: int) -> int:
    """Say how many turns to look for so that k are left when those that say the same are one."""
    return max(TURNS_LEAST, 2 * k)


def items(
    runtime: Runtime,
    t: Transaction,
    subject: str,
    query: str,
    now: datetime,
    dense: DenseQuery | None,
    *,
    limit: int,
) -> tuple[list[Item], Question]:
    """Find the turns of a subject that answer a query, best first, with their texts."""
    ranked, question = turns_of(runtime, t, subject, query, now, dense, limit)
    best = ranked[:limit]
    excerpts = dict(_excerpts(t, [each.heard for each in best]))
    found = [item_of(each, excerpts[each.heard.unit]) for each in best if each.heard.unit in excerpts]
    if is_about_now(query):
        asked = terms_of((item.text for item in found), question.recipe)
        sampled = turns.frequencies(t, subject, now, sorted(asked), runtime.calibration.fusion.sample_size)
        question = replace(question, scope=Scope(*sampled))
    return found, question


def item_of(ranked: Ranked, excerpt: Excerpt) -> Item:
    """Make a candidate of a ranked turn and its text."""
    heard = ranked.heard
    hit = Hit(heard.unit, heard.bm25 or None, heard.cosine, heard.role)
    return Item(heard.unit, hit, excerpt=excerpt, turn=ranked)


def figures_of(calibration: Calibration) -> dict[str, float]:
    """Give the shares and constants that the query of the store names."""
    recipe = calibration.dialogue
    return {
        "before": recipe.lexical.before,
        "after": recipe.lexical.after,
        "second": recipe.lexical.second,
        "mixed_before": recipe.mixed.before,
        "mixed_after": recipe.mixed.after,
        "mixed_second": recipe.mixed.second,
        "k1": lexical.K1,
        "b": lexical.B,
        "average": lexical.AVERAGE_LENGTH,
        "session_k1": recipe.session_k1,
        "session_b": recipe.session_b,
    }


def turns_of(
    runtime: Runtime, t: Transaction, subject: str, query: str, now: datetime, dense: DenseQuery | None, limit: int
) -> tuple[list[Ranked], Question]:
    """Find the turns of a subject that answer a query, best first, with what is known of the query among them."""
    words = lexical.query_terms(terms(query))
    asked = TurnQuery(
        subject=subject,
        now=now,
        words=words,
        dates=[term_hash(each) for each in date_terms_of_query(query)],
        dense=dense,
        figures=figures_of(runtime.calibration),
        sessions_whole=runtime.calibration.dialogue.sessions_whole,
        limit=limit,
    )
    rows = turns.candidates(t, asked)
    question = question_of(query, words, rows, runtime.calibration.dialogue)
    return rank([heard_of(row) for row in rows], question, runtime.calibration.fusion), question


def question_of(query: str, words: Sequence[int], rows: Sequence[Row], recipe: Dialogue) -> Question:
    """Read what the rows say of the query itself."""
    stated = next((row["worth"] for row in rows if row["worth"]), "")
    pairs = (each.split(":") for each in stated.split(",") if each)
    return Question(
        text=query,
        recipe=recipe,
        worth={int(term): float(idf) for term, idf in pairs},
        terms=frozenset(words),
        floor=rows[0]["floor"] if rows else None,
        plain_floor=rows[0]["plain_floor"] if rows else None,
        sampled=rows[0]["sampled"] if rows else 0,
    )


def heard_of(row: Row) -> Heard:
    """Read one row."""
    return Heard(
        unit=row["unit"],
        owner=row["owner_id"],
        item=row["item_id"],
        session=row["session"],
        said_at=row["said_at"],
        place=row["place"],
        role=row["role"],
        speaker=tuple(row["speaker"] or ()),
        words=row["words"],
        asks=row["asks"],
        start=row["starts"],
        end=row["ends"],
        bm25=row["bm25"],
        shared=row["shared"],
        preceding=row["preceding"],
        dated=row["dated"],
        free=row["free"],
        told=row["told"],
        cosine=row["cosine"],
        mixed=row["mixed"],
    )


def _excerpts(t: Transaction, found: Sequence[Heard]) -> Iterator[tuple[str, Excerpt]]:
    """Read the passages that turns are found by, by unit."""
    wanted: dict[str, list[Heard]] = {}
    for heard in found:
        wanted.setdefault(heard.owner, []).append(heard)
    if not wanted:
        return
    heads = {row["episode_id"]: row for row in episodes.by_id(t, wanted)}
    said = {(row["episode_id"], row["content_hash"]): row for row in episodes.sayings_of(t, wanted)}
    for row in episodes.revisions_of(t, wanted):
        episode, content_hash = row["episode_id"], row["content_hash"]
        prefix = item_prefix(episode, content_hash)
        here = [heard for heard in wanted[episode] if heard.item.startswith(prefix)]
        if not here:
            continue
        content = decode(Content, row["content"])
        last = said_of(log.saying_of(said[episode, content_hash]), heads[episode]["source"])
        for heard in here:
            passage = _passage(heard, episode, content_hash, content)
            yield heard.unit, excerpt_of(passage, content, heads[episode], last.time_of(passage.message))


def _passage(heard: Heard, episode: str, content_hash: str, content: Content) -> Passage:
    """Give the passage of an indexed row; only one of an older form has to be looked for by cutting the text again."""
    if heard.start is None or heard.end is None or (content.text is None and not content.messages):
        return passages_by_item(episode, content_hash, content)[heard.item]
    message = None if content.text is not None else heard.place
    return Passage(0, heard.start, heard.end, "", message)


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
