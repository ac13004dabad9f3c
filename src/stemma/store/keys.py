"""Keys of callers as rows: the digest of each secret, what it may do, and how often. What a key opens is `app/`'s."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from stemma.store.transaction import Row, Transaction


@dataclass(frozen=True, slots=True)
class StoredKey:
    """What is known of a key that somebody presents; `rate_limit` is in requests a minute."""

    tenant: str
    key_id: str
    digest: bytes
    name: str
    scopes: tuple[str, ...]
    rate_limit: int | None
    expires_at: datetime | None
    revoked_at: datetime | None


@dataclass(frozen=True, slots=True)
class StoreRole:
    """The role that the store connects as."""

    name: str
    passes_row_security: bool


def put(t: Transaction, key: StoredKey, at: datetime) -> None:
    """Store a new key of the transaction's tenant."""
    row = {
        "key_id": key.key_id,
        "digest": key.digest,
        "name": key.name,
        "scopes": list(key.scopes),
        "rate_limit": key.rate_limit,
        "expires_at": key.expires_at,
    }
    t.execute("put_key", {**row, "at": at})


def presented(t: Transaction, key_id: str) -> StoredKey | None:
    """Return the key of that id, whosever it is; until the transaction ends its row is seen beside the tenant's."""
    t.all("name_key", {"key_id": key_id})
    row = t.maybe("presented_key", {"key_id": key_id})
    if row is None:
        return None
    return StoredKey(
        tenant=row["tenant_id"],
        key_id=row["key_id"],
        digest=bytes(row["digest"]),
        name=row["name"],
        scopes=tuple(row["scopes"]),
        rate_limit=row["rate_limit"],
        expires_at=row["expires_at"],
        revoked_at=row["revoked_at"],
    )


def page(t: Transaction, *, after: str, limit: int) -> list[Row]:
    """Return the tenant's keys after an id, in order of id."""
    return t.all("keys_page", {"after": after, "limit": limit})


def revoke(t: Transaction, key_id: str, at: datetime) -> Row | None:
    """Revoke a key of the tenant and return it; None where it has none of that id."""
    return t.maybe("revoke_key", {"key_id": key_id, "at": at})


def note_uses(t: Transaction, last: Mapping[str, datetime]) -> int:
    """Write when keys of the tenant were last used, and say of how many."""
    ids: Sequence[str] = sorted(last)
    return t.execute("note_key_uses", {"key_ids": ids, "ats": [last[one] for one in ids]})


def grant(t: Transaction, key_id: str, rate_limit: int) -> int:
    """Count one request of a key and return 0, or return the seconds until one will be granted again, at least 1."""
    asked = {"key_id": key_id, "rate_limit": rate_limit}
    if t.maybe("grant_request", asked) is not None:
        return 0
    row = t.maybe("seconds_until_granted", asked)
    return max(1, int(row["seconds"])) if row is not None else 1


def role(t: Transaction) -> StoreRole:
    """Say as which role the store is used, and whether row security holds for it."""
    row = t.one("role_of_store")
    return StoreRole(row["rolname"], row["passes_row_security"])
