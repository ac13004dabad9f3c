"""`stemma verify`: derive everything anew beside what is stored, and say what differs."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Group, RenderableType
from rich.text import Text

from stemma.app.models_memories import CompileRequest
from stemma.app.problems import ask
from stemma.app.verify import VerifyResult
from stemma.app.verify import verify as verify_store
from stemma.edges.cli_output import ExitCode, counted, write_json, write_shown
from stemma.edges.cli_store import JsonOption, StoreOption, TenantOption, opened


def verify(
    subject: Annotated[
        str | None, typer.Option("--subject", "--subject-id", help="This subject alone (default: all)")
    ] = None,
    store: StoreOption = None,
    tenant: TenantOption = None,
    as_json: JsonOption = False,
) -> None:
    """Derive every memory anew from the log and compare; nothing is written. Ends with 0 if all is sound, else with 1.

    Example: stemma verify --store ./memory
    """
    if subject is not None:
        # A subject is named as everywhere: what names none is refused, not read as "all".
        ask(CompileRequest, {"subject_id": subject})
    with opened(store, tenant) as session, counted("subjects") as (progress, bar):
        result = verify_store(
            session.runtime,
            session.tenant,
            subject=subject,
            advance=lambda done: progress.update(bar, completed=done),
        )
    if as_json:
        write_json(result.model_dump_json(indent=2))
    else:
        write_shown(result, _show)
    if not result.sound:
        raise typer.Exit(ExitCode.CHECK_FAILED)


def _show(result: VerifyResult) -> RenderableType:
    seen = f"{result.subjects} subjects, {result.episodes} episodes, {result.memories} memories"
    waiting = f"; {result.uncompiled} episodes wait for a compile" if result.uncompiled else ""
    head = "sound" if result.sound else f"not sound, {len(result.faults)} faults"
    faults = [Text(f"  {one.kind}: {one.subject_id or ''} {one.id}") for one in result.faults]
    return Group(Text(f"{head}: {seen}{waiting}"), *faults)
