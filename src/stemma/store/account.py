"""As whom the embedded PostgreSQL runs (it refuses root), and how a program is started as that user."""

import os
import pwd
import shutil
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final, TypedDict

from stemma.errors import NoBinaries, NoPasswdEntry, NoServerUser, ServerFailed
from stemma.store.filelock import FileLock

ADVICE: Final = "or give --store postgresql://… to use a server of your own"
SERVER_USER: Final = "stemma-pg"
# Root's own folder, which is empty after a restart.
LOCK: Final = Path("/run/stemma-useradd.lock")
_LOCK_SECONDS: Final = 60.0
TOOLS: Final = "/usr/sbin:/sbin:/usr/bin:/bin"
# Nothing of the caller's environment reaches the server: PGDATA, PGHOST or a locale would change what it does.
_ENVIRONMENT: Final = {"LC_ALL": "C", "PATH": "/usr/bin:/bin"}


class _Privileges(TypedDict, total=False):
    user: int
    group: int
    extra_groups: list[int]


@dataclass(frozen=True, slots=True)
class Account:
    """The user of the server; `drops` says that we are root and it is not."""

    uid: int
    gid: int
    drops: bool

    def run(self, argv: Sequence[str | Path], *, seconds: float) -> subprocess.CompletedProcess[str]:
        """Run a program as this user, to its end, and return it with what it printed."""
        try:
            return subprocess.run(
                argv,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                encoding="utf-8",
                errors="replace",
                timeout=seconds,
                env=_ENVIRONMENT,
                cwd="/",
                umask=0o077,
                **self._privileges(),
            )
        except OSError as error:
            raise self._cannot_start(argv, error) from error
        except subprocess.TimeoutExpired as error:
            raise ServerFailed(f"{argv[0]} did not end within {seconds:.0f} s; try again, {ADVICE}") from error

    def start(self, argv: Sequence[str | Path], log: IO[bytes]) -> subprocess.Popen[bytes]:
        """Start a program as this user in a session of its own, so that no signal to us reaches it."""
        try:
            return subprocess.Popen(
                argv,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=_ENVIRONMENT,
                cwd="/",
                umask=0o077,
                start_new_session=True,
                **self._privileges(),
            )
        except OSError as error:
            raise self._cannot_start(argv, error) from error

    def _privileges(self) -> _Privileges:
        return {"user": self.uid, "group": self.gid, "extra_groups": []} if self.drops else {}

    def _cannot_start(self, argv: Sequence[str | Path], error: OSError) -> NoBinaries | NoServerUser:
        if self.drops and isinstance(error, PermissionError) and os.access(argv[0], os.X_OK):
            return NoServerUser(
                f"cannot run {argv[0]} as user id {self.uid} ({error.strerror}): root may not change its user here "
                f"(a container without the SETUID capability?); start Stemma as an ordinary user, {ADVICE}"
            )
        return NoBinaries(f"cannot run {argv[0]} ({error.strerror}): its wheel is for another platform; {ADVICE}")


def server_account(tools: str = TOOLS) -> Account:
    """Return as whom the server runs: as ourselves, or, if we are root, as a system user that is made if need be.

    `tools` is where `useradd` is looked for. Raises NoPasswdEntry and NoServerUser.
    """
    uid = os.geteuid()
    if uid:
        _require_passwd_entry(uid)
        return Account(uid, os.getegid(), drops=False)
    entry = _entry(SERVER_USER) or _add_user(tools)
    return Account(entry.pw_uid, entry.pw_gid, drops=True)


def _require_passwd_entry(uid: int) -> None:
    try:
        pwd.getpwuid(uid)
    except KeyError:
        raise NoPasswdEntry(
            f"user id {uid} has no passwd entry, and PostgreSQL needs one; add a line for it to /etc/passwd, {ADVICE}"
        ) from None


def _entry(name: str) -> pwd.struct_passwd | None:
    try:
        return pwd.getpwnam(name)
    except KeyError:
        return None


def _add_user(tools: str) -> pwd.struct_passwd:
    useradd = shutil.which("useradd", path=tools)
    if useradd is None:
        raise NoServerUser(
            f"PostgreSQL refuses to run as root, there is no user {SERVER_USER!r} and no `useradd` to add it; "
            f"add a system user of that name, start Stemma as an ordinary user, {ADVICE}"
        )
    # `useradd` looks for the name before it takes its own lock: of two at once the second gives the user another id,
    # and whoever has seen the first serves as nobody.
    try:
        lock = FileLock(LOCK)
    except OSError as error:
        raise NoServerUser(
            f"cannot add the user {SERVER_USER!r}: {LOCK}: {error.strerror}; add it by hand, {ADVICE}"
        ) from error
    try:
        if not lock.wait_alone(_LOCK_SECONDS):
            raise NoServerUser(
                f"another start has been adding the user {SERVER_USER!r} for {_LOCK_SECONDS:.0f} s; try again, {ADVICE}"
            )
        return _entry(SERVER_USER) or _added(useradd)
    finally:
        lock.close()


def _added(useradd: str) -> pwd.struct_passwd:
    argv = [useradd, "--system", "--user-group", "--no-create-home", "--home-dir", "/nonexistent"]
    argv += ["--shell", "/usr/sbin/nologin", "--comment", "PostgreSQL of Stemma", SERVER_USER]
    said = ""
    for _ in range(20):  # another program may hold the lock of /etc/passwd
        ended = subprocess.run(argv, capture_output=True, text=True, stdin=subprocess.DEVNULL, env=_ENVIRONMENT)
        entry = _entry(SERVER_USER)
        if entry is not None:
            return entry
        said = ended.stderr.strip()
        time.sleep(0.1)
    raise NoServerUser(f"`useradd` could not add the user {SERVER_USER!r} ({said}); add it by hand, {ADVICE}")
