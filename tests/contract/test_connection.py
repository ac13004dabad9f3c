"""The store's one transaction, over each way to a server."""

from __future__ import annotations

from stemma.store import migrate
from stemma.store.connection import Store


def test_a_fresh_store_is_migrated(any_store: Store) -> None:
    """R-91: each server takes every migration."""
    assert migrate.status(any_store).pending == ()
    assert len(migrate.status(any_store).applied) == len(migrate.shipped())
