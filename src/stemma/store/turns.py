"""Searching what was said, turn by turn: one read for words, vectors, neighbours, sessions and dates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from stemma.store.index import DenseQuery, sparse_text, vector_text
from stemma.store.transaction import Row, Transaction


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnQuery:
    """What is looked for in a subject's dialogues at a moment: hashed terms, dates as terms, and a vector or None.

    `figures` are the shares and constants that the query names, `limit` how many each leg gives.
    """

    subject: str
    now: datetime
    words: Sequence[int]
    dates: Sequence[int]
    dense: DenseQuery | None
    figures: Mapping[str, float]
    sessions_whole: int
    limit: int


def candidates(t: Transaction, asked: TurnQuery) -> list[Row]:
    """Return the units that share a term with the query, are near it, or stand in the best sessions, by unit."""
    words, dates = sorted(set(asked.words)), sorted(set(asked.dates))
    dense = asked.dense
    if not words and not dates and dense is None:
        return []
    t.all("without_nested_loops")
    found = t.all(
        "turn_candidates",
        {
            "subject_ids": [asked.subject],
            "now": asked.now,
            "query": words,
            "dates": dates,
            "asked": sparse_text(dict.fromkeys([*words, *dates], 1.0)),
            "model_id": None if dense is None else dense.model_id,
            "vector": None if dense is None else vector_text(dense.vector),
            "sample_size": 1 if dense is None else dense.sample_size,
            "sessions_whole": asked.sessions_whole,
            "limit": asked.limit,
            **asked.figures,
        },
    )
    t.all("with_nested_loops")
    return found


def mixed_cosines(
    t: Transaction, dense: DenseQuery, mixtures: Mapping[str, Sequence[tuple[int, float, bytes]]]
) -> dict[str, float]:
    """Give by unit the cosine of a mixture of vectors: of each a step from the unit, its share, and its text's hash."""
    parts = [(unit, *part) for unit, listed in mixtures.items() for part in listed]
    named = {
        "model_id": dense.model_id,
        "vector": vector_text(dense.vector),
        "units": [unit for unit, *_ in parts],
        "steps": [step for _, step, _, _ in parts],
        "shares": [share for _, _, share, _ in parts],
        "text_hashes": [text_hash for *_, text_hash in parts],
    }
    return {row["unit"]: row["mixed"] for row in t.all("mixed_cosines", named)}


def frequencies(
    t: Transaction, subject: str, now: datetime, terms: Sequence[int], sample_size: int
) -> tuple[int, dict[int, int]]:
    """Say how many passages a sample of a subject's dialogues has, and how many of them hold each term."""
    named = {"subject_id": subject, "now": now, "sample_size": sample_size}
    documents: int = t.one("turn_sample", named)["documents"]
    rows = t.all("turn_frequencies", {**named, "asked": sorted(terms)})
    return documents, {row["term"]: row["holding"] for row in rows}
