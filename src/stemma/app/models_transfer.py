"""One line of an exported log by its type, checked as it is read; what an export and an import answer."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter

from stemma.app.models_base import NAME_LIMIT, AnswerModel, Count, Flag, Moment, Name, RequestModel, SubjectId, Text
from stemma.app.models_memories import PinnedDocument
from stemma.document_records import EventOp, EventStatus
from stemma.records import Cardinality, KeyPolicy, Policy, SaidBy

Hash = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Hex = Annotated[str, Field(pattern=r"^([0-9a-f]{2})+$", max_length=256)]


class SourceLine(RequestModel):
    """A registered source."""

    type: Literal["source"]
    name: Name
    key_policy: KeyPolicy | None
    authority: Annotated[int, Field(ge=0, le=100, strict=True)]
    set_at: Moment


class ClaimKeyLine(RequestModel):
    """A registered claim key."""

    type: Literal["claim_key"]
    name: Name
    cardinality: Cardinality
    kind: Name
    policy: Policy | None
    corroboration: Annotated[int, Field(ge=1, le=100, strict=True)] | None
    half_life_days: Annotated[float, Field(gt=0, le=36_500, strict=True)] | None
    set_at: Moment


class SecretLine(RequestModel):
    """What the digests of one store's tombstones were made with."""

    type: Literal["secret"]
    secret_id: Hex
    secret: Hex
    recorded_at: Moment


class TombstoneLine(RequestModel):
    """What an erasure left of a key."""

    type: Literal["tombstone"]
    secret_id: Hex
    digest: Hex
    covers_until: Moment | None
    erased_at: Moment


class RevisionLine(RequestModel):
    """One content of an episode."""

    content_hash: Hash
    content: dict[str, Any]
    recorded_at: Moment


class SayingLine(RequestModel):
    """One occasion on which a content was said."""

    content_hash: Hash
    occurred_at: Moment
    sound: Flag
    session_id: Name | None
    message_times: tuple[Moment | None, ...]
    recorded_at: Moment


class EpisodeLine(RequestModel):
    """An episode with every content and saying."""

    type: Literal["episode"]
    subject_id: SubjectId
    key: Name
    policy: KeyPolicy
    source: Name
    speaker: Name | None
    said_by: SaidBy
    business_key: Name | None
    document: PinnedDocument | None
    metadata: Text | None
    recorded_at: Moment
    revisions: Annotated[tuple[RevisionLine, ...], Field(min_length=1)]
    sayings: Annotated[tuple[SayingLine, ...], Field(min_length=1)]


class ExtractionLine(RequestModel):
    """The cached output of one extractor version on one content."""

    type: Literal["extraction"]
    subject_id: SubjectId
    key: Name
    content_hash: Hash
    extractor: Name
    body: dict[str, Any]
    recorded_at: Moment


class ActLine(RequestModel):
    """A human act."""

    type: Literal["act"]
    act: dict[str, Any]


class CorpusLine(RequestModel):
    """A corpus; one that was deleted is not live."""

    type: Literal["corpus"]
    name: Name
    is_live: Flag
    recorded_at: Moment
    changed_at: Moment


class DocumentRevisionLine(RequestModel):
    """One content of a document: its text, and what a reader made of it."""

    type: Literal["document_revision"]
    corpus: Name
    external_id: Name
    revision: Hash
    text: Text
    reading: dict[str, Any]
    title: Text | None
    uri: Text | None
    metadata: Text | None
    recorded_at: Moment


class DocumentLine(RequestModel):
    """What a document is now; `revision` null where it is gone."""

    type: Literal["document"]
    corpus: Name
    external_id: Name
    revision: Hash | None
    title: Text | None
    uri: Text | None
    metadata: Text | None
    derived_from: Name | None
    position: Annotated[int, Field(strict=True, ge=-(2**63), lt=2**63)] | None
    recorded_at: Moment
    changed_at: Moment
    revised_at: Moment


class EventLine(RequestModel):
    """An event; what it carried stands as its hash."""

    type: Literal["document_event"]
    event_id: Name
    corpus: Name
    external_id: Annotated[Text, Field(max_length=NAME_LIMIT)]
    op: EventOp
    position: Annotated[int, Field(strict=True, ge=-(2**63), lt=2**63)] | None
    occurred_at: Moment | None
    payload_hash: Hash
    status: EventStatus
    is_of_document: Flag
    note: Name | None
    error_code: Name | None
    error_detail: Text | None
    place: Annotated[int, Field(strict=True, ge=0, lt=2**31)]
    recorded_at: Moment


DocumentsLine = CorpusLine | DocumentRevisionLine | DocumentLine | EventLine
LogLine = (
    DocumentsLine | SourceLine | ClaimKeyLine | SecretLine | TombstoneLine | EpisodeLine | ExtractionLine | ActLine
)


@cache
def log_line() -> TypeAdapter[LogLine]:
    """Return what reads a line by its `type`."""
    return TypeAdapter(Annotated[LogLine, Field(discriminator="type")])


class LineError(AnswerModel):
    """Why one line of an import was left out."""

    line: int
    code: str
    detail: str


class ExportResult(AnswerModel):
    """How many records were written, the header apart."""

    records: Count


class ImportResult(AnswerModel):
    """What became of the records of an import; `errors` names the first 1,000 of the `rejected` lines.

    `changed`: new, or joined with what was there. `refused`: erased, here or by the import, or of a content that is not
    there.
    `erased`: episodes of this store that the import's tombstones took out.
    """

    changed: Count = 0
    unchanged: Count = 0
    refused: Count = 0
    rejected: Count = 0
    erased: Count = 0
    errors: tuple[LineError, ...] = ()
