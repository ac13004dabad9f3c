"""What is asked and answered about episodes (API.md): a batch and its outcomes, what the log holds of them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field, GetJsonSchemaHandler, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from stemma.app.models_base import (
    AnswerModel,
    EpisodeOutcome,
    Fraction,
    Moment,
    Name,
    PageRequest,
    RequestModel,
    SubjectId,
    Text,
    Value,
    fault,
)
from stemma.app.models_memories import PinnedDocument
from stemma.records import Act, KeyPolicy, Polarity, SaidBy

BATCH_MOST = 1_000

Flag = Literal["time_ahead", "empty_interval"]


class MessageItem(RequestModel):
    """One chat turn."""

    role: Name
    content: Text
    name: Name | None = None
    at: Moment | None = None


class ClaimItem(RequestModel):
    """One structured claim."""

    key: Name
    value: Value
    kind: Name | None = None
    text: Text | None = None
    polarity: Polarity = Polarity.AFFIRMED
    confidence: Fraction = 1.0
    importance: Fraction = 0.5
    valid_from: Moment | None = None
    valid_to: Moment | None = None


class EpisodeItem(RequestModel):
    """One arriving episode: `text` or `messages`, and/or `claims`, under `key`, `key_parts` or a key of its content.

    Under the `content` policy the key is that of the content, whatever key is given beside it.
    """

    subject_id: SubjectId
    source: Name = "api"
    key: Name | None = None
    key_parts: Annotated[tuple[Text, ...], Field(min_length=1)] | None = None
    key_policy: KeyPolicy | None = None
    business_key: Name | None = None
    text: Text | None = None
    messages: tuple[MessageItem, ...] | None = None
    claims: tuple[ClaimItem, ...] | None = None
    occurred_at: Moment | None = None
    session_id: Name | None = None
    speaker: Name | None = None
    said_by: SaidBy = SaidBy.USER
    document: PinnedDocument | None = None
    metadata: dict[str, Any] | None = None

    @model_validator(mode="after")
    def _one_of_each(self) -> EpisodeItem:
        if self.key is not None and self.key_parts is not None:
            raise fault("key_parts", "give key or key_parts, not both")
        if self.text is not None and self.messages is not None:
            raise fault("messages", "give text or messages, not both")
        return self


class _ShownAsEpisode:
    """An item that is described as an episode and checked later, on its own."""

    def __get_pydantic_json_schema__(self, _: CoreSchema, describe: GetJsonSchemaHandler) -> JsonSchemaValue:
        return describe(EpisodeItem.__pydantic_core_schema__)


class AddEpisodes(RequestModel):
    """A batch of episodes. Each is checked on its own, so that a fault in one never fails the rest (R-23)."""

    episodes: Annotated[
        list[Annotated[Any, _ShownAsEpisode()]], Field(min_length=1, max_length=BATCH_MOST, strict=True)
    ]


class AddEpisodesResult(AnswerModel):
    """One outcome for each episode of the batch, in order."""

    results: tuple[EpisodeOutcome, ...]


class FindEpisodes(PageRequest):
    """Read a subject's episodes in order of receipt, or the one with a key."""

    subject_id: SubjectId
    key: Name | None = None


class EpisodeById(RequestModel):
    """Read one episode."""

    episode_id: Name


class StoredSaying(AnswerModel):
    """One occasion on which a content was said; `time_ahead`: its stamp was ahead of receipt."""

    content_hash: str
    occurred_at: datetime
    recorded_at: datetime
    time_ahead: bool
    session_id: str | None = None
    message_times: tuple[datetime | None, ...] = ()


class StoredRevision(AnswerModel):
    """One content, as it came; `metadata` where a later one brought its own."""

    content_hash: str
    recorded_at: datetime
    source: str
    said_by: SaidBy
    speaker: str | None = None
    text: str | None = None
    messages: tuple[dict[str, Any], ...] = ()
    claims: tuple[dict[str, Any], ...] = ()
    metadata: dict[str, Any] | None = None


class StoredGate(AnswerModel):
    """Why a clause of a content became a candidate or did not."""

    content_hash: str
    extractor: str
    gate: str
    passed: bool
    reason: str
    start: int
    end: int
    message: int | None = None
    kind: str | None = None
    score: float | None = None
    threshold: float | None = None


class StoredStatement(AnswerModel):
    """What was read of a clause: a statement, an end, or a correction; `start` and `end` count code points."""

    content_hash: str
    extractor: str
    act: Act
    kind: str
    text: str
    start: int
    end: int
    message: int | None = None


class EpisodeSummary(AnswerModel):
    """An episode as the log holds it."""

    episode_id: str
    subject_id: str
    key: str
    key_policy: KeyPolicy
    source: str
    said_by: SaidBy
    recorded_at: datetime
    speaker: str | None = None
    business_key: str | None = None
    document: PinnedDocument | None = None
    metadata: dict[str, Any] | None = None
    revisions: tuple[StoredRevision, ...] = ()
    sayings: tuple[StoredSaying, ...] = ()


class EpisodeDetail(EpisodeSummary):
    """An episode with what the extractor read in its contents, and what it said of their clauses."""

    statements: tuple[StoredStatement, ...] = ()
    gates: tuple[StoredGate, ...] = ()


class EpisodePage(AnswerModel):
    """One page of episodes."""

    items: tuple[EpisodeSummary, ...]
    next_cursor: str | None = None
