"""What the tools of a model are asked with: flat fields alone, each with a sentence that a model can follow."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from stemma.app.models_base import (
    Cursor,
    Flag,
    Fraction,
    Limit,
    Moment,
    Name,
    OptionalSubject,
    Query,
    RequestModel,
    SubjectId,
    Text,
    Value,
    fault,
)
from stemma.app.models_documents import CorpusName, ExternalId, RevisionName
from stemma.app.models_memories import KindName, MemoryId, Note
from stemma.app.models_recall import AsOf, Now, SessionId
from stemma.app.models_traces import TraceId
from stemma.records import SaidBy

ITEMS_DEFAULT = 20
K_DEFAULT, K_MOST = 10, 500
PASSAGES_DEFAULT, PASSAGES_MOST = 6, 100
BUDGET_DEFAULT, BUDGET_MOST = 2_000, 6_000

Corpora = Annotated[tuple[CorpusName, ...], Field(min_length=1, description="Corpora of documents to look in")]
More = Annotated[Cursor, Field(description="`next_cursor` of the reply before, to go on from there")]

KindWish = Annotated[Name, Field(description="A registered kind, such as preference; read from the text where absent")]
SaidAt = Annotated[Moment, Field(description="When it was said: RFC 3339 with a zone; now where absent")]


class RememberTool(RequestModel):
    """Keep one sentence."""

    subject_id: SubjectId
    text: Annotated[Text, Field(min_length=1, description="What to keep, in one plain sentence that stands by itself")]
    kind: KindWish | None = None
    occurred_at: SaidAt | None = None
    importance: Annotated[Fraction, Field(description="0 to 1; it orders, and admits nothing")] | None = None
    said_by: Annotated[
        SaidBy, Field(description="user: the user said so in these words; agent: it is your own conclusion")
    ] = SaidBy.AGENT
    key: Annotated[Name, Field(description="What makes it the same record when it is sent again")] | None = None
    session_id: Annotated[Name, Field(description="The conversation that it belongs to")] | None = None


class RecallTool(RequestModel):
    """Find what is known."""

    subject_id: SubjectId
    query: Query
    k: Annotated[int, Field(ge=1, le=K_MOST, strict=True, description="Most items")] = K_DEFAULT
    kinds: Annotated[tuple[Name, ...], Field(min_length=1, description="These kinds of memory alone")] | None = None
    include: Annotated[
        tuple[Literal["memories", "episodes"], ...],
        Field(min_length=1, description="memories: what was derived; episodes: what was said, word for word"),
    ] = ("memories",)
    now: Now | None = None
    as_of: AsOf | None = None
    session_id: SessionId | None = None
    cursor: More | None = None


class ForgetTool(RequestModel):
    """Retract one memory."""

    memory_id: MemoryId
    note: Note | None = None


class HistoryTool(RequestModel):
    """Read one memory with its decisions, or list a subject's memories."""

    memory_id: MemoryId | None = None
    subject_id: OptionalSubject = None
    status: Annotated[
        Literal["active", "superseded", "tombstoned", "quarantined", "all"],
        Field(description="In a list: memories with this status"),
    ] = "all"
    kind: Annotated[KindName, Field(description="In a list: memories of this kind")] | None = None
    limit: Limit = ITEMS_DEFAULT
    cursor: More | None = None

    @model_validator(mode="after")
    def _named(self) -> HistoryTool:
        if self.memory_id is None and self.subject_id is None:
            raise fault("memory_id", "name a memory_id, or a subject_id to list its memories")
        return self


class SearchTool(RequestModel):
    """Find passages of documents."""

    query: Query
    corpora: Corpora | None = None
    k: Annotated[int, Field(ge=1, le=PASSAGES_MOST, strict=True, description="Most passages")] = PASSAGES_DEFAULT
    metadata: Annotated[dict[str, Any], Field(description="What a document's metadata must hold")] | None = None


class DocumentTool(RequestModel):
    """Read one document from a place on."""

    corpus: CorpusName
    external_id: ExternalId
    revision: RevisionName | None = None
    start: Annotated[
        int, Field(ge=0, strict=True, description="First character, as in a citation; or `next_start`")
    ] = 0


class BundleTool(RequestModel):
    """Build the text for a prompt."""

    query: Query
    subject_id: OptionalSubject = None
    corpora: Corpora | None = None
    budget_tokens: Annotated[
        int, Field(ge=0, le=BUDGET_MOST, strict=True, description="Most tokens of the text, headings included")
    ] = BUDGET_DEFAULT
    now: Now | None = None
    as_of: AsOf | None = None
    session_id: SessionId | None = None

    @model_validator(mode="after")
    def _scoped(self) -> BundleTool:
        if self.subject_id is None and self.corpora is None:
            raise fault("subject_id", "name a subject_id, corpora, or both")
        return self


class ExplainTool(RequestModel):
    """Ask how an answer came about."""

    trace_id: TraceId
    memory_id: (
        Annotated[
            Name, Field(description="Ask about this memory, passage or episode: why is it in the answer, or why not")
        ]
        | None
    ) = None


class CompileTool(RequestModel):
    """Derive memories."""

    subject_id: OptionalSubject = None


class ConflictsTool(RequestModel):
    """List conflicts."""

    subject_id: SubjectId
    status: Annotated[Literal["open", "resolved", "closed", "all"], Field(description="Where it stands")] = "open"
    limit: Limit = ITEMS_DEFAULT
    cursor: More | None = None


class ResolveTool(RequestModel):
    """Rule on a conflict."""

    conflict_id: Annotated[Name, Field(description="The id of a conflict")]
    choose: Annotated[Name, Field(description="The id of the memory that is right")] | None = None
    value: Annotated[Value, Field(description="A third value that is right")] | None = None
    text: Annotated[Text, Field(description="The third value in a sentence")] | None = None
    keep_both: Annotated[Flag, Field(description="true: both are right")] | None = None
    note: Note | None = None
