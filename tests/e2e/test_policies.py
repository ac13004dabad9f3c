"""How a pair is ruled: negations, health, authority and corroboration, in every order of arrival."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from stemma import Stemma
from tests.e2e.telling import claimed, conflicts, decisions, memories, recalled, said, statuses, told

FIRST, SECOND, THIRD = (f"2026-0{month}-01T09:00:00Z" for month in (1, 2, 3))
FEBRUARY, MARCH = (datetime(2026, month, 1, 9, tzinfo=UTC) for month in (2, 3))

RETRIES, NEVER = "The worker retries failed charges.", "The worker never retries failed charges."


@pytest.mark.parametrize(
    ("earlier", "later", "rule"), [(RETRIES, NEVER, "denied"), (NEVER, RETRIES, "affirmed")], ids=["denied", "affirmed"]
)
def test_a_statement_and_its_negation_are_ruled_and_never_taken_for_one(
    stemma: Stemma, earlier: str, later: str, rule: str
) -> None:
    """R-35, D-18: all is equal but polarity; the kind's policy rules, so the later one stands alone.

    Breaks when overlap takes "never" for a small difference of wording (a restatement), or when a negation is dropped.
    """
    for subject in told(stemma, [said(earlier, FIRST), said(later, SECOND)]):
        loser, winner = earlier.rstrip("."), later.rstrip(".")
        assert statuses(stemma, subject) == {loser: "superseded", winner: "active"}, subject
        rows = memories(stemma, subject)
        assert (rows[loser].superseded_by, rows[loser].superseded_from) == (rows[winner].id, FEBRUARY), subject
        assert (rows[loser].times_said, rows[winner].times_said) == (1, 1), subject
        assert decisions(stemma, subject) == [(rule, winner, loser)], subject
        assert conflicts(stemma, subject) == [], subject
        assert recalled(stemma, subject, "Does the worker retry failed charges?") == [winner], subject


def test_a_negation_from_a_lower_authority_is_held(stemma: Stemma) -> None:
    """R-36: what is denied stands by its rank like any other; the conflict is open.

    Breaks when a denial closes whatever it names, whoever says it.
    """
    stemma.put_source("handbook", authority=90)
    stemma.put_source("chat", authority=10)
    for subject in told(stemma, [said(RETRIES, FIRST, source="handbook"), said(NEVER, SECOND)]):
        assert statuses(stemma, subject) == {RETRIES.rstrip("."): "active", NEVER.rstrip("."): "quarantined"}, subject
        assert [reason for reason, _ in conflicts(stemma, subject)] == ["lower_authority"], subject
        assert recalled(stemma, subject, "Does the worker retry failed charges?") == [RETRIES.rstrip(".")], subject


def test_a_negation_said_twice_is_one_row(stemma: Stemma) -> None:
    """R-34: equal polarity restates; the affirmed side is no part of it."""
    for subject in told(stemma, [said(RETRIES, FIRST), said(NEVER, SECOND), said(NEVER, THIRD)]):
        assert statuses(stemma, subject) == {RETRIES.rstrip("."): "superseded", NEVER.rstrip("."): "active"}, subject
        assert memories(stemma, subject)[NEVER.rstrip(".")].times_said == 2, subject


def test_an_allergy_that_is_over_is_closed_without_a_row_of_its_own(stemma: Stemma) -> None:
    """R-34a, R-36 (health: flag): an end closes what it names and opens no conflict; nothing of it is told again.

    Breaks when "not any more" is kept as a statement beside the allergy, or when flag keeps an ended value standing.
    """
    over = said("I am not allergic to peanuts any more.", SECOND)
    for subject in told(stemma, [said("I am allergic to peanuts.", FIRST), over]):
        assert statuses(stemma, subject) == {"I am allergic to peanuts": "superseded"}, subject
        row = memories(stemma, subject)["I am allergic to peanuts"]
        assert (str(row.kind), row.superseded_by, row.superseded_from, row.times_said) == ("health", None, FEBRUARY, 1)
        assert decisions(stemma, subject) == [("ended", None, "I am allergic to peanuts")], subject
        assert conflicts(stemma, subject) == [], subject
        assert recalled(stemma, subject, "What am I allergic to?") == [], subject


def test_an_allergy_that_comes_back_stands_again(stemma: Stemma) -> None:
    """R-34a, D-15: said, over, said again: active."""
    episodes = [
        said("I am allergic to peanuts.", FIRST),
        said("I am not allergic to peanuts any more.", SECOND),
        said("I am allergic to peanuts.", THIRD),
    ]
    for subject in told(stemma, episodes):
        assert statuses(stemma, subject) == {"I am allergic to peanuts": "active"}, subject
        assert memories(stemma, subject)["I am allergic to peanuts"].times_said == 2, subject


def test_a_plain_denial_of_an_allergy_is_flagged(stemma: Stemma) -> None:
    """R-36: under flag both sides stay, and the conflict is open."""
    pair = [said("I am allergic to peanuts.", FIRST), said("I am not allergic to peanuts.", SECOND)]
    for subject in told(stemma, pair):
        texts = ["I am allergic to peanuts", "I am not allergic to peanuts"]
        assert statuses(stemma, subject) == dict.fromkeys(texts, "active"), subject
        assert [sides for _, sides in conflicts(stemma, subject)] == [texts], subject
        assert decisions(stemma, subject) == [], subject


THIRTY, ZERO = "Refunds are possible within 30 days", "Refunds are possible within 0 days"
REFUNDS = {
    "frames": [
        said(f"{THIRTY}.", FIRST, source="handbook"),
        said(f"{THIRTY}.", SECOND),
        said(f"{ZERO}.", THIRD),
    ],
    "claim key": [
        claimed("refund_days", "30", FIRST, text=THIRTY, source="handbook"),
        claimed("refund_days", "30", SECOND, text=THIRTY, source="chat"),
        claimed("refund_days", "0", THIRD, text=ZERO, source="chat"),
    ],
}


@pytest.mark.parametrize("way", REFUNDS)
def test_chat_does_not_displace_the_handbook_even_after_repeating_it(stemma: Stemma, way: str) -> None:
    """R-36, D-14: the standing value has the rank of its strongest witness; the lower one is held, the conflict open.

    Breaks when the rank is that of the last saying (chat repeats the handbook, then meets only itself).
    """
    stemma.put_source("handbook", authority=90)
    stemma.put_source("chat", authority=10)
    stemma.put_claim_key("refund_days", cardinality="single")
    for subject in told(stemma, REFUNDS[way]):
        assert statuses(stemma, subject) == {THIRTY: "active", ZERO: "quarantined"}, subject
        rows = memories(stemma, subject)
        assert (rows[THIRTY].authority, rows[THIRTY].times_said, rows[THIRTY].held) == (90, 2, None), subject
        assert (rows[ZERO].authority, rows[ZERO].held.reason) == (10, "lower_authority"), subject
        assert rows[THIRTY].superseded_by is None, subject
        assert conflicts(stemma, subject) == [("lower_authority", [ZERO, THIRTY])], subject
        assert decisions(stemma, subject) == [("lower_authority", THIRTY, ZERO)], subject
        assert recalled(stemma, subject, "Within how many days are refunds possible?") == [THIRTY], subject
        bundle = stemma.bundle("Within how many days are refunds possible?", subject_id=subject)
        shown = {section.name: [item.text for item in section.items] for section in bundle.sections}
        assert not [text for text in shown.get("memories", []) if ZERO in text], subject
        assert any(ZERO in text for text in shown["conflicts"]), subject


@pytest.mark.parametrize("way", REFUNDS)
def test_the_handbook_itself_changes_what_it_says(stemma: Stemma, way: str) -> None:
    """R-36: no lower authority, later said: it takes over, and chat's echo of the old value is held."""
    stemma.put_source("handbook", authority=90)
    stemma.put_source("chat", authority=10)
    stemma.put_claim_key("refund_days", cardinality="single")
    handbook, _, zero = REFUNDS[way]
    later = zero | {"source": "handbook", "occurred_at": SECOND}
    for subject in told(stemma, [handbook, later]):
        assert statuses(stemma, subject) == {THIRTY: "superseded", ZERO: "active"}, subject
        assert decisions(stemma, subject) == [("latest", ZERO, THIRTY)], subject
        assert conflicts(stemma, subject) == [], subject


