"""The store's one transaction, over each way to a server."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import psycopg
import pytest
from psycopg import errors

from stemma.errors import (
    CommitUnknown,
    LockTimeout,
    StatementTimeout,
    StoreBusy,
    StoreUnavailable,
    TransactionConflict,
)
from stemma.store import migrate
from stemma.store.connection import Isolation, Store, lock_key
from stemma.store.pool import Bounds
from stemma.store.transaction import Transaction
from tests.stores import Server

SHORT = Bounds(lock_seconds=0.2, statement_seconds=0.3, restore_seconds=0.5, connections=2)


@pytest.fixture
def words(store: Store) -> Store:
    """A store with a table of a word a row."""
    with store.transaction("t") as t:
        t.script("CREATE TABLE words (word text PRIMARY KEY, n integer NOT NULL DEFAULT 0)")
    return store


@pytest.fixture
def short(server: Server) -> Iterator[Store]:
    """A store that waits for little, with such a table and one word in it."""
    name = server.fresh()
    with server.open(name, bounds=SHORT) as store:
        with store.transaction("t") as t:
            t.script(
                "CREATE TABLE words (word text PRIMARY KEY, n integer NOT NULL); INSERT INTO words VALUES ('a', 0)"
            )
        yield store
    server.drop(name)


def written(store: Store) -> list[str]:
    """Return the words in order."""
    with store.transaction("t", read_only=True) as t:
        return [row["word"] for row in t.connection.execute("SELECT word FROM words ORDER BY word")]


def add(t: Transaction, word: str) -> None:
    """Write a word."""
    t.connection.execute("INSERT INTO words (word) VALUES (%s)", (word,))


def end_connections(server: Server, store: Store) -> None:
    """End every connection of a store from outside."""
    with store.transaction("t") as t:
        database = t.connection.info.dbname
    with psycopg.connect(server.admin("postgres"), autocommit=True) as admin:
        admin.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", (database,))


def test_a_fresh_store_is_migrated(any_store: Store) -> None:
    """R-91: each server takes every migration."""
    assert migrate.status(any_store).pending == ()
    assert len(migrate.status(any_store).applied) == len(migrate.shipped())


def test_a_block_commits_at_its_end_and_an_exception_undoes_it(words: Store) -> None:
    """R-13: all or nothing."""
    with words.transaction("t") as t:
        add(t, "kept")
    with pytest.raises(RuntimeError, match="on purpose"), words.transaction("t") as t:
        add(t, "lost")
        raise RuntimeError("on purpose")
    assert written(words) == ["kept"]


def test_a_read_only_transaction_cannot_write(words: Store) -> None:
    """DESIGN §2: read-only paths issue no write, and the next transaction may write again."""
    with pytest.raises(errors.ReadOnlySqlTransaction), words.transaction("t", read_only=True) as t:
        add(t, "lost")
    with words.transaction("t") as t:
        add(t, "kept")
    assert written(words) == ["kept"]


def test_the_session_is_as_every_query_expects_it(store: Store) -> None:
    """DESIGN §2: custom plans, UTC, bounded waits, read committed; whatever the server's defaults are."""
    names = {
        "plan_cache_mode": "force_custom_plan",
        "TimeZone": "UTC",
        "lock_timeout": "30s",
        "statement_timeout": "2min",
        "transaction_isolation": "read committed",
        "server_encoding": "UTF8",
        "stemma.tenant": "acme",
    }
    with store.transaction("acme") as t:
        found = {name: t.connection.execute(f"SHOW {name}").fetchall()[0][name] for name in names}
    assert found == names


@pytest.mark.parametrize("isolation", list(Isolation))
def test_a_transaction_has_the_isolation_it_asks_for(store: Store, isolation: Isolation) -> None:
    """DESIGN §3: and the next one is not bound to it."""
    with store.transaction("t", isolation=isolation) as t:
        shown = t.connection.execute("SHOW transaction_isolation").fetchall()
    with store.transaction("t") as t:
        after = t.connection.execute("SHOW transaction_isolation").fetchall()
    assert shown == [{"transaction_isolation": isolation.name.lower().replace("_", " ")}]
    assert after == [{"transaction_isolation": "read committed"}]


def test_the_tenant_ends_with_its_transaction(store: Store) -> None:
    """R-12: a connection that is lent again says nothing of the one before."""
    with store.transaction("acme"):
        pass
    with store.transaction("") as t:
        rows = t.connection.execute("SELECT current_setting('stemma.tenant', true) AS tenant").fetchall()
    assert rows == [{"tenant": ""}]


