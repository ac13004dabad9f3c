"""What the tools of a model answer with: the answers of the operations, without what no model reads, and bounded.

The names are those of API.md. What there is not is left out: there is no null in an answer of a tool.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from stemma.app.models_base import AnswerModel
from stemma.app.models_memories import HeldMark, MemoryDocument, StaleMark, StatedValue
from stemma.app.models_recall import Grounding
from stemma.app.models_traces import TracedMiss
from stemma.records import Outcome, Status


class ToolSaying(AnswerModel):
    """One saying that a memory rests on."""

    episode_id: str
    key: str
    occurred_at: datetime
    role: str
    effect: str = "support"
    source: str | None = None
    speaker: str | None = None


class ToolMemory(AnswerModel):
    """One memory; `episodes` are its last sayings, `episodes_left_out` how many others there are.

    `text_clipped`: its text goes on.
    """

    id: str
    subject_id: str
    kind: str
    text: str
    text_clipped: bool | None = None
    status: Status
    claim: StatedValue | None
    importance: float
    confidence: float
    first_said_at: datetime
    last_said_at: datetime
    times_said: int
    independent_origins: int
    valid_from: datetime | None
    valid_to: datetime | None
    stale: StaleMark | None
    held: HeldMark | None
    superseded_by: str | None
    superseded_from: datetime | None
    voice: str
    documents: tuple[MemoryDocument, ...]
    episodes: tuple[ToolSaying, ...]
    episodes_left_out: int


class ToolEpisode(AnswerModel):
    """What was said, word for word, around what was found."""

    episode_id: str
    key: str
    text: str
    text_clipped: bool | None = None
    occurred_at: datetime
    role: str | None


class ToolRecalled(AnswerModel):
    """One item that was found: a memory, or an episode where these were asked for."""

    memory: ToolMemory | None = None
    episode: ToolEpisode | None = None
    score: float
    similarity: float
    recency: float


class ToolRemembered(AnswerModel):
    """What became of a text that was to be kept."""

    outcome: Outcome
    episode_id: str
    key: str
    memories: tuple[ToolMemory, ...]


class ToolRecall(AnswerModel):
    """What was found, the best first. `truncated`: there is more, from `next_cursor` on."""

    items: tuple[ToolRecalled, ...]
    uncompiled: int
    trace_id: str | None
    truncated: bool
    next_cursor: str | None = None


class ToolForgotten(AnswerModel):
    """The memory as it reads after it was retracted."""

    memory: ToolMemory


class ToolDecision(AnswerModel):
    """One ruling; `undone_at` where it holds no more."""

    id: str
    rule: str
    winner_id: str | None
    loser_id: str
    winner_text: str | None
    loser_text: str | None
    winner_episodes: tuple[str, ...]
    loser_episodes: tuple[str, ...]
    decided_at: datetime
    undone_at: datetime | None


class ToolHistory(AnswerModel):
    """A memory with the decisions it took part in (`items`), or a page of a subject's memories."""

    memories: tuple[ToolMemory, ...]
    items: tuple[ToolDecision, ...]
    truncated: bool
    next_cursor: str | None = None


class ToolPassage(AnswerModel):
    """One passage; `start` and `end` count the characters of its document."""

    text: str
    start: int
    end: int
    heading: str
    page: int | None
    score: float


class ToolCitation(AnswerModel):
    """One document under its number; `copy_of` is the number of one with the same origin."""

    number: int
    document_id: str
    corpus: str
    external_id: str
    revision: str
    title: str
    uri: str | None
    origin_id: str
    copy_of: int | None
    score: float
    passages: tuple[ToolPassage, ...]


class ToolSearch(AnswerModel):
    """Citations, the best document first; `left_out` is how many more there were than a reply takes."""

    citations: tuple[ToolCitation, ...]
    independent_origins: int
    truncated: bool
    left_out: int


class ToolDocument(AnswerModel):
    """A document from `start` up to `end` of its `characters`; it goes on at `next_start`."""

    document_id: str
    corpus: str
    external_id: str
    revision: str | None
    state: Literal["current", "changed", "gone"]
    title: str | None
    uri: str | None
    origin_id: str
    changed_at: datetime
    text: str
    start: int
    end: int
    characters: int
    truncated: bool
    next_start: int | None = None


class ToolProvenance(AnswerModel):
    """What an item rests on: a saying (`episode_id`), or a place in a document (`document_id`)."""

    episode_id: str | None = None
    key: str | None = None
    occurred_at: datetime | None = None
    source: str | None = None
    document_id: str | None = None
    corpus: str | None = None
    external_id: str | None = None
    revision: str | None = None
    start: int | None = None
    end: int | None = None


class ToolBundleItem(AnswerModel):
    """One item of the text, by its id."""

    id: str
    date: datetime | None
    stale: bool
    provenance: tuple[ToolProvenance, ...]


class ToolBundleSection(AnswerModel):
    """One section of the text."""

    name: str
    items: tuple[ToolBundleItem, ...]


class ToolBundle(AnswerModel):
    """The text for a prompt, and what its lines rest on, in their order. `truncated`: not every source is named."""

    text: str
    tokens: int
    sections: tuple[ToolBundleSection, ...]
    grounding: Grounding
    uncompiled: int
    trace_id: str | None
    truncated: bool


class ToolStage(AnswerModel):
    """One stage: entered = left + dropped_count + merged."""

    name: str
    entered: int
    left: int
    merged: int
    dropped_count: int
    dropped_by_reason: dict[str, int]


class ToolChange(AnswerModel):
    """The smallest single change that would have kept an item."""

    name: str
    bound: str
    value: str


class ToolFate(AnswerModel):
    """What became of one item, decided by which stage, for which reason."""

    id: str
    text: str | None
    fate: Literal["kept", "dropped", "merged"]
    stage: str
    reason: str | None
    into: str | None
    rank: int | None
    detail: TracedMiss | None
    change: ToolChange | None
    because: str | None
    by: str | None


class ToolDelivered(AnswerModel):
    """One item that was answered, by rank."""

    id: str
    type: str
    text: str | None


class ToolExplained(AnswerModel):
    """How an answer came about; `why` where it was asked about one item."""

    trace_id: str
    recorded_at: datetime
    operation: str
    subject_id: str | None
    stages: tuple[ToolStage, ...]
    delivered: tuple[ToolDelivered, ...]
    why: ToolFate | None
    truncated: bool


class ToolConflict(AnswerModel):
    """A pair that is not ruled on, with both sides."""

    id: str
    status: Literal["open", "resolved", "closed"]
    reason: str
    claim_key: str | None
    memory_ids: tuple[str, ...]
    opened_by: str
    resolution: str | None
    opened_at: datetime | None
    memories: tuple[ToolMemory, ...]


class ToolConflicts(AnswerModel):
    """A page of conflicts."""

    items: tuple[ToolConflict, ...]
    truncated: bool
    next_cursor: str | None = None


class ToolAnswer(AnswerModel):
    """An answer in the documents' words with its citations, or a refusal where nothing answers."""

    answer: str
    citations: tuple[ToolCitation, ...]
    disagreements: tuple[str, ...]
    grounding: Grounding
    made_by: Literal["model", "documents"]
    truncated: bool
    left_out: int
