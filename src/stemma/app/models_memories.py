"""What is asked and answered about memories, their decisions and conflicts (API.md). Recall and bundle stand apart."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from stemma.app.models_base import (
    AnswerModel,
    Count,
    EpisodeOutcome,
    Flag,
    Fraction,
    Moment,
    Name,
    OptionalSubject,
    PageRequest,
    RequestModel,
    SubjectId,
    Text,
    Value,
    fault,
)
from stemma.records import Injection, KeyPolicy, Polarity, SaidBy, Status

MemoryId = Annotated[Name, Field(description="The id of a memory")]
KindName = Annotated[Name, Field(description="A registered kind of memory")]
By = Annotated[Name, Field(description="Who does it")]
Note = Annotated[Text, Field(description="Why, for whoever reads the record")]


class CompileRequest(RequestModel):
    """Derive the memories of one subject, or of every subject with something new."""

    subject_id: OptionalSubject = None


class PinnedDocument(RequestModel):
    """The document that an episode was learned from; its present revision unless one is named."""

    corpus: Name
    external_id: Name
    revision: Name | None = None


class RememberRequest(RequestModel):
    """Ingest one text as an episode and make exactly one memory of it."""

    subject_id: SubjectId
    text: Annotated[Text, Field(min_length=1, description="What to keep, in a sentence")]
    kind: KindName | None = None
    importance: Annotated[Fraction, Field(description="0 to 1; orders, never admits")] | None = None
    occurred_at: Annotated[Moment, Field(description="When it was said, with a zone; now where absent")] | None = None
    source: Annotated[Name, Field(description="Where it comes from")] = "api"
    key: Annotated[Name, Field(description="What makes it the same record when it is sent again")] | None = None
    key_parts: Annotated[tuple[Text, ...], Field(min_length=1, description="The key in parts")] | None = None
    key_policy: Annotated[KeyPolicy, Field(description="How records are told apart")] | None = None
    business_key: Annotated[Name, Field(description="Two records with one business key are one event")] | None = None
    session_id: Annotated[Name, Field(description="The conversation it belongs to")] | None = None
    speaker: Annotated[Name, Field(description="Who said it")] | None = None
    said_by: Annotated[SaidBy, Field(description="On whose behalf")] = SaidBy.USER
    document: PinnedDocument | None = None
    metadata: Annotated[dict[str, Any], Field(description="Kept as it came, read by nothing")] | None = None


class ListMemories(PageRequest):
    """Read a subject's memories, or look a typed fact up by its claim key."""

    subject_id: OptionalSubject = None
    status: Annotated[
        Literal["active", "superseded", "tombstoned", "quarantined", "all"], Field(description="Status at now")
    ] = "active"
    kind: KindName | None = None
    claim_key: Annotated[Name, Field(description="Look up the memories with this claim key")] | None = None
    value: Annotated[Value, Field(description="The value of the claim key")] | None = None

    @model_validator(mode="after")
    def _named(self) -> ListMemories:
        if self.subject_id is None and self.claim_key is None:
            raise fault("subject_id", "name a subject_id, or a claim_key to look a typed fact up")
        if self.value is not None and self.claim_key is None:
            raise fault("claim_key", "value is the value of a claim_key; name that too")
        return self


class MemoryById(RequestModel):
    """Read one memory."""

    memory_id: MemoryId


class HistoryRequest(PageRequest):
    """Read the decisions that one memory took part in."""

    memory_id: MemoryId


class ForgetRequest(RequestModel):
    """Retract one memory: recorded in the log, so a rebuild keeps it."""

    memory_id: MemoryId
    by: By | None = None
    note: Note | None = None


class PatchMemory(RequestModel):
    """Change what a person may change of one memory; every change is recorded in the log."""

    memory_id: MemoryId
    injection: Annotated[Injection, Field(description="How it may reach a prompt")] | None = None
    kind: KindName | None = None
    importance: Annotated[Fraction, Field(description="0 to 1")] | None = None
    quarantine: Annotated[Flag, Field(description="Keep it out of every prompt, or release it")] | None = None
    merge_into: Annotated[Name, Field(description="The memory that says the same")] | None = None
    by: By | None = None
    note: Note | None = None

    @model_validator(mode="after")
    def _changes_something(self) -> PatchMemory:
        changes = (self.injection, self.kind, self.importance, self.quarantine, self.merge_into)
        if all(change is None for change in changes):
            raise fault("injection", "nothing to change; give injection, kind, importance, quarantine or merge_into")
        return self


class ListDecisions(PageRequest):
    """Read the rulings of one subject."""

    subject_id: SubjectId


class ListConflicts(PageRequest):
    """Read the conflicts of one subject."""

    subject_id: SubjectId
    status: Annotated[Literal["open", "resolved", "closed", "all"], Field(description="Where it stands")] = "open"


