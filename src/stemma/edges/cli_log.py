"""`stemma add`: episodes from JSON lines or from the command line into the log."""

from __future__ import annotations

import itertools
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Any, BinaryIO, Final

import typer
from rich.console import Group, RenderableType
from rich.text import Text

from stemma.app.ingest import add_episodes
from stemma.app.models_base import EpisodeOutcome, ItemError
from stemma.app.models_episodes import AddEpisodes, AddEpisodesResult
from stemma.edges.cli_output import ExitCode, counted, write_json, write_shown
from stemma.edges.cli_store import JsonOption, Session, StoreOption, TenantOption, opened
from stemma.edges.json_input import parse_object
from stemma.errors import InvalidInput, SourceUnreadable
from stemma.records import Outcome

_BATCH: Final = 200
_NAMED_MOST: Final = 20
Line = dict[str, Any] | ItemError


def add(
    file: Annotated[
        str | None,
        typer.Argument(help="A file with one episode in JSON a line; - is standard input", show_default=False),
    ] = None,
    subject: Annotated[str | None, typer.Option(help="The subject of episodes that name none")] = None,
    text: Annotated[str | None, typer.Option(help="One episode with this text, in place of a file")] = None,
    source: Annotated[str | None, typer.Option(help="The source of episodes that name none")] = None,
    store: StoreOption = None,
    tenant: TenantOption = None,
    as_json: JsonOption = False,
) -> None:
    """Ingest episodes; sending them again changes nothing. Ends with 1 if any was rejected.

    Example: stemma add episodes.jsonl --store ./memory
    Example: stemma add --subject ana --text "I am allergic to peanuts"
    """
    if (file is None) == (text is None):
        raise InvalidInput("give a file (- is standard input), or --text")
    defaults = {name: value for name, value in (("subject_id", subject), ("source", source)) if value is not None}
    with opened(store, tenant) as session:
        if text is not None:
            result = _add(session, iter([defaults | {"text": text}]), None)
        else:
            with open_lines(str(file)) as lines:
                result = _add(session, _read(lines, defaults), _lines_of(str(file)))
    if as_json:
        write_json(result.model_dump_json(indent=2))
    else:
        write_shown(result, _show)
    if any(one.outcome is Outcome.REJECTED for one in result.results):
        raise typer.Exit(ExitCode.CHECK_FAILED)


def _add(session: Session, lines: Iterator[Line], total: int | None) -> AddEpisodesResult:
    results: list[EpisodeOutcome] = []
    with counted("episodes", total) as (progress, bar):
        while batch := list(itertools.islice(lines, _BATCH)):
            results += _add_batch(session, batch, len(results))
            progress.update(bar, completed=len(results))
    return AddEpisodesResult(results=tuple(results))


def _add_batch(session: Session, batch: list[Line], before: int) -> list[EpisodeOutcome]:
    episodes = [one for one in batch if not isinstance(one, ItemError)]
    answered: Iterable[EpisodeOutcome] = ()
    if episodes:
        answered = add_episodes(session.runtime, session.tenant, AddEpisodes(episodes=episodes)).results
    left = iter(answered)
    placed = []
    for index, one in enumerate(batch, start=before):
        if isinstance(one, ItemError):
            placed.append(EpisodeOutcome(index=index, outcome=Outcome.REJECTED, error=one))
        else:
            placed.append(next(left).model_copy(update={"index": index}))
    return placed


def _read(lines: BinaryIO, defaults: dict[str, str]) -> Iterator[Line]:
    for line in lines:
        if not line.strip():
            continue
        try:
            yield defaults | parse_object(line)
        except InvalidInput as error:
            # One bad line never stops the rest.
            yield ItemError(code=error.code, detail=error.detail)


def open_lines(file: str) -> Any:
    """Open a file of lines, or standard input for `-`; raises SourceUnreadable."""
    if file == "-":
        return nullcontext(sys.stdin.buffer)
    try:
        return Path(file).open("rb")
    except OSError as error:
        raise SourceUnreadable(f"{file} cannot be read: {error.strerror}") from error


def _lines_of(file: str) -> int | None:
    if file == "-":
        return None
    with Path(file).open("rb") as lines:
        return sum(bool(line.strip()) for line in lines)


def _show(result: AddEpisodesResult) -> RenderableType:
    counts = Counter(one.outcome.value for one in result.results)
    head = ", ".join(f"{count} {outcome}" for outcome, count in counts.items()) or "nothing to add"
    faults = [
        Text(f"  episode {one.index + 1}: {one.error.code}: {one.error.detail}") for one in result.results if one.error
    ]
    named = [Text(f"  episode {one.episode_id}", style="dim") for one in result.results if one.episode_id]
    more = len(named) - _NAMED_MOST
    if more > 0:
        named = [*named[:_NAMED_MOST], Text(f"  and {more} more: stemma episodes --subject SUBJECT", style="dim")]
    return Group(Text(head), *named, *faults)
