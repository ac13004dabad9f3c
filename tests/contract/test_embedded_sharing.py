"""Several processes on one embedded store: one server, stopped by the last that leaves."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from stemma.store import binaries
from stemma.store.account import server_account
from stemma.store.connection import Store
from stemma.store.embedded import open_embedded
from stemma.store.postmaster import Postmaster

# Opens the store, says so, waits for a line, and leaves as its second argument says.
USER = """
import os, sys
from pathlib import Path
from stemma.store.connection import Store
store = Store.open(Path(sys.argv[1]))
with store.transaction("t") as t:
    t.one("ping")
print(os.getpid(), flush=True)
sys.stdin.readline()
if sys.argv[2] == "close":
    store.close()
elif sys.argv[2] == "fail":
    raise SystemExit(3)
"""


@contextlib.contextmanager
def users(folder: Path, count: int, leave: str = "close") -> Iterator[list[subprocess.Popen[str]]]:
    """Start processes on a store, wait until each has it open, and let them leave at the end."""
    command = [sys.executable, "-c", USER, str(folder), leave]
    started = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(count)
    ]
    try:
        for one in started:
            assert one.stdout is not None
            assert one.stdout.readline().strip() == str(one.pid)
        yield started
        for one in started:
            if one.poll() is None:
                one.communicate("go\n", timeout=60)
    finally:
        for one in started:
            one.kill()
            one.communicate()


def postmaster(folder: Path) -> Postmaster:
    """Look at the server of a store from outside."""
    return Postmaster(binaries.find(), server_account(), folder / "pg")


@pytest.mark.parametrize("count", [2, 8])
def test_processes_that_start_at_once_share_one_server(place: Path, count: int) -> None:
    """R-91: from cold, and the last to leave stops it."""
    with users(place / "store", count) as started:
        found = postmaster(place / "store").pid()
        assert found is not None
    assert [one.returncode for one in started] == [0] * count
    assert postmaster(place / "store").pid() is None
    assert (place / "store" / "server.log").read_text().count("ready to accept connections") == 1


def test_the_server_stays_while_anybody_uses_it(place: Path) -> None:
    """R-91: the one that started it may leave first."""
    first = Store.open(place / "store")
    with users(place / "store", 1):
        running = postmaster(place / "store").pid()
        first.close()
        assert postmaster(place / "store").pid() == running
    assert postmaster(place / "store").pid() is None


def test_two_stores_of_one_process_are_two_users(place: Path) -> None:
    """R-91: closing one leaves the other its server; closing twice is closing once."""
    first, second = Store.open(place / "store"), Store.open(place / "store")
    first.close()
    first.close()
    with second.transaction("t") as t:
        assert t.one("ping")
    second.close()
    assert postmaster(place / "store").pid() is None


@pytest.mark.parametrize("leave", ["fall off the end", "fail"])
def test_a_process_that_ends_without_closing_leaves_too(place: Path, leave: str) -> None:
    """R-91: the end of the interpreter is a leave, after an error as well."""
    with users(place / "store", 1, leave) as started:
        pass
    assert started[0].returncode == (3 if leave == "fail" else 0)
    assert postmaster(place / "store").pid() is None


def test_a_killed_user_does_not_keep_the_server_for_ever(place: Path) -> None:
    """R-13: its server runs on; the next to open uses that one, and stops it when it leaves."""
    with users(place / "store", 1) as started:
        started[0].kill()
        started[0].wait()
        running = postmaster(place / "store").pid()
        assert running is not None
        with Store.open(place / "store") as store, store.transaction("t") as t:
            assert t.one("ping")
            assert postmaster(place / "store").pid() == running
        assert postmaster(place / "store").pid() is None


def test_a_killed_user_does_not_stop_the_server_of_the_others(place: Path) -> None:
    """R-13: who stays has its server, and stops it."""
    with Store.open(place / "store") as store:
        with users(place / "store", 2) as started:
            started[0].kill()
            started[0].wait()
            started[1].communicate("go\n", timeout=60)
        with store.transaction("t") as t:
            assert t.one("ping")
    assert postmaster(place / "store").pid() is None


def test_what_one_process_wrote_another_reads_after_a_restart(place: Path) -> None:
    """R-13: a stop by the last user loses nothing."""
    with Store.open(place / "store") as store, store.transaction("t") as t:
        t.script("CREATE TABLE kept (word text); INSERT INTO kept VALUES ('Grüße, 世界')")
    with Store.open(place / "store") as store, store.transaction("t") as t:
        assert t.connection.execute("SELECT word FROM kept").fetchall() == [{"word": "Grüße, 世界"}]


@pytest.mark.parametrize("name", ["with, comma & $(touch x) 'quote\" ünï", "long" * 40])
def test_a_path_that_no_socket_could_have_works_all_the_same(place: Path, name: str) -> None:
    """R-91: a socket's path has 107 bytes and no commas; a store's may be any."""
    folder = place / name
    with Store.open(folder) as store, store.transaction("t") as t:
        assert t.one("ping")
    sockets = Path((folder / "sockets").read_text())
    assert sockets.stat().st_mode & 0o777 == 0o700
    assert not sockets.is_relative_to(folder)
    with Store.open(folder):
        assert Path((folder / "sockets").read_text()) == sockets
    # Somebody could have cleared it away, or put a link of their own in its place.
    trap = place / "trap"
    trap.mkdir(mode=0o700)
    shutil.chown(trap, postmaster(folder).account.uid)
    sockets.rmdir()
    sockets.symlink_to(trap)
    with Store.open(folder) as store, store.transaction("t") as t:
        assert t.one("ping")
        assert Path((folder / "sockets").read_text()) != sockets
    sockets.unlink()
    Path((folder / "sockets").read_text()).rmdir()


def test_a_server_whose_socket_was_cleared_away_is_started_again(place: Path) -> None:
    """R-91: a cleaner of temporary folders took the socket of a running server."""
    server = open_embedded(place / "store")
    running = server.postmaster.pid()
    (place / "store" / "run" / ".s.PGSQL.5432").unlink()
    with Store.open(place / "store") as store, store.transaction("t") as t:
        assert t.one("ping")
        assert server.postmaster.pid() not in (None, running)
    server.close()
    assert server.postmaster.pid() is None
