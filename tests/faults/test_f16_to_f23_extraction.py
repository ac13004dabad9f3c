"""Cases F16, F17, F19, F20, F22, F23 as far as extraction decides them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from stemma.core.claims import unit_of
from stemma.core.fence import CLOSE, OPEN
from stemma.records import Act, StatedClaim
from tests.extracting import declared, read, read_claims, read_turns, reasons


def test_f16_someone_elses_words_are_not_the_users() -> None:
    """F16: one user memory (sails on Sundays); the assistant's words carry its own voice."""
    user = "> I have never sailed.\nReally? I sail every Sunday."
    assistant = "Here is a plan.\n\nI prefer short checklists.\n\nShall we go on?"
    extraction = read_turns(("user", user), ("assistant", assistant))
    own = [candidate for candidate in extraction.candidates if candidate.voice == "own"]
    assert [(each.text, each.kind, each.value) for each in own] == [("I sail every Sunday", "habit", "sunday")]
    assert user[own[0].start : own[0].end] == "I sail every Sunday"
    assert {each.voice for each in extraction.candidates if each.message == 1} == {"assistant"}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("*the captain draws her sword and whispers she loves the north*", "stage_direction"),
        ("Suppose our retention target were 35 %, how would we plan?", "hypothetical"),
        ("In my story the engineer lives in Oslo.", "fiction"),
        ("```python\nuser_city = 'Lagos'\n```", "code"),
        ("If I ever move to Lima I will sell the van.", "conditional"),
    ],
)
def test_f17_what_is_not_meant_is_not_taken_as_fact(text: str, reason: str) -> None:
    """F17: no memory, and a gate record with its reason."""
    extraction = read(text)
    assert extraction.candidates == ()
    assert reasons(extraction) == [reason]


def test_f17_a_standing_instruction_is_kept() -> None:
    """F17: the control."""
    assert (declared("From now on answer me in metric units.").kind) == "instruction"


def test_f19_recalled_text_is_not_learned_again() -> None:
    """F19: the injected block, the system prompt and the assistant's echo say nothing new of the user."""
    injected = f"{OPEN}\n## Memories\n- Prefers aisle seats\n{CLOSE}\nok, book it"
    prompt = "You are a travel agent. " + "The user prefers aisle seats. " * 100
    echo = "Booking an aisle seat since you prefer aisle seats."
    for turns in (
        [("system", prompt), ("user", injected), ("assistant", echo)],
        [("system", f"{prompt}\n{OPEN}\n- Prefers aisle seats\n{CLOSE}"), ("user", "ok, book it"), ("assistant", echo)],
    ):
        extraction = read_turns(*turns)
        assert extraction.candidates == ()
        assert "system" in reasons(extraction)


def test_f20_a_correction_does_not_strengthen_what_it_corrects() -> None:
    """F20: the second turn retracts what was said before it, the third the retold one; neither says it again.

    The retraction stands before the correction's own statement, or it would take that one back.
    """
    first = declared("I keep bees at the allotment.")
    second = read("Correction: the bees are my neighbour's, not mine.").candidates
    third = read("You told me I keep bees; that was wrong.").candidates
    assert first.act is Act.SAY
    assert [each.act for each in second] == [Act.WRONG_LAST, Act.SAY]
    assert "keep" not in (second[1].frame.words if second[1].frame else ())
    assert [each.act for each in third] == [Act.WRONG]
    assert all(each.act is not Act.SAY or unit_of(each) != unit_of(first) for each in [*second, *third])


def test_f22_two_stays_in_one_place_have_two_windows() -> None:
    """F22: the same words, valid January to April and from February of the next year."""
    one = declared("Rowan is on Payments from 2025-01-01 until 2025-04-01")
    other = declared("Rowan is on Payments from 2026-02-01")
    assert unit_of(one) == unit_of(other)
    assert (one.valid_from, one.valid_to) == ("day:2025-01-01", "day:2025-04-01")
    assert (other.valid_from, other.valid_to) == ("day:2026-02-01", None)


def test_f23_an_empty_window_is_flagged_and_a_backwards_one_refused() -> None:
    """F23: beside them the sound claim stands."""
    may, june = datetime(2026, 5, 1, tzinfo=UTC), datetime(2026, 6, 1, tzinfo=UTC)
    extraction = read_claims(
        StatedClaim(key="home", value="Rome", valid_from=may, valid_to=may),
        StatedClaim(key="home", value="Oslo", valid_from=june, valid_to=may),
        StatedClaim(key="home", value="Lisbon"),
    )
    assert [(each.value, each.place) for each in extraction.candidates] == [("rome", 0), ("lisbon", 2)]
    assert [(record.passed, record.reason) for record in extraction.gates] == [
        (True, "empty_interval"),
        (False, "invalid_interval"),
    ]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("I lived in Rome from 2024 until 2024-01-01", "mixed_precision"),
        ("I lived in Rome from 2026-05-01 until 2026-05-01", "empty_interval"),
        ("I lived in Rome from 2026-06-01 until 2026-05-01", "invalid_interval"),
    ],
)
def test_f23_an_odd_window_in_words_is_refused_not_guessed(text: str, reason: str) -> None:
    """F23: from year 2024 to date 2024-01-01 is of mixed precision."""
    extraction = read(text)
    assert extraction.candidates == ()
    assert reasons(extraction) == [reason]
