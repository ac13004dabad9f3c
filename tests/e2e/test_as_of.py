"""`as_of` answers from the log as recorded by a moment: as a store that was never told more (R-44)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from stemma import Stemma
from tests.simulation.fleet import fresh_embedded, fresh_served
from tests.spine_clock import Clock
from tests.stores import Server

START = datetime(2026, 3, 1, 10, tzinfo=UTC)
NOW = START + timedelta(days=40)
REVISED = {"key": "f", "key_policy": "revision"}
STORY: list[tuple[int, dict[str, Any]]] = [
    (0, {"key": "a", "text": "Stripe charges 3.5% + 35c.", "occurred_at": "2026-01-10T09:00:00Z"}),
    (0, {"key": "b", "text": "I live in Lisbon.", "occurred_at": "2026-02-01T09:00:00Z"}),
    (5, {"key": "c", "text": "Stripe charges 2.9% + 30c.", "occurred_at": "2026-02-10T09:00:00Z"}),
    (9, {"key": "d", "text": "I am in Berlin this week.", "occurred_at": "2026-03-10T09:00:00Z"}),
    (12, {"key": "e", "text": "I live in Porto.", "occurred_at": "2026-01-05T09:00:00Z"}),
    (15, REVISED | {"text": "Deploys freeze on Fridays.", "occurred_at": "2026-03-16T09:00:00Z"}),
    (20, REVISED | {"text": "Deploys freeze on Mondays.", "occurred_at": "2026-03-21T09:00:00Z"}),
    (25, {"key": "b", "text": "I live in Lisbon.", "occurred_at": "2026-03-26T09:00:00Z"}),
]
QUERIES = ("What does Stripe charge?", "Where do I live?", "When do deploys freeze?")
INCLUDED: tuple[Any, ...] = (["memories"], ["episodes"], ["memories", "episodes"])
MOMENTS = (0, 7, 9, 13, 17, 22, 30)


@pytest.fixture(params=["embedded", "served"])
def address(request: pytest.FixtureRequest, served_server: Server) -> Iterator[str]:
    """A new store on each of the two servers."""
    if request.param == "served":
        with fresh_served(served_server) as target:
            yield target
        return
    with fresh_embedded() as target:
        yield target


def tell(stemma: Stemma, clock: Clock, until: int) -> None:
    """Tell the story as far as it goes, each record on its day."""
    for day, episode in STORY:
        if day <= until:
            clock.now = START + timedelta(days=day)
            stemma.add_episodes([{"subject_id": "ana", "source": "desk"} | episode])
            stemma.compile_memories("ana")


def answers(stemma: Stemma, **asked: Any) -> list[Any]:
    """Ask everything; traces and use counters belong to the store that is asked."""
    found = []
    for query in QUERIES:
        for include in INCLUDED:
            items = stemma.recall("ana", query, include=include, now=NOW, **asked).model_dump(mode="json")["items"]
            for item in items:
                (item.get("memory") or {}).pop("recall_count", None)
                (item.get("memory") or {}).pop("last_recalled_at", None)
                # The store adds up BM25 in single precision.
                item |= {name: round(item[name], 6) for name in ("score", "similarity", "importance", "recency")}
            found.append((query, include, items))
        told = stemma.bundle(query, subject_id="ana", now=NOW, **asked).model_dump(mode="json")
        found.append((query, "bundle", [told["text"], told["sections"], told["grounding"]["verdict"]]))
    return found


def texts(stemma: Stemma, **asked: Any) -> list[str]:
    """Return the texts that answer the first query."""
    items = stemma.recall("ana", QUERIES[0], now=NOW, **asked).model_dump(mode="json")["items"]
    return [item["memory"]["text"] for item in items]


def test_as_of_answers_as_a_store_that_was_never_told_more(address: str, served_server: Server) -> None:
    """R-44, D-3: same items, scores, statuses and evidence; a fact that came late was not known, whatever its date."""
    clock = Clock(START)
    with Stemma(address, clock=clock, embedder="none") as stemma:
        tell(stemma, clock, 30)
        for day in MOMENTS:
            other_clock = Clock(START)
            with fresh_served(served_server) as new, Stemma(new, clock=other_clock, embedder="none") as other:
                tell(other, other_clock, day)
                clock.now = other_clock.now = NOW
                assert answers(stemma, as_of=START + timedelta(days=day)) == answers(other), day


def test_asking_of_the_past_writes_nothing_and_answers_alike_twice(address: str) -> None:
    """R-44: an override is read-only and reproducible."""
    clock = Clock(START)
    with Stemma(address, clock=clock, embedder="none") as stemma:
        tell(stemma, clock, 30)
        clock.now = NOW
        lines: list[str] = []
        stemma.export_log(lines.append)
        first = [answers(stemma, as_of=START + timedelta(days=day)) for day in MOMENTS]
        assert [answers(stemma, as_of=START + timedelta(days=day)) for day in MOMENTS] == first
        again: list[str] = []
        stemma.export_log(again.append)
        assert (again, stemma.verify().faults) == (lines, ())
        assert {one.recall_count for one in stemma.list_memories("ana", status="all").items} == {0}


def test_what_was_erased_since_is_not_known_of_the_past_either(address: str) -> None:
    """R-92, D-22: erased is as if it had never been said."""
    clock = Clock(START)
    with Stemma(address, clock=clock, embedder="none") as stemma:
        tell(stemma, clock, 30)
        clock.now = NOW
        stemma.erase("ana", episode_key="a")
        assert texts(stemma, as_of=START + timedelta(days=1)) == []


def test_acts_since_are_not_known_of_the_past(address: str) -> None:
    """R-37, R-44: a forgotten memory was known before it was forgotten."""
    clock = Clock(START)
    with Stemma(address, clock=clock, embedder="none") as stemma:
        tell(stemma, clock, 30)
        clock.now = START + timedelta(days=31)
        rates = [one for one in stemma.list_memories("ana").items if "2.9%" in one.text]
        stemma.forget_memory(rates[0].id)
        clock.now = NOW
        assert texts(stemma, as_of=START + timedelta(days=30)) == ["Stripe charges 2.9% + 30c"]
        # What it had displaced stands again.
        assert texts(stemma) == ["Stripe charges 3.5% + 35c"]
