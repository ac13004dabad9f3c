"""F37: readers do not wait for a writer, and a write that must wait does so for a bounded time or is refused whole."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import psycopg
import pytest
from psycopg import sql

from stemma import Stemma
from tests.faults.workers import LATER, SAID, ready, remember, ten_recalls
from tests.stores import Server

HELD_SECONDS = 2.0
BOUND_SECONDS = 60.0


@pytest.fixture
def worker() -> Iterator[ProcessPoolExecutor]:
    """Two other processes."""
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as one:
        yield one


def lock_all_rows(writer: psycopg.Connection) -> int:
    """Take what a writer of every row takes: the table's lock and each row's; return how many rows there were."""
    names = "SELECT format('%I.%I', schemaname, tablename) FROM pg_tables WHERE schemaname NOT LIKE 'pg\\_%' "
    tables = writer.execute(names + "AND schemaname <> 'information_schema'").fetchall()
    rows = 0
    for (name,) in tables:
        table = sql.SQL(name)
        writer.execute(sql.SQL("LOCK TABLE {} IN ROW EXCLUSIVE MODE").format(table))
        rows += len(writer.execute(sql.SQL("SELECT 1 FROM {} FOR UPDATE").format(table)).fetchall())
    return rows


def test_ten_recalls_answer_beside_a_writer_and_one_remember_waits_or_is_refused_whole(
    address: str, served_server: Server, worker: ProcessPoolExecutor
) -> None:
    """F37, R-4, R-13: while a transaction holds every row of the store, ten recalls of another process answer.

    Breaks when a recall notes its use, or touches a row for any reason, before it answers; when a write waits without
    end; or when a refused write has stored half of itself.
    """
    with Stemma(address, clock=lambda: SAID, embedder="none") as stemma:
        stemma.remember("port", "The ferry leaves at 07:40", key="first", occurred_at=SAID)
    for other in [worker.submit(ready, address) for _ in range(2)]:
        assert other.result(timeout=60) == 1
    database = address.rpartition("/")[2]
    with psycopg.connect(served_server.admin(database)) as writer, ThreadPoolExecutor(1) as holding:
        assert lock_all_rows(writer) > 5
        began = time.monotonic()
        busy = holding.submit(writer.execute, "SELECT pg_sleep(%s)", (HELD_SECONDS,))
        writing = worker.submit(remember, address, "port", "The ferry stops at pier 3")
        answers = worker.submit(ten_recalls, address, "port").result(timeout=BOUND_SECONDS)  # all rows are still held
        busy.result(timeout=BOUND_SECONDS)
        assert time.monotonic() - began >= HELD_SECONDS
        waited_for_the_writer = not writing.done()
        writer.rollback()
    assert answers == [["The ferry leaves at 07:40"]] * 10
    outcome, retryable, seconds = writing.result(timeout=BOUND_SECONDS)
    assert waited_for_the_writer or retryable, f"a write of locked rows was answered {outcome}"
    assert seconds < BOUND_SECONDS
    with Stemma(address, clock=lambda: LATER, embedder="none") as stemma:
        stored = {one.key for one in stemma.find_episodes("port").items}
        texts = {one.text for one in stemma.list_memories("port", status="all").items}
    if outcome == "created":
        assert stored == {"first", "The ferry stops at pier 3"}
        assert texts == {"The ferry leaves at 07:40", "The ferry stops at pier 3"}
    else:
        assert retryable, outcome
        assert stored == {"first"}
        assert texts == {"The ferry leaves at 07:40"}
