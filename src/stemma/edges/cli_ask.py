"""`stemma ask`: the answer with its sources below it, sentence by sentence as it comes where somebody looks on."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Annotated, Any

import typer
from rich.console import Group, RenderableType
from rich.text import Text

from stemma.app.models_base import AnswerModel
from stemma.app.models_search import AnswerDone, AnswerResult, AnswerText, MadeBy
from stemma.edges.cli_operations import RowCommand
from stemma.edges.cli_output import is_watched, write_json, write_piece, write_shown
from stemma.edges.cli_show_log import cited_at
from stemma.edges.cli_store import opened

_StreamOption = Annotated[
    bool | None,
    typer.Option("--stream/--no-stream", help="Write each sentence once it is checked [default: on a terminal]"),
]


class AskCommand(RowCommand):
    """The row of an answer, with the choice to see it come; `--json --stream` writes one event a line."""

    def __init__(self, operation: str) -> None:
        """Add the choice to the signature of the row."""
        super().__init__(operation)
        stream = inspect.Parameter("stream", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=_StreamOption)
        self.__signature__ = inspect.Signature([*self.__signature__.parameters.values(), stream])
        self.__annotations__ = {**self.__annotations__, "stream": _StreamOption}

    def __call__(
        self, *, store: str | None, tenant: str | None, as_json: bool, stream: bool | None = None, **given: Any
    ) -> None:
        """Check what is given, open the store, answer."""
        asked = self.asked(given)
        is_streamed = is_watched() and not as_json if stream is None else stream
        with opened(store, tenant) as session:
            if is_streamed:
                _write_events(self.row.run_stream(session.runtime, session.tenant, asked), as_json=as_json)
                return
            answer = self.row.run(session.runtime, session.tenant, asked)
        assert isinstance(answer, AnswerResult)
        if as_json:
            write_json(answer.model_dump_json(by_alias=True, indent=2))
        else:
            write_shown(answer, _shown)


def _write_events(events: Iterator[AnswerModel], *, as_json: bool) -> None:
    for event in events:
        if as_json:
            write_json(event.model_dump_json(by_alias=True))
        elif isinstance(event, AnswerText):
            write_piece(event.text)
        elif isinstance(event, AnswerDone):
            write_piece("\n")
            write_shown(event, lambda done: Group(*_below(done)))


def _shown(answer: AnswerResult) -> RenderableType:
    return Group(Text(answer.answer), *_below(answer))


def _below(answer: AnswerResult) -> list[RenderableType]:
    lines: list[RenderableType] = [Text("")] if answer.citations or answer.disagreements else []
    lines += [Text(cited_at(one), style="dim") for one in answer.citations]
    lines += [Text(f"disagreement: {one.detail}") for one in answer.disagreements]
    return [*lines, *_made(answer.made_by)]


def _made(made_by: MadeBy) -> list[RenderableType]:
    if made_by.model is None:
        return []
    parts = [f"by {made_by.model}" if made_by.how == "model" else f"without {made_by.model}: {made_by.fallback}"]
    if made_by.removed:
        parts.append(
            f"{len(made_by.removed)} not shown: " + ", ".join(dict.fromkeys(o.reason for o in made_by.removed))
        )
    if made_by.cut_off:
        parts.append("cut off")
    return [Text(" · ".join(parts), style="dim")]
