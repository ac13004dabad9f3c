"""Clauses, retired values and a diverse order (SPEC R-43, R-45a): what may be cut, left out, or put behind."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stemma.app.registry_files import load_rules
from stemma.core.admit.clause import best_clause, clauses
from stemma.core.admit.diversity import Spoken, is_near_copy, over_cap, spread
from stemma.core.admit.greetings import asks_nothing
from stemma.core.admit.retired import Place, named_retired, retired
from stemma.core.analyse import overlap_words, terms

HELLO = "Hello! Stripe charges 2.9% now; PayPal is dearer. Shall we go on?"


@pytest.mark.parametrize(
    ("query", "clause"),
    [
        ("What does Stripe charge?", "Stripe charges 2.9% now;"),
        ("Is PayPal dear?", "PayPal is dearer."),
        ("unknown", "Hello!"),
    ],
)
def test_the_best_clause_is_the_one_that_holds_most_of_the_query(query: str, clause: str) -> None:
    start, end = best_clause(HELLO, frozenset(terms(query)))
    assert HELLO[start:end] == clause


def test_clauses_end_at_signs_of_every_script_and_at_lines() -> None:
    text = "我住在东京。我喜欢茶！\nOne line\nanother"
    assert [text[start:end] for start, end in clauses(text)] == ["我住在东京。", "我喜欢茶！", "One line", "another"]


def test_a_point_behind_a_figure_or_a_letter_ends_nothing() -> None:
    text = "Bis 30. April wohne ich bei J. Doe in Köln. Danach nicht."
    assert [text[start:end] for start, end in clauses(text)] == [text[:-14], "Danach nicht."]


def test_a_figure_with_a_point_is_not_cut() -> None:
    assert [HELLO[start:end] for start, end in clauses(HELLO)][1] == "Stripe charges 2.9% now;"


@given(st.text())
def test_clauses_lie_in_order_and_cover_all_but_white_space(text: str) -> None:
    spans = list(clauses(text))
    assert all(one[1] <= other[0] for one, other in pairwise(spans))
    kept = "".join(text[start:end] for start, end in spans)
    assert "".join(kept.split()) == "".join(text.split())


OLD = retired("old", "Stripe charges 3.5% + 35c", [Place("e1", 0, 10, 35)])


@pytest.mark.parametrize(
    ("text", "place", "named"),
    [
        ("anything at all", Place("e1", 0, 34, 50), "old"),
        ("anything at all", Place("e1", 0, 35, 50), None),
        ("anything at all", Place("e1", 1, 10, 35), None),
        ("anything at all", Place("e2", 0, 10, 35), None),
        ("As I said, Stripe charges 3.5% + 35c these days", Place("e2", None, 0, 40), "old"),
        ("Stripe charges 2.9% + 30c", Place("e2", None, 0, 25), None),
        ("Stripe charges a lot", Place("e2", None, 0, 20), None),
    ],
)
def test_a_clause_names_what_is_retired_by_its_place_or_by_all_of_its_words(
    text: str, place: Place, named: str | None
) -> None:
    assert named_retired(text, place, [retired("other", "I live in Rome"), OLD]) == named


def test_a_retired_memory_without_words_is_named_by_its_place_alone() -> None:
    assert named_retired("whatever", Place("e", None, 0, 5), [retired("x", "…")]) is None


def _spoken(name: str, text: str, worth: float = 0.5) -> Spoken:
    return Spoken(name, overlap_words(text), worth)


@pytest.mark.parametrize(
    ("one", "other", "copies"),
    [
        ("I label my samples with thermal labels", "I label samples with thermal labels", True),
        ("Invoice 1001 is paid by now", "Invoice 1002 is paid by now", False),
        ("I label my samples", "I drink tea in the morning", False),
        ("", "", False),
    ],
)
def test_a_near_copy_has_the_same_figures_and_four_fifths_of_the_words(one: str, other: str, copies: bool) -> None:
    assert is_near_copy(_spoken("a", one), _spoken("b", other)) is copies


def test_the_second_of_two_alike_stands_behind_another_of_nearly_its_worth() -> None:
    items = [
        _spoken("tea", "I drink green tea", 1.0),
        _spoken("tea again", "I drink green tea daily", 0.95),
        _spoken("boat", "My boat is blue", 0.9),
    ]
    assert spread(items, 0.7, 10) == ["tea", "boat", "tea again"]
    assert spread(items, 1.0, 10) == ["tea", "tea again", "boat"]
    assert spread(items, 0.7, 2) == ["tea", "tea again", "boat"]


ITEMS = st.lists(st.tuples(st.sampled_from(["a b c", "a b", "c d", "x"]), st.floats(0, 1)), max_size=8)


@given(ITEMS, st.integers(0, 9))
def test_a_diverse_order_has_every_item_once(items: list[tuple[str, float]], reach: int) -> None:
    spoken = [_spoken(str(at), text, worth) for at, (text, worth) in enumerate(items)]
    ordered = spread(spoken, 0.8, reach)
    assert sorted(ordered) == sorted(each.id for each in spoken)
    assert ordered[reach:] == [each.id for each in spoken][reach:]


def test_over_a_cap_is_what_comes_after_the_first_of_its_group() -> None:
    assert over_cap(["a", "b", "a", None, "a", None, "b"], 1) == [2, 4, 6]
    assert over_cap(["a", "a", "a"], 2) == [2]


GREETINGS = ("Hi!", "good morning", "cool, thanks", "danke", "bom dia", "merci beaucoup", "haha", "ok")
ASKING = ("the freezer", "ok what about Ymir", "What is my name?", "hi, is 37 right?", "", "👍")


@pytest.mark.parametrize("query", [*GREETINGS, *ASKING])
def test_a_greeting_in_any_known_language_asks_nothing(query: str) -> None:
    assert asks_nothing(query, load_rules()) is (query in GREETINGS)
