"""The records of documents that every floor shares: what a document is now, and an event that changes one."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """What a document is now; `revision` None means that it is gone, and then its name and position are all it has.

    `metadata` is JSON text. `changed_at` never goes back and orders the heads of one document after `position`;
    `revised_at` is since when the revision is this one; `recorded_at` is when the document was first heard of.
    """

    document_id: str
    corpus: str
    external_id: str
    revision: str | None
    recorded_at: datetime
    changed_at: datetime
    revised_at: datetime
    title: str | None = None
    uri: str | None = None
    metadata: str | None = None
    derived_from: str | None = None
    position: int | None = None
    origin_id: str = ""


class EventOp(StrEnum):
    """What an event does to its document."""

    UPSERT = "upsert"
    DELETE = "delete"


class EventStatus(StrEnum):
    """What became of an event; `duplicate` is answered and never stored."""

    APPLIED = "applied"
    DUPLICATE = "duplicate"
    SUPERSEDED = "superseded"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One well-formed event. `payload_hash` covers everything but the id; `text` None where there is none."""

    event_id: str
    op: EventOp
    corpus: str
    external_id: str
    payload_hash: str
    title: str | None = None
    text: str | None = None
    media_type: str | None = None
    uri: str | None = None
    metadata: str | None = None
    derived_from: str | None = None
    occurred_at: datetime | None = None
    position: int | None = None


@dataclass(frozen=True, slots=True)
class KnownEvent:
    """What the event log holds of an id."""

    status: EventStatus
    payload_hash: str
    document_id: str | None
