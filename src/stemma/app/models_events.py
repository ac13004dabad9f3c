"""What the event API is asked and answers (API.md)."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from pydantic import Field, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from stemma.app.models_base import AnswerModel, ItemError, Moment, Name, PageRequest, RequestModel
from stemma.app.models_documents import (
    CorpusName,
    DerivedFrom,
    DocumentText,
    ExternalId,
    MediaType,
    Metadata,
    Title,
    Uri,
)
from stemma.document_records import EventOp, EventStatus

BATCH_MOST = 1_000
_POSITION_MOST = 2**63 - 1


class EventItem(RequestModel):
    """One change of one document. An upsert says all that the document is; `position` orders a document's events."""

    event_id: Annotated[Name, Field(description="The sender's own id, which makes sending again safe for ever")]
    op: EventOp
    corpus: CorpusName
    external_id: ExternalId
    title: Title | None = None
    text: DocumentText | None = None
    media_type: MediaType | None = None
    uri: Uri | None = None
    metadata: Metadata | None = None
    derived_from: DerivedFrom | None = None
    occurred_at: Moment | None = None
    position: Annotated[int, Field(ge=-_POSITION_MOST, le=_POSITION_MOST, strict=True)] | None = None


class _ShownAsEvent:
    """An item that is described as an event and checked later, on its own."""

    def __get_pydantic_json_schema__(self, _: CoreSchema, describe: GetJsonSchemaHandler) -> JsonSchemaValue:
        return describe(EventItem.__pydantic_core_schema__)


class AddEvents(RequestModel):
    """A batch of events, taken in order. Each is checked on its own, so that a fault in one never fails the rest."""

    events: Annotated[list[Annotated[Any, _ShownAsEvent()]], Field(min_length=1, max_length=BATCH_MOST, strict=True)]


class EventResult(AnswerModel):
    """What became of one event; `event_id` is None where none could be read."""

    event_id: str | None
    status: EventStatus
    document_id: str | None = None
    error: ItemError | None = None
    note: str | None = None


class AddEventsResult(AnswerModel):
    """One result for each event of the batch, in order."""

    results: tuple[EventResult, ...]


class ListEvents(PageRequest):
    """Read the events of a corpus in the order they came in."""

    corpus: CorpusName


class EventEntry(AnswerModel):
    """One event as the log holds it."""

    event_id: str
    op: EventOp
    corpus: str
    external_id: str
    position: int | None
    occurred_at: datetime | None
    status: EventStatus
    document_id: str | None
    note: str | None
    error: ItemError | None
    recorded_at: datetime


class EventPage(AnswerModel):
    """One page of events."""

    items: tuple[EventEntry, ...]
    next_cursor: str | None = None
