"""The use cases on keys: make, list, revoke. What a key that comes with a request opens is `key_door`'s."""

from __future__ import annotations

import hashlib
import re
import secrets
from datetime import datetime
from typing import Final

from stemma.app.caller import Scope
from stemma.app.cursors import cursor_of, name_after
from stemma.app.models_keys import CreatedKey, CreateKey, KeyEntry, KeyPage, ListKeys, RevokeKey
from stemma.app.runtime import Runtime
from stemma.errors import InvalidInput, NotFound
from stemma.store import episodes, keys, log, settings
from stemma.store.connection import NO_TENANT
from stemma.store.keys import StoredKey
from stemma.store.transaction import Row, Transaction

# Noted with the first key and never taken back: a store that lost its keys must not open itself to everyone.
SETTING: Final = "keys"
ASKED_FOR: Final = "asked_for"
_KEYS: Final = "keys"
_KEY: Final = re.compile(r"stemma_([0-9a-f]{16})_[0-9a-f]{64}", re.ASCII)


def create_key(runtime: Runtime, tenant: str, request: CreateKey) -> CreatedKey:
    """Make a key of the tenant; from the first one on, the store is served to callers with keys alone."""
    at = runtime.now()
    if request.expires_at is not None and request.expires_at <= at:
        raise InvalidInput("expires_at is over already; name a time to come", field="expires_at")
    key_id = secrets.token_hex(8)
    key = f"stemma_{key_id}_{secrets.token_hex(32)}"
    made = StoredKey(
        tenant=tenant,
        key_id=key_id,
        digest=digest_of(key),
        name=request.name or key_id,
        scopes=request.scopes,
        rate_limit=request.rate_limit,
        expires_at=request.expires_at,
        revoked_at=None,
    )

    def write(t: Transaction) -> None:
        episodes.put_tenant(t, at)
        keys.put(t, made, at)
        settings.put(t, SETTING, ASKED_FOR)

    runtime.store.run(tenant, write)
    return CreatedKey(
        id=key_id,
        key=key,
        tenant=tenant,
        scopes=request.scopes,
        name=made.name,
        rate_limit=request.rate_limit,
        expires_at=request.expires_at,
    )


def list_keys(runtime: Runtime, tenant: str, request: ListKeys) -> KeyPage:
    """List the keys of the tenant in order of id."""
    with runtime.store.transaction(tenant, read_only=True) as t:
        found = keys.page(t, after=name_after(request.cursor, _KEYS), limit=request.limit + 1)
    now = runtime.now()
    items = tuple(_entry(tenant, row, now) for row in found[: request.limit])
    return KeyPage(items=items, next_cursor=cursor_of(_KEYS, items[-1].id) if len(found) > request.limit else None)


def revoke_key(runtime: Runtime, tenant: str, request: RevokeKey) -> KeyEntry:
    """Let a key of the tenant work no more; one that was revoked stays so since then. Raises NotFound."""
    now = runtime.now()
    row = runtime.store.run(tenant, lambda t: keys.revoke(t, request.key_id, now))
    if row is None:
        raise _no_key(request.key_id)
    return _entry(tenant, row, now)


def tenant_of_key(runtime: Runtime, key_id: str) -> str:
    """Say whose a key is, for who holds the store itself. Raises NotFound."""
    found = runtime.store.run(NO_TENANT, lambda t: keys.presented(t, key_id), read_only=True)
    if found is None:
        raise _no_key(key_id)
    return found.tenant


def every_tenant(runtime: Runtime) -> list[str]:
    """Return each tenant that has a key or a log, for who holds the store itself."""
    return runtime.store.run(NO_TENANT, log.tenants, read_only=True)


def digest_of(key: str) -> bytes:
    """Return what is kept of a key. A secret of 256 random bits needs no slow hash: there is nothing to guess."""
    return hashlib.sha256(key.encode()).digest()


def id_in(presented: str) -> str | None:
    """Return the public id in what is presented as a key; None where it has not the form of one."""
    found = _KEY.fullmatch(presented)
    return None if found is None else found[1]


def _no_key(key_id: str) -> NotFound:
    return NotFound(f"there is no key {key_id!r}", field="key_id")


def _entry(tenant: str, row: Row, now: datetime) -> KeyEntry:
    is_over = row["expires_at"] is not None and row["expires_at"] <= now
    return KeyEntry(
        id=row["key_id"],
        tenant=tenant,
        name=row["name"],
        scopes=tuple(Scope(scope) for scope in row["scopes"]),
        status="revoked" if row["revoked_at"] is not None else "expired" if is_over else "active",
        rate_limit=row["rate_limit"],
        recorded_at=row["recorded_at"],
        expires_at=row["expires_at"],
        revoked_at=row["revoked_at"],
        last_used_at=row["last_used_at"],
    )
