"""Nobody else on the machine gets into an embedded store, and nothing outside its folder is changed (DESIGN §2)."""

from __future__ import annotations

import json
import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from stemma.errors import ClosedParent
from stemma.store import binaries
from stemma.store.account import server_account
from stemma.store.connection import Store
from stemma.store.embedded import open_embedded
from stemma.store.folder import default_folder
from tests.people import needs_root, ordinary, stranger
from tests.stores import open_folder

_OPEN = """
import sys
from pathlib import Path
from stemma.store.connection import Store
store = Store.open(Path(sys.argv[1]))
with store.transaction("t") as t:
    t.one("ping")
print("open", flush=True)
sys.stdin.readline()
store.close()
"""
_INTRUDE = """
import json, os, socket, sys
import psycopg
folder, sockets = sys.argv[1:3]
found = {}
def attempt(name, work):
    try:
        work()
        found[name] = "done"
    except (OSError, psycopg.Error) as error:
        found[name] = type(error).__name__
attempt("list the folder", lambda: os.listdir(folder))
attempt("list the data", lambda: os.listdir(folder + "/pg"))
files = ("secret-stemma", "secret-stemma_app", "server.log", "postgresql.conf", "stemma-store.json", "lock", "users")
for name in files:
    attempt("read " + name, lambda: open(folder + "/" + name).read())
attempt("reach the socket", lambda: socket.socket(socket.AF_UNIX).connect(sockets + "/.s.PGSQL.5432"))
for user in ("stemma", "stemma_app", "postgres"):
    attempt("log in as " + user, lambda: psycopg.connect(host=sockets, user=user, dbname="postgres", connect_timeout=5))
print(json.dumps(found))
"""


def _doors(path: Path) -> dict[str, tuple[int, int, int]]:
    """Return mode, owner and group of everything above a path."""
    found = {str(parent): parent.stat() for parent in path.parents}
    return {name: (each.st_mode, each.st_uid, each.st_gid) for name, each in found.items()}


def _refused(found: dict[str, str]) -> None:
    allowed = {name: what for name, what in found.items() if what not in ("PermissionError", "OperationalError")}
    assert allowed == {}
    assert len(found) == 13


@pytest.fixture
def programs_place() -> Iterator[Path]:
    """A folder that programs can be run from."""
    folder = open_folder(programs=True)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def ordinary_place(place: Path) -> Path:
    """A folder that the ordinary user owns."""
    folder = place / "home"
    folder.mkdir(mode=0o755)
    os.chown(folder, ordinary().uid, ordinary().gid)
    return folder


@pytest.fixture
def ordinary_store(ordinary_place: Path) -> Iterator[Path]:
    """A store that the ordinary user has open meanwhile."""
    folder = ordinary_place / "store"
    with ordinary().start(_OPEN, folder) as owner:
        assert owner.stdout is not None
        assert owner.stdout.readline() == "open\n"
        yield folder
        assert owner.communicate("go\n", timeout=60) == ("", None)
    assert owner.returncode == 0


@needs_root
@pytest.mark.parametrize("who", [ordinary, stranger])
def test_nobody_else_gets_into_a_store_of_root(who: object, place: Path) -> None:
    """R-12, DESIGN §2: another local user can neither list, read nor connect."""
    with Store.open(place / "store") as store:
        assert store.server is not None
        sockets = store.server.folder.path / "run"
        ended = who().run(_INTRUDE, place / "store", sockets)  # type: ignore[operator]
        assert ended.returncode == 0, ended.stderr
        _refused(json.loads(ended.stdout))


@needs_root
def test_nobody_else_gets_into_a_store_of_an_ordinary_user(ordinary_store: Path) -> None:
    """R-12, DESIGN §2: the same for a store that an ordinary user runs."""
    ended = stranger().run(_INTRUDE, ordinary_store, ordinary_store / "run")
    assert ended.returncode == 0, ended.stderr
    _refused(json.loads(ended.stdout))


@needs_root
def test_an_ordinary_users_store_is_closed_and_its_own(ordinary_store: Path) -> None:
    """DESIGN §2: the folder, the data, the sockets and the secrets are open to their owner alone."""
    owner = ordinary().uid
    for name, mode in {
        ".": 0o700,
        "pg": 0o700,
        "run": 0o700,
        "secret-stemma": 0o600,
        "secret-stemma_app": 0o600,
    }.items():
        found = (ordinary_store / name).stat()
        assert (stat.S_IMODE(found.st_mode), found.st_uid) == (mode, owner), name


def test_a_store_changes_no_folder_above_it(place: Path) -> None:
    """DESIGN §2: modes and owners of every parent are as before, after a first start and a second."""
    above = place / "kept" / "here"
    above.mkdir(parents=True, mode=0o751)
    above.chmod(0o2751)
    before = _doors(above / "store")
    for _ in range(2):
        with Store.open(above / "store") as store, store.transaction("t") as t:
            t.one("ping")
    assert _doors(above / "store") == before


