"""What holds for a while, from a day on, since a year, no longer: statements in words, in every order of arrival."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from stemma import Stemma
from tests.e2e.telling import claimed, conflicts, decisions, memories, recalled, said, statuses, told
from tests.spine_clock import Clock

WHERE = "Where do I live?"
LISBON = said("I live in Lisbon.", "2026-01-10T09:00:00Z")
BERLIN = said("I am in Berlin this week.", "2026-03-02T10:00:00Z")
FAMILY = said("I live in Berlin with my family and my dog this week.", "2026-03-03T10:00:00Z")


def at(*moment: int) -> datetime:
    """A moment in UTC."""
    return datetime(*moment, tzinfo=UTC)  # type: ignore[arg-type,misc]


@pytest.mark.parametrize("stay", [[BERLIN], [FAMILY], [BERLIN, FAMILY]], ids=["in Berlin", "live in Berlin", "both"])
def test_a_week_in_berlin_lies_over_lisbon_and_goes(stemma: Stemma, stay: list[dict[str, Any]]) -> None:
    """R-36, D-17: both stay, Berlin is on top in its week, and after it Lisbon stands alone.

    Breaks when a bounded statement supersedes an unbounded one, or when a window that is over is still in force.
    """
    for subject in told(stemma, [LISBON, *stay]):
        rows = memories(stemma, subject)
        assert {str(one.status) for one in rows.values()} == {"active"}, subject
        assert "I live in Lisbon" in rows, subject
        assert [one.valid_to for text, one in rows.items() if "Berlin" in text] == [at(2026, 3, 9)] * (len(rows) - 1)
        assert decisions(stemma, subject) == [], subject
        assert conflicts(stemma, subject) == [], subject
        for inside in (at(2026, 3, 3, 12), at(2026, 3, 8, 23, 59)):
            top, *rest = recalled(stemma, subject, WHERE, inside)
            assert "Berlin" in top, (subject, inside)
            assert "I live in Lisbon" in rest, (subject, inside)
        assert recalled(stemma, subject, WHERE, at(2026, 3, 9)) == ["I live in Lisbon"], subject
        assert recalled(stemma, subject, WHERE, at(2026, 3, 1)) == ["I live in Lisbon"], subject


def test_a_move_told_in_march_takes_effect_in_may(stemma: Stemma, clock: Clock) -> None:
    """R-35a, D-3: Lisbon until May, Porto from its first instant; no compile in between is needed.

    Breaks when a status is stored at the compile, or when the saying of a time to come counts at once.
    """
    for subject in told(stemma, [LISBON, said("From May I live in Porto.", "2026-03-03T10:00:00Z")]):
        rows = memories(stemma, subject)
        lisbon, porto = rows["I live in Lisbon"], rows["From May I live in Porto"]
        assert (lisbon.claim.value, porto.claim.value) == ("Lisbon", "Porto")
        assert (str(lisbon.status), lisbon.superseded_by) in (("active", None), ("active", porto.id)), subject
        assert porto.valid_from == at(2026, 5, 1), subject
        assert recalled(stemma, subject, WHERE) == ["I live in Lisbon"], subject
        assert recalled(stemma, subject, WHERE, at(2026, 4, 30, 23, 59)) == ["I live in Lisbon"], subject
        assert recalled(stemma, subject, WHERE, at(2026, 5, 1)) == ["From May I live in Porto"], subject
        clock.now = at(2026, 5, 2)
        assert statuses(stemma, subject) == {"I live in Lisbon": "superseded", "From May I live in Porto": "active"}
        lisbon = memories(stemma, subject)["I live in Lisbon"]
        assert (lisbon.superseded_by, lisbon.superseded_from) == (porto.id, at(2026, 5, 1)), subject
        clock.now = at(2026, 3, 4)


def test_a_move_announced_for_march_stands_over_what_was_said_in_february(stemma: Stemma) -> None:
    """D-10: "Porto from March" said in January, "Lisbon" said in February: Porto from March."""
    announced = said("From March I live in Porto.", "2026-01-15T10:00:00Z")
    for subject in told(stemma, [announced, said("I live in Lisbon.", "2026-02-10T10:00:00Z")]):
        assert statuses(stemma, subject) == {"From March I live in Porto": "active", "I live in Lisbon": "superseded"}
        assert recalled(stemma, subject, WHERE, at(2026, 2, 28)) == ["I live in Lisbon"], subject
        assert recalled(stemma, subject, WHERE) == ["From March I live in Porto"], subject


def test_since_2010_said_now_stands_over_what_was_said_in_2020(stemma: Stemma) -> None:
    """R-35a, D-10: words about the present count at their saying as well as at the time that they name.

    Breaks when the start alone places the statement (Lisbon would win), or the saying alone does (Rome would have no
    spell before 2020).
    """
    rome = said("I have lived in Rome since 2010.", "2026-03-01T10:00:00Z")
    for subject in told(stemma, [said("I live in Lisbon.", "2020-06-01T10:00:00Z"), rome]):
        rows = memories(stemma, subject)
        assert {text: str(one.status) for text, one in rows.items()} == {
            "I live in Lisbon": "superseded",
            "I have lived in Rome since 2010": "active",
        }, subject
        lisbon, standing = rows["I live in Lisbon"], rows["I have lived in Rome since 2010"]
        assert (lisbon.superseded_by, lisbon.superseded_from) == (standing.id, at(2026, 3, 1, 10)), subject
        assert decisions(stemma, subject) == [
            ("latest", "I have lived in Rome since 2010", "I live in Lisbon"),
            ("latest", "I live in Lisbon", "I have lived in Rome since 2010"),
        ], subject
        found = {year: recalled(stemma, subject, WHERE, at(year, 7, 1)) for year in (2015, 2020, 2026)}
        assert found == {2015: [standing.text], 2020: [lisbon.text], 2026: [standing.text]}, subject


def test_table_rows_that_date_themselves_count_at_their_dates_alone(stemma: Stemma) -> None:
    """D-10, API: a claim with `valid_from` counts at that alone, so the row scanned last does not win."""
    rows = [
        claimed("home", "Lisbon", "2026-02-01T09:00:00Z", valid_from="2024-01-01T00:00:00Z"),
        claimed("home", "Porto", "2026-02-02T09:00:00Z", valid_from="2019-01-01T00:00:00Z"),
    ]
    for subject in told(stemma, rows):
        assert statuses(stemma, subject) == {"home: Lisbon": "active", "home: Porto": "superseded"}, subject
        assert memories(stemma, subject)["home: Porto"].superseded_from == at(2024, 1, 1), subject


ENDS = [
    ("I am in Berlin until Friday.", at(2026, 3, 6)),
    ("I live in Berlin until 2026-03-07.", at(2026, 3, 7)),
    ("I am in Berlin until the end of the week.", at(2026, 3, 9)),
    ("I am in Berlin for two weeks.", at(2026, 3, 17, 10)),
]


@pytest.mark.parametrize(("text", "end"), ENDS, ids=[text for text, _ in ENDS])
def test_a_stay_that_names_its_end_goes_with_it_and_lisbon_stays(stemma: Stemma, text: str, end: datetime) -> None:
    """R-36, F23: the end is half open; both are there before it, Lisbon alone from it on."""
    for subject in told(stemma, [LISBON, said(text, "2026-03-03T10:00:00Z")]):
        stay = text.rstrip(".")
        assert statuses(stemma, subject) == {"I live in Lisbon": "active", stay: "active"}, subject
        assert memories(stemma, subject)[stay].valid_to == end, subject
        assert decisions(stemma, subject) == conflicts(stemma, subject) == [], subject
        before = recalled(stemma, subject, WHERE, end - timedelta(minutes=1))
        assert sorted(before) == [stay, "I live in Lisbon"], subject
        assert recalled(stemma, subject, WHERE, end) == ["I live in Lisbon"], subject


@pytest.mark.parametrize("text", [text for text, _ in ENDS])
def test_a_stay_that_names_its_end_alone_stands_before_lisbon(stemma: Stemma, text: str) -> None:
    """R-36, D-17: "it overlays it while it lasts and stands before it", with a start of its own or without."""
    for subject in told(stemma, [LISBON, said(text, "2026-03-03T10:00:00Z")]):
        for query in (WHERE, "home"):
            found = recalled(stemma, subject, query, at(2026, 3, 5, 12))
            assert found == [text.rstrip("."), "I live in Lisbon"], (subject, query)


def test_until_the_end_of_march_said_in_march_ends_with_this_march(stemma: Stemma) -> None:
    """R-31, R-35a: the next end of a March after 3 March 2026 is that of 2026."""
    for subject in told(stemma, [LISBON, said("I am in Berlin until the end of March.", "2026-03-03T10:00:00Z")]):
        assert memories(stemma, subject)["I am in Berlin until the end of March"].valid_to == at(2026, 4, 1), subject
        assert recalled(stemma, subject, WHERE, at(2026, 4, 1)) == ["I live in Lisbon"], subject


def test_from_monday_to_friday_is_one_week_and_not_backwards(stemma: Stemma) -> None:
    """F23: whichever week is meant, the Friday is the one after the Monday; nothing backwards is derived."""
    for subject in told(stemma, [LISBON, said("I am in Berlin from Monday to Friday.", "2026-03-03T10:00:00Z")]):
        stay = memories(stemma, subject)["I am in Berlin from Monday to Friday"]
        assert str(stay.status) == "active", subject
        assert (stay.valid_from, stay.valid_to) in (
            (at(2026, 3, 9), at(2026, 3, 13)), (at(2026, 3, 9), at(2026, 3, 14)),
            (at(2026, 3, 2), at(2026, 3, 6)), (at(2026, 3, 2), at(2026, 3, 7)),
        ), subject  # fmt: skip


def test_lived_until_may_said_in_march_was_the_may_before(stemma: Stemma) -> None:
    """R-31, R-35a: what is told in the past is over; Lisbon does not stand until a May to come."""
    over = said("I lived in Lisbon until May.", "2026-03-03T10:00:00Z")
    earlier = said("I live in Lisbon.", "2024-02-01T10:00:00Z")
    for subject in told(stemma, [earlier, over]):
        closed = memories(stemma, subject)["I live in Lisbon"]
        assert (str(closed.status), closed.superseded_from) == ("superseded", at(2025, 5, 1)), subject


def test_used_to_closes_what_it_names_and_brings_nothing_back(stemma: Stemma) -> None:
    """R-34a, D-18: Lisbon, Oslo, "used to live in Oslo": nobody's home stands."""
    oslo = said("I live in Oslo.", "2026-02-01T10:00:00Z")
    past = said("I used to live in Oslo.", "2026-03-01T10:00:00Z")
    for subject in told(stemma, [LISBON, oslo, past]):
        assert statuses(stemma, subject) == {"I live in Lisbon": "superseded", "I live in Oslo": "superseded"}, subject
        closed = memories(stemma, subject)["I live in Oslo"]
        assert (closed.superseded_by, closed.superseded_from) == (None, at(2026, 3, 1, 10)), subject
        assert closed.times_said == 1, subject
        assert decisions(stemma, subject) == [
            ("ended", None, "I live in Oslo"),
            ("latest", "I live in Oslo", "I live in Lisbon"),
        ], subject
        assert recalled(stemma, subject, WHERE) == [], subject


