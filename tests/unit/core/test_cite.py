"""Citations from ranked passages: selection, merging, numbers, copies (R-6, R-62, R-65)."""

from __future__ import annotations

import random

from stemma.core import cite
from stemma.core.cite import DOMINANT_LEAD, Found, cited, in_order, independent_origins, merged, selected
from stemma.core.trace import Reason


def found(name: str, document: str, score: float, start: int = 0, end: int = 10) -> Found:
    """Write one passage."""
    return Found(name, document, score, score, start, end)


def test_a_document_takes_two_places_and_fills_what_is_left() -> None:
    """R-62: two a document, in the order of rank; what nothing else takes goes to what was held back."""
    ranked = in_order([found(f"a{n}", "a", 0.9 - n / 100) for n in range(5)] + [found("b", "b", 0.89)])
    chosen, fates = selected(ranked, 3)
    assert [one.id for one in chosen] == ["a0", "a1", "b"]
    assert {fate.id: fate.reason for fate in fates} == dict.fromkeys(("a2", "a3", "a4"), Reason.DOCUMENT_CAP)
    chosen, fates = selected(ranked, 5)
    assert {one.id for one in chosen} == {"a0", "a1", "a2", "a3", "b"}
    assert [fate.id for fate in fates] == ["a4"]


def test_a_document_that_leads_by_far_may_take_every_place() -> None:
    """R-62: dominant is a lead of a tenth over every other document's best."""
    others = [found("b", "b", 0.5), found("c", "c", 0.4)]
    ranked = in_order([found(f"a{n}", "a", 0.501 + DOMINANT_LEAD - n / 1000) for n in range(4)] + others)
    assert [one.id for one in selected(ranked, 4)[0]] == ["a0", "a1", "a2", "a3"]
    near = in_order([found(f"a{n}", "a", 0.599 - n / 1000) for n in range(4)] + others)
    assert [one.id for one in selected(near, 4)[0]] == ["a0", "a1", "b", "c"]


def test_nothing_is_lost_in_a_selection() -> None:
    """R-42: in = out + dropped, with one fate each, for any k and any ranking."""
    draw = random.Random(3)
    for _ in range(300):
        ranked = in_order(
            [found(str(n), draw.choice("abc"), draw.randint(0, 5) / 5) for n in range(draw.randint(0, 9))]
        )
        k = draw.randint(1, 6)
        chosen, fates = selected(ranked, k)
        assert chosen == cite.chosen(ranked, k)
        assert len(chosen) == min(k, len(ranked))
        assert sorted([one.id for one in chosen] + [fate.id for fate in fates]) == sorted(one.id for one in ranked)


def test_overlapping_passages_become_one_and_neighbours_do_not() -> None:
    """R-62: reading order; an overlap is merged into the first with the better score, touching ends stay two."""
    read, fates = merged([found("c", "a", 0.9, 15, 30), found("a", "a", 0.2, 0, 10), found("b", "a", 0.5, 10, 20)])
    assert [(one.id, one.start, one.end, one.score) for one in read] == [("a", 0, 10, 0.2), ("b", 10, 30, 0.9)]
    assert [(fate.id, fate.into) for fate in fates] == [("c", "b")]


def test_a_document_is_ranked_by_its_best_passage_and_a_copy_names_its_first() -> None:
    """R-6, R-65: of equals the origin comes before its copies; origins are counted, not documents."""
    chosen = [
        found("1", "copy", 0.8),
        found("2", "root", 0.8),
        found("3", "other", 0.3, 50, 60),
        found("4", "other", 0.9),
    ]
    citations, _ = cited(chosen, {"copy": "root", "root": "root", "other": "other"})
    assert [(one.number, one.document_id, one.copy_of) for one in citations] == [
        (1, "other", None),
        (2, "root", None),
        (3, "copy", 2),
    ]
    assert [one.id for one in citations[0].passages] == ["4", "3"]
    assert independent_origins(citations) == 2
