"""Many small histories on one store, some subjects of a tenant at a time, so that each has a registry and a log of its
own. Each is sent in a random order, split and repeated, by one to three threads, and compiled at random moments;
a second store then takes the log in, in another order, and everything is sent once more a year later.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from typing import Any

from stemma import Stemma
from stemma.store.connection import Store
from tests.contract.log_door import Door
from tests.simulation.stories import Story
from tests.stores import Server

AT_ONCE = 5
ACCEPTED = {"created", "duplicate", "restated", "revised", "stale_revision", "erased"}
KNOWN = {"duplicate", "erased"}


class Face(Stemma):
    """The Python face on a store that is open already; its tenant and its clock are the histories'."""

    def __init__(self, store: Store) -> None:
        """Take everything but the store as a fresh installation has it."""
        self.runtime = Door(store).runtime
        self.tenant = "nobody"

    def turn_to(self, tenant: str, now: datetime) -> None:
        """Speak for a tenant, at a moment."""
        self.tenant = tenant
        self.runtime.clock = lambda: now


@dataclass(slots=True)
class SmallHistory(Story):
    """A story of a few steps; several batches of one step may be sent at once."""

    def tell(self, face: Face) -> None:
        """Do two to four things, and compile now and then."""
        for _ in range(self.random.randint(2, 4)):
            face.turn_to(face.tenant, self.now)
            self.step()
            if self.random.random() < 0.25:
                self.compile()

    def add(self) -> None:
        """Send one to three batches, each from a thread of its own that compiles afterwards or does not."""
        threads = self.random.choice((1, 1, 1, 2, 3))
        batches = [[self.episode() for _ in range(self.random.choice((1, 2, 3)))] for _ in range(threads)]
        if self.sent and self.random.random() < 0.4:
            batches[0].append(self.random.choice(self.sent))
        compiles = [self.random.random() < 0.5 for _ in batches]
        self.note("add", json.dumps(batches), compiles)
        _at_once([(self._send, batch, compiled) for batch, compiled in zip(batches, compiles, strict=True)])
        self.sent += [episode for batch in batches for episode in batch]

    def compile(self) -> None:
        """Compile by one to three threads at once."""
        threads = self.random.choice((1, 1, 2, 3))
        self.note("compile", threads)
        _at_once([(self.stemma.compile_memories, self.subject)] * threads)

    def _send(self, batch: list[dict[str, Any]], compiled: bool) -> None:
        results = self.stemma.add_episodes(batch).results
        assert {one.outcome for one in results} <= ACCEPTED, results
        if compiled:
            self.stemma.compile_memories(self.subject)


def tell(seed: int, one: Face, other: Face) -> None:
    """Tell `AT_ONCE` histories to a store and compare with a second one; print seed and steps where they differ."""
    random = Random(seed)
    stories = [SmallHistory(random, one, f"history {seed}/{number}") for number in range(AT_ONCE)]
    tenant = f"tenant {seed}"
    try:
        one.turn_to(tenant, stories[0].now)
        for story in stories:
            story.tell(one)
        last = max(story.now for story in stories)
        one.turn_to(tenant, last)
        other.turn_to(tenant, last)
        before = _compare(stories, random, one, other)
        one.turn_to(tenant, last + timedelta(days=366))
        _send_again(stories, random, one)
        assert hashes(one, stories) == before
    except BaseException:
        print(f"seed {seed}", *(line for story in stories for line in (story.subject, *story.told)), sep="\n")
        raise


def _compare(stories: Sequence[SmallHistory], random: Random, one: Face, other: Face) -> list[str | None]:
    """Let a second store take the log in, its records in another order, in two parts that overlap: one state.

    Gives the hash of each subject.
    """
    one.compile_memories()
    header, *lines = stories[0].export()
    secrets = [line for line in lines if json.loads(line)["type"] == "secret"]
    rest = [line for line in lines if line not in secrets]
    random.shuffle(rest)
    cut = random.randint(0, len(rest))
    for part in (rest[:cut], rest[cut // 2 :]):
        assert other.import_log([header, *secrets, *part]).rejected == 0
        if random.random() < 0.5:
            _at_once([(other.compile_memories,)] * random.choice((1, 2)))
    other.compile_memories()
    found = hashes(one, stories)
    assert hashes(other, stories) == found
    # One of the two in turn: the hashes are one, and `verify` derives the whole log anew.
    faults = random.choice((one, other)).verify().faults
    assert faults == (), faults
    return found


def _send_again(stories: Sequence[SmallHistory], random: Random, one: Face) -> None:
    """Send everything once more in another order: nothing is new, and a compile changes nothing (R-1)."""
    again = [episode for story in stories for episode in story.sent]
    for episode in one.add_episodes(random.sample(again, len(again))).results if again else ():
        assert episode.outcome in KNOWN, episode
    counts = one.compile_memories().model_dump()
    assert (counts.pop("state_hash"), any(counts.values())) == (None, False), counts


def hashes(face: Face, stories: Sequence[SmallHistory]) -> list[str | None]:
    """Give the hash of every subject, whose compile changes nothing."""
    found = []
    for story in stories:
        counts = face.compile_memories(story.subject).model_dump()
        found.append(counts.pop("state_hash"))
        assert not any(counts.values()), (story.subject, counts)
    return found


def _at_once(calls: Sequence[tuple[Any, ...]]) -> None:
    if len(calls) == 1:
        calls[0][0](*calls[0][1:])
        return
    with ThreadPoolExecutor(len(calls)) as pool:
        for done in [pool.submit(*call) for call in calls]:
            done.result()


@contextmanager
def two_stores(server: Server) -> Iterator[tuple[Face, Face]]:
    """Give two empty stores of one server."""
    names = [server.fresh() for _ in range(2)]
    try:
        with server.open(names[0]) as one, server.open(names[1]) as other:
            yield Face(one), Face(other)
    finally:
        for name in names:
            server.drop(name)