def test_under_authority_the_lower_one_loses_at_once(stemma: Stemma) -> None:
    """R-36, D-13: rule `authority`, no conflict."""
    stemma.put_source("handbook", authority=90)
    stemma.put_source("chat", authority=10)
    stemma.put_claim_key("refund_days", cardinality="single", policy="authority")
    for subject in told(stemma, REFUNDS["claim key"]):
        assert statuses(stemma, subject) == {THIRTY: "active", ZERO: "superseded"}, subject
        rows = memories(stemma, subject)
        assert rows[ZERO].superseded_by == rows[THIRTY].id, subject
        assert decisions(stemma, subject) == [("authority", THIRTY, ZERO)], subject
        assert conflicts(stemma, subject) == [], subject


def draft(value: str, occurred_at: str, source: str, session: str) -> dict[str, Any]:
    """A claim on the slot, by a source in a session."""
    return claimed("slot_count", value, occurred_at, source=source, session_id=session)


STANDING = draft("4", FIRST, "crew", "a")
ONCE = draft("5", SECOND, "mate", "b")
SAME_ORIGIN = draft("5", "2026-02-01T11:00:00Z", "mate", "b")
OTHER_ORIGIN = draft("5", THIRD, "cook", "c")


@pytest.fixture
def corroborated(stemma: Stemma) -> Stemma:
    """A store whose `slot_count` is single-valued and needs two origins to change."""
    stemma.put_claim_key("slot_count", cardinality="single", policy="corroborated", corroboration=2)
    return stemma


