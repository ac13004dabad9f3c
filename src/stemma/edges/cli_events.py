"""`stemma send-events`: changes of documents from JSON lines."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Iterator
from typing import Annotated, Any, BinaryIO, Final

import typer
from rich.console import Group, RenderableType
from rich.text import Text

from stemma.app.events import add_events
from stemma.app.models_base import UnreadableItem
from stemma.app.models_events import AddEvents, AddEventsResult, EventResult
from stemma.document_records import EventStatus
from stemma.edges.cli_log import open_lines
from stemma.edges.cli_output import ExitCode, counted, write_json, write_shown
from stemma.edges.cli_store import JsonOption, StoreOption, TenantOption, opened
from stemma.edges.json_input import parse_object
from stemma.errors import InvalidInput

_BATCH: Final = 200


def send_events(
    file: Annotated[str, typer.Argument(help="A file with one event in JSON a line; - is standard input")],
    store: StoreOption = None,
    tenant: TenantOption = None,
    as_json: JsonOption = False,
) -> None:
    """Apply changes of documents; sending them again changes nothing. Ends with 1 if any was rejected.

    Example: stemma send-events events.jsonl --store ./memory
    """
    results: list[EventResult] = []
    with opened(store, tenant) as session, open_lines(file) as lines, counted("events") as (progress, bar):
        events = _read(lines)
        while batch := list(itertools.islice(events, _BATCH)):
            results += add_events(session.runtime, session.tenant, AddEvents(events=batch)).results
            progress.update(bar, completed=len(results))
    answer = AddEventsResult(results=tuple(results))
    if as_json:
        write_json(answer.model_dump_json(indent=2))
    else:
        write_shown(answer, _show)
    if any(one.status is EventStatus.REJECTED for one in results):
        raise typer.Exit(ExitCode.CHECK_FAILED)


def _read(lines: BinaryIO) -> Iterator[dict[str, Any] | UnreadableItem]:
    for line in lines:
        if not line.strip():
            continue
        try:
            yield parse_object(line)
        except InvalidInput as error:
            # One bad line never stops the rest.
            yield UnreadableItem(error.code, error.detail)


def _show(answer: AddEventsResult) -> RenderableType:
    counts = Counter(one.status.value for one in answer.results)
    head = ", ".join(f"{count} {status}" for status, count in counts.items()) or "no events"
    faults = [
        Text(f"  event {place}: {json.dumps(one.event_id)}: {one.error.code}: {one.error.detail}")
        for place, one in enumerate(answer.results, start=1)
        if one.error
    ]
    return Group(Text(head), *faults)
