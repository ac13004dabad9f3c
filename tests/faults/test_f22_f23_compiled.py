"""F22 and F23 as printed, through ingest, compile and recall: two stays in one place, windows that hold nowhere."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from stemma import Stemma
from tests.e2e.telling import conflicts, decisions, home_of, recalled, told
from tests.spine_clock import Clock
from tests.stores import Server

NOW = datetime(2026, 6, 15, 12, tzinfo=UTC)
_numbers = itertools.count(1)


@pytest.fixture
def stemma(server: Server) -> Iterator[Stemma]:
    """Embedded, then served; a tenant of the test's own; it is June 2026."""
    with Stemma(home_of(server), tenant=f"f22-{next(_numbers)}", clock=Clock(NOW), embedder="none") as opened:
        yield opened


TEXT = "Rowan is on Payments"
PERIODS = (("2025-01-01", "2025-04-01"), ("2026-02-01", None))


def stay(way: str, number: int, start: str, end: str | None, said_on: str) -> dict[str, Any]:
    """One stay as a claim with a window, or in words."""
    made: dict[str, Any] = {"source": "hr", "key": f"stay:{number}", "occurred_at": f"{said_on}T09:00:00Z"}
    if way == "words":
        return made | {"text": f"{TEXT} from {start}{'' if end is None else f' until {end}'}."}
    window = {"valid_from": f"{start}T00:00:00Z"} | ({} if end is None else {"valid_to": f"{end}T00:00:00Z"})
    return made | {"claims": [{"key": "team", "value": "Payments", "text": TEXT} | window]}


@pytest.mark.parametrize("way", ["claims", "words"])
@pytest.mark.parametrize("cardinality", ["single", "multi"])
def test_f22_two_stays_are_two_periods_with_their_own_evidence(stemma: Stemma, way: str, cardinality: str) -> None:
    """F22, D-6: in force on 2025-02-15 and 2026-03-01, not on 2025-08-01; the same period said again is no third.

    Breaks when equal texts are one memory whatever their windows, or when the later stay retires the ended one.
    """
    stemma.put_claim_key("team", cardinality=cardinality)
    (first, ended), (second, _) = PERIODS
    episodes = [
        stay(way, 1, first, ended, "2025-01-01"),
        stay(way, 2, second, None, "2026-02-01"),
        stay(way, 3, first, ended, "2025-01-02"),
    ]
    for subject in told(stemma, episodes):
        rows = sorted(stemma.list_memories(subject, status="all").items, key=lambda one: str(one.valid_from))
        assert [str(one.status) for one in rows] == ["active", "active"], subject
        assert [(_day(one.valid_from), _day(one.valid_to)) for one in rows] == list(PERIODS), subject
        assert [sorted(each.key for each in one.episodes) for one in rows] == [["stay:1", "stay:3"], ["stay:2"]]
        assert [one.times_said for one in rows] == [2, 1], subject
        assert decisions(stemma, subject) == conflicts(stemma, subject) == [], subject
        found = {
            day: len(recalled(stemma, subject, "Is Rowan on Payments?", f"{day}T00:00:00Z"))
            for day in (
                "2025-02-15",
                "2025-03-31",
                "2025-04-01",
                "2025-08-01",
                "2026-01-31",
                "2026-02-01",
                "2026-03-01",
            )
        }
        assert found == {
            "2025-02-15": 1, "2025-03-31": 1, "2025-04-01": 0, "2025-08-01": 0,
            "2026-01-31": 0, "2026-02-01": 1, "2026-03-01": 1,
        }, subject  # fmt: skip


def _day(moment: datetime | None) -> str | None:
    return None if moment is None else moment.astimezone(UTC).date().isoformat()


LIVE = {"source": "form", "key": "live", "claims": [{"key": "home", "value": "Lisbon"}],
        "occurred_at": "2026-04-01T09:00:00Z"}  # fmt: skip
EMPTY = {"source": "form", "key": "empty", "occurred_at": "2026-04-02T09:00:00Z",
         "claims": [{"key": "home", "value": "Rome", "valid_from": "2026-05-01T00:00:00Z",
                     "valid_to": "2026-05-01T00:00:00Z"}]}  # fmt: skip