@pytest.mark.parametrize("others", [[ONCE], [ONCE, SAME_ORIGIN]], ids=["once", "twice by one origin"])
def test_one_origin_however_often_changes_nothing(corroborated: Stemma, others: list[dict[str, Any]]) -> None:
    """R-36, D-16: held, with the conflict open; what one origin says twice is one witness.

    Breaks when sayings are counted in place of origins.
    """
    for subject in told(corroborated, [STANDING, *others]):
        assert statuses(corroborated, subject) == {"slot_count: 4": "active", "slot_count: 5": "quarantined"}, subject
        held = memories(corroborated, subject)["slot_count: 5"]
        assert (held.held.reason, held.independent_origins, held.times_said) == ("uncorroborated", 1, len(others))
        assert conflicts(corroborated, subject) == [("uncorroborated", ["slot_count: 4", "slot_count: 5"])], subject
        assert decisions(corroborated, subject) == [("uncorroborated", "slot_count: 4", "slot_count: 5")], subject


@pytest.mark.parametrize("others", [[ONCE, OTHER_ORIGIN], [ONCE, SAME_ORIGIN, OTHER_ORIGIN]], ids=["two", "three"])
def test_a_second_origin_changes_it(corroborated: Stemma, others: list[dict[str, Any]]) -> None:
    """R-36: two origins since the standing value was last said; the hold is lifted by the derivation itself."""
    for subject in told(corroborated, [STANDING, *others]):
        assert statuses(corroborated, subject) == {"slot_count: 4": "superseded", "slot_count: 5": "active"}, subject
        rows = memories(corroborated, subject)
        assert (rows["slot_count: 5"].held, rows["slot_count: 5"].independent_origins) == (None, 2), subject
        assert rows["slot_count: 4"].superseded_from == MARCH, subject
        assert decisions(corroborated, subject) == [
            ("corroborated", "slot_count: 5", "slot_count: 4"),
            ("uncorroborated", "slot_count: 4", "slot_count: 5"),
        ], subject
        assert conflicts(corroborated, subject) == [], subject


def test_a_restatement_of_what_stands_clears_the_challenger(corroborated: Stemma) -> None:
    """D-15: A, B, A, B by two origins stays A: the second B stands alone after the second A."""
    again = draft("4", "2026-02-15T09:00:00Z", "crew", "d")
    for subject in told(corroborated, [STANDING, ONCE, again, OTHER_ORIGIN]):
        assert statuses(corroborated, subject) == {"slot_count: 4": "active", "slot_count: 5": "quarantined"}, subject
        assert [reason for reason, _ in conflicts(corroborated, subject)] == ["uncorroborated"], subject


@pytest.mark.parametrize("key", ["birthday", "blood_group"])
def test_the_shipped_fixed_attributes_need_two_origins(stemma: Stemma, key: str) -> None:
    """SPEC appendix: fixed attributes are `corroborated 2`."""
    first = claimed(key, "one", FIRST, source="crew")
    second, third = claimed(key, "other", SECOND, source="mate"), claimed(key, "other", THIRD, source="cook")
    for subject in told(stemma, [first, second], name=f"{key} flagged"):
        assert statuses(stemma, subject) == {f"{key}: one": "active", f"{key}: other": "quarantined"}, subject
        assert [reason for reason, _ in conflicts(stemma, subject)] == ["uncorroborated"], subject
    for subject in told(stemma, [first, second, third], name=f"{key} changed"):
        assert statuses(stemma, subject) == {f"{key}: one": "superseded", f"{key}: other": "active"}, subject