@needs_root
def test_an_ordinary_users_store_changes_no_folder_above_it(ordinary_place: Path) -> None:
    """DESIGN §2: the same as an ordinary user, with a closed parent, which is his own."""
    closed = ordinary_place / "closed"
    closed.mkdir(mode=0o700)
    os.chown(closed, ordinary().uid, ordinary().gid)
    before = _doors(closed / "store")
    with ordinary().start(_OPEN, closed / "store") as owner:
        assert owner.communicate("go\n", timeout=60) == ("open\n", None)
    assert _doors(closed / "store") == before


@needs_root
def test_root_is_refused_a_store_under_a_closed_folder(place: Path) -> None:
    """DESIGN §2: the refusal names the closed folder and what to do; nothing was opened or made."""
    closed = place / "closed"
    closed.mkdir(mode=0o700)
    (closed / "open").mkdir(mode=0o755)
    before = _doors(closed / "open" / "store")
    with pytest.raises(ClosedParent, match=r"lies under .*/closed, which is closed.* --store .*postgresql://"):
        Store.open(closed / "open" / "store")
    assert _doors(closed / "open" / "store") == before
    assert not (closed / "open" / "store" / "pg").exists()


@needs_root
def test_roots_default_store_lies_outside_its_closed_home() -> None:
    """DESIGN §2: as root the default is a folder of its own."""
    assert default_folder(Path("/root")) == Path("/var/lib/stemma/store")
    assert binaries.closed_parent(default_folder(Path("/root")), server_account()) is None


@needs_root
def test_programs_under_a_closed_folder_run_from_a_copy(programs_place: Path) -> None:
    """DESIGN §2: a virtual environment under a closed folder stays closed; the server runs from a copy."""
    found = binaries.find()
    install = found.folder.parent
    closed = programs_place / "closed"
    hidden = closed / install.parent.name / install.name
    hidden.parent.mkdir(parents=True)
    closed.chmod(0o700)
    hidden.symlink_to(install)
    libraries = install.parent.name + ".libs"
    (closed / libraries).symlink_to(install.parents[1] / libraries)
    within = binaries.Binaries(hidden / "bin")

    copy = binaries.reachable(within, server_account(), copies=programs_place / "copies")

    assert copy.folder.is_relative_to(programs_place / "copies")
    assert binaries.reachable(within, server_account(), copies=programs_place / "copies") == copy
    assert len(list((programs_place / "copies").iterdir())) == 1
    assert stat.S_IMODE(closed.stat().st_mode) == 0o700
    assert all(not path.stat().st_mode & 0o022 for path in (programs_place / "copies").rglob("*"))
    with Store.open(programs_place / "store", binaries=copy.folder) as store, store.transaction("t") as t:
        assert t.one("vector_version")["extversion"]


@needs_root
def test_a_damaged_copy_of_the_programs_is_made_again(programs_place: Path) -> None:
    """R-13: what a crash or a hand left incomplete is not run."""
    account = server_account()
    hidden = programs_place / "closed"
    hidden.mkdir(mode=0o700)
    install = binaries.find().folder.parent
    (hidden / install.parent.name).symlink_to(install.parent)
    within = binaries.Binaries(hidden / install.parent.name / install.name / "bin")
    first = binaries.reachable(within, account, copies=programs_place / "copies")
    size = first.program("postgres").stat().st_size
    first.program("postgres").write_bytes(b"")

    again = binaries.reachable(within, account, copies=programs_place / "copies")

    assert again == first
    assert again.program("postgres").stat().st_size == size


def test_reaching_the_socket_is_not_enough(place: Path) -> None:
    """DESIGN §2: without the secret nobody logs in, not even who may pass the folder."""
    server = open_embedded(place / "store")
    try:
        for user in ("stemma", "stemma_app"):
            with pytest.raises(psycopg.OperationalError, match=r"no password supplied|password authentication failed"):
                psycopg.connect(host=str(place / "store" / "run"), user=user, dbname="stemma")
            with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
                psycopg.connect(host=str(place / "store" / "run"), user=user, dbname="stemma", password="guess")
    finally:
        server.close()


def test_the_server_listens_on_no_port_and_its_command_line_has_no_secret(place: Path) -> None:
    """DESIGN §2: no TCP; what any local user can read with `ps` gives nothing away."""
    server = open_embedded(place / "store")
    try:
        with psycopg.connect(server.address()) as connection:
            assert connection.execute("SHOW listen_addresses").fetchone() == ("",)
        secrets = [path.read_text() for path in (place / "store").glob("secret-*")]
        lines = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists()]
        assert len(secrets) == 2
        assert not [line for line in lines for secret in secrets if secret.encode() in line]
    finally:
        server.close()
