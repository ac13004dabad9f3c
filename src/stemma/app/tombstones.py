"""Making tombstones and looking keys up in them: a digest tells nobody its key, so each is made anew and compared."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial

from stemma.core.door import Arrival
from stemma.core.keys import act_digest, business_digest, key_digest
from stemma.core.merge import cover_of, cut_act
from stemma.records import HumanAct, KeyPolicy, NamedSaying
from stemma.store import erasure
from stemma.store.erasure import Secret, StoredTombstone
from stemma.store.transaction import Transaction
from stemma.text import utc

# A subject with a key, or with a business key.
Name = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Mark:
    """What the tombstones of one erasure are made with: a secret and the time of the erasure."""

    secret: Secret
    at: datetime

    def of_key(self, subject: str, key: str, policy: KeyPolicy, last_said_at: datetime | None) -> StoredTombstone:
        """Give the tombstone of a key. Under `content` it covers sayings up to the erasure, later ones are new."""
        until = None
        if policy is KeyPolicy.CONTENT:
            # A stamp from the future must not bring back what was erased with it.
            until = max(self.at, last_said_at or self.at)
        return self._stone(key_digest(self.secret.secret, subject, key), until)

    def of_event(self, subject: str, business_key: str) -> StoredTombstone:
        """Give the tombstone of a business event."""
        return self._stone(business_digest(self.secret.secret, subject, business_key), None)

    def of_act(self, subject: str, act_id: str) -> StoredTombstone:
        """Give the tombstone of a human act that went with what it named."""
        return self._stone(act_digest(self.secret.secret, subject, act_id), None)

    def _stone(self, digest: bytes, until: datetime | None) -> StoredTombstone:
        return StoredTombstone(self.secret.secret_id, digest, until, self.at)


@dataclass(slots=True)
class Erased:
    """The tombstones that concern some keys and business keys, growing with those that refusals add."""

    secrets: dict[str, Secret] = field(default_factory=dict)
    keys: dict[Name, list[StoredTombstone]] = field(default_factory=dict)
    events: dict[Name, list[StoredTombstone]] = field(default_factory=dict)

    def of_key(self, name: Name, arrival: Arrival) -> StoredTombstone | None:
        """Return the tombstone of a key where it covers an arrival. One without a time is no new saying, so it is."""
        stones = self.keys.get(name)
        if not stones:
            return None
        cover = cover_of(stone.covers_until for stone in stones)
        if arrival.occurred_at is None or cover.covers(arrival.policy, arrival.occurred_at):
            return stones[0]
        return None

    def of_event(self, name: Name) -> StoredTombstone | None:
        """Return the tombstone of a business event, which covers whatever comes under it."""
        stones = self.events.get(name)
        return stones[0] if stones else None

    def mark(self, stone: StoredTombstone) -> Mark:
        """Return what a tombstone was made with, to make those that follow from it."""
        return Mark(self.secrets[stone.secret_id], stone.erased_at)


def load(t: Transaction, keys: Iterable[Name], events: Iterable[Name]) -> Erased:
    """Read the tombstones of keys and business keys, each given with its subject."""
    erased = Erased({one.secret_id: one for one in erasure.secrets_of(t)})
    if not erased.secrets:
        return erased
    secrets = erased.secrets.values()
    of_keys = {(one.secret_id, key_digest(one.secret, *name)): name for name in set(keys) for one in secrets}
    of_events = {(one.secret_id, business_digest(one.secret, *name)): name for name in set(events) for one in secrets}
    for digest, stone in sorted(erasure.tombstones_by_digest(t, [*of_keys, *of_events]).items()):
        if digest in of_keys:
            erased.keys.setdefault(of_keys[digest], []).append(stone)
        else:
            erased.events.setdefault(of_events[digest], []).append(stone)
    return erased


@dataclass(frozen=True, slots=True)
class ErasedActs:
    """The tombstones that concern some human acts: of the keys they name, and of the acts themselves."""

    erased: Erased
    gone: frozenset[str]

    def left_of(self, act: HumanAct) -> HumanAct | None:
        """Give what tombstones leave of an act."""
        return None if act.id in self.gone else cut_act(act, partial(self._is_erased, act.subject_id))

    def stones_of(self, act: HumanAct) -> list[StoredTombstone]:
        """Give the tombstone of an act that goes with what it named."""
        for memory in act.memories:
            for said in memory.sayings:
                if stones := self.erased.keys.get((act.subject_id, said.key)):
                    return [self.erased.mark(stones[0]).of_act(act.subject_id, act.id)]
        return []

    def _is_erased(self, subject: str, said: NamedSaying) -> bool:
        stones = self.erased.keys.get((subject, said.key), ())
        return cover_of(stone.covers_until for stone in stones).covers(KeyPolicy.CONTENT, utc(said.occurred_at))


def load_for_acts(t: Transaction, found: Sequence[HumanAct]) -> ErasedActs:
    """Read the tombstones that concern some human acts."""
    keys = {(act.subject_id, said.key) for act in found for memory in act.memories for said in memory.sayings}
    erased = load(t, keys, ())
    digests = {
        (one.secret_id, act_digest(one.secret, act.subject_id, act.id)): act.id
        for act in found
        for one in erased.secrets.values()
    }
    gone = erasure.tombstones_by_digest(t, digests) if digests else {}
    return ErasedActs(erased, frozenset(digests[name] for name in gone))
