"""An embedded store after kill -9: of its server, of a part of it, of a client, of the first start itself."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from stemma.errors import CommitUnknown
from stemma.store.connection import Store
from stemma.store.embedded import open_embedded
from stemma.store.postmaster import Postmaster
from tests.contract.test_embedded_sharing import postmaster, users
from tests.people import needs_root

_WRITE = """
import sys
from pathlib import Path
from stemma.store.connection import Store
store = Store.open(Path(sys.argv[1]))
number = int(sys.argv[2])
while True:
    with store.transaction("t") as t:
        t.connection.execute("INSERT INTO written VALUES (%s)", (number,))
    print(number, flush=True)
    number += 1
"""


def _server_processes(found: Postmaster) -> list[int]:
    """Return the server and its children, by who started whom."""
    server = found.pid()
    pids = [] if server is None else [server]
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            parent = (path / "stat").read_text().rpartition(")")[2].split()[1]
            if int(parent) == server:
                pids.append(int(path.name))
    return pids


def _kill_postmaster(folder: Path) -> None:
    pid = postmaster(folder).pid()
    assert pid is not None
    os.kill(pid, signal.SIGKILL)


def _kill_all(folder: Path) -> None:
    for pid in _server_processes(postmaster(folder)):
        with contextlib.suppress(ProcessLookupError):  # the death of one ends the others
            os.kill(pid, signal.SIGKILL)


def _pings(store: Store) -> bool:
    return store.run("t", lambda t: t.one("ping"), read_only=True) is not None


def _write(store: Store, number: int) -> None:
    try:
        store.run("t", lambda t: t.connection.execute("INSERT INTO written VALUES (%s)", (number,)))
    except CommitUnknown:  # a child that outlived the server for a moment was just writing it
        _write(store, number)


def _until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.005)


@pytest.mark.parametrize("kill", [_kill_postmaster, _kill_all])
def test_a_fresh_process_recovers_a_killed_server(place: Path, kill: Callable[[Path], None]) -> None:
    """R-13: every acknowledged write is there, and the store opens by itself; five times over."""
    folder = place / "store"
    with Store.open(folder) as store, store.transaction("t") as t:
        t.script("CREATE TABLE written (number integer)")
    acknowledged: list[int] = []
    for _ in range(5):
        command = [sys.executable, "-c", _WRITE, str(folder), str(len(acknowledged) * 1000)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as writer:
            assert writer.stdout is not None
            acknowledged += [int(writer.stdout.readline()) for _ in range(20)]
            writer.kill()
            kill(folder)
            acknowledged += [int(line) for line in writer.stdout if line.endswith("\n")]
        with Store.open(folder) as store, store.transaction("t", read_only=True) as t:
            found = {row["number"] for row in t.connection.execute("SELECT number FROM written")}
        assert set(acknowledged) <= found
        # What was committed and not acknowledged is at most the write under way.
        assert len(found) - len(set(acknowledged)) <= 5


@pytest.mark.parametrize("kill", [_kill_postmaster, _kill_all])
def test_a_connected_process_brings_a_killed_server_back(place: Path, kill: Callable[[Path], None]) -> None:
    """R-13: the next work finds the server dead, or dying, starts it under the lock and goes on."""
    with Store.open(place / "store") as store:
        with store.transaction("t") as t:
            t.script("CREATE TABLE written (number integer)")
        for number in range(3):
            _until(lambda: _pings(store) and postmaster(place / "store").pid() is not None)
            kill(place / "store")
            _write(store, number)
        with store.transaction("t") as t:
            rows = t.connection.execute("SELECT DISTINCT number FROM written ORDER BY number").fetchall()
        assert [row["number"] for row in rows] == [0, 1, 2]
    assert postmaster(place / "store").pid() is None


def test_work_that_loses_its_server_in_the_middle_is_done_again_whole(place: Path) -> None:
    """R-13: nothing of the first attempt stands."""
    with Store.open(place / "store") as store:
        with store.transaction("t") as t:
            t.script("CREATE TABLE written (number integer)")
        attempts = []

        def work(t: object) -> int:
            connection = t.connection  # type: ignore[attr-defined]
            connection.execute("INSERT INTO written VALUES (1)")
            attempts.append(1)
            if len(attempts) == 1:
                _kill_all(place / "store")
            connection.execute("INSERT INTO written VALUES (2)")
            return len(attempts)

        assert store.run("t", work) == 2
        with store.transaction("t") as t:
            rows = t.connection.execute("SELECT number FROM written ORDER BY number").fetchall()
        assert [row["number"] for row in rows] == [1, 2]


def test_many_threads_bring_one_server_back(place: Path) -> None:
    """R-13: each of them meets the loss; the server is started once and all go on."""
    with Store.open(place / "store") as store:
        with store.transaction("t") as t:
            t.script("CREATE TABLE written (number integer)")
        failed: list[BaseException] = []

        def write(number: int) -> None:
            try:
                for _ in range(30):
                    _write(store, number)
            except Exception as error:
                failed.append(error)
                raise

        threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        _until(lambda: _count(store) > 10)
        _kill_all(place / "store")
        for thread in threads:
            thread.join()
        assert failed == []
        assert _count(store) >= 120
    log = (place / "store" / "server.log").read_text()
    assert log.count("ready to accept connections") == 2


def _count(store: Store) -> int:
    rows = store.run("t", lambda t: t.connection.execute("SELECT count(*) AS n FROM written").fetchall())
    return int(rows[0]["n"])


def test_two_connected_processes_bring_one_server_back(place: Path) -> None:
    """R-13: both restart it under the lock, so it is started once."""
    with users(place / "store", 1), Store.open(place / "store") as store:
        _kill_all(place / "store")
        with store.transaction("t") as t:
            assert t.one("ping")
        with Store.open(place / "store") as other, other.transaction("t") as t:
            assert t.one("ping")
    assert (place / "store" / "server.log").read_text().count("ready to accept connections") == 2
    assert postmaster(place / "store").pid() is None


def test_a_first_start_that_was_killed_is_begun_again(place: Path) -> None:
    """R-13: kill -9 in the middle of initdb, and again in the middle of the set-up."""
    folder = place / "store"
    for stage in (folder / "pg.new" / "base", folder / "pg" / "postmaster.pid"):
        command = [sys.executable, "-c", _WRITE, str(folder), "0"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as starter:
            _until(stage.exists)
            starter.kill()
        for path in Path("/proc").glob("[0-9]*"):
            try:
                line = (path / "cmdline").read_bytes()
                if str(folder).encode() in line and b"initdb" in line:
                    os.kill(int(path.name), signal.SIGKILL)
            except (FileNotFoundError, ProcessLookupError):
                continue
    with Store.open(folder) as store, store.transaction("t") as t:
        assert t.one("vector_version")["extversion"]
    assert not (folder / "pg.new").exists()
    assert list(folder.glob(".password-*")) == []


def test_a_stale_process_id_that_now_belongs_to_another_program_does_not_lock_the_store(place: Path) -> None:
    """R-13: after the restart of a container the server's old id is often that of something else."""
    folder = place / "store"
    Store.open(folder).close()
    account = postmaster(folder).account
    own = {"user": account.uid, "group": account.gid, "extra_groups": []} if account.drops else {}
    with subprocess.Popen(["/bin/cat"], stdin=subprocess.PIPE, **own) as other:  # type: ignore[call-overload]
        note = f"{other.pid}\n{folder}/pg\n1700000000\n5432\n{folder}/run\n\n  5432001         0\nready   \n"
        (folder / "pg" / "postmaster.pid").write_text(note)
        with Store.open(folder) as store, store.transaction("t") as t:
            assert t.one("ping")
        other.communicate()


