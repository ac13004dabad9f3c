"""Files of JSON lines that a command is given, and files that it writes for their owner alone."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, Final

from stemma.app.models_base import ItemError
from stemma.edges.json_input import parse_object
from stemma.errors import InvalidInput, SourceUnreadable, TargetUnwritable

STANDARD: Final = "-"


@contextlib.contextmanager
def json_lines(file: str) -> Iterator[Iterator[dict[str, Any] | ItemError | None]]:
    """Give a file's objects line by line, None for a blank line; one that cannot be read is an error in its place.

    Raises SourceUnreadable.
    """
    if file == STANDARD:
        yield _objects(sys.stdin.buffer)
        return
    with contextlib.ExitStack() as stack:
        try:
            opened = stack.enter_context(Path(file).open("rb"))
        except OSError as error:
            raise SourceUnreadable(f"{file} cannot be read: {error.strerror}", field="file") from error
        yield _objects(opened)


def _objects(lines: BinaryIO) -> Iterator[dict[str, Any] | ItemError | None]:
    for line in lines:
        if not line.strip():
            yield None
            continue
        try:
            yield parse_object(line)
        except InvalidInput as error:
            yield ItemError(code=error.code, detail=error.detail)


def read_text(file: str) -> str:
    """Read a whole file; raises SourceUnreadable where it is not there or no UTF-8."""
    try:
        return Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SourceUnreadable(f"{file} cannot be read: {error}", field="file") from error


def write_own(file: str, text: str) -> None:
    """Write a file for its owner alone: it holds what somebody said. Raises TargetUnwritable."""
    try:
        path = Path(file)
        path.touch(mode=0o600)
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise TargetUnwritable(f"{file} cannot be written: {error.strerror}", field="out") from error
