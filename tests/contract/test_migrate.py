"""Numbered migrations: once each, in order, whole, by whoever comes first."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from stemma.errors import MigrationChanged, MigrationFailed, StoreNewer
from stemma.store import migrate
from stemma.store.connection import Store
from tests.stores import Server

_ONE = "CREATE TABLE words (word text);"
_TWO = "ALTER TABLE words ADD COLUMN n integer NOT NULL DEFAULT 0; INSERT INTO words VALUES ('100%', 2);"
_APPLY = """
import sys
from pathlib import Path
from stemma.store import migrate
from stemma.store.connection import Store
with Store.open(sys.argv[1] if "://" in sys.argv[1] else Path(sys.argv[1]), database=sys.argv[2]) as store:
    print("ready", flush=True)
    sys.stdin.readline()
    print(len(migrate.apply(store, migrate.read(Path(sys.argv[3])))))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with two migrations."""
    (tmp_path / "0001_words.sql").write_text(_ONE)
    (tmp_path / "0002_numbers.sql").write_text(_TWO)
    return tmp_path


@pytest.fixture
def empty(server: Server) -> Iterator[tuple[Server, str, Store]]:
    """A database with pgvector and no schema."""
    name = server.fresh("template0")
    with psycopg.connect(server.admin(name), autocommit=True) as admin:
        admin.execute("CREATE EXTENSION vector")
    with server.open(name) as store:
        yield server, name, store
    server.drop(name)


def test_migrations_are_applied_in_order_and_once(empty: tuple[Server, str, Store], folder: Path) -> None:
    """R-92: with what was applied on record; a second call does nothing."""
    store = empty[2]
    wanted = migrate.read(folder)
    assert migrate.status(store, wanted) == migrate.Status((), wanted)
    assert [each.name for each in migrate.apply(store, wanted)] == ["words", "numbers"]
    assert migrate.apply(store, wanted) == ()
    assert migrate.status(store, wanted) == migrate.Status(("0001_words", "0002_numbers"), ())
    with store.transaction("t") as t:
        assert t.connection.execute("SELECT word, n FROM words").fetchall() == [{"word": "100%", "n": 2}]


def test_a_later_migration_is_added_to_a_filled_store(empty: tuple[Server, str, Store], folder: Path) -> None:
    """R-92: forward from every released schema."""
    store = empty[2]
    migrate.apply(store, migrate.read(folder))
    (folder / "0003_more.sql").write_text("INSERT INTO words VALUES ('more', 3)")
    assert [each.number for each in migrate.apply(store, migrate.read(folder))] == [3]
    with store.transaction("t") as t:
        assert t.connection.execute("SELECT n FROM words ORDER BY n").fetchall() == [{"n": 2}, {"n": 3}]


def test_a_migration_that_was_edited_is_refused(empty: tuple[Server, str, Store], folder: Path) -> None:
    """R-92: never edited after landing; other ends of lines are no edit."""
    store = empty[2]
    (folder / "0001_words.sql").write_text("CREATE TABLE words\n(word text);\n")
    migrate.apply(store, migrate.read(folder))
    (folder / "0001_words.sql").write_bytes(b"CREATE TABLE words\r\n(word text);\r\n")
    assert migrate.apply(store, migrate.read(folder)) == ()
    (folder / "0001_words.sql").write_text("CREATE TABLE words\n(word text); \n")
    with pytest.raises(MigrationChanged, match=r"0001_words differs from words, .*never edited"):
        migrate.apply(store, migrate.read(folder))


def test_a_store_of_a_newer_version_is_refused_by_name(empty: tuple[Server, str, Store], folder: Path) -> None:
    """R-92: older code writes nothing into it."""
    store = empty[2]
    migrate.apply(store, migrate.read(folder))
    older = migrate.read(folder)[:1]
    with pytest.raises(
        StoreNewer, match=r"the store has migration 0002_numbers and this version ends with 0001"
    ) as caught:
        migrate.apply(store, older)
    assert (caught.value.code, caught.value.retryable) == ("store_newer", False)


def test_a_migration_that_fails_leaves_nothing_of_itself(empty: tuple[Server, str, Store], folder: Path) -> None:
    """R-92: those before it stand; mended, it is applied."""
    store = empty[2]
    (folder / "0002_numbers.sql").write_text("CREATE TABLE half (n integer); SELECT no_such_function();")
    with pytest.raises(MigrationFailed, match=r"0002_numbers failed: function no_such_function\(\) does not exist"):
        migrate.apply(store, migrate.read(folder))
    (folder / "0002_numbers.sql").write_text("CREATE TABLE half (n integer);")
    assert [each.number for each in migrate.apply(store, migrate.read(folder))] == [2]


def test_eight_processes_that_start_at_once_apply_each_migration_once(
    empty: tuple[Server, str, Store], folder: Path
) -> None:
    """R-92: one of them applies it, the others wait; nobody fails."""
    server, name, store = empty
    (folder / "0003_slow.sql").write_text("SELECT pg_sleep(0.3); INSERT INTO words VALUES ('once', 3)")
    command = [sys.executable, "-c", _APPLY, str(server.target), name, str(folder)]
    started = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(8)]
    for one in started:
        assert one.stdout is not None
        assert one.stdout.readline() == "ready\n"
    for one in started:
        assert one.stdin is not None
        one.stdin.write("go\n")
        one.stdin.flush()
    applied = [int(one.communicate(timeout=60)[0]) for one in started]
    assert [one.returncode for one in started] == [0] * 8
    assert sum(applied) == 3
    with store.transaction("t") as t:
        assert t.connection.execute("SELECT n FROM words ORDER BY n").fetchall() == [{"n": 2}, {"n": 3}]


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["0001_a.sql", "0003_c.sql"], r"without a gap, not \[1, 3\]"),
        (["0001_a.sql", "0001_b.sql"], r"without a gap, not \[1, 1\]"),
        (["0000_a.sql"], r"without a gap, not \[0\]"),
        (["0001_a.sql", "2_b.sql"], r"2_b.sql: a migration is named NNNN_words.sql"),
    ],
)
def test_numbers_have_no_gaps_and_no_doubles(tmp_path: Path, names: list[str], said: str) -> None:
    """R-92: two branches that both add the next number meet here, not in a store."""
    for name in names:
        (tmp_path / name).write_text("SELECT 1")
    with pytest.raises(ValueError, match=said):
        migrate.read(tmp_path)


def test_a_store_that_is_up_to_date_costs_one_query(embedded_store: Store) -> None:
    """R-82: each start looks; the median of 50 looks is under 2 ms of our own time."""
    spent = []
    for _ in range(50):
        begun = time.thread_time()
        assert migrate.apply(embedded_store) == ()
        spent.append(time.thread_time() - begun)
    assert sorted(spent)[25] < 0.002


def test_the_served_store_is_reached_by_its_address(served_server: Server) -> None:
    """R-91: the suite's served store is behind postgresql://, with a password, on a port."""
    address = conninfo_to_dict(str(served_server.target))
    assert str(served_server.target).startswith("postgresql://stemma_app:")
    assert (address["host"], address["user"]) == ("127.0.0.1", "stemma_app")
