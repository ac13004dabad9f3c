"""Units and memory ids, and which statements meet in one: restatement is equality."""

from __future__ import annotations

from dataclasses import replace

import pytest

from stemma.core.claims import MASK, frame_words, memory_id, split_values, unit_of
from stemma.core.rules import function_words
from stemma.records import Candidate, Frame, Polarity
from stemma.text import hash_parts
from tests.extracting import declared, shipped


def named(candidate: Candidate) -> tuple[str, str, str]:
    """Give what identifies a memory beside its window."""
    return unit_of(candidate), candidate.value, candidate.polarity.value


SAME = [
    ("I prefer dark mode", "prefers dark mode"),
    ("I prefer dark mode", "User likes dark mode"),
    ("I like dark mode.", "The user prefers Dark Mode"),
    ("I really like tea", "I like tea now"),
    ("I don't like coffee", "I hate coffee"),
    ("I'm not a fan of coffee", "I dislike coffee"),
    ("I live in Lisbon", "I live in Lisbon, Portugal, now"),
    ("I'm living in Lisbon", "The user lives in Lisbon"),
    ("Stripe charges 2.9% + 30c", "Stripe charges 2.90% and 30 cents"),
    ("The trial lasts two weeks", "The trial lasts 14 days"),
    ("my favourite editor is vim", "Vim is my favorite editor"),
    ("On Fridays, deploys freeze", "Deploys freeze on Fridays"),
    ("I always use vim", "I use vim always"),
    ("The heating is on", "Heating is on"),
    ("Our main database is PostgreSQL", "The main database is postgresql"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_two_wordings_of_one_statement_are_one_memory(one: str, other: str) -> None:
    """R-34, D-5: equal unit, value and polarity."""
    assert named(declared(one)) == named(declared(other))


OTHER_UNIT = [
    ("I use Docker", "I use Podman"),
    ("Heating is on", "Heating is off"),
    ("Alice owes Bob 5", "Bob owes Alice 5"),
    ("Invoice 1001 is paid", "Invoice 1002 is paid"),
    ("I really like drinking tea in the morning", "I really like drinking coffee in the morning"),
    ("I take two sugars in tea", "I take two sugars in coffee"),
    ("The shop opens before Monday", "The shop opens after Monday"),
    ("The job keeps all records of 2010", "The job keeps only records of 2010"),
    ("I use vim", "The parser uses vim"),
    ("I live in Lisbon", "My sister lives in Lisbon"),
]


@pytest.mark.parametrize(("one", "other"), OTHER_UNIT)
def test_what_differs_in_more_than_a_value_is_another_unit(one: str, other: str) -> None:
    """R-35, D-5, D-25: names and words that carry meaning are no values."""
    assert unit_of(declared(one)) != unit_of(declared(other))


OTHER_VALUE = [
    ("Stripe charges 3.5% + 35c", "Stripe charges 2.9% + 30c"),
    ("I live in Lisbon", "I live in Porto"),
    ("Our main database is PostgreSQL", "Our main database is MySQL"),
    ("The deploy day is Friday", "The deploy day is Monday"),
    ("The standup is at 9:30", "The standup is at 10:00"),
    ("We use Python 3.11", "We use Python 3.12"),
    ("Alice owes Bob 5", "Alice owes Bob 10"),
    ("I water the plants every Sunday", "I water the plants every Monday"),
]


@pytest.mark.parametrize(("one", "other"), OTHER_VALUE)
def test_another_value_of_one_unit_is_another_memory_of_it(one: str, other: str) -> None:
    """R-35: the same unit, so that policy can rule on the two values."""
    first, second = declared(one), declared(other)
    assert unit_of(first) == unit_of(second)
    assert first.value != second.value


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I use Docker", "I do not use Docker"),
        ("The billing job retries failed charges", "The billing job never retries failed charges"),
        ("I like coffee", "I hate coffee"),
        ("I eat meat", "I eat no meat"),
        ("The office is in Lisbon", "The office isn't in Lisbon"),
    ],
)
def test_a_denial_is_the_same_unit_and_value_with_the_other_polarity(one: str, other: str) -> None:
    """R-35: "I use Docker" / "I do not use Docker" is a conflict, never a restatement."""
    first, second = declared(one), declared(other)
    assert (unit_of(first), first.value) == (unit_of(second), second.value)
    assert (first.polarity, second.polarity) == (Polarity.AFFIRMED, Polarity.NEGATED)


def test_the_hash_of_a_unit_is_that_of_the_architecture() -> None:
    """Architecture: claim units and frame units, each list preceded by its length."""
    claim = declared("I live in Lisbon")
    assert unit_of(claim) == hash_parts("claim", "own", "home", "")
    frame = replace(claim, claim_key=None, kind="fact", frame=Frame(("a", "b"), ("c",), ("percent",)))
    expected = hash_parts("frame", "own", "fact", "2", "a", "b", "|", "1", "c", "|", "1", "percent")
    assert unit_of(frame) == expected
    shifted = replace(frame, frame=Frame(("a", "b", "c"), (), ("percent",)))
    assert unit_of(shifted) != expected


def test_voice_and_scope_are_part_of_a_unit_and_kind_of_a_frame() -> None:
    """D-4: voices never meet."""
    claim, frame = declared("I live in Lisbon"), declared("I use Docker")
    assert unit_of(replace(claim, voice="assistant")) != unit_of(claim)
    assert unit_of(replace(claim, scope="work")) != unit_of(claim)
    assert unit_of(replace(claim, kind="fact")) == unit_of(claim)
    assert unit_of(replace(frame, kind="habit")) != unit_of(frame)


def test_a_memory_id_says_what_it_says_and_whose_it_is() -> None:
    """D-6: tenant, subject, unit, value, polarity, ending window, and nothing else."""
    base = memory_id("t", "s", "u", "v", Polarity.AFFIRMED, "")
    assert base == hash_parts("t", "s", "u", "v", "affirmed", "")
    others = [
        memory_id("T", "s", "u", "v", Polarity.AFFIRMED, ""),
        memory_id("t", "S", "u", "v", Polarity.AFFIRMED, ""),
        memory_id("t", "s", "U", "v", Polarity.AFFIRMED, ""),
        memory_id("t", "s", "u", "V", Polarity.AFFIRMED, ""),
        memory_id("t", "s", "u", "v", Polarity.NEGATED, ""),
        memory_id("t", "s", "u", "v", Polarity.AFFIRMED, "/2026-01-01T00:00:00.000000Z"),
    ]
    assert len({base, *others}) == 7


def test_masks_are_no_words_and_values_come_apart_again() -> None:
    """D-24: A and B are stems with masks left out; types and values run in one order."""
    candidate = declared("Stripe charges 2.9% + 30c")
    assert candidate.frame is not None
    assert candidate.frame.words == ("stripe", "charg", MASK, MASK)
    assert frame_words(candidate.frame) == {"stripe", "charg"}
    assert split_values(candidate.value) == ("2.9%", "30 cent")
    assert candidate.frame.types == ("percent", "money")
    assert split_values("") == ()


def test_no_word_that_carries_meaning_is_a_function_word() -> None:
    """D-5: on/off, before/after, more/less, all, only, no, not, never are no function words of any frame or ruling."""
    words = function_words(shipped().rules, "en")
    assert words.isdisjoint({"on", "off", "befor", "after", "more", "less", "all", "onli", "no", "not", "never"})
    assert {"the", "is", "our", "per"} <= words
    assert words <= function_words(shipped().rules)
