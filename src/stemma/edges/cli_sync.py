"""`stemma sync`: a folder's files as the documents of a corpus."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Group, RenderableType
from rich.text import Text

from stemma.app.problems import ask
from stemma.app.sync import MOST_GONE, SyncRequest, SyncResult, sync
from stemma.edges.cli_output import ExitCode, counted, write_json, write_shown
from stemma.edges.cli_store import JsonOption, StoreOption, TenantOption, opened


def sync_folder(
    folder: Annotated[Path, typer.Argument(help="The folder; its files' paths are the documents' names")],
    corpus: Annotated[str, typer.Option(help="The corpus that becomes what the folder holds")],
    most_gone: Annotated[
        float, typer.Option(help="Largest share of the corpus that may vanish at once, 0 to 1")
    ] = MOST_GONE,
    store: StoreOption = None,
    tenant: TenantOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make a corpus what a folder holds: new and changed files are put, missing ones deleted. Again changes nothing.

    A file that cannot be read is named, and the command ends with 1; the others go on.
    Example: stemma sync ./handbook --corpus handbook
    """
    request = ask(SyncRequest, {"folder": folder, "corpus": corpus, "most_gone": most_gone})
    with opened(store, tenant) as session, counted("files") as (progress, bar):
        result = sync(
            session.runtime, session.tenant, request, advance=lambda done: progress.update(bar, completed=done)
        )
    if as_json:
        write_json(result.model_dump_json(indent=2))
    else:
        write_shown(result, _show)
    if result.failed:
        raise typer.Exit(ExitCode.CHECK_FAILED)


def _show(result: SyncResult) -> RenderableType:
    counts = result.model_dump(exclude={"failed"})
    head = ", ".join(f"{count} {name}" for name, count in counts.items() if count) or "nothing to do"
    faults = [Text(f"  {one.external_id}: {one.code}: {one.detail}") for one in result.failed]
    return Group(Text(head), *faults)
