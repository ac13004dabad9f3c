"""`stemma export` and `stemma import`: a whole log out and in, a record a line."""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Final, TextIO

import typer
from rich.console import Group, RenderableType
from rich.progress import Progress, TaskID
from rich.text import Text

from stemma.app.models_transfer import ExportResult, ImportResult
from stemma.app.transfer import export_log, import_log
from stemma.edges.cli_output import ExitCode, counted, tell, write_json, write_shown
from stemma.edges.cli_store import JsonOption, StoreOption, TenantOption, opened
from stemma.errors import SourceUnreadable, TargetUnwritable

_STANDARD: Final = "-"
_SHOWN_ERRORS: Final = 20


def export_to(
    file: Annotated[str, typer.Argument(help="Where the log is written; - is standard output")] = _STANDARD,
    store: StoreOption = None,
    tenant: TenantOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write a tenant's whole log, one record a line. Two exports of one log are the same bytes.

    Example: stemma export ana.jsonl --store ./memory
    """
    with opened(store, tenant) as session, _written(file) as out, counted("records") as (progress, bar):

        def write(line: str) -> None:
            out.write(line)
            progress.advance(bar)

        result = export_log(session.runtime, session.tenant, write)
    if file == _STANDARD:
        # The log is the answer, so how much it was stands beside it.
        tell(result.model_dump_json() if as_json else f"{result.records} records")
    elif as_json:
        write_json(result.model_dump_json(indent=2))
    else:
        write_shown(result, _show_export)


def import_from(
    file: Annotated[str, typer.Argument(help="An exported log; - is standard input")],
    store: StoreOption = None,
    tenant: TenantOption = None,
    as_json: JsonOption = False,
) -> None:
    """Join an exported log with a tenant's: in any order, any number of times, the same. Ends with 1 if a line was bad.

    Example: stemma import ana.jsonl --store ./other
    """
    with _read(file) as lines, opened(store, tenant) as session, counted("records") as (progress, bar):
        result = import_log(session.runtime, session.tenant, _advancing(lines, progress, bar))
    if as_json:
        write_json(result.model_dump_json(indent=2))
    else:
        write_shown(result, _show_import)
    if result.rejected:
        raise typer.Exit(ExitCode.CHECK_FAILED)


@contextlib.contextmanager
def _written(file: str) -> Iterator[TextIO]:
    if file == _STANDARD:
        yield sys.stdout
        return
    path = Path(file)
    # Whoever reads this file reads all that was ever said: for its owner alone, and whole or not there.
    partial = path.with_name(f"{path.name}.partial")
    try:
        with partial.open("w", encoding="utf-8", newline="\n") as out:
            partial.chmod(0o600)
            yield out
        partial.replace(path)
    except OSError as error:
        raise TargetUnwritable(f"{file} cannot be written: {error.strerror}", field="file") from error
    finally:
        partial.unlink(missing_ok=True)


@contextlib.contextmanager
def _read(file: str) -> Iterator[TextIO]:
    if file == _STANDARD:
        yield io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8", errors="surrogateescape", newline="\n")
        return
    with contextlib.ExitStack() as stack:
        try:
            # Bytes that are no UTF-8 become lone surrogates, which their line is then refused for, by its number.
            lines = stack.enter_context(Path(file).open(encoding="utf-8", errors="surrogateescape", newline="\n"))
        except OSError as error:
            raise SourceUnreadable(f"{file} cannot be read: {error.strerror}", field="file") from error
        yield lines


def _advancing(lines: Iterable[str], progress: Progress, bar: TaskID) -> Iterator[str]:
    for line in lines:
        yield line
        progress.advance(bar)


def _show_export(result: ExportResult) -> RenderableType:
    return Text(f"{result.records} records")


def _show_import(result: ImportResult) -> RenderableType:
    counts = result.model_dump(exclude={"errors"})
    head = ", ".join(f"{count} {name}" for name, count in counts.items() if count) or "nothing to import"
    faults = [Text(f"  line {one.line}: {one.code}: {one.detail}") for one in result.errors[:_SHOWN_ERRORS]]
    return Group(Text(head), *faults)
