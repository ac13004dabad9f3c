"""What recall and bundle are asked and answer (API.md). A memory itself stands in `models_memories`."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from stemma.app.models_base import (
    LIMIT_MOST,
    AnswerModel,
    Flag,
    Moment,
    Name,
    OptionalSubject,
    Query,
    RequestModel,
    SubjectId,
    fault,
)
from stemma.app.models_memories import Memory, Span
from stemma.app.models_traces import TraceView

Now = Annotated[Moment, Field(description="Read validity and age at this moment, with a zone")]
AsOf = Annotated[Moment, Field(description="Read what had been recorded by this moment, with a zone")]
SessionId = Annotated[Name, Field(description="The conversation that asks; its prompts repeat nothing unasked")]
K_DEFAULT = 10
BUDGET_TOKENS_DEFAULT = 2_000


class RecallRequest(RequestModel):
    """Find what is known of one subject that answers a query.

    `now` moves the clock that validity and age are read at; `as_of` reads what had been recorded by then.
    """

    subject_id: SubjectId
    query: Query
    k: Annotated[int, Field(ge=1, le=LIMIT_MOST, strict=True, description="Most items")] = K_DEFAULT
    kinds: Annotated[tuple[Name, ...], Field(min_length=1, description="These kinds of memory alone")] | None = None
    now: Now | None = None
    as_of: AsOf | None = None
    half_life_days: Annotated[float, Field(gt=0, strict=True, description="Age by this half-life")] | None = None
    session_id: SessionId | None = None
    include: Annotated[
        tuple[Literal["memories", "episodes"], ...], Field(min_length=1, description="What may be found")
    ] = ("memories",)
    explain: Annotated[Flag, Field(description="Say for each item how its score came about, and show the trace")] = (
        False
    )


class BundleRequest(RequestModel):
    """Build the text that is handed to a model: at most `budget_tokens` tokens, headings included."""

    subject_id: OptionalSubject = None
    corpora: Annotated[tuple[Name, ...], Field(min_length=1, description="Corpora of documents")] | None = None
    query: Query
    budget_tokens: Annotated[int, Field(ge=0, strict=True, description="Most tokens of the text")] = (
        BUDGET_TOKENS_DEFAULT
    )
    now: Now | None = None
    as_of: AsOf | None = None
    session_id: SessionId | None = None
    explain: Annotated[Flag, Field(description="Show the trace")] = False

    @model_validator(mode="after")
    def _scoped(self) -> BundleRequest:
        if self.subject_id is None and self.corpora is None:
            raise fault("subject_id", "name a subject_id, corpora, or both")
        return self


class IndexState(AnswerModel):
    """How complete the dense leg is: `outstanding` texts of the scope lack a vector; `degraded` says why it is out."""

    complete: bool
    outstanding: int
    embedder: str | None
    degraded: str | None = None


class RecalledEpisode(AnswerModel):
    """One excerpt of an episode; `role` is that of its message, None for a plain text."""

    episode_id: str
    key: str
    span: Span
    text: str
    occurred_at: datetime
    role: str | None


class RecallScore(AnswerModel):
    """score = similarity x importance x recency, all 0 to 1; `forced` where a rule other than relevance admitted it."""

    score: float
    similarity: float
    importance: float
    recency: float
    forced: bool = False
    explain: dict[str, Any] | None = None


class RecallItem(RecallScore):
    """A memory that was found."""

    memory: Memory


class RecallEpisodeItem(RecallScore):
    """An excerpt of an episode that was found."""

    episode: RecalledEpisode


class SupportSignals(AnswerModel):
    """What a ranking itself tells: the named participant's lead (-1 to 1), the first ten's mean share, their fall."""

    subject: float
    broad: float
    drop: float


class RecallSupport(AnswerModel):
    """How probable it is, 0 to 1, that what was said holds an answer; a signal with its reasons, and no refusal.

    `enough`: the value reaches the calibrated threshold. Reasons: `subject_differs` (another participant's turns answer
    better than those of the one named), `one_narrow_hit`.
    """

    value: float
    enough: bool
    reasons: tuple[str, ...]
    signals: SupportSignals


class RecallResult(AnswerModel):
    """What was found, best first; `uncompiled` episodes of the subject were not compiled yet.

    `support` judges the episodes that were found; None where none were asked for, or none was found.
    """

    items: tuple[RecallItem | RecallEpisodeItem, ...]
    uncompiled: int
    index_state: IndexState
    support: RecallSupport | None = None
    trace_id: str | None = None
    trace: TraceView | None = None


class Provenance(AnswerModel):
    """One saying that an item of a bundle rests on."""

    episode_id: str
    key: str
    occurred_at: datetime
    source: str
    speaker: str | None = None


class DocumentProvenance(AnswerModel):
    """The place in a document that an item of a bundle stands at; `number` is its citation in the text."""

    number: int
    document_id: str
    corpus: str
    external_id: str
    revision: str
    origin_id: str
    copy_of: int | None
    start: int
    end: int


class BundleItem(AnswerModel):
    """One item as it stands in the text, with the sayings or the place in a document that it rests on."""

    id: str
    text: str
    date: datetime | None
    provenance: tuple[Provenance | DocumentProvenance, ...]
    stale: bool = False


class BundleSection(AnswerModel):
    """One labelled section of the text."""

    name: Literal["memories", "episodes", "documents", "disagreements", "conflicts"]
    items: tuple[BundleItem, ...]


class Grounding(AnswerModel):
    """How far what is in the bundle covers the query, and what the model is told about it."""

    verdict: Literal["grounded", "partial", "abstain"]
    coverage: float
    directive: str


class BundleResult(AnswerModel):
    """The text under its budget, the same by section, and its grounding; `tokenizer` is what counted the tokens."""

    text: str
    sections: tuple[BundleSection, ...]
    tokens: int
    grounding: Grounding
    uncompiled: int
    index_state: IndexState
    tokenizer: str
    trace_id: str | None = None
    trace: TraceView | None = None
