"""A store against a dictionary: claims under every policy, said, sent again, forgotten and compiled at random, while
commits crash before and after they are made, compiles meet and clocks jump (R-1, R-2, R-13, R-36, R-37).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

import psycopg
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

from stemma.errors import CommitUnknown
from stemma.store.connection import Isolation, Store
from stemma.store.transaction import Transaction
from tests.property.model import Line, claims
from tests.simulation.small_histories import Face
from tests.stores import Server

T = TypeVar("T")
START = datetime(2026, 3, 10, 12, tzinfo=UTC)
FAR = datetime(2099, 1, 1, tzinfo=UTC)
AUTHORITIES = {"ledger": 90, "desk": 50, "web": 10}
POLICIES = ("latest", "authority", "corroborated", "keep_all", "flag")
SUBJECT = "s"
TOLERANCE = timedelta(minutes=5)
Episode = dict[str, Any]
Saying = tuple[str, str, str, str, str, int]
CUTS = st.integers(1, 4)
SAYINGS = st.tuples(
    st.sampled_from(("berth", "berth", "pilot")),
    st.sampled_from(("north", "south", "east")),
    st.sampled_from(("affirmed",) * 5 + ("negated",)),
    st.sampled_from(sorted(AUTHORITIES)),
    st.sampled_from(("Ada", "Rowan")),
    st.integers(-96, 12),
)
_numbers = itertools.count(1)


class DiedError(Exception):
    """The client died after its commit and before it heard of it."""


class MortalStore(Store):
    """A store whose next write meets a crash: its connection is cut, or its client dies."""

    doom: str | None = None
    admin: str = ""

    def run(
        self,
        tenant: str,
        work: Callable[[Transaction], T],
        *,
        read_only: bool = False,
        lock: str | None = None,
        isolation: Isolation = Isolation.READ_COMMITTED,
    ) -> T:
        """Run as the product does, save for the crash."""
        doom = None if read_only else self.doom
        if doom is not None:
            self.doom = None

        cut = [doom] if doom in ("in the work", "at the commit") else []

        def doomed(t: Transaction) -> T:
            at = cut.pop() if cut else None
            if at == "in the work":
                self._cut(t)
            found = work(t)
            if at == "at the commit":
                self._cut(t)
            return found

        found = super().run(tenant, doomed, read_only=read_only, lock=lock, isolation=isolation)
        if doom == "after the commit":
            raise DiedError
        return found

    def _cut(self, t: Transaction) -> None:
        with psycopg.connect(self.admin, autocommit=True) as connection:
            connection.execute("SELECT pg_terminate_backend(%s, 5000)", (t.connection.info.backend_pid,))


@dataclass(slots=True)
class Sent:
    """One episode as it was sent, the mark that the door gave it, and whether it is stored as far as one can know."""

    episode: Episode
    sound: bool
    stored: bool = False

    @property
    def said_at(self) -> datetime:
        return datetime.fromisoformat(self.episode["occurred_at"])

    @property
    def line(self) -> Line:
        """Write it for the dictionary."""
        [claim] = self.episode["claims"]
        source = self.episode["source"]
        origin = f"{source}/{self.episode['speaker']}/{self.said_at.date()}"
        return Line(claim["value"], AUTHORITIES[source], origin, no=claim["polarity"] == "negated")


@dataclass(slots=True)
class Model:
    """What the store should hold of one claim key: everything sent, and what was forgotten."""

    policy: str = "latest"
    sent: list[Sent] = field(default_factory=list)
    forgets: list[tuple[tuple[str, bool], datetime, frozenset[str]]] = field(default_factory=list)

    def statuses(self) -> dict[tuple[str, bool], str]:
        """Say where each value, affirmed or denied, stands when everything has come."""
        stored = [one for one in self.sent if one.stored]
        live = sorted(
            (one for one in stored if not self._is_gone(one)), key=lambda one: (one.said_at, one.episode["key"])
        )
        found = {_name(one): "tombstoned" for one in stored}
        sound = [one for one in live if one.sound]
        found |= {_name(one): "quarantined" for one in live} if sound else {}
        return found | claims([one.line for one in sound or live], self.policy)

    def _is_gone(self, one: Sent) -> bool:
        return any(
            name == _name(one) and (one.said_at <= at or not one.sound or one.episode["key"] in listed)
            for name, at, listed in self.forgets
        )


def _name(one: Sent) -> tuple[str, bool]:
    return one.line.value, one.line.no


class Machine(RuleBasedStateMachine):
    """One subject of a tenant of its own."""

    store: MortalStore

    @initialize(
        policies=st.tuples(*[st.sampled_from(POLICIES)] * 2), told=st.lists(SAYINGS, min_size=4, max_size=12), now=CUTS
    )
    def begin(self, policies: Sequence[str], told: list[Saying], now: int) -> None:
        """Register sources and two claim keys, and send the first episodes, compiled after some of them."""
        self.face = Face(self.store)
        self.now = START
        self.face.turn_to(f"machine {next(_numbers)}", self.now)
        for name, authority in AUTHORITIES.items():
            self.face.put_source(name, authority=authority)
        self.models: dict[str, Model] = {}
        for key, policy in zip(("berth", "pilot"), policies, strict=True):
            self.models[key] = Model()
            self.register(key, policy)
        self.say(told[:now], None)
        self.face.compile_memories(SUBJECT)
        self.say(told[now:], None)

    @rule(key=st.sampled_from(("berth", "pilot")), policy=st.sampled_from(POLICIES))
    def register(self, key: str, policy: Any) -> None:
        """Rule a key by another policy."""
        self.face.put_claim_key(key, cardinality="single", policy=policy, corroboration=2, kind="fact")
        self.models[key].policy = policy

    @rule(
        told=st.lists(SAYINGS, min_size=1, max_size=5),
        doom=st.sampled_from((None, None, "in the work", "at the commit", "after the commit")),
    )
    def say(self, told: list[Saying], doom: str | None) -> None:
        """Send a batch of new episodes, which a crash may meet."""
        batch: list[Sent] = []
        for key, value, polarity, source, speaker, hours in told:
            at = self.now + timedelta(hours=hours)
            episode: Episode = {"subject_id": SUBJECT, "key": f"k{len(self._all()):03}", "source": source}
            episode |= {"speaker": speaker, "occurred_at": at.isoformat()}
            episode["claims"] = [{"key": key, "value": value, "polarity": polarity}]
            batch.append(Sent(episode, at - self.now <= TOLERANCE))
            self.models[key].sent.append(batch[-1])
        self._send(batch, doom)

    @precondition(lambda self: self._all())
    @rule(which=st.integers(0, 99), doom=st.sampled_from((None, "at the commit", "after the commit")))
    def say_again(self, which: int, doom: str | None) -> None:
        """Send what was sent before: stored or not, and by whatever clock, it is there once."""
        sent = self._all()[which % len(self._all())]
        if not sent.stored:
            sent.sound = sent.said_at - self.now <= TOLERANCE
        self._send([sent], doom)

    @rule(
        threads=st.integers(1, 3),
        doom=st.sampled_from((None, None, "in the work", "at the commit", "after the commit")),
    )
    def compile(self, threads: int, doom: str | None) -> None:
        """Compile by some threads at once, one of which a crash may meet."""
        self.store.doom = doom
        with ThreadPoolExecutor(threads) as pool:
            for done in [pool.submit(self.face.compile_memories, SUBJECT) for _ in range(threads)]:
                error = done.exception()
                assert error is None or isinstance(error, CommitUnknown | DiedError), error
        self.store.doom = None

    @rule(hours=st.sampled_from((-720, -1, 1, 24, 960)))
    def jump(self, hours: int) -> None:
        """Put the clock forward or back."""
        self.now += timedelta(hours=hours)
        self.face.turn_to(self.face.tenant, self.now)

    @precondition(lambda self: any(one.stored for one in self._all()))
    @rule(which=st.integers(0, 99))
    def forget(self, which: int) -> None:
        """Forget some memory that a compile has seen."""
        rows = self.face.list_memories(SUBJECT, status="all").items
        found = sorted(
            ((one.claim.key, one.text, one.claim, one) for one in rows if one.claim), key=lambda one: one[:2]
        )
        if found:
            key, _, claim, memory = found[which % len(found)]
            listed = frozenset(one.key for one in memory.episodes)
            self.face.forget_memory(memory.id)
            self.models[key].forgets.append(((claim.value, claim.polarity == "negated"), self.now, listed))

    @rule()
    def look(self) -> None:
        """Compile, and compare every memory with the dictionary; compiled again, nothing changes."""
        self.face.compile_memories(SUBJECT)
        self.face.turn_to(self.face.tenant, FAR)
        for key, model in self.models.items():
            rows = self.face.list_memories(SUBJECT, status="all", claim_key=key).items
            found = {(one.claim.value, one.claim.polarity == "negated"): str(one.status) for one in rows if one.claim}
            assert found == model.statuses(), key
        self.face.turn_to(self.face.tenant, self.now)
        counts = self.face.compile_memories(SUBJECT).model_dump()
        counts.pop("state_hash")
        assert not any(counts.values()), counts

    def teardown(self) -> None:
        """Look a last time, and derive the whole log anew."""
        if hasattr(self, "models"):
            self.store.doom = None
            self.look()
            assert self.face.verify().faults == ()

    def _all(self) -> list[Sent]:
        return [one for model in self.models.values() for one in model.sent]

    def _send(self, batch: list[Sent], doom: str | None) -> None:
        if not batch:
            return
        expected = ["duplicate" if sent.stored else "created" for sent in batch]
        self.store.doom = doom
        try:
            results = self.face.add_episodes([sent.episode for sent in batch]).results
            assert [one.outcome for one in results] == expected
        except CommitUnknown:
            # Cut before the server heard of the commit: nothing of it stands.
            assert doom == "at the commit"
            return
        except DiedError:
            assert doom == "after the commit"
        assert self.store.doom is None
        for sent in batch:
            sent.stored = True


@pytest.fixture
def mortal(served_server: Server) -> Iterator[MortalStore]:
    """An empty store that can crash."""
    name = served_server.fresh()
    try:
        with MortalStore.open(served_server.target, database=name) as store:
            store.admin = served_server.admin("postgres")
            yield store
    finally:
        served_server.drop(name)


QUIET = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]


@pytest.mark.slow
def test_a_store_holds_what_a_dictionary_holds(mortal: MortalStore) -> None:
    """R-1, R-2, R-13, R-36, R-37: which values stand, and what became of the others, whatever happened on the way."""
    Machine.store = mortal
    phases = [Phase.generate, Phase.shrink]
    run_state_machine_as_test(
        Machine,
        settings=settings(
            max_examples=20,
            stateful_step_count=12,
            deadline=None,
            phases=phases,
            suppress_health_check=QUIET,
            print_blob=True,
        ),
    )
