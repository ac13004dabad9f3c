"""F25: a stamp from the future neither wins nor crashes; ages are never negative."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import permutations

import pytest

from stemma import Stemma
from tests.spine_clock import Clock

NOW = datetime(2026, 3, 1, 10, tzinfo=UTC)
AHEAD = timedelta(days=9)


@pytest.fixture
def clock() -> Clock:
    """A clock at the moment of receipt."""
    return Clock(NOW)


@pytest.fixture
def stemma(address: str, clock: Clock) -> Iterator[Stemma]:
    """A store without an embedder."""
    with Stemma(address, clock=clock, embedder="none") as one:
        yield one


def said(text: str, at: datetime, key: str, subject: str = "tides") -> dict[str, object]:
    """One statement."""
    return {"subject_id": subject, "key": key, "text": text, "occurred_at": at.isoformat()}


def test_a_memory_from_the_future_counts_as_fresh_and_no_fresher(stemma: Stemma) -> None:
    """F25, R-22: the factor is 1.0 on both sides (the naive value is 1.231), and the answer names the mark.

    Breaks when the age is not clamped at 0, or the mark is lost at the door.
    """
    items = [said("The tide log is in shed 3", NOW + AHEAD, "ahead"), said("The tide log is in shed 4", NOW, "now")]
    results = stemma.add_episodes(items).results
    assert [one.outcome for one in results] == ["created", "created"]
    assert [one.flags for one in results] == [("time_ahead",), ()]
    stemma.compile_memories("tides")
    answers = {
        tuple((one.memory.text, one.score) for one in stemma.recall("tides", "tide log").items) for _ in range(5)
    }
    assert len(answers) == 1, "the order of a tie is not fixed"
    found = stemma.recall("tides", "tide log").items
    assert len(found) == 2
    assert [one.recency for one in found] == [1.0, 1.0]
    assert found[0].score == found[1].score
    assert all(0 <= factor <= 1 for one in found for factor in (one.similarity, one.importance, one.recency, one.score))


@pytest.mark.parametrize("half_life_days", [0.001, 1, 10, 30, 36_500])
@pytest.mark.parametrize("days", [0.004, 9, 10, 20, 27_000])
def test_no_stamp_and_no_half_life_takes_a_factor_out_of_its_range(
    stemma: Stemma, days: float, half_life_days: float
) -> None:
    """F25: now + 10 days with a half-life of 10 divides by zero in a `1 / (1 + age / 10)` formula."""
    stemma.add_episodes([said("The tide log is in shed 3", NOW + timedelta(days=days), "ahead")])
    stemma.compile_memories("tides")
    [item] = stemma.recall("tides", "tide log", half_life_days=half_life_days).items
    assert item.recency == 1.0
    assert 0 < item.score <= 1


@pytest.mark.parametrize("order", list(permutations(range(3))), ids=str)
def test_a_marked_stamp_neither_wins_nor_refreshes_where_a_sound_saying_exists(
    stemma: Stemma, clock: Clock, order: tuple[int, ...]
) -> None:
    """F25, R-22, D-9: the value said ahead of time is held, in every order of arrival, also when its day has passed.

    Breaks when the stamp is trusted once its day has come, or moves `last_said_at` of the memory that it repeats.
    """
    stemma.put_claim_key("berth", cardinality="single")
    sayings = [
        ("north", NOW - timedelta(days=1), "sound"),
        ("south", NOW + AHEAD, "other value ahead"),
        ("north", NOW + AHEAD, "same value ahead"),
    ]
    for place in order:
        value, at, key = sayings[place]
        claims = [{"key": "berth", "value": value}]
        stemma.add_episodes([{"subject_id": "tides", "key": key, "claims": claims, "occurred_at": at.isoformat()}])
        stemma.compile_memories("tides")
    for later in (timedelta(0), timedelta(days=400)):
        clock.now = NOW + later
        rows = {one.claim.value: one for one in stemma.list_memories("tides", status="all").items if one.claim}
        assert {value: str(one.status) for value, one in rows.items()} == {"north": "active", "south": "quarantined"}
        assert rows["south"].held is not None
        assert rows["south"].held.reason == "time_ahead"
        assert rows["north"].last_said_at == NOW - timedelta(days=1)
        assert [one.reason for one in stemma.list_conflicts("tides", status="open").items] == ["time_ahead"]


def test_the_mark_is_taken_once_with_the_record(stemma: Stemma, clock: Clock) -> None:
    """F25, R-1: sent again when its day has passed it is a duplicate, and the state is what it was.

    Breaks when the mark is derived from the clock of the compile.
    """
    episodes = [said("The tide log is in shed 3", NOW + AHEAD, "ahead"), said("The tide log is in shed 3", NOW, "now")]
    stemma.add_episodes(episodes)
    before = stemma.compile_memories("tides").state_hash
    clock.now = NOW + timedelta(days=40)
    assert [one.outcome for one in stemma.add_episodes(episodes).results] == ["duplicate", "duplicate"]
    counts = stemma.compile_memories("tides").model_dump()
    assert counts.pop("state_hash") == before
    assert set(counts.values()) == {0}