class ResolveRequest(RequestModel):
    """Rule on one conflict: choose a side, give a third value, or let both stand."""

    conflict_id: Annotated[Name, Field(description="The id of a conflict")]
    choose: Annotated[Name, Field(description="The memory that is right")] | None = None
    value: Annotated[Value, Field(description="A third value that is right")] | None = None
    text: Annotated[Text, Field(description="The third value in a sentence")] | None = None
    keep_both: Annotated[Flag, Field(description="Both are right")] | None = None
    by: By | None = None
    note: Note | None = None

    @model_validator(mode="after")
    def _one_ruling(self) -> ResolveRequest:
        rulings = (self.choose is not None) + (self.value is not None) + bool(self.keep_both)
        if rulings != 1:
            raise fault("choose", "give exactly one of choose, value and keep_both: true")
        if self.text is not None and self.value is None:
            raise fault("value", "text words a third value; give the value too")
        return self


class CompileResult(AnswerModel):
    """What this compile changed; `state_hash` is that of the one subject named, None over several."""

    episodes_compiled: Count
    memories_created: Count
    memories_restated: Count
    memories_superseded: Count
    memories_retracted: Count
    memories_reinstated: Count
    memories_quarantined: Count
    episodes_parked: Count
    conflicts_opened: Count
    state_hash: str | None = None


class StatedValue(AnswerModel):
    """The claim of a memory that has a claim key."""

    key: str
    value: str
    polarity: Polarity


class Span(AnswerModel):
    """Where a text stands: code points from `start` up to `end`, in message `message` or (None) in the text."""

    start: int
    end: int
    message: int | None = None


class MemoryEpisode(AnswerModel):
    """One saying under a memory; `dead` names why it counts for nothing."""

    episode_id: str
    key: str
    occurred_at: datetime
    role: str
    span: Span
    effect: str = "support"
    source: str | None = None
    speaker: str | None = None
    dead: str | None = None


class MemoryDocument(AnswerModel):
    """A document that a memory was learned from, and whether that revision still is the current one."""

    corpus: str
    external_id: str
    revision: str
    state: Literal["current", "changed", "gone"]


class StaleMark(AnswerModel):
    """No support still stands in its source."""

    since: datetime
    reason: str


class HeldMark(AnswerModel):
    """The derivation holds the memory back, and lifts that by itself."""

    reason: str


class Memory(AnswerModel):
    """One derived memory as it reads now; `voice` is whose words they are: `own`, `assistant` or `name:…`."""

    id: str
    subject_id: str
    kind: str
    original_kind: str
    injection: Injection
    authority: int
    text: str
    claim: StatedValue | None
    status: Status
    importance: float
    confidence: float
    first_said_at: datetime
    last_said_at: datetime
    times_said: int
    independent_origins: int
    valid_from: datetime | None
    valid_to: datetime | None
    stale: StaleMark | None
    superseded_by: str | None
    superseded_from: datetime | None
    spells: tuple[tuple[datetime | None, datetime | None], ...]
    held: HeldMark | None
    last_recalled_at: datetime | None
    recall_count: int
    extractor: str
    documents: tuple[MemoryDocument, ...]
    episodes: tuple[MemoryEpisode, ...]
    voice: str = "own"


class MemoryPage(AnswerModel):
    """One page of memories."""

    items: tuple[Memory, ...]
    next_cursor: str | None = None


class RememberResult(AnswerModel):
    """What became of the episode, and the memories that rest on it."""

    episode: EpisodeOutcome
    memories: tuple[Memory, ...]


class Decision(AnswerModel):
    """One ruling with both sides' evidence: `winner_episodes` and `loser_episodes` are episode ids.

    `at` is the instant from which it holds, `decided_at` when it was first derived, `undone_at` when it ceased to be.
    """

    id: str
    rule: str
    winner_id: str | None
    loser_id: str
    winner_episodes: tuple[str, ...]
    loser_episodes: tuple[str, ...]
    score: float | None
    threshold: float | None
    decided_at: datetime
    undone_at: datetime | None
    extractor: str
    at: datetime | None = None
    subject_id: str | None = None
    winner_text: str | None = None
    loser_text: str | None = None


class DecisionPage(AnswerModel):
    """One page of decisions, the earliest first."""

    items: tuple[Decision, ...]
    next_cursor: str | None = None


HistoryPage = DecisionPage


class Conflict(AnswerModel):
    """One pair that policy leaves open, or left open until it was ruled on."""

    id: str
    status: Literal["open", "resolved", "closed"]
    reason: str
    claim_key: str | None
    memory_ids: tuple[str, ...]
    opened_by: str
    resolution: str | None
    subject_id: str | None = None
    opened_at: datetime | None = None
    closed_at: datetime | None = None


class ConflictPage(AnswerModel):
    """One page of conflicts."""

    items: tuple[Conflict, ...]
    next_cursor: str | None = None
