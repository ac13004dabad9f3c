"""`stemma trace`: how an answer came about, why something is in it or not, and how it differs from another."""

from __future__ import annotations

from typing import Annotated

import typer
from rich import box
from rich.console import Group, RenderableType
from rich.table import Column, Table
from rich.text import Text

from stemma.app.models_base import AnswerModel
from stemma.app.models_traces import (
    Change,
    DiffRequest,
    FateView,
    StageView,
    TraceById,
    TraceDiff,
    TracedMiss,
    TraceView,
    WhyRequest,
    WhyView,
)
from stemma.app.problems import ask
from stemma.app.trace_views import diff_traces, get_trace, why
from stemma.edges.cli_output import write_json, write_shown
from stemma.edges.cli_store import JsonOption, StoreOption, TenantOption, opened
from stemma.errors import InvalidInput


def trace(
    trace_id: Annotated[str, typer.Argument(help="The trace_id of an answer", metavar="TRACE_ID", show_default=False)],
    of: Annotated[
        str | None, typer.Option("--why", metavar="ID", help="Why this memory, passage or episode is in it, or is not")
    ] = None,
    other: Annotated[
        str | None, typer.Option("--diff", metavar="TRACE_ID", help="What differs in this other answer")
    ] = None,
    store: StoreOption = None,
    tenant: TenantOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show how an answer came about, stage by stage; or why something is in it, or what differs in another.

    Example: stemma trace 7f3a… --why 91c0…
    """
    if of is not None and other is not None:
        raise InvalidInput("--why asks about one answer and --diff about two; give one of them")
    whole = ask(TraceById, {"trace_id": trace_id})
    with opened(store, tenant) as session:
        named = session.runtime, session.tenant
        answer: AnswerModel
        if of is not None:
            answer = why(*named, ask(WhyRequest, {"trace_id": trace_id, "memory_id": of}))
        elif other is not None:
            answer = diff_traces(*named, ask(DiffRequest, {"trace_id": trace_id, "other": other}))
        else:
            answer = get_trace(*named, whole)
    if as_json:
        write_json(answer.model_dump_json(by_alias=True, indent=2))
    else:
        write_shown(answer, show_trace)


def show_trace(answer: AnswerModel) -> RenderableType:
    """Show what there is to see of a trace; every text is shown as it is."""
    match answer:
        case TraceView():
            return _whole(answer)
        case WhyView():
            return _why(answer)
        case TraceDiff():
            return _diff(answer)
    raise AssertionError(f"{type(answer).__name__} is no answer about a trace")


def _whole(found: TraceView) -> RenderableType:
    asked = found.request
    clocks = [f"now {asked.now:%Y-%m-%d %H:%M}", f"as of {asked.as_of:%Y-%m-%d %H:%M}" if asked.as_of else ""]
    about = [asked.operation, asked.subject_id or "", ", ".join(asked.corpora), *clocks]
    table = Table("stage", "entered", "left", "merged", "dropped", "because", "ms", box=box.SIMPLE)
    for stage in found.stages:
        table.add_row(*(Text(cell) for cell in _cells(stage)))
    texts = {one.id: one.text for one in found.candidates}
    delivered = [
        Text(f"{rank:>3}. {' '.join((texts.get(name) or '(not to be shown)').split())}  {name}")
        for rank, name in enumerate(found.stages[-1].items, start=1)
    ]
    return Group(Text(" · ".join(filter(None, about))), table, *_budget(found), *delivered)


def _cells(stage: StageView) -> tuple[str, ...]:
    because = ", ".join(f"{count} {reason}" for reason, count in stage.dropped_by_reason.items())
    counts = (stage.entered, stage.left, stage.merged, stage.dropped_count)
    return (stage.name, *map(str, counts), because, f"{stage.ms:.1f}")


def _budget(found: TraceView) -> list[RenderableType]:
    limit, used = found.request.budget_tokens, found.result.tokens
    if limit is None or used is None:
        return []
    covered = "" if found.result.coverage is None else f", coverage {found.result.coverage:.2f}"
    return [Text(f"budget: {used} of {limit} tokens; {found.result.verdict or 'not judged'}{covered}")]


def _why(found: WhyView) -> RenderableType:
    rank = f", rank {found.rank}" if found.rank is not None else ""
    reason = f": {found.reason}" if found.reason else ""
    into = f" into {found.into}" if found.into else ""
    lines = [Text(f"{found.fate}{into} at {found.stage}{reason}{rank}")]
    if found.text:
        lines.append(Text(f"    {' '.join(found.text.split())}"))
    if found.because:
        lines.append(Text(f"    {found.because}" + (f", by {found.by}" if found.by else "")))
    if found.detail:
        lines.append(Text(f"    {_miss(found.detail)}"))
    if found.change:
        lines.append(Text(f"    kept with {_change(found.change)}"))
    if found.recomputed:
        lines.append(Text("    no stage saw it; judged by what is stored now"))
    return Group(*lines)


def _miss(miss: TracedMiss) -> str:
    return f"{miss.measure} {miss.value:g}, {miss.needed:g} needed: short by {miss.short_by:g}"


def _change(change: Change) -> str:
    value = f"{change.value:g}" if isinstance(change.value, float) else f"{change.value:%Y-%m-%d %H:%M}"
    return f"{change.name} {change.bound.replace('_', ' ')} {value}"


def _diff(found: TraceDiff) -> RenderableType:
    table = Table("before", "after", Column("item", overflow="fold"), box=box.SIMPLE)
    for one in found.items:
        about = f"{' '.join((one.text or '').split())}  {one.id}".strip()
        table.add_row(*(Text(cell) for cell in (_fate(one.before), _fate(one.after), about)))
    asked = f"asked otherwise: {', '.join(found.asked)}" if found.asked else "asked the same"
    return Group(Text(asked), table if found.items else Text("no item's fate or rank changed"))


def _fate(fate: FateView | None) -> str:
    if fate is None:
        return "unknown"
    rank = f"rank {fate.rank}" if fate.rank is not None else ""
    return " ".join(filter(None, (fate.fate, rank or f"at {fate.stage}", fate.reason or "")))