def test_a_query_without_where_sees_its_own_tenant_alone(store: Store) -> None:
    """R-12: the second lock, with the role that the store connects as, in reading and in writing."""
    with store.transaction("acme") as t:
        t.script(
            "CREATE TABLE notes (tenant_id text NOT NULL, note text NOT NULL);"
            "ALTER TABLE notes ENABLE ROW LEVEL SECURITY; ALTER TABLE notes FORCE ROW LEVEL SECURITY;"
            "CREATE POLICY own ON notes USING (tenant_id = current_setting('stemma.tenant', true))"
        )
    for tenant in ("acme", "globex"):
        with store.transaction(tenant) as t:
            t.connection.execute("INSERT INTO notes VALUES (%s, %s)", (tenant, f"of {tenant}"))
    for tenant, seen in {"acme": ["of acme"], "globex": ["of globex"], "": [], "ac": []}.items():
        with store.transaction(tenant) as t:
            assert [row["note"] for row in t.connection.execute("SELECT note FROM notes")] == seen
    with pytest.raises(errors.InsufficientPrivilege), store.transaction("globex") as t:
        t.connection.execute("INSERT INTO notes VALUES ('acme', 'forged')")
    with store.transaction("globex") as t:
        assert t.connection.execute("DELETE FROM notes").rowcount == 1


def test_every_table_of_a_tenant_has_the_second_lock(store: Store) -> None:
    """R-12: but for the list of tenants each has a forced row policy, and the store's role cannot pass it."""
    with store.transaction("t") as t:
        open_tables = t.connection.execute(
            "SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
            "JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant_id' "
            "WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p') "
            "AND NOT (c.relrowsecurity AND c.relforcerowsecurity "
            "AND EXISTS (SELECT 1 FROM pg_policy p WHERE p.polrelid = c.oid))"
        ).fetchall()
        role = t.connection.execute(
            "SELECT rolsuper, rolbypassrls, rolcreaterole, rolcreatedb FROM pg_roles WHERE rolname = current_user"
        ).fetchall()
    assert open_tables == [{"relname": "tenants"}]
    assert set(role[0].values()) == {False}


def test_one_lock_a_subject(words: Store) -> None:
    """R-30: whoever asks for a held subject waits for its commit; another subject waits for nobody."""
    order = []
    started = threading.Event()

    def second() -> None:
        started.set()
        with words.transaction("t", lock="subject") as t:
            order.append([row["word"] for row in t.connection.execute("SELECT word FROM words")])

    with words.transaction("t", lock="subject") as t:
        thread = threading.Thread(target=second)
        thread.start()
        started.wait()
        with words.transaction("t", lock="another subject"), words.transaction("u", lock="subject"):
            order.append(["not waited"])
        add(t, "first")
    thread.join()
    assert order == [["not waited"], ["first"]]


def test_a_locks_key_tells_every_pair_of_parts_apart() -> None:
    """R-12: lengths are part of it, so no two tenants share a lock by a play on where a name ends."""
    pairs = [
        ("a", "bc"),
        ("ab", "c"),
        ("abc", ""),
        ("", "abc"),
        ("a\0b", "c"),
        ("a", "b\0c"),
        ("ä", "c"),
        ("a", "\u0308c"),
    ]
    keys = {lock_key(*pair) for pair in pairs}
    assert len(keys) == len(pairs)
    assert all(-(2**63) <= key < 2**63 for key in keys)
    assert lock_key("default", "user:ada") == lock_key("default", "user:ada")


def test_a_lock_goes_with_read_committed_only(store: Store) -> None:
    """DESIGN §3: a snapshot older than the lock would not see what its former holder wrote."""
    with pytest.raises(ValueError, match="lock: goes with read committed only"):
        store.run("t", lambda t: t.one("ping"), lock="subject", isolation=Isolation.REPEATABLE_READ)


def test_a_lock_that_is_held_too_long_is_named(short: Store) -> None:
    """DESIGN §3: waits are bounded, and this one may be tried again."""
    with short.transaction("t", lock="user:ada"):
        with (
            pytest.raises(LockTimeout, match="holds user:ada; try again") as caught,
            short.transaction("t", lock="user:ada"),
        ):
            pass
        assert caught.value.retryable


def test_a_statement_that_takes_too_long_is_named(short: Store) -> None:
    """DESIGN §3: the same connection serves the next transaction."""
    with pytest.raises(StatementTimeout), short.transaction("t") as t:
        t.connection.execute("SELECT pg_sleep(5)")
    assert written(short) == ["a"]


