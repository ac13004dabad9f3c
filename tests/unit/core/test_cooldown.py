"""Cooldown as an admission rule: who is kept out, by how much, and what would bring the same words back (R-43)."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from stemma.core.admit.cooldown import bundles_ago, cooldown_of
from stemma.core.admit.retired import Place
from stemma.core.admit.rules import CORE, RELEVANCE, admission_stage
from stemma.core.fuse import Hit, Query
from stemma.core.score import Scale, Score, ScoreKind
from stemma.core.trace import Ask, Excerpt, Item, Reason
from stemma.records import Polarity
from stemma.state import MemoryRow

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
ADMIT = admission_stage(Scale(0.4, 0.8))


def _row(name: str, *, kind: str = "preference", injection: str = "gated") -> MemoryRow:
    return MemoryRow(
        id=name,
        subject_id="ana",
        unit=name,
        voice="self",
        kind=kind,
        original_kind=kind,
        claim_key=None,
        value=name,
        shown=name,
        polarity=Polarity.AFFIRMED,
        text=name,
        injection=injection,
        authority=50,
        importance=0.5,
        confidence=1.0,
        first_said_at=NOON,
        last_said_at=NOON,
        times_said=1,
        independent_origins=1,
        valid_from=None,
        valid_to=None,
        transitions=(),
        spells=((None, None),),
        superseded_by=None,
        superseded_from=None,
    )


def _item(name: str, near: float, *, bm25: float | None = None, row: MemoryRow | None = None) -> Item:
    return Item(name, Hit(name, bm25), memory=row or _row(name), similarity=Score(ScoreKind.SIMILARITY, near))


def _clause(name: str, near: float, place: Place) -> Item:
    said = Excerpt(place.episode_id, "k", name, place.message, place.start, place.end, NOON, "user", "chat", None)
    return Item(name, Hit(name), excerpt=said, similarity=Score(ScoreKind.SIMILARITY, near))


def _ask(**more: object) -> Ask:
    return Ask(Query(0.0), frozenset(), NOON, 10, for_prompt=True, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("kind", "injection", "bundles"),
    [
        ("preference", "gated", 3),
        ("event", "gated", 3),
        ("of_our_own", "gated", 3),
        ("health", "gated", 5),
        ("money", "on_request", 5),
        ("health", "core", 0),
        ("profile", "core", 0),
    ],
)
def test_the_table_of_the_study(kind: str, injection: str, bundles: int) -> None:
    assert cooldown_of(_row("m", kind=kind, injection=injection)) == bundles


def test_the_last_time_counts() -> None:
    assert bundles_ago([{"a"}, set(), {"a", "b"}]) == {"a": 1, "b": 3}
    assert bundles_ago([]) == {}


@pytest.mark.parametrize(
    ("ago", "near", "bm25", "comes"),
    [
        (1, 0.49, None, False),
        (3, 0.49, None, False),
        (4, 0.49, None, True),
        (1, 0.5, None, True),
        (1, 0.3, 0.1, True),
    ],
)
def test_a_memory_stays_out_for_three_bundles_unless_the_query_names_it(
    ago: int, near: float, bm25: float | None, comes: bool
) -> None:
    left, fates = ADMIT([_item("m", near, bm25=bm25)], _ask(given={"m": ago}))
    assert [item.rule for item in left] == ([RELEVANCE] if comes else [])
    assert [(fate.reason, fate.detail and (fate.detail.value, fate.detail.needed)) for fate in fates] == (
        [] if comes else [(Reason.COOLDOWN, (ago, 4))]
    )


def test_the_core_list_is_exempt_and_no_more_forced_for_it() -> None:
    """R-43: what relevance admits is not forced, given or not."""
    ask = _ask(given={"m": 1, "n": 1}, core=frozenset({"m", "n"}))
    left, fates = ADMIT([_item("m", 0.4), _item("n", 0.0)], ask)
    assert ([(item.id, item.rule) for item in left], fates) == ([("m", RELEVANCE), ("n", CORE)], [])


def test_the_clause_that_a_resting_memory_was_learned_from_rests_with_it() -> None:
    """R-43: otherwise the same words would come as an excerpt; a clause of elsewhere comes."""
    own, other = Place("e1", None, 0, 20), Place("e1", None, 30, 50)
    items = [_item("m", 0.45), _clause("here", 0.8, own), _clause("there", 0.8, other)]
    evidence = {"m": [Place("e1", None, 5, 12)]}
    left, fates = ADMIT(items, _ask(given={"m": 2}, evidence=evidence))
    assert [item.id for item in left] == ["there"]
    assert [(fate.id, fate.reason, fate.detail and fate.detail.value) for fate in fates] == [
        ("m", Reason.COOLDOWN, 2),
        ("here", Reason.COOLDOWN, 2),
    ]
    assert [item.id for item in ADMIT(items, _ask(evidence=evidence))[0]] == ["m", "here", "there"]
