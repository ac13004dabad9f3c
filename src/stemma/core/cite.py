"""From ranked passages to citations (R-6, R-62): which passages, grouped under one number a document, in what order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from stemma.core.trace import Fate, Miss, Reason, StageRecord, recorded

# Two passages a document, so that one long document does not take every place; measured elsewhere, kept by the seed's
# system. A document that answers far better than the next one may fill them.
PASSAGES_A_DOCUMENT: Final = 2
DOMINANT_LEAD: Final = 0.1


@dataclass(frozen=True, slots=True)
class Found:
    """One passage that was found: its fused score, its similarity to the query, its place.

    Both scores lie in 0 to 1. `start` and `end` count code points of its document's present text.
    """

    id: str
    document_id: str
    score: float
    similarity: float
    start: int
    end: int
    heading: str = ""
    page: int | None = None
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class Citation:
    """One numbered document with its passages in reading order; `copy_of` is the first number with the same origin."""

    number: int
    document_id: str
    origin_id: str
    score: float
    passages: tuple[Found, ...]
    copy_of: int | None = None


def in_order(found: Sequence[Found]) -> list[Found]:
    """Rank passages, the best first; equals by id."""
    return sorted(found, key=lambda one: (-one.score, one.id))


def admitted(found: Sequence[Found], zero: float = 0.0) -> tuple[list[Found], list[Fate]]:
    """Keep what is near to the query: into a prompt or an answer nothing else comes. `zero` is the score of the unlike.

    Whoever searches is shown everything in its order, each with how near it is: a gate there would cost what the better
    leg alone would find.
    """
    kept, fates = [], []
    for one in found:
        if one.similarity > 0:
            kept.append(one)
        else:
            fates.append(Fate(one.id, Reason.BELOW_GATE, detail=Miss("fused", one.score, zero)))
    return kept, fates


def selected(ranked: Sequence[Found], k: int) -> tuple[list[Found], list[Fate]]:
    """Choose at most `k` of ranked passages, at most two a document unless it is dominant; what it holds back fills up.

    A document is dominant where its best passage leads every other document's best by `DOMINANT_LEAD`. Places that
    nothing else takes go to the passages that were held back, in their order.
    """
    chosen, held = _chosen(ranked, k)
    names = {one.id for one in chosen}
    capped = {one.id for one in held}
    fates = []
    count: Counter[str] = Counter()
    for rank, one in enumerate(ranked, start=1):
        count[one.document_id] += 1
        if one.id in names:
            continue
        if one.id in capped:
            place = Miss("passages_of_document", count[one.document_id], PASSAGES_A_DOCUMENT)
            fates.append(Fate(one.id, Reason.DOCUMENT_CAP, detail=place))
        else:
            fates.append(Fate(one.id, Reason.K_REACHED, detail=Miss("rank", rank, k)))
    return in_order(chosen), fates


def chosen(ranked: Sequence[Found], k: int) -> list[Found]:
    """Choose as `selected` does, for whoever asks nothing of the rest."""
    return in_order(_chosen(ranked, k)[0])


def _chosen(ranked: Sequence[Found], k: int) -> tuple[list[Found], list[Found]]:
    dominant = _dominant(ranked)
    taken: Counter[str] = Counter()
    chosen: list[Found] = []
    held: list[Found] = []
    for one in ranked:
        is_full = taken[one.document_id] >= PASSAGES_A_DOCUMENT and one.document_id != dominant
        if is_full:
            held.append(one)
        elif len(chosen) < k:
            chosen.append(one)
        taken[one.document_id] += 1
    return chosen + held[: k - len(chosen)], held


def _dominant(ranked: Sequence[Found]) -> str | None:
    if not ranked:
        return None
    first = ranked[0]
    other = next((one for one in ranked if one.document_id != first.document_id), None)
    return first.document_id if other is None or first.score - other.score >= DOMINANT_LEAD else None


def merged(passages: Sequence[Found]) -> tuple[list[Found], list[Fate]]:
    """Put one document's passages in reading order and make one of those that overlap; it keeps the better score."""
    left: list[Found] = []
    fates: list[Fate] = []
    for one in sorted(passages, key=lambda each: (each.start, each.end, each.id)):
        if left and one.start < left[-1].end:
            before = left[-1]
            left[-1] = replace(
                before,
                end=max(before.end, one.end),
                score=max(before.score, one.score),
                similarity=max(before.similarity, one.similarity),
            )
            fates.append(Fate(one.id, Reason.OVERLAP, into=before.id))
        else:
            left.append(one)
    return left, fates


def cited(chosen: Sequence[Found], origin_of: Mapping[str, str]) -> tuple[list[Citation], list[Fate]]:
    """Give each document one number, by its best passage; of equals the origin itself comes before its copies."""
    by_document: dict[str, list[Found]] = {}
    for one in chosen:
        by_document.setdefault(one.document_id, []).append(one)
    fates: list[Fate] = []
    groups = []
    for name, passages in by_document.items():
        read, gone = merged(passages)
        fates += gone
        groups.append((max(one.score for one in read), name, tuple(read)))
    groups.sort(key=lambda group: (-group[0], origin_of[group[1]] != group[1], group[1]))
    citations: list[Citation] = []
    first: dict[str, int] = {}
    for number, (score, name, passages_read) in enumerate(groups, start=1):
        origin = origin_of[name]
        citations.append(Citation(number, name, origin, score, passages_read, first.get(origin)))
        first.setdefault(origin, number)
    return citations, fates


def independent_origins(citations: Sequence[Citation]) -> int:
    """Count the origins behind citations: three copies of one handbook are one."""
    return len({one.origin_id for one in citations})


def records(ranked: Sequence[Found], citations: Sequence[Citation], fates: Sequence[Fate]) -> list[StageRecord]:
    """Give the stages of a trace from `candidates` to `diversity`, as passages went through them (R-42)."""
    found = [one.id for one in ranked]
    near = [fate for fate in fates if fate.reason is Reason.BELOW_GATE]
    chosen = [fate for fate in fates if fate.reason is not Reason.BELOW_GATE]
    refused = {fate.id for fate in near}
    admitted_ids = [name for name in found if name not in refused]
    kept = [passage.id for citation in citations for passage in citation.passages]
    through = [recorded(name, len(found), found) for name in ("candidates", "fusion", "collapse", "time", "score")]
    return [
        *through,
        recorded("admission", len(found), admitted_ids, near),
        recorded("diversity", len(admitted_ids), kept, chosen),
    ]
