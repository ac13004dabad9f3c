"""What `--store` may name, and what is said where it names nothing that can be used."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from stemma.errors import InvalidStoreTarget, StoreUnavailable, VectorMissing
from stemma.store.connection import Store
from tests.stores import Server


@pytest.mark.parametrize(
    "target",
    [
        "mysql://u:pw-secret@h/d",
        "file:///tmp/x",
        "postgresql://u:pw-secret@[::1/d",
        "host=127.0.0.1 password=pw-secret dbname=d",
        "dbname=d",
    ],
)
def test_an_address_that_cannot_be_read_is_named_without_its_password(target: str) -> None:
    """R-91: libpq would quote the whole string."""
    with pytest.raises(InvalidStoreTarget, match="--store: ") as caught:
        Store.open(target)
    assert "pw-secret" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_a_server_that_is_not_there_is_named_at_once() -> None:
    """R-91: nobody waits at the start for an address that was mistyped."""
    with pytest.raises(StoreUnavailable, match="cannot be reached") as caught:
        Store.open("postgresql://ada:pw-secret@127.0.0.1:1/memories")
    assert "pw-secret" not in str(caught.value)


def test_a_wrong_password_is_named(served_server: Server) -> None:
    """R-91: and is not shown."""
    address = conninfo_to_dict(str(served_server.target))
    wrong = f"postgresql://{address['user']}:pw-secret@{address['host']}:{address['port']}/postgres"
    with pytest.raises(StoreUnavailable, match="password authentication failed") as caught:
        Store.open(wrong)
    assert "pw-secret" not in str(caught.value)


def test_a_server_without_pgvector_is_told_what_to_do(served_server: Server) -> None:
    """R-91: a database without the extension, and a role that may not add it."""
    served_server.create("without_vector", "template0")
    try:
        with pytest.raises(VectorMissing, match=r"administrator.*CREATE EXTENSION vector"):
            served_server.open("without_vector")
        with psycopg.connect(served_server.admin("without_vector"), autocommit=True) as admin:
            admin.execute("CREATE EXTENSION vector")
        with served_server.open("without_vector") as store, store.transaction("t") as t:
            assert t.one("ping")
    finally:
        served_server.drop("without_vector")


def test_a_folder_may_be_given_as_text_or_as_a_path(place: Path) -> None:
    """R-91: `--store DIR`; both name one store."""
    with Store.open(str(place / "store")) as first, Store.open(place / "store") as second:
        with first.transaction("t") as t:
            t.script("CREATE TABLE words (word text); INSERT INTO words VALUES ('same')")
        with second.transaction("t") as t:
            assert t.connection.execute("SELECT word FROM words").fetchall() == [{"word": "same"}]


def test_another_database_of_an_embedded_server_is_made_with_pgvector(place: Path) -> None:
    """R-91: and is its role's own."""
    with Store.open(place / "store", database="other") as store, store.transaction("t") as t:
        assert t.one("vector_version")["extversion"] >= "0.7"
        assert t.connection.execute("SELECT current_database() AS name").fetchall() == [{"name": "other"}]
    with Store.open(place / "store", database="other") as store, store.transaction("t") as t:
        assert t.one("ping")
