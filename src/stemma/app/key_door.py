"""From the key that came with a request to its caller: what every door over a network asks before anything else."""

from __future__ import annotations

import hmac
from functools import partial

from stemma.app.caller import EVERYTHING, Caller, Scope
from stemma.app.keys import ASKED_FOR, SETTING, digest_of, id_in
from stemma.app.runtime import Runtime
from stemma.key_errors import KeyExpired, KeyMissing, KeyRevoked, KeyUnknown, RateLimited
from stemma.store import keys, settings
from stemma.store.connection import NO_TENANT
from stemma.store.keys import StoredKey, StoreRole


def asks_for_keys(runtime: Runtime) -> bool:
    """Say whether the store was ever given a key: then nobody is served without one.

    One look at the store each time until it is so, since another process may make the first.
    """
    if not runtime.asks_for_keys:
        found = runtime.store.run(NO_TENANT, partial(settings.value, name=SETTING), read_only=True)
        runtime.asks_for_keys = found == ASKED_FOR
    return runtime.asks_for_keys


def keyless(runtime: Runtime, tenant: str) -> Caller:
    """Return who works for `tenant` without a key. Raises KeyMissing where the store has keys."""
    if asks_for_keys(runtime):
        raise KeyMissing("this store has keys; send one as `Authorization: Bearer <key>` or as `X-API-Key: <key>`")
    return Caller(tenant, EVERYTHING)


def caller_of(runtime: Runtime, presented: str) -> Caller:
    """Return whom a key stands for, and count the request where it has a limit.

    Raises KeyUnknown, KeyRevoked, KeyExpired or RateLimited.
    """
    key = _known(runtime, presented)
    now = runtime.now()
    # Only who has the secret is told more than that the key is none.
    if key.revoked_at is not None:
        raise KeyRevoked(f"the key {key.key_id} was revoked; ask for another")
    if key.expires_at is not None and key.expires_at <= now:
        raise KeyExpired(f"the key {key.key_id} expired; ask for another")
    if key.rate_limit is not None:
        _count(runtime, key, key.rate_limit)
    runtime.key_uses.note(key.tenant, key.key_id, now)
    return Caller(key.tenant, frozenset(map(Scope, key.scopes)), key.name)


def role_of(runtime: Runtime) -> StoreRole:
    """Say as which role the store is used, and whether its second lock, row security, holds for that role."""
    return runtime.store.run(NO_TENANT, keys.role, read_only=True)


def _known(runtime: Runtime, presented: str) -> StoredKey:
    key_id = id_in(presented)
    key = None
    if key_id is not None:
        key = runtime.store.run(NO_TENANT, partial(keys.presented, key_id=key_id), read_only=True)
    if key is None or not hmac.compare_digest(key.digest, digest_of(presented)):
        raise KeyUnknown("this is no key of this store")
    return key


def _count(runtime: Runtime, key: StoredKey, limit: int) -> None:
    wait = runtime.store.run(key.tenant, partial(keys.grant, key_id=key.key_id, rate_limit=limit))
    if wait:
        raise RateLimited(
            f"the key {key.key_id} has had its {limit} requests of a minute; try again in {wait} s",
            retry_after_seconds=wait,
        )