_DIE_AT_FIRST_SHARE = """
import os, sys
from pathlib import Path
from stemma.store.connection import Store
from stemma.store.filelock import FileLock
FileLock.share = lambda lock: os._exit(9)
Store.open(Path(sys.argv[1]))
"""


def test_a_first_start_that_dies_as_it_becomes_a_user_leaves_a_store(place: Path) -> None:
    """R-13: what another process meets at that instant, or the next one after a crash, is a store, no foreign folder.

    Breaks when the folder's marker comes after the file of its users.
    """
    died = subprocess.run([sys.executable, "-c", _DIE_AT_FIRST_SHARE, str(place / "store")], check=False)
    assert died.returncode == 9
    assert (place / "store" / "users").exists()
    with Store.open(place / "store") as store, store.transaction("t") as t:
        assert t.one("ping")


_CRASH = """
import os, signal, sys
from pathlib import Path
from stemma.store.connection import Store
store = Store.open(Path(sys.argv[1]))
for _ in range(2):
    os.kill(store.server.postmaster.pid(), signal.SIGKILL)
    # A child that outlives the server for a moment may take one that writes as far as its commit.
    store.run("t", lambda t: t.one("ping"), read_only=True)
again = Store.open(Path(sys.argv[1]))
again.close()
os.kill(store.server.postmaster.pid(), 0)
store.close()
print(store.server.postmaster.pid())
"""
# What Docker leaves to root unless told otherwise.
_CONTAINER = "-all,+chown,+dac_override,+fowner,+fsetid,+kill,+setgid,+setuid,+setpcap,+sys_chroot,+mknod,+setfcap"


@needs_root
def test_root_in_a_container_sees_its_server_and_its_crashes(place: Path) -> None:
    """R-13: without the right to look into other users' processes, where a live server must not pass for a dead one."""
    drop = ["setpriv", "--bounding-set", _CONTAINER, "--inh-caps", _CONTAINER]
    command = [*drop, sys.executable, "-c", _CRASH, str(place / "store")]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert (ended.stdout, ended.stderr) == ("None\n", "")


def test_a_server_that_was_stopped_by_hand_is_started_again(place: Path) -> None:
    """R-13: an administrator's `pg_ctl stop` is no crash, and no end either."""
    server = open_embedded(place / "store")
    with Store.open(place / "store") as store:
        server.postmaster.stop(30)
        with store.transaction("t") as t:
            assert t.one("ping")
    server.close()
    assert server.postmaster.pid() is None
