"""The sentences on which the nearest rival broke, with what extraction must make of each."""

from __future__ import annotations

from stemma.core.claims import unit_of
from stemma.records import Polarity
from tests.extracting import declared, read, read_turns


def test_a_rate_is_not_cut_at_its_decimal_point() -> None:
    """The rival kept "I use Stripe at 3"."""
    first, second = declared("I use Stripe at 3.5% + 35c."), declared("I use Stripe at 2.9% + 30c.")
    assert unit_of(first) == unit_of(second)
    assert (first.value, second.value) == ("3.5% | 35 cent", "2.9% | 30 cent")


def test_the_articles_own_example_meets_in_one_frame() -> None:
    """Word overlap is .43 there; masked values make it one frame with two values."""
    first, second = declared("Stripe charges 3.5% + 35c"), declared("Stripe charges 2.9% + 30c")
    assert unit_of(first) == unit_of(second)
    assert first.value != second.value


def test_a_stay_of_a_week_is_bounded_and_a_home_is_not() -> None:
    """The rival retired Lisbon for a one-week stay, or understood nothing of it."""
    home = declared("I live in Lisbon with my family and my dog.")
    short, long = (
        declared("I am in Berlin this week."),
        declared("I live in Berlin with my family and my dog this week."),
    )
    assert unit_of(home) == unit_of(short) == unit_of(long)
    assert (home.valid_to, short.valid_to, long.valid_to) == (None, "week+1", "week+1")


def test_a_negation_is_no_restatement() -> None:
    """The rival made no fact of "I do not use Docker", and took "never retries" for a near-duplicate."""
    assert declared("I do not use Docker in production.").polarity is Polarity.NEGATED
    long = "The billing job {} failed charges of the last run at night"
    first, second = declared(long.format("retries")), declared(long.format("never retries"))
    assert (unit_of(first), first.value) == (unit_of(second), second.value)
    assert first.polarity is not second.polarity


def test_two_sugars_in_coffee_and_in_tea_are_apart() -> None:
    """The rival superseded one by the other."""
    assert unit_of(declared("I take two sugars in coffee")) != unit_of(declared("I take two sugars in tea"))


def test_two_invoices_are_apart() -> None:
    """The rival superseded invoice 1001 by 1002."""
    assert unit_of(declared("Invoice 1001 is paid")) != unit_of(declared("Invoice 1002 is paid"))


def test_accents_composed_or_not_are_one_value() -> None:
    """São Paulo in one code point or two."""
    composed, decomposed = declared("I live in S\u00e3o Paulo"), declared("I live in Sa\u0303o Paulo")
    assert (unit_of(composed), composed.value) == (unit_of(decomposed), decomposed.value)


def test_a_full_stop_or_an_exclamation_mark_makes_no_other_memory() -> None:
    """The rival kept two."""
    assert unit_of(declared("I prefer dark mode.")) == unit_of(declared("I prefer dark mode!"))


def test_punctuation_alone_declares_nothing() -> None:
    """The rival stored two active memories of it."""
    assert read("?!… --- ...").candidates == ()


def test_five_false_facts_of_the_user_are_none() -> None:
    """Assistant, quotation and supposition all became profile facts of the user."""
    extraction = read_turns(
        ("assistant", "I'm on the night shift team, I use Zendesk. I am Claude."),
        ("user", 'My friend said "I live in Tokyo". If I live in Rome one day, I will call you.'),
    )
    assert [each for each in extraction.candidates if each.voice == "own"] == []


def test_a_date_in_words_is_part_of_what_is_said() -> None:
    """The rival ordered by ingestion; the window is data on the claim."""
    assert declared("I live in Porto since 2023").valid_from == "year:2023"
