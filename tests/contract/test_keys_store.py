"""Keys as rows: what a key counts, in one statement that any number of processes share, and who sees its row."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest

from stemma.store import keys
from stemma.store.connection import NO_TENANT, Store
from stemma.store.keys import StoredKey

AT = datetime(2026, 3, 1, tzinfo=UTC)


def a_key(tenant: str, key_id: str) -> StoredKey:
    """A key that may do everything, without a limit."""
    return StoredKey(tenant, key_id, bytes(32), f"key of {tenant}", ("read", "write"), None, None, None)


def seconds_pass(store: Store, tenant: str, key_id: str, seconds: int) -> None:
    """Let what was counted be so much older: the server's clock itself cannot be set."""
    with store.transaction(tenant) as t:
        t.connection.execute("UPDATE key_rates SET second = second - %s WHERE key_id = %s", (seconds, key_id))


def grant(store: Store, tenant: str, key_id: str, limit: int) -> int:
    """Ask for one request: 0, or the seconds to wait."""
    return store.run(tenant, lambda t: keys.grant(t, key_id, limit))


def test_a_full_minute_says_how_long_to_wait_and_opens_again(store: Store) -> None:
    """R-93: N requests in any minute, and a wait after which one is granted."""
    assert [grant(store, "acme", "k", 3) for _ in range(3)] == [0, 0, 0]
    wait = grant(store, "acme", "k", 3)
    assert 59 <= wait <= 61
    seconds_pass(store, "acme", "k", 20)
    assert 39 <= grant(store, "acme", "k", 3) <= 41
    seconds_pass(store, "acme", "k", wait - 20)
    assert grant(store, "acme", "k", 3) == 0


def test_only_what_is_a_minute_old_is_granted_again(store: Store) -> None:
    """R-93: no burst of twice the limit where one minute ends and the next begins."""
    assert [grant(store, "acme", "k", 4) for _ in range(2)] == [0, 0]
    seconds_pass(store, "acme", "k", 40)
    assert [grant(store, "acme", "k", 4) for _ in range(2)] == [0, 0]
    assert 19 <= grant(store, "acme", "k", 4) <= 21
    seconds_pass(store, "acme", "k", 22)
    assert [grant(store, "acme", "k", 4) for _ in range(2)] == [0, 0]
    assert 37 <= grant(store, "acme", "k", 4) <= 39
    seconds_pass(store, "acme", "k", 3_600)
    assert [grant(store, "acme", "k", 4) for _ in range(4)] == [0, 0, 0, 0]
    assert 59 <= grant(store, "acme", "k", 4) <= 61


def test_forty_at_once_are_granted_as_many_as_one_after_the_other(store: Store) -> None:
    """R-93: one atomic statement."""
    with ThreadPoolExecutor(8) as pool:
        waits = list(pool.map(lambda _: grant(store, "acme", "k", 15), range(40)))
    assert waits.count(0) == 15
    assert all(59 <= wait <= 61 for wait in waits if wait)


def test_a_keys_row_is_seen_by_its_tenant_and_by_whoever_names_it(store: Store) -> None:
    """R-12, R-93: before a key is known nobody's tenant is, and then one row is to be seen and no more."""
    for tenant in ("acme", "globex"):
        store.run(tenant, lambda t: keys.put(t, a_key(t.tenant, f"of-{t.tenant}"), AT))
    with store.transaction(NO_TENANT, read_only=True) as t:
        assert t.connection.execute("SELECT key_id FROM api_keys").fetchall() == []
        assert keys.presented(t, "of-globex") == a_key("globex", "of-globex")
        assert t.connection.execute("SELECT key_id FROM api_keys").fetchall() == [{"key_id": "of-globex"}]
        assert keys.presented(t, "of-nobody") is None
    with store.transaction("acme") as t:
        assert [row["key_id"] for row in keys.page(t, after="", limit=10)] == ["of-acme"]
        assert keys.revoke(t, "of-globex", AT) is None
        keys.presented(t, "of-globex")
        assert t.connection.execute("UPDATE api_keys SET name = 'x' WHERE key_id = 'of-globex'").rowcount == 0


def test_the_time_of_the_last_use_never_goes_back(store: Store) -> None:
    """R-93: several processes write what they saw, in any order."""
    store.run("acme", lambda t: keys.put(t, a_key("acme", "k"), AT))
    for minute in (5, 3, 7, 6):
        store.run("acme", lambda t, m=minute: keys.note_uses(t, {"k": AT.replace(minute=m), "gone": AT}))
    with store.transaction("acme", read_only=True) as t:
        assert [row["last_used_at"] for row in keys.page(t, after="", limit=1)] == [AT.replace(minute=7)]


@pytest.mark.parametrize("limit", [1, 1_000])
def test_a_limit_is_counted_apart_for_each_key_and_tenant(embedded_store: Store, limit: int) -> None:
    """R-12, R-93."""
    for tenant, key_id in (("acme", "k"), ("acme", "other"), ("globex", "k")):
        assert grant(embedded_store, tenant, key_id, limit) == 0
