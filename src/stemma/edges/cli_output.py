"""What the command line writes: the answer alone on stdout, everything else on stderr, and the exit codes (API.md)."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable, Iterator
from enum import IntEnum
from typing import Any, TypeVar

import typer
from rich.console import Console, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from stemma.errors import AddressInUse, EmbedderError, StemmaError, StoreError

Answer = TypeVar("Answer")


class ExitCode(IntEnum):
    """What a command ends with."""

    DONE = 0
    CHECK_FAILED = 1
    WRONG_USE = 2
    UNREACHABLE = 3


def write_json(text: str) -> None:
    """Write one JSON text as the answer."""
    sys.stdout.write(text + "\n")


def write_piece(text: str) -> None:
    """Write a piece of an answer that is still coming, at once."""
    sys.stdout.write(text)
    sys.stdout.flush()


def is_watched() -> bool:
    """Say whether somebody looks at the answer as it comes."""
    return sys.stdout.isatty()


def write_shown(answer: Answer, show: Callable[[Answer], RenderableType]) -> None:
    """Write the answer for a reader."""
    # No markup, no emoji, no guessing at numbers: what is shown comes from outside.
    Console(markup=False, emoji=False, highlight=False, soft_wrap=True).print(show(answer))


def tell_shown(beside: RenderableType) -> None:
    """Write for a reader what stands beside the answer, unwrapped."""
    Console(stderr=True, markup=False, emoji=False, highlight=False, soft_wrap=True).print(beside)


def tell(line: str) -> None:
    """Write one line beside the answer."""
    sys.stderr.write(line + "\n")


def stderr_console() -> Console:
    """Return where progress is drawn: stderr, and only where somebody looks at it."""
    return Console(stderr=True, markup=False, emoji=False, highlight=False)


@contextlib.contextmanager
def counted(what: str, total: int | None = None) -> Iterator[tuple[Progress, TaskID]]:
    """Draw a bar that counts `what`, gone when it is done; without a total it counts alone."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    console = stderr_console()
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        yield progress, progress.add_task(what, total=total)


def fail(error: StemmaError, *, as_json: bool) -> int:
    """Tell an error in one line and return the exit code it stands for."""
    _tell_error(error.code, error.detail, list(error.fields), as_json=as_json)
    unreachable = isinstance(error, StoreError | EmbedderError | AddressInUse)
    return ExitCode.UNREACHABLE if unreachable else ExitCode.WRONG_USE


def wrong_use(error: typer.TyperException, *, as_json: bool) -> int:
    """Tell a wrong use of the command line in one line."""
    _tell_error("wrong_use", error.format_message(), [], as_json=as_json)
    return ExitCode.WRONG_USE


def _tell_error(code: str, detail: str, fields: list[str], *, as_json: bool) -> None:
    if as_json:
        told: dict[str, Any] = {"code": code, "detail": detail, "errors": fields}
        tell(json.dumps(told, ensure_ascii=False))
    else:
        tell(f"stemma: {code}: {' '.join(detail.split())}")
