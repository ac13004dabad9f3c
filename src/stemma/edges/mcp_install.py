"""Entering this server into a client's own file: what would change, a backup of what was, and a write that is whole."""

from __future__ import annotations

import contextlib
import difflib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from stemma.edges.mcp_clients import PLACES, Client
from stemma.errors import MalformedJson, SourceUnreadable, TargetUnwritable

_BOM = "\ufeff"


@dataclass(frozen=True, slots=True)
class Change:
    """What a client's file is, and what it would be; `entry` is what starts the server."""

    file: Path
    before: str | None
    after: str
    entry: dict[str, Any]

    @property
    def is_needed(self) -> bool:
        """Say whether anything changes."""
        return self.before != self.after

    @property
    def difference(self) -> str:
        """Show the change, line by line."""
        old, new = ((text or "").splitlines(keepends=True) for text in (self.before, self.after))
        lines = difflib.unified_diff(old, new, str(self.file), str(self.file), n=3)
        return "".join(line if line.endswith("\n") else line + "\n" for line in lines)


def command(arguments: list[str]) -> list[str]:
    """Return how this very installation is started: a client is no shell and knows no path of the user's."""
    program = Path(sys.executable).parent / "stemma"
    if program.is_file() and os.access(program, os.X_OK):
        return [str(program), *arguments]
    return [sys.executable, "-c", "from stemma.edges.cli import main; main()", *arguments]


def planned(client: Client, file: Path, name: str, arguments: list[str]) -> Change:
    """Say what entering the server would change. Raises MalformedJson where the file cannot be changed for certain."""
    place = PLACES[client]
    # A link of whoever keeps their settings elsewhere stays a link.
    file = file.resolve()
    before = _read(file)
    text = before or ""
    mark = _BOM if text.startswith(_BOM) else ""
    entry = place.entry(command(arguments))
    try:
        old = place.read(text.removeprefix(_BOM))
        if old.get(place.under, {}).get(name) == entry:
            return Change(file, before, text, entry)
        after = place.with_entry(text.removeprefix(_BOM), name, entry)
        # Whatever the text looked like: what is written says what it said, and the entry.
        expected = {**old, place.under: {**old.get(place.under, {}), name: entry}}
        if place.read(after) != expected:
            raise MalformedJson("the entry cannot be made without changing others")
    except (MalformedJson, AttributeError, TypeError) as error:
        told = error.detail if isinstance(error, MalformedJson) else "it is no table of servers"
        raise MalformedJson(f"{file} is left as it is: {told}; --print shows the entry to add by hand") from error
    return Change(file, before, mark + after, entry)


def write(change: Change) -> Path | None:
    """Write the file anew in one step and return where the old one is kept. Raises TargetUnwritable."""
    file, kept = change.file, None
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        if change.before is not None:
            kept = _free_name(file)
            shutil.copy2(file, kept)
        with _beside(file) as new:
            new.write_text(change.after, encoding="utf-8", newline="")
            if change.before is not None:
                shutil.copymode(file, new)
            new.replace(file)
    except OSError as error:
        raise TargetUnwritable(f"{file} cannot be written: {error.strerror}", field="config") from error
    return kept


@contextlib.contextmanager
def _beside(file: Path) -> Iterator[Path]:
    opened, name = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)
    os.close(opened)
    new = Path(name)
    try:
        yield new
    finally:
        new.unlink(missing_ok=True)


def _free_name(file: Path) -> Path:
    stem = f"{file.name}.before-stemma-{datetime.now(UTC):%Y%m%d-%H%M%S}"
    names = [file.with_name(stem), *(file.with_name(f"{stem}-{number}") for number in range(2, 100))]
    return next(one for one in names if not one.exists())


def _read(file: Path) -> str | None:
    try:
        # Line ends stay as they are.
        return file.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise SourceUnreadable(f"{file} cannot be read: {error}", field="config") from error
