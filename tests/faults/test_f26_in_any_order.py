"""F26 through the Python face: every order of arrival, and times in a recall."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import permutations

import pytest

from stemma import Stemma
from stemma.errors import StemmaError
from tests.spine_clock import Clock

E1 = ("E1", "2026-03-01T23:30:00-08:00")  # 07:30Z the next day, the latest, though its text sorts first
E2 = ("E2", "2026-03-02T06:00:00Z")
E3 = ("E3", "2026-03-02T05:00:00")


@pytest.fixture
def stemma(address: str) -> Iterator[Stemma]:
    """A store with one single-valued claim key."""
    with Stemma(address, clock=Clock(datetime(2026, 3, 3, tzinfo=UTC)), embedder="none") as one:
        one.put_claim_key("berth", cardinality="single")
        yield one


def said(key: str, occurred_at: str) -> dict[str, object]:
    """One claim whose value is the episode's name."""
    return {"subject_id": "port", "key": key, "claims": [{"key": "berth", "value": key}], "occurred_at": occurred_at}


@pytest.mark.parametrize("order", list(permutations((E1, E2, E3))), ids=lambda order: "-".join(one[0] for one in order))
@pytest.mark.parametrize("together", [True, False], ids=["together", "one by one"])
def test_the_latest_instant_is_active_in_every_order_of_arrival(
    stemma: Stemma, order: tuple[tuple[str, str], ...], together: bool
) -> None:
    """F26, R-22, R-23: E1 (07:30Z) takes over from E2 (06:00Z); E3 alone is rejected, the rest of its batch is not.

    Breaks when times are compared as texts (E2 would win), or when a naive one is given a zone that nobody named.
    """
    outcomes = {}
    for batch in [order] if together else [[one] for one in order]:
        for sent, result in zip(batch, stemma.add_episodes([said(*one) for one in batch]).results, strict=True):
            outcomes[sent[0]] = (result.outcome, result.error and result.error.code)
        stemma.compile_memories("port")
    assert outcomes == {"E1": ("created", None), "E2": ("created", None), "E3": ("rejected", "naive_datetime")}
    rows = {one.claim.value: one for one in stemma.list_memories("port", status="all").items if one.claim}
    assert {value: str(one.status) for value, one in rows.items()} == {"E1": "active", "E2": "superseded"}
    assert rows["E2"].superseded_from == datetime(2026, 3, 2, 7, 30, tzinfo=UTC)
    assert rows["E1"].last_said_at == datetime(2026, 3, 2, 7, 30, tzinfo=UTC)


def test_recall_answers_by_instants_and_refuses_a_naive_now_by_name(stemma: Stemma) -> None:
    """F26, R-44: never an empty answer because two times could not be compared."""
    stemma.add_episodes([said(*one) for one in (E1, E2, E3)])
    stemma.compile_memories("port")
    assert [one.memory.text for one in stemma.recall("port", "berth").items] == ["berth: E1"]
    [thirty_days_on] = stemma.recall("port", "berth", now="2026-03-31T23:30:00-08:00").items
    assert thirty_days_on.recency == 0.5
    with pytest.raises(StemmaError) as refused:
        stemma.recall("port", "berth", now="2026-03-31T23:30:00")
    assert refused.value.code == "naive_datetime"
