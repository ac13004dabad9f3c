"""From the answers of operations to what a tool tells of them: the last sayings, long texts clipped, no null."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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

SAYINGS: Final = 5
TEXT_CLIP: Final = 4_000


def memory(found: Memory, clip: int = TEXT_CLIP) -> told.ToolMemory:
    """Tell of a memory."""
    kept = shared(found, told.ToolMemory, "text", "text_clipped", "documents", "episodes", "episodes_left_out")
    last = sorted(found.episodes, key=lambda each: each.occurred_at)[-SAYINGS:]
    return told.ToolMemory(
        **kept,
        text=found.text[:clip],
        text_clipped=True if len(found.text) > clip else None,
        documents=found.documents[:SAYINGS],
        episodes=tuple(told.ToolSaying(**shared(each, told.ToolSaying)) for each in last),
        episodes_left_out=len(found.episodes) - len(last),
    )


def memories(found: Iterable[Memory]) -> tuple[told.ToolMemory, ...]:
    """Tell of several memories."""
    return tuple(memory(each) for each in found)


def recalled(item: RecallItem | RecallEpisodeItem) -> told.ToolRecalled:
    """Tell of an item of a recall."""
    scores: dict[str, Any] = {"score": item.score, "similarity": item.similarity, "recency": item.recency}
    if isinstance(item, RecallItem):
        return told.ToolRecalled(memory=memory(item.memory), **scores)
    said = item.episode
    episode = told.ToolEpisode(
        episode_id=said.episode_id,
        key=said.key,
        text=said.text[:TEXT_CLIP],
        text_clipped=True if len(said.text) > TEXT_CLIP else None,
        occurred_at=said.occurred_at,
        role=said.role,
    )
    return told.ToolRecalled(episode=episode, **scores)


def decision(found: Decision) -> told.ToolDecision:
    """Tell of a ruling."""
    kept = shared(found, told.ToolDecision, "winner_episodes", "loser_episodes", "winner_text", "loser_text")
    return told.ToolDecision(
        **kept,
        winner_text=_clipped(found.winner_text),
        loser_text=_clipped(found.loser_text),
        winner_episodes=found.winner_episodes[-SAYINGS:],
        loser_episodes=found.loser_episodes[-SAYINGS:],
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
    return None if text is None else text[:TEXT_CLIP]