def test_more_transactions_than_connections_wait_and_then_are_told(short: Store) -> None:
    """R-11: a busy store says so; it does not hang."""
    with (
        short.transaction("t"),
        short.transaction("t"),
        pytest.raises(StoreBusy, match="all 2 connections"),
        short.transaction("t"),
    ):
        pass
    assert written(short) == ["a"]


def test_connections_that_were_ended_are_replaced(server: Server, words: Store) -> None:
    """R-13: a restart or an administrator ended them while they were idle: nobody notices."""
    end_connections(server, words)
    with words.transaction("t") as t:
        add(t, "after")
    assert written(words) == ["after"]


def test_a_connection_that_breaks_in_the_middle_is_told_or_the_work_done_again(server: Server, words: Store) -> None:
    """R-13: a block is told with a retryable error, work handed to `run` is done again; nothing stands twice."""
    with pytest.raises(StoreUnavailable) as caught, words.transaction("t") as t:
        add(t, "block")
        end_connections(server, words)
        add(t, "block too")
    assert caught.value.retryable
    attempts = []

    def work(t: Transaction) -> None:
        attempts.append(1)
        add(t, "run")
        if len(attempts) == 1:
            end_connections(server, words)
        add(t, "run too")

    words.run("t", work)
    assert len(attempts) == 2
    assert written(words) == ["run", "run too"]


def test_a_commit_whose_end_is_unknown_is_told_and_not_repeated(server: Server, words: Store) -> None:
    """R-13: the connection breaks inside COMMIT (a deferred trigger waits there): only the caller can ask again."""
    with words.transaction("t") as t:
        t.script(
            "CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(60); RETURN NULL; END';"
            "CREATE CONSTRAINT TRIGGER waits AFTER INSERT ON words DEFERRABLE INITIALLY DEFERRED "
            "FOR EACH ROW EXECUTE FUNCTION wait()"
        )
        database = t.connection.info.dbname
    attempts = []

    def work(t: Transaction) -> None:
        attempts.append(1)
        add(t, "perhaps")
        threading.Thread(target=end_the_committing, args=(server, database)).start()

    with pytest.raises(CommitUnknown) as caught:
        words.run("t", work)
    assert caught.value.retryable
    assert len(attempts) == 1


def end_the_committing(server: Server, database: str) -> None:
    """Wait until a connection is in its COMMIT, and end it."""
    ending = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s AND state = 'active'"
    ending += " AND query = 'COMMIT'"
    with psycopg.connect(server.admin("postgres"), autocommit=True) as admin:
        while not admin.execute(ending, (database,)).fetchall():
            pass


def test_a_deadlock_is_resolved_by_trying_again(words: Store) -> None:
    """DESIGN §3: two transactions that lock two rows crosswise both end well, and both have written once."""
    with words.transaction("t") as t:
        add(t, "a")
        add(t, "b")
    both_hold_one = threading.Barrier(2)
    attempts = []

    def cross(first: str, second: str) -> None:
        def work(t: Transaction) -> None:
            attempts.append(first)
            t.connection.execute("UPDATE words SET n = n + 1 WHERE word = %s", (first,))
            if attempts.count(first) == 1:
                both_hold_one.wait(10)
            t.connection.execute("UPDATE words SET n = n + 1 WHERE word = %s", (second,))

        words.run("t", work)

    threads = [threading.Thread(target=cross, args=pair) for pair in (("a", "b"), ("b", "a"))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(attempts) == 3
    with words.transaction("t") as t:
        assert [row["n"] for row in t.connection.execute("SELECT n FROM words ORDER BY word")] == [2, 2]


def test_a_serialization_failure_is_resolved_by_trying_again(words: Store) -> None:
    """DESIGN §3: counters read and written by four threads lose no step."""
    with words.transaction("t") as t:
        add(t, "a")

    def step(t: Transaction) -> None:
        n = t.connection.execute("SELECT n FROM words").fetchall()[0]["n"]
        t.connection.execute("UPDATE words SET n = %s", (n + 1,))

    def count() -> None:
        for _ in range(10):
            words.run("t", step, isolation=Isolation.SERIALIZABLE)

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with words.transaction("t") as t:
        assert t.connection.execute("SELECT n FROM words").fetchall() == [{"n": 40}]


def test_a_conflict_that_does_not_end_is_named(words: Store) -> None:
    """DESIGN §3: a bounded number of attempts, then a retryable error."""
    attempts = []

    def work(t: Transaction) -> None:
        attempts.append(1)
        t.connection.execute("DO $$ BEGIN RAISE serialization_failure; END $$")

    with pytest.raises(TransactionConflict, match="40001") as caught:
        words.run("t", work)
    assert caught.value.retryable
    assert len(attempts) == 10
