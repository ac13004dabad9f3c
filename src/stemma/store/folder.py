"""The folder of an embedded store: its layout, its doors (owner and modes), and the checks before anything is written.

No folder above it is changed, ever: what cannot work with them as they are is refused by name.
"""

import errno
import json
import os
import re
import secrets
import shutil
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from stemma.errors import (
    ClosedParent,
    DiskFull,
    EmbeddedRefused,
    FolderForeign,
    FolderNotStore,
    FolderReadOnly,
    ServerFailed,
)
from stemma.store.account import ADVICE, Account
from stemma.store.binaries import closed_parent

FIRST_START_BYTES: Final = 128 * 1024 * 1024
START_BYTES: Final = 4 * 1024 * 1024
_LAYOUT: Final = 1
_UNFINISHED: Final = ".new-"
# A socket's path holds 107 bytes, and libpq reads a comma in it as a list and a leading "@" as an abstract name.
_SOCKET_FOLDER: Final = re.compile(r"[A-Za-z0-9_./-]{1,90}")
_SOCKET_PLACES: Final = (Path("/run"), Path("/tmp"), Path("/var/tmp"))


@dataclass(frozen=True, slots=True)
class Folder:
    """The paths in one store's folder, and whose it is."""

    path: Path
    account: Account

    @property
    def marker(self) -> Path:
        """Say that the folder is a store (`layout`), and whether its server is set up (`ready`)."""
        return self.path / "stemma-store.json"

    @property
    def cluster(self) -> Path:
        """PostgreSQL's own data."""
        return self.path / "pg"

    @property
    def new_cluster(self) -> Path:
        """Where initdb works until it has succeeded."""
        return self.path / "pg.new"

    def secret(self, role: str) -> Path:
        """The password of a role."""
        return self.path / f"secret-{role}"


def default_folder(home: Path) -> Path:
    """Return where a store is kept when nobody says: for root in a folder of its own, outside the closed home."""
    if os.geteuid() == 0:
        return Path("/var/lib/stemma/store")
    return home / ".local" / "share" / "stemma" / "store"


def prepare(path: Path, account: Account) -> Folder:
    """Make the folder if need be and check that it is ours, fit and closed to others."""
    try:
        folder = Folder(path.resolve(), account)
        _make(folder)
        _check_owner(folder)
        _check_parents(folder)
        _check_content(folder)
        _close_to_others(folder)
    except OSError as error:
        raise refusal(path, error) from error
    return folder


def refusal(path: Path, error: OSError) -> EmbeddedRefused:
    """Turn an error of the file system into the named refusal."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return DiskFull(f"no space left for the store {path}; make room, choose another --store folder, {ADVICE}")
    if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
        where = error.filename or path
        return FolderReadOnly(
            f"the store {path} cannot be written ({where}: {error.strerror}); choose another --store folder, {ADVICE}"
        )
    if error.errno in (errno.ENOTDIR, errno.EEXIST, errno.ELOOP):
        return FolderNotStore(f"{path} is not a folder; choose another --store folder, {ADVICE}")
    return ServerFailed(f"the store {path} cannot be used ({error}); choose another --store folder, {ADVICE}")


def _make(folder: Folder) -> None:
    missing = [parent for parent in folder.path.parents if not parent.exists()]
    for parent in reversed(missing):
        # Root's new folders must let the server's user through, whatever the umask is.
        parent.mkdir(exist_ok=True)
        if folder.account.drops:
            parent.chmod(0o755)
    folder.path.mkdir(mode=0o700, exist_ok=True)


def _check_owner(folder: Folder) -> None:
    found = folder.path.stat()
    if not stat.S_ISDIR(found.st_mode):
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder.path))
    if found.st_uid != os.geteuid():
        raise FolderForeign(
            f"the store {folder.path} belongs to user id {found.st_uid}, and this is user id {os.geteuid()}; "
            f"start Stemma as its owner, choose another --store folder, {ADVICE}"
        )


def _check_parents(folder: Folder) -> None:
    closed = closed_parent(folder.path, folder.account) if folder.account.drops else None
    if closed is None:
        return
    raise ClosedParent(
        f"the store {folder.path} lies under {closed}, which is closed to the user of its server "
        f"(PostgreSQL refuses to run as root), and Stemma opens no folder; choose a --store folder outside of it, "
        f"such as {default_folder(Path('/'))}, {ADVICE}"
    )


def _check_content(folder: Folder) -> None:
    # Listed first, looked for second: the marker is made before anything else but the lock and its own beginnings.
    names = {path.name for path in folder.path.iterdir()} - {"lock", "lost+found"}
    names = {name for name in names if not name.startswith(_UNFINISHED)}
    if names and not folder.marker.exists():
        raise FolderNotStore(
            f"{folder.path} is not empty and holds no store (there is {min(names)!r}); "
            f"choose an empty or new --store folder, {ADVICE}"
        )


def _close_to_others(folder: Folder) -> None:
    # As root the server's own group may pass, and pass only: pg/ and run/ in it are the server's.
    mode, gid = (0o710, folder.account.gid) if folder.account.drops else (0o700, -1)
    found = folder.path.stat()
    if gid not in (-1, found.st_gid):
        os.chown(folder.path, -1, gid)
    if stat.S_IMODE(found.st_mode) != mode:
        folder.path.chmod(mode)


def read_marker(folder: Folder) -> dict[str, object]:
    """Return what the marker says; nothing when there is none yet."""
    try:
        found = json.loads(folder.marker.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except ValueError as error:
        raise FolderNotStore(f"{folder.marker} is damaged; restore it or choose another --store folder") from error
    if not isinstance(found, dict) or found.get("layout") != _LAYOUT:
        raise FolderNotStore(f"{folder.marker} is of another layout than {_LAYOUT}; use the version that wrote it")
    return found


def clear_unfinished(folder: Folder) -> None:
    """Remove what a process that was killed had begun to write. Under the lock only."""
    for path in folder.path.iterdir():
        if path.name.startswith((_UNFINISHED, ".password-")):
            path.unlink()


def write_marker(folder: Folder, **facts: object) -> None:
    """Write the marker with these facts."""
    write(folder.marker, json.dumps({"layout": _LAYOUT, **facts}), mode=0o600)


def write(path: Path, text: str, *, mode: int, gid: int = -1) -> None:
    """Write a small file so that it is there whole or not at all, also after a power cut."""
    descriptor, name = tempfile.mkstemp(prefix=_UNFINISHED, dir=path.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fchown(descriptor, -1, gid)
            os.fchmod(descriptor, mode)
            os.fsync(descriptor)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink()
        raise
    sync(path.parent)


def sync(path: Path) -> None:
    """Make the entries of a folder durable."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def make_secret(folder: Folder, role: str) -> str:
    """Return a role's password, which is made if it is not there."""
    path = folder.secret(role)
    if not path.exists():
        write(path, secrets.token_urlsafe(32), mode=0o600)
    return secret_of(folder, role)


