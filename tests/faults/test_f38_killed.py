"""F38's second half: an update that is killed between its steps, at its first write to each table in turn."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.process import BaseProcess

import psycopg
import pytest
from psycopg import sql

from stemma import Stemma
from tests.faults import workers
from tests.forking import context
from tests.stores import Server

SECONDS = 60
_WAITING = "SELECT pid FROM pg_locks WHERE relation = %s::regclass AND NOT granted"
_ALIVE = "SELECT 1 FROM pg_stat_activity WHERE pid = ANY(%s)"
_TABLES = "SELECT format('%I.%I', schemaname, tablename) FROM pg_tables WHERE schemaname !~ '^(pg_|information_)'"


@pytest.fixture
def admin(address: str, served_server: Server) -> Iterator[psycopg.Connection]:
    """A superuser's connection to the test's own database."""
    with psycopg.connect(served_server.admin(address.rpartition("/")[2]), autocommit=True) as one:
        yield one


@pytest.fixture
def stemma(address: str) -> Iterator[Stemma]:
    """A process that is not killed."""
    with Stemma(address, clock=lambda: workers.LATER, embedder="none") as one:
        one.put_claim_key("berth", cardinality="single")
        yield one


def start(update: Callable[[str, str], None], address: str, subject: str) -> BaseProcess:
    """Start an update in a process of its own, forked from one that has everything loaded."""
    one = context().Process(target=update, args=(address, subject), daemon=True)
    one.start()
    return one


@contextmanager
def writes_wait(admin: psycopg.Connection, table: str) -> Iterator[None]:
    """Let every write to a table wait, and no read."""
    with admin.transaction():
        admin.execute(sql.SQL("LOCK TABLE {} IN EXCLUSIVE MODE").format(sql.SQL(table)))
        yield


def kill_where_it_waits(admin: psycopg.Connection, table: str, update: BaseProcess) -> list[int]:
    """Kill the update once it waits for the table; return its connections there, none if it ended without writing."""
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        waiting = [pid for (pid,) in admin.execute(_WAITING, (table,)).fetchall()]
        if waiting:
            update.kill()
            update.join(SECONDS)
            return waiting
        update.join(0.02)
        if not update.is_alive():
            assert update.exitcode == 0
            return []
    raise AssertionError(f"the update neither wrote to {table} nor ended")


def wait_until_gone(admin: psycopg.Connection, connections: list[int]) -> None:
    """Wait until the server has noticed that the other side of these connections is dead."""
    deadline = time.monotonic() + SECONDS
    while admin.execute(_ALIVE, (connections,)).fetchone():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def killed_at_each_table(
    update: Callable[[str, str], None], address: str, admin: psycopg.Connection, subjects: dict[str, str]
) -> list[str]:
    """Kill one update for each table, each of a subject of its own; return the tables that it was killed at."""
    killed = []
    for table, subject in subjects.items():
        with writes_wait(admin, table):
            running = start(update, address, subject)
            connections = kill_where_it_waits(admin, table, running)
        if connections:
            wait_until_gone(admin, connections)
            killed.append(table)
    return killed


def subjects_of(stemma: Stemma, admin: psycopg.Connection) -> dict[str, str]:
    """Give each table a subject whose berth is north."""
    subjects = {str(table): f"harbour desk, {table}" for (table,) in admin.execute(_TABLES).fetchall()}
    claims = [{"key": "berth", "value": "north"}]
    said = {"key": "first", "claims": claims, "occurred_at": workers.SAID.isoformat()}
    stemma.add_episodes([{"subject_id": subject, **said} for subject in subjects.values()])
    stemma.compile_memories()
    return subjects


def berths(stemma: Stemma, subject: str) -> dict[str, str]:
    """Return each berth that was ever named, with its status."""
    return {one.claim.value: str(one.status) for one in stemma.list_memories(subject, status="all").items if one.claim}


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_change_killed_at_its_write_to_any_table_leaves_exactly_the_old_or_the_new_value(
    stemma: Stemma, address: str, admin: psycopg.Connection
) -> None:
    """F38, R-13: never none, never both; what was not acknowledged may be sent again and then holds.

    Breaks when the old row is taken away in one transaction and the new one written in the next, or when an episode is
    stored without the mark that lets a later compile see it.
    """
    subjects = subjects_of(stemma, admin)
    killed = killed_at_each_table(workers.supersede, address, admin, subjects)
    assert len(killed) >= 6, f"the update wrote to {killed} alone"
    old, new = {"north": "active"}, {"north": "superseded", "south": "active"}
    for table, subject in subjects.items():
        found = berths(stemma, subject)
        assert found in (old, new), f"killed at {table}: {found}"
        assert len(stemma.list_decisions(subject).items) == (found == new), f"killed at {table}"
        episodes = {one.key for one in stemma.find_episodes(subject).items}
        counts = stemma.compile_memories(subject)
        stored = {"first", "later"} == episodes
        assert berths(stemma, subject) == (new if stored else old), f"compiled after a kill at {table}: {counts}"
        workers.supersede(address, subject)
        assert berths(stemma, subject) == new, f"sent again after a kill at {table}"


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_forget_killed_at_its_write_to_any_table_has_happened_or_has_not(
    stemma: Stemma, address: str, admin: psycopg.Connection
) -> None:
    """F38, R-37: a recorded retraction whose compile was killed is carried out by the next one.

    Breaks when the row is tombstoned without the log entry that keeps it so, or the entry has no mark for the compile.
    """
    subjects = subjects_of(stemma, admin)
    killed = killed_at_each_table(workers.forget, address, admin, subjects)
    assert len(killed) >= 4, f"the forget wrote to {killed} alone"
    for table, subject in subjects.items():
        found = berths(stemma, subject)
        assert found in ({"north": "active"}, {"north": "tombstoned"}), f"killed at {table}: {found}"
        state_hash = stemma.compile_memories(subject).state_hash
        compiled = berths(stemma, subject)
        assert stemma.compile_memories(subject).state_hash == state_hash
        assert compiled == found or found == {"north": "active"}, f"a forget came undone: {table}"
        workers.forget(address, subject)
        assert berths(stemma, subject) == {"north": "tombstoned"}
