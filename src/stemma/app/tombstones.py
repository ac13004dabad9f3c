"""Looking up whether keys were erased. A digest tells nobody which key it was, so each is made anew and compared."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from stemma.core.door import Arrival, Tombstone
from stemma.core.keys import business_digest, key_digest
from stemma.store import erasure
from stemma.store.erasure import Secret, StoredTombstone
from stemma.store.transaction import Transaction

Name = tuple[str, str]


@dataclass(slots=True)
class Erased:
    """The tombstones that concern some (subject, key) and (subject, business key) pairs."""

    secrets: tuple[Secret, ...] = ()
    keys: dict[Name, list[StoredTombstone]] = field(default_factory=dict)
    events: dict[Name, list[StoredTombstone]] = field(default_factory=dict)

    def covering(self, subject: str, key: str, business_key: str | None, arrival: Arrival) -> StoredTombstone | None:
        """Return a tombstone that covers an arrival, by its key or by its business event."""
        of_key = self.keys.get((subject, key), [])
        of_event = self.events.get((subject, business_key), []) if business_key is not None else []
        for stone in of_key:
            if Tombstone(stone.covers_until).covers(arrival):
                return stone
        return of_event[0] if of_event else None


def load(t: Transaction, keys: Iterable[Name], events: Iterable[Name]) -> Erased:
    """Read the tombstones of keys and business keys, each given with its subject."""
    secrets = tuple(erasure.secrets_of(t))
    if not secrets:
        return Erased()
    of_keys = {(one.secret_id, key_digest(one.secret, *name)): name for one in secrets for name in set(keys)}
    of_events = {(one.secret_id, business_digest(one.secret, *name)): name for one in secrets for name in set(events)}
    erased = Erased(secrets)
    stones = erasure.tombstones_by_digest(t, [*of_keys, *of_events])
    for digest, stone in sorted(stones.items()):
        if digest in of_keys:
            erased.keys.setdefault(of_keys[digest], []).append(stone)
        else:
            erased.events.setdefault(of_events[digest], []).append(stone)
    return erased