def secret_of(folder: Folder, role: str) -> str:
    """Return a role's password."""
    path = folder.secret(role)
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ServerFailed(f"{path}, the store's secret, is missing; restore it from a backup, {ADVICE}") from None


def require_space(folder: Folder, needed: int) -> None:
    """Refuse to start on a disk that is full or as good as full."""
    free = shutil.disk_usage(folder.path).free
    if free < needed:
        raise DiskFull(
            f"the store {folder.path} needs {needed // 2**20} MiB of free space and there are {free // 2**20} MiB; "
            f"make room, choose another --store folder, {ADVICE}"
        )


def make_server_folder(folder: Folder, path: Path) -> None:
    """Make a folder that is the server's alone, mode 0700."""
    path.mkdir(mode=0o700, exist_ok=True)
    if folder.account.drops:
        os.chown(path, folder.account.uid, folder.account.gid, follow_symlinks=False)


def socket_folder(folder: Folder) -> Path:
    """Return the folder of the socket: in the store, or, where a socket's path could not be so long, elsewhere.

    A folder elsewhere is remembered in the store, and checked for its owner and mode before each use.
    """
    inside = folder.path / "run"
    if _SOCKET_FOLDER.fullmatch(str(inside)):
        make_server_folder(folder, inside)
        return inside
    note = folder.path / "sockets"
    if note.exists():
        outside = Path(note.read_text(encoding="utf-8"))
        if _is_servers_alone(outside, folder.account):
            return outside
    outside = _new_socket_folder(folder)
    write(note, str(outside), mode=0o600)
    return outside


def _is_servers_alone(path: Path, account: Account) -> bool:
    try:
        found = path.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == account.uid and stat.S_IMODE(found.st_mode) == 0o700


def _new_socket_folder(folder: Folder) -> Path:
    places = (Path(f"/run/user/{folder.account.uid}"), *_SOCKET_PLACES)
    for place in places:
        if (
            place.is_dir()
            and os.access(place, os.W_OK | os.X_OK)
            and closed_parent(place / "x", folder.account) is None
        ):
            # A name that cannot be guessed, in a folder that is only now made: nobody can have put a link there.
            path = Path(tempfile.mkdtemp(prefix="stemma-", dir=place))
            make_server_folder(folder, path)
            return path
    raise FolderReadOnly(
        f"the path of {folder.path} is too long for a socket, and no folder of {', '.join(map(str, places))} can be "
        f"written; choose a --store folder with a shorter path, {ADVICE}"
    )
