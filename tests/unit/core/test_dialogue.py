"""The steps of the recipe for dialogue that stand alone: which questions are about the present, what changes places."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from stemma.core.analyse import term_hash, terms
from stemma.core.dialogue.newest import Member, Scope, is_about_now, newest_first
from stemma.core.dialogue.parameters import Dialogue, Shares, SupportWeights

START = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    "question",
    [
        "What is my budget for the trip?",
        "How many engines are in service?",
        "How many days a week do I train?",
        "Where does Ana live?",
        "What's the deadline of the report?",
    ],
)
def test_a_question_in_the_present_tense_is_about_now(question: str) -> None:
    assert is_about_now(question)


@pytest.mark.parametrize(
    "question",
    [
        "What was my budget for the trip?",
        "What did I say before the review?",
        "How many days are there between the two?",
        "How long is the course?",
        "In which order do the steps come?",
        "Tell me my budget.",
        "How does the budget evolve over time?",
    ],
)
def test_a_question_about_the_past_order_or_change_is_not(question: str) -> None:
    assert not is_about_now(question)


def members(*told: tuple[str, int]) -> list[Member]:
    return [Member(at, text, START + timedelta(days=day), 0) for at, (text, day) in enumerate(told)]


def worth(question: str) -> dict[int, float]:
    return {term_hash(term): 1.0 for term in terms(question, "en")}


def test_a_newer_turn_comes_up_to_stand_right_before_the_older_that_says_the_same() -> None:
    """Design study, section 4: newest first. The older one gives up one place, not the newer one's far down."""
    told = members(
        ("The garden fence needs 12 new planks this spring.", 1),
        ("Nothing much happened in the office today, honestly.", 5),
        ("The garden fence needs 20 new planks this spring.", 9),
    )
    assert newest_first(told, worth("How many planks does the garden fence need?"), Scope(), Dialogue()) == {
        0: 2,
        1: 0,
        2: 1,
    }


def test_what_is_like_a_third_turn_alone_does_not_change_places() -> None:
    """Pair by pair: the last is like the first and the third, which say nothing of one another."""
    told = members(
        ("The garden fence needs 12 planks from Miller.", 1),
        ("The village party was a great success this year.", 2),
        ("Our yellow gate needs 40 hinges from Hartmann before winter.", 9),
        ("Our yellow garden gate and fence needs 30 planks from Hartmann before winter.", 5),
    )
    apart = newest_first(told[:3], {}, Scope(), Dialogue())
    assert apart == {}
    assert newest_first(told, {}, Scope(), Dialogue()) == {0: 3, 1: 0, 2: 1, 3: 2}


def test_a_turn_without_a_value_is_of_no_slot() -> None:
    told = members(
        ("The garden fence needs many new planks this spring.", 1),
        ("The garden fence needs several new planks this spring.", 9),
    )
    assert newest_first(told, worth("How many planks does the garden fence need?"), Scope(), Dialogue()) == {}


def test_a_figure_outside_its_range_makes_no_recipe() -> None:
    for wrong in ({"session": 1.5}, {"session_k1": 0.0}, {"words_most": 0}, {"link": -0.1}, {"assisted_reach": 1.1}):
        with pytest.raises(ValueError, match=r"lies|least"):
            Dialogue(**wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="share"):
        Shares(1.2, 0.0, 0.0)
    with pytest.raises(ValueError, match="probability"):
        SupportWeights(threshold=1.1)
