"""Tombstones and their secrets. Deleting what they stand for is `expunge`'s."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from stemma.store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class Secret:
    """What the digests of one store's tombstones were made with."""

    secret_id: str
    secret: bytes
    recorded_at: datetime


@dataclass(frozen=True, slots=True)
class StoredTombstone:
    """One tombstone; `covers_until` None covers every saying."""

    secret_id: str
    digest: bytes
    covers_until: datetime | None
    erased_at: datetime


def secrets_of(t: Transaction) -> list[Secret]:
    """Return the tenant's secrets, the oldest first."""
    rows = t.all("erasure_secrets")
    return [Secret(row["secret_id"], bytes(row["secret"]), row["recorded_at"]) for row in rows]


def add_secrets(t: Transaction, secrets: Iterable[Secret]) -> int:
    """Store secrets that are new, and say how many were."""
    listed = list(secrets)
    return t.execute(
        "add_erasure_secrets",
        {
            "secret_ids": [each.secret_id for each in listed],
            "secrets": [each.secret for each in listed],
            "recorded_ats": [each.recorded_at for each in listed],
        },
    )


def tombstones_by_digest(
    t: Transaction, digests: Iterable[tuple[str, bytes]]
) -> dict[tuple[str, bytes], StoredTombstone]:
    """Return those tombstones that are there, by (secret id, digest)."""
    asked = sorted(set(digests))
    named = {"secret_ids": [secret for secret, _ in asked], "digests": [digest for _, digest in asked]}
    found = {}
    for row in t.all("tombstones_by_digest", named):
        stone = StoredTombstone(row["secret_id"], bytes(row["digest"]), row["covers_until"], row["erased_at"])
        found[(stone.secret_id, stone.digest)] = stone
    return found


def put_tombstones(t: Transaction, tombstones: Iterable[StoredTombstone]) -> int:
    """Store tombstones, the wider cover over the narrower, and say how many changed anything."""
    by_digest: dict[tuple[str, bytes], StoredTombstone] = {}
    for each in tombstones:
        name = (each.secret_id, each.digest)
        by_digest[name] = _wider(by_digest[name], each) if name in by_digest else each
    if not by_digest:
        return 0
    listed = [by_digest[name] for name in sorted(by_digest)]
    entered = {
        "secret_ids": [each.secret_id for each in listed],
        "digests": [each.digest for each in listed],
        "covers": [each.covers_until for each in listed],
        "erased_ats": [each.erased_at for each in listed],
    }
    # Entered twice: nothing else would tell that one is gone.
    t.execute("put_tombstone_witnesses", entered)
    return len(t.all("put_tombstones", entered))


def _wider(one: StoredTombstone, other: StoredTombstone) -> StoredTombstone:
    covers = (one.covers_until, other.covers_until)
    until = None if None in covers else max(at for at in covers if at is not None)
    return StoredTombstone(one.secret_id, one.digest, until, min(one.erased_at, other.erased_at))
