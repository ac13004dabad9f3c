"""Two compiles and one ingest, a transaction at a time, in drawn orders (property 11): all end in `derive(log)`."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from threading import Condition, local
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stemma.store.connection import Isolation, Store
from stemma.store.transaction import Transaction
from tests.simulation.small_histories import Face
from tests.stores import Server

T = TypeVar("T")
NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)
WHO = ("compile", "compile too", "ingest")
SECONDS = 60
_numbers = itertools.count(1)


@dataclass
class Turns:
    """Lets one thread at a time make one transaction, in the order that a schedule names."""

    changed: Condition = field(default_factory=Condition)
    granted: int | None = None
    ended: set[int] = field(default_factory=set)
    own: local = field(default_factory=local)

    def take(self, work: Callable[[], T]) -> T:
        """Wait for a turn, and give it back when the transaction is over."""
        with self.changed:
            assert self.changed.wait_for(lambda: self.granted == self.own.number, SECONDS)
        try:
            return work()
        finally:
            self._give_back()

    def play(self, number: int, work: Callable[[], object]) -> None:
        """Do all of one thread's work."""
        self.own.number = number
        try:
            work()
        finally:
            self.ended.add(number)
            self._give_back()

    def drive(self, schedule: Sequence[int], count: int) -> None:
        """Grant turns as scheduled, then in rounds until all threads have ended."""
        for number in itertools.chain(schedule, itertools.cycle(range(count))):
            with self.changed:
                if len(self.ended) == count:
                    return
                if number in self.ended:
                    continue
                self.granted = number
                self.changed.notify_all()
                assert self.changed.wait_for(lambda: self.granted is None, SECONDS)

    def _give_back(self) -> None:
        with self.changed:
            if self.granted == self.own.number:
                self.granted = None
                self.changed.notify_all()


class OrderlyStore(Store):
    """A store whose transactions wait for their turn while there is a schedule."""

    turns: Turns | None = None

    def run(
        self,
        tenant: str,
        work: Callable[[Transaction], T],
        *,
        read_only: bool = False,
        lock: str | None = None,
        isolation: Isolation = Isolation.READ_COMMITTED,
    ) -> T:
        """Run as the product does, at its turn."""

        def made() -> T:
            return super(OrderlyStore, self).run(tenant, work, read_only=read_only, lock=lock, isolation=isolation)

        return made() if self.turns is None else self.turns.take(made)


@pytest.fixture(scope="module")
def orderly(embedded_server: Server) -> Iterator[OrderlyStore]:
    """An empty store."""
    name = embedded_server.fresh()
    try:
        with OrderlyStore.open(embedded_server.target, database=name) as store:
            yield store
    finally:
        embedded_server.drop(name)


def said(key: str, value: str, day: int) -> dict[str, Any]:
    """Give one episode that states a home and a rate."""
    claims = [{"key": "home", "value": value}, {"key": "rate", "value": f"{day}%"}]
    return {"subject_id": "s", "key": key, "occurred_at": f"2026-03-0{day}T09:00:00Z", "claims": claims}


@pytest.mark.slow
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(schedule=st.lists(st.integers(0, 2), max_size=14), compiled=st.booleans(), late=st.booleans())
def test_every_interleaving_ends_in_the_derivation_of_the_log(
    orderly: OrderlyStore, schedule: list[int], compiled: bool, late: bool
) -> None:
    """R-2, D §8: no interleaving leaves two homes, a lost dirty mark, or a hash that is not the log's.

    Breaks when a compile writes what an older reading derived, or deletes dirty rows that it has not read.
    """
    face = Face(orderly)
    face.turn_to(f"tenant {next(_numbers)}", NOW)
    face.put_claim_key("home", cardinality="single", policy="latest", kind="fact")
    face.add_episodes([said("first", "Lisbon", 3)])
    if compiled:
        face.compile_memories("s")
    arriving = said("second", "Porto", 2 if late else 5)
    turns = orderly.turns = Turns()
    works: list[Callable[[], object]] = [lambda: face.compile_memories("s")] * 2
    works.append(lambda: face.add_episodes([arriving]))
    with ThreadPoolExecutor(len(WHO)) as pool:
        done = [pool.submit(turns.play, number, work) for number, work in enumerate(works)]
        turns.drive(schedule, len(WHO))
        for each in done:
            each.result()
    orderly.turns = None
    assert face.verify().faults == ()
    face.compile_memories("s")
    assert face.verify().faults == ()
    homes = [one.claim.value for one in face.list_memories("s", claim_key="home").items if one.claim]
    assert homes == ["Lisbon" if late else "Porto"]
