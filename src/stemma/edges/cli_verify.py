"""`stemma verify`: derive everything anew beside what is stored, say what differs, and put right what is derived."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import typer
from rich.console import Group, RenderableType
from rich.text import Text

from stemma.app.models_memories import CompileRequest
from stemma.app.problems import ask
from stemma.app.repair import repair as repair_store
from stemma.app.verify import VerifyResult
from stemma.app.verify import verify as verify_store
from stemma.app.verify_faults import Fault
from stemma.edges.cli_output import ExitCode, counted, write_json, write_shown
from stemma.edges.cli_store import JsonOption, StoreOption, TenantOption, opened


def verify(
    subject: Annotated[
        str | None, typer.Option("--subject", "--subject-id", help="This subject alone (default: all)")
    ] = None,
    repair: Annotated[
        bool, typer.Option("--repair", help="Put right what is derived, and verify again; the log is never written")
    ] = False,
    store: StoreOption = None,
    tenant: TenantOption = None,
    as_json: JsonOption = False,
) -> None:
    """Derive every memory anew from the log and compare; nothing is written. Ends with 0 if all is sound, else with 1.

    With --repair, what is derived (memories, evidence, decisions, conflicts, indexes, kept extractions) is put right
    where it differs. A fault in the log itself is named and left, with what to do about it.

    Example: stemma verify --store ./memory
    """
    if subject is not None:
        # A subject is named as everywhere: what names none is refused, not read as "all".
        ask(CompileRequest, {"subject_id": subject})
    check = repair_store if repair else verify_store
    with opened(store, tenant) as session, counted("subjects") as (progress, bar):
        result = check(
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
    waiting = f"; uncompiled: {result.uncompiled}" if result.uncompiled else ""
    waiting += f"; vectors outstanding: {result.vectors_outstanding}" if result.vectors_outstanding else ""
    head = "sound" if result.sound else f"not sound, {result.faults_found} faults"
    lines = [Text(f"{head}: {seen}{waiting}"), *_listed(result.faults, result.faults_found)]
    if result.repaired:
        lines += [Text(f"repaired, {result.repaired_count} faults:"), *_listed(result.repaired, result.repaired_count)]
    if result.advice is not None:
        lines.append(Text(result.advice))
    return Group(*lines)


def _listed(faults: Iterable[Fault], count: int) -> list[Text]:
    listed = list(faults)
    lines = [
        Text(f"  {'log' if one.in_log else 'derived'}: {one.kind}: {one.subject_id or '-'} {one.id}: {one.detail}")
        for one in listed
    ]
    return lines if len(listed) == count else [*lines, Text(f"  and {count - len(listed)} more")]