def test_used_to_of_what_does_not_stand_changes_nothing(stemma: Stemma) -> None:
    """R-34a: a past state is an end, never a restatement, and never a value of its own."""
    past = said("I used to live in Oslo.", "2026-03-01T10:00:00Z")
    for subject in told(stemma, [LISBON, past]):
        assert statuses(stemma, subject) == {"I live in Lisbon": "active"}, subject
        assert recalled(stemma, subject, WHERE) == ["I live in Lisbon"], subject


def test_two_bounded_stays_that_overlap_leave_the_later_one(stemma: Stemma) -> None:
    """R-36, D-17: of two stays over the same days the later said holds; Lisbon is under both and stays."""
    vienna = said("I am in Vienna this week.", "2026-03-03T10:00:00Z")
    for subject in told(stemma, [LISBON, BERLIN, vienna]):
        assert statuses(stemma, subject) == {
            "I live in Lisbon": "active",
            "I am in Berlin this week": "superseded",
            "I am in Vienna this week": "active",
        }, subject
        rows = memories(stemma, subject)
        assert rows["I am in Berlin this week"].superseded_by == rows["I am in Vienna this week"].id, subject
        assert recalled(stemma, subject, WHERE)[0] == "I am in Vienna this week", subject
        assert recalled(stemma, subject, WHERE, at(2026, 3, 9)) == ["I live in Lisbon"], subject
