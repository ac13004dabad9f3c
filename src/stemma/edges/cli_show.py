"""How an answer reads on a terminal. Every text is shown as it is: no markup in it is obeyed."""

from __future__ import annotations

from collections.abc import Iterator
from functools import singledispatch
from typing import Any

from pydantic import BaseModel
from rich.console import Group, RenderableType
from rich.text import Text

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
from stemma.app.models_recall import BundleResult, RecallItem, RecallResult
from stemma.app.models_traces import TraceDiff, WhyView
from stemma.edges.cli_figures import show_figures
from stemma.edges.cli_keys_show import show_created, show_key, show_keys
from stemma.edges.cli_trace import show_trace

_DAY = "%Y-%m-%d"


@singledispatch
def show(answer: Any) -> RenderableType:
    """Show an answer for which nothing better is known: its fields, one a line."""
    return Group(*_fields(answer))


@show.register
def _memories(page: MemoryPage) -> RenderableType:
    return _listed([_memory(one) for one in page.items], page.next_cursor, nothing="no memories")


@show.register
def _remembered(result: RememberResult) -> RenderableType:
    lines = [Text(f"{result.episode.outcome} episode {result.episode.episode_id}")]
    return Group(*lines, *(_memory(one) for one in result.memories))


@show.register
def _one_memory(memory: Memory) -> RenderableType:
    sayings = [
        Text(f"  {one.effect} {one.occurred_at:{_DAY}} {one.source or ''} {one.key}", style="dim")
        for one in memory.episodes
    ]
    return Group(_memory(memory), *sayings)


@show.register
def _recalled(result: RecallResult) -> RenderableType:
    found = []
    for one in result.items:
        if isinstance(one, RecallItem):
            found.append(_memory(one.memory, f"{one.score:.3f} "))
        else:
            excerpt = one.episode
            about = f"    {excerpt.occurred_at:{_DAY}} · {excerpt.key}"
            found.append(Group(Text(f"{one.score:.3f} {excerpt.text}"), Text(about, style="dim")))
    return Group(_listed(found, None, nothing="nothing found"), *_outstanding(result.uncompiled))


@show.register
def _bundled(result: BundleResult) -> RenderableType:
    # The text alone: this is what is piped into a prompt.
    return Text(result.text)


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


def _memory(memory: Memory, before: str = "") -> RenderableType:
    facts = [memory.kind, str(memory.status), f"last said {memory.last_said_at:{_DAY}}", f"{memory.times_said}x"]
    if memory.held:
        facts.append(f"held: {memory.held.reason}")
    if memory.stale:
        facts.append(f"stale: {memory.stale.reason}")
    sources = dict.fromkeys(one.source for one in memory.episodes if one.source)
    about = " · ".join([*facts, *sources, memory.id])
    return Group(Text(f"{before}{' '.join(memory.text.split())}"), Text(f"    {about}", style="dim"))


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


def _outstanding(uncompiled: int) -> list[RenderableType]:
    return [Text(f"{uncompiled} episodes are not compiled yet: stemma compile", style="dim")] if uncompiled else []


def _fields(answer: BaseModel) -> Iterator[RenderableType]:
    for name, value in answer.model_dump(mode="json").items():
        if isinstance(value, list):
            yield from (
                Text(" · ".join(f"{k}={v}" for k, v in one.items()) if isinstance(one, dict) else str(one))
                for one in value
            )
        elif value is not None:
            yield Text(f"{name.replace('_', ' ')}: {value}")