BACKWARDS = {"source": "form", "key": "backwards", "occurred_at": "2026-04-03T09:00:00Z",
             "claims": [{"key": "home", "value": "Oslo", "valid_from": "2026-06-01T00:00:00Z",
                         "valid_to": "2026-05-01T00:00:00Z"}]}  # fmt: skip
MIXED = {"source": "chat", "key": "mixed", "occurred_at": "2026-04-04T09:00:00Z",
         "text": "I lived in Bergen from 2024 until 2024-01-01."}  # fmt: skip
DAYS = ("2024-06-01", "2026-04-30", "2026-05-01", "2026-05-15", "2026-06-15")


def test_f23_an_empty_period_holds_nowhere_and_is_flagged(stemma: Stemma) -> None:
    """F23, D-17: it conflicts with nothing and retires nothing; the live fact stays active."""
    for subject in told(stemma, [LIVE, EMPTY]):
        rows = {one.text: one for one in stemma.list_memories(subject, status="all").items}
        assert (str(rows["home: Lisbon"].status), rows["home: Lisbon"].superseded_by) == ("active", None), subject
        assert decisions(stemma, subject) == [("empty_interval", None, "home: Rome")], subject
        assert conflicts(stemma, subject) == [], subject
        for day in DAYS[1:]:
            assert recalled(stemma, subject, "home", f"{day}T00:00:00Z") == ["home: Lisbon"], (subject, day)
        [found] = stemma.find_episodes(subject, key="empty").items
        assert [str(one.reason) for one in stemma.get_episode(found.episode_id).gates] == ["empty_interval"], subject


def test_f23_a_backwards_period_is_refused_by_name_alone(stemma: Stemma) -> None:
    """F23, R-23: `invalid_interval`; the rest of its batch is taken."""
    for number, order in enumerate(itertools.permutations((LIVE, BACKWARDS, EMPTY))):
        subject = f"backwards {number}"
        results = stemma.add_episodes([one | {"subject_id": subject} for one in order]).results
        outcomes = {sent["key"]: (str(got.outcome), got.error and got.error.code)
                    for sent, got in zip(order, results, strict=True)}  # fmt: skip
        assert outcomes == {
            "live": ("created", None), "backwards": ("rejected", "invalid_interval"), "empty": ("created", None),
        }, subject  # fmt: skip
        stemma.compile_memories(subject)
        active = {one.text for one in stemma.list_memories(subject).items if one.valid_to is None}
        assert active == {"home: Lisbon"}, subject


def test_f23_a_period_of_mixed_precision_is_flagged_and_not_guessed(stemma: Stemma) -> None:
    """F23: from year 2024 to date 2024-01-01 in words; no memory of it, and the live fact stays."""
    for subject in told(stemma, [LIVE, MIXED]):
        [row] = stemma.list_memories(subject, status="all").items
        assert (row.text, str(row.status)) == ("home: Lisbon", "active"), subject
        [found] = stemma.find_episodes(subject, key="mixed").items
        gates = [(one.passed, str(one.reason)) for one in stemma.get_episode(found.episode_id).gates]
        assert gates == [(False, "mixed_precision")], subject


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("I am in Rome from 2026-05-01 until 2026-05-01.", "empty_interval"),
        ("I am in Oslo from 2026-06-01 until 2026-05-01.", "invalid_interval"),
    ],
)
def test_f23_an_empty_or_backwards_period_in_words_leaves_the_live_fact(stemma: Stemma, text: str, reason: str) -> None:
    """F23: a statement in words is no request, so it is accepted, and its gate record names what is wrong."""
    odd = {"source": "chat", "key": "odd", "text": text, "occurred_at": "2026-04-02T09:00:00Z"}
    for subject in told(stemma, [LIVE, odd]):
        assert {one.text: str(one.status) for one in stemma.list_memories(subject).items if one.valid_to is None} == {
            "home: Lisbon": "active"
        }, subject
        assert decisions(stemma, subject) == conflicts(stemma, subject) == [], subject
        [found] = stemma.find_episodes(subject, key="odd").items
        assert [str(one.reason) for one in stemma.get_episode(found.episode_id).gates] == [reason], subject
        for day in DAYS[1:]:
            assert recalled(stemma, subject, "home", f"{day}T00:00:00Z") == ["home: Lisbon"], (subject, day)
