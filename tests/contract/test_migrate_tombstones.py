"""A store that has erased before it knew of second entries: the migration enters its tombstones twice (R-92)."""

from __future__ import annotations

import psycopg

from stemma.store import migrate, scan
from tests.stores import Server

STONE = "INSERT INTO tombstones VALUES (%s, 'secret', '\\xabcd', NULL, now())"


def test_tombstones_of_an_older_store_are_entered_twice(server: Server) -> None:
    """Breaks when the copy sees no row, since a migration belongs to no tenant and the policy hides all of them."""
    name = server.fresh("template0")
    with psycopg.connect(server.admin(name), autocommit=True) as admin:
        admin.execute("CREATE EXTENSION vector")
    with server.open(name) as store:
        migrate.apply(store, migrate.shipped()[:2])
        for tenant in ("one", "two"):
            with store.transaction(tenant) as t:
                t.connection.execute(STONE.encode(), [tenant])
        migrate.apply(store)
        for tenant in ("one", "two"):
            with store.transaction(tenant, read_only=True) as t:
                assert scan.tombstones(t) == []
                assert scan.has_tombstones(t)
                assert len(t.connection.execute("SELECT * FROM tombstone_witnesses").fetchall()) == 1
    server.drop(name)
