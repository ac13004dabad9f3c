"""How an answer reads on a terminal. Every text is shown as it is: no markup in it is obeyed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import singledispatch
from typing import Any

from pydantic import BaseModel
from rich.console import Group, RenderableType
from rich.text import Text

from stemma.app.models_episodes import EpisodeDetail, EpisodePage
from stemma.app.models_figures import Figures
from stemma.app.models_keys import CreatedKey, KeyEntry, KeyPage
from stemma.app.models_memories import (
    Conflict,
    ConflictPage,
    Decision,
    DecisionPage,
    Memory,
    MemoryPage,
    RememberResult,
)
from stemma.app.models_recall import BundleResult, RecallResult
from stemma.app.models_search import SearchResult
from stemma.app.models_traces import TraceDiff, WhyView
from stemma.edges.cli_figures import show_figures
from stemma.edges.cli_keys_show import show_created, show_key, show_keys
from stemma.edges.cli_show_log import show_episode, show_episodes, show_found
from stemma.edges.cli_show_memories import (
    beside_bundle,
    show_memory,
    show_recalled,
    show_remembered,
    show_whole,
)
from stemma.edges.cli_trace import show_trace

_DAY = "%Y-%m-%d"


@singledispatch
def show(answer: Any) -> RenderableType:
    """Show an answer for which nothing better is known: its fields, one a line."""
    return Group(*_fields(answer))


@show.register
def _memories(page: MemoryPage) -> RenderableType:
    return _listed([show_memory(one) for one in page.items], page.next_cursor, nothing="no memories")


@show.register
def _remembered(result: RememberResult) -> RenderableType:
    return show_remembered(result)


@show.register
def _one_memory(memory: Memory) -> RenderableType:
    return show_whole(memory)


@show.register
def _recalled(result: RecallResult) -> RenderableType:
    return show_recalled(result)


@show.register
def _bundled(result: BundleResult) -> RenderableType:
    # The text alone: this is what is piped into a prompt.
    return Text(result.text)


@show.register
def _episodes(page: EpisodePage) -> RenderableType:
    return show_episodes(page)


@show.register
def _episode(episode: EpisodeDetail) -> RenderableType:
    return show_episode(episode)


@show.register
def _found(result: SearchResult) -> RenderableType:
    return show_found(result)


@show.register
def _decisions(page: DecisionPage) -> RenderableType:
    return _listed([_decision(one) for one in page.items], page.next_cursor, nothing="no decisions")


@show.register
def _conflicts(page: ConflictPage) -> RenderableType:
    return _listed([_conflict(one) for one in page.items], page.next_cursor, nothing="no conflicts")


@show.register
def _conflict(conflict: Conflict) -> RenderableType:
    about = f"    {conflict.status} · {conflict.claim_key or 'no claim key'} · {' | '.join(conflict.memory_ids)}"
    return Group(Text(f"{conflict.id} {conflict.reason}"), Text(about, style="dim"))


@show.register
def _figures(found: Figures) -> RenderableType:
    return show_figures(found)


@show.register
def _why(found: WhyView) -> RenderableType:
    return show_trace(found)


@show.register
def _diff(found: TraceDiff) -> RenderableType:
    return show_trace(found)


@show.register
def _created_key(made: CreatedKey) -> RenderableType:
    return show_created(made)


@show.register
def _keys(page: KeyPage) -> RenderableType:
    return show_keys(page)


@show.register
def _key(key: KeyEntry) -> RenderableType:
    return show_key(key)


def _decision(decision: Decision) -> RenderableType:
    score = "" if decision.score is None else f" · score {decision.score:g} against {decision.threshold:g}"
    undone = f" · undone {decision.undone_at:{_DAY}}" if decision.undone_at else ""
    head = f"{decision.decided_at:{_DAY}} {decision.rule}{score}{undone}"
    winner = _side("stands", decision.winner_text or "nothing", decision.winner_id, decision.winner_episodes)
    loser = _side("lost", decision.loser_text or "", decision.loser_id, decision.loser_episodes)
    return Group(Text(head), *winner, *loser)


def _side(label: str, text: str, memory_id: str | None, episodes: tuple[str, ...]) -> list[RenderableType]:
    about = f"        memory {memory_id or '-'} · episodes {', '.join(episodes) or '-'}"
    return [Text(f"    {label}: {' '.join(text.split())}"), Text(about, style="dim")]


def _listed(shown: list[RenderableType], cursor: str | None, *, nothing: str) -> RenderableType:
    more = [Text(f"more: --cursor {cursor}", style="dim")] if cursor else []
    return Group(*(shown or [Text(nothing)]), *more)


def _fields(answer: BaseModel) -> Iterator[RenderableType]:
    for name, value in answer.model_dump(mode="json").items():
        if isinstance(value, list):
            yield from (
                Text(" · ".join(f"{k}={_plain(v)}" for k, v in one.items()) if isinstance(one, dict) else _plain(one))
                for one in value
            )
        elif value is not None:
            yield Text(f"{name.replace('_', ' ')}: {_plain(value)}")


def _plain(value: Any) -> str:
    # What is within stands as JSON, the form in which it can be asked for.
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


@singledispatch
def beside(_: Any) -> RenderableType | None:
    """Give what is told on stderr beside an answer, for most nothing."""
    return None


@beside.register
def _beside_bundle(result: BundleResult) -> RenderableType:
    return beside_bundle(result)
