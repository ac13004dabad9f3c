"""The clients with real keys: whose tenant, which scopes, how many requests (R-80, R-93)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import httpx
import pytest

from stemma import AsyncStemmaClient
from stemma.client.retrying import Retries
from stemma.errors import NotFound
from stemma.key_errors import KeyExpired, KeyMissing, KeyRevoked, KeyUnknown, RateLimited, ScopeMissing, Unauthorized
from tests.contract.keyed import Keyed, fresh_runtime
from tests.stores import Server

NOW = [datetime(2026, 3, 1, 12, tzinfo=UTC)]


@pytest.fixture(name="door", scope="module")
def opened(served_server: Server) -> Iterator[Keyed]:
    """A door whose store has keys, and whose clock the tests set on."""
    with fresh_runtime(served_server, lambda: NOW[0]) as runtime:
        yield Keyed(runtime)


def _client(door: Keyed, key: str | None, *, times: int = 0) -> AsyncStemmaClient:
    transport = httpx.ASGITransport(door.app, raise_app_exceptions=False, client=("127.0.0.1", 1))
    return AsyncStemmaClient("http://localhost", api_key=key, transport=transport, retries=Retries(times=times))


def test_a_key_is_a_tenant_and_what_it_may_do(door: Keyed) -> None:
    """R-93: refusals are the classes of the process; another tenant's id is not there."""
    acme, globex = door.key("acme"), door.key("globex", ["read"])

    async def ask() -> None:
        async with _client(door, acme.key) as ours, _client(door, globex.key) as theirs:
            (kept,) = (await ours.remember("ana", "Ana prefers oat milk.")).memories
            assert (await ours.get_memory(kept.id)).id == kept.id
            with pytest.raises(NotFound):
                await theirs.get_memory(kept.id)
            with pytest.raises(ScopeMissing) as narrow:
                await theirs.remember("ana", "Ana prefers tea.")
            assert (narrow.value.code, narrow.value.status) == ("scope_missing", 403)
            made = await ours.create_key(["read"], name="crawler", expires_at=datetime(2999, 1, 1, tzinfo=UTC))
            assert made.key not in repr(made)
            async with _client(door, made.key) as crawler:
                assert (await crawler.list_subjects()).items[0].subject_id == "ana"
                assert (await ours.revoke_key(made.id)).status == "revoked"
                with pytest.raises(KeyRevoked):
                    await crawler.list_subjects()
            assert {one.name: one.status async for one in ours.iter_keys(limit=1)}["crawler"] == "revoked"

    asyncio.run(ask())


def test_a_key_that_does_not_work_is_told_apart(door: Keyed) -> None:
    """R-93: 401 as four classes below one; no detail repeats what was sent."""
    door.key("acme")
    old = door.key("acme", expires_at=(NOW[0] + timedelta(hours=1)).isoformat()).key
    NOW[0] += timedelta(hours=2)

    async def refused(key: str | None) -> Unauthorized:
        async with _client(door, key) as client:
            with pytest.raises(Unauthorized) as told:
                await client.list_kinds()
            return told.value

    for key, kind in ((None, KeyMissing), ("never-made-4711", KeyUnknown), (old, KeyExpired)):
        error = asyncio.run(refused(key))
        assert (type(error), error.status) == (kind, 401)
        assert key is None or key not in str(error)


def test_a_full_minute_is_told_with_when_to_come_back(door: Keyed) -> None:
    """R-93: 429 with Retry-After; beyond the total time the client does not wait for it."""
    key = door.key("acme", rate_limit=1).key

    async def ask() -> RateLimited:
        async with _client(door, key, times=1) as client:
            with pytest.raises(RateLimited) as limited:
                for _ in range(3):
                    await client.list_kinds()
            return limited.value

    error = asyncio.run(ask())
    assert 30 < error.retry_after_seconds <= 61
    assert (error.code, error.status, error.retryable) == ("rate_limited", 429, True)
