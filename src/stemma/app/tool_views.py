"""From the answers of operations to what a tool tells of them: the last sayings, long texts clipped, no null."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from stemma.app import models_tool_answers as told
from stemma.app.models_base import AnswerModel
from stemma.app.models_memories import Decision, Memory
from stemma.app.models_recall import (
    BundleItem,
    DocumentProvenance,
    Provenance,
    RecallEpisodeItem,
    RecallItem,
)
from stemma.app.models_search import Citation
from stemma.app.models_traces import WhyView

# Of what an item is told beside: the other side of a ruling, the item that was asked about.
_OTHERS_CLIP: Final = 1_000


@dataclass(frozen=True, slots=True)
class Room:
    """How much is told of one item: characters of its text, and of what it rests on the last so many."""

    characters: int
    sources: int


# Taken in turn until a reply is under its bound; with the last one any item is.
ROOMS: Final = (Room(4_000, 5), Room(1_000, 2), Room(200, 0))
WHOLE: Final = (Room(12_000, 5), *ROOMS)


def memory(found: Memory, room: Room = ROOMS[0]) -> told.ToolMemory:
    """Tell of a memory."""
    kept = shared(found, told.ToolMemory, "text", "text_clipped", "claim", "documents", "episodes", "episodes_left_out")
    in_time = sorted(found.episodes, key=lambda each: each.occurred_at)
    last = in_time[max(0, len(in_time) - room.sources) :]
    return told.ToolMemory(
        **kept,
        text=found.text[: room.characters],
        text_clipped=True if len(found.text) > room.characters else None,
        claim=found.claim if room.sources else None,
        documents=found.documents[: room.sources],
        episodes=tuple(told.ToolSaying(**shared(each, told.ToolSaying)) for each in last),
        episodes_left_out=len(found.episodes) - len(last),
    )


def memories(found: Iterable[Memory], room: Room) -> tuple[told.ToolMemory, ...]:
    """Tell of several memories."""
    return tuple(memory(each, room) for each in found)


def recalled(item: RecallItem | RecallEpisodeItem, room: Room = ROOMS[0]) -> told.ToolRecalled:
    """Tell of an item of a recall."""
    scores: dict[str, Any] = {"score": item.score, "similarity": item.similarity, "recency": item.recency}
    if isinstance(item, RecallItem):
        return told.ToolRecalled(memory=memory(item.memory, room), **scores)
    said = item.episode
    episode = told.ToolEpisode(
        episode_id=said.episode_id,
        key=said.key,
        text=said.text[: room.characters],
        text_clipped=True if len(said.text) > room.characters else None,
        occurred_at=said.occurred_at,
        role=said.role,
    )
    return told.ToolRecalled(episode=episode, **scores)


def decision(found: Decision, room: Room) -> told.ToolDecision:
    """Tell of a ruling."""
    kept = shared(found, told.ToolDecision, "winner_episodes", "loser_episodes", "winner_text", "loser_text")
    return told.ToolDecision(
        **kept,
        winner_text=_clipped(found.winner_text),
        loser_text=_clipped(found.loser_text),
        winner_episodes=found.winner_episodes[-room.sources :] if room.sources else (),
        loser_episodes=found.loser_episodes[-room.sources :] if room.sources else (),
    )


def citations(found: Sequence[Citation]) -> tuple[told.ToolCitation, ...]:
    """Tell of cited documents and their passages."""
    return tuple(
        told.ToolCitation(
            **shared(one, told.ToolCitation, "passages"),
            passages=tuple(told.ToolPassage(**shared(each, told.ToolPassage)) for each in one.passages),
        )
        for one in found
    )


def first_passages(found: Sequence[told.ToolCitation], most: int) -> tuple[told.ToolCitation, ...]:
    """Keep the first `most` passages, and the documents that still have one."""
    kept, left = [], most
    for one in found:
        taken = one.passages[:left]
        left -= len(taken)
        if taken:
            kept.append(one.model_copy(update={"passages": taken}))
    return tuple(kept)


def bundle_item(found: BundleItem, sources: int) -> told.ToolBundleItem:
    """Tell what a line of a bundle rests on, its last `sources`."""
    last = found.provenance[-sources:] if sources else ()
    return told.ToolBundleItem(
        id=found.id, date=found.date, stale=found.stale, provenance=tuple(_provenance(each) for each in last)
    )


def fate(found: WhyView) -> told.ToolFate:
    """Tell what became of one item of an answer."""
    asked = found.change
    change = None if asked is None else told.ToolChange(name=asked.name, bound=asked.bound, value=str(asked.value))
    return told.ToolFate(**shared(found, told.ToolFate, "text", "change"), text=_clipped(found.text), change=change)


def shared(found: AnswerModel, told_by: type[AnswerModel], *but: str) -> dict[str, Any]:
    """Take the fields that both models have under one name, those in `but` apart."""
    both = told_by.model_fields.keys() & type(found).model_fields.keys() - set(but)
    return {name: getattr(found, name) for name in told_by.model_fields if name in both}


def _provenance(found: Provenance | DocumentProvenance) -> told.ToolProvenance:
    return told.ToolProvenance(**shared(found, told.ToolProvenance))


def _clipped(text: str | None) -> str | None:
    return None if text is None else text[:_OTHERS_CLIP]
