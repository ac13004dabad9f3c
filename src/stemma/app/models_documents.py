"""What is asked and answered about corpora and their documents (API.md). Search and events have models of their own."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, model_validator

from stemma.app.models_base import AnswerModel, Count, Name, PageRequest, RequestModel, Text, fault
from stemma.errors import InvalidInput
from stemma.text import check

TITLE_LIMIT = 1_024
URI_LIMIT = 4_096


def _no_slash(value: str) -> str:
    # `derived_from` and paths tell a corpus from an external id by the first slash.
    if "/" in value:
        raise ValueError("the name of a corpus has no slash")
    return value


def _titled(value: str) -> str:
    try:
        return check(value, field="title", limit=TITLE_LIMIT)
    except InvalidInput as error:
        raise ValueError(error.detail) from error


CorpusName = Annotated[Name, AfterValidator(_no_slash), Field(description="A named set of documents")]
ExternalId = Annotated[Name, Field(description="The id that the document's source gives it")]
Title = Annotated[str, AfterValidator(_titled), Field(max_length=TITLE_LIMIT, description="What it is called")]
Uri = Annotated[Text, Field(max_length=URI_LIMIT, description="Where it is read")]
Metadata = Annotated[dict[str, Any], Field(description="What a search may be filtered by")]
DerivedFrom = Annotated[
    Name, Field(description="What it is a copy or an excerpt of: an external id, or corpus/external_id")
]
# Form feeds and vertical tabs become line ends, so a document's text is checked by its reader.
DocumentText = Annotated[str, Field(description="The text, stored as sent")]
MediaType = Annotated[Name, Field(description="text/plain, text/markdown …; told from the content where absent")]
Charset = Annotated[Name, Field(description="The encoding of the bytes, held to; a byte-order mark goes before it")]
RevisionName = Annotated[Name, Field(description="A revision, as a citation names it")]


class PutDocument(RequestModel):
    """Make a document what is sent: `text`, or a file's bytes in `content_base64`. What is left out is not kept."""

    corpus: CorpusName
    external_id: ExternalId
    title: Title | None = None
    text: DocumentText | None = None
    content_base64: Annotated[str, Field(description="A file's bytes in base64")] | None = None
    media_type: MediaType | None = None
    charset: Charset | None = None
    admit_hidden: Annotated[bool, Field(description="Let in what a reader of the file does not see, marked")] = False
    uri: Uri | None = None
    metadata: Metadata | None = None
    derived_from: DerivedFrom | None = None

    @model_validator(mode="after")
    def _one_content(self) -> PutDocument:
        if (self.text is None) == (self.content_base64 is None):
            raise fault("text", "give text, or a file's bytes in content_base64")
        if self.text is not None and self.charset is not None:
            raise fault("charset", "a text has been decoded; charset goes with a file's bytes in content_base64")
        if self.text is not None and self.admit_hidden:
            raise fault("admit_hidden", "nothing of a text is hidden; admit_hidden goes with content_base64")
        return self


class DocumentByName(RequestModel):
    """Read one document as it is, or a revision that it once had."""

    corpus: CorpusName
    external_id: ExternalId
    revision: RevisionName | None = None


class DeleteDocument(RequestModel):
    """Let a document be gone; its revisions stay openable by name."""

    corpus: CorpusName
    external_id: ExternalId


class ListDocuments(PageRequest):
    """Read the documents of a corpus in order of external id."""

    corpus: CorpusName


class ListCorpora(PageRequest):
    """Read the corpora in order of name."""


class DeleteCorpus(RequestModel):
    """Let a corpus and every document in it be gone."""

    corpus: CorpusName


class ReadingNote(AnswerModel):
    """Something a person may want to know of how a content was read."""

    code: str
    detail: str


class RemovedText(AnswerModel):
    """A piece of the content that is kept as evidence and not searched."""

    kind: str
    text: str
    reason: str


class Reading(AnswerModel):
    """How a content became text; one that is `doubtful` is kept and not searched."""

    status: Literal["ready", "doubtful"]
    media_type: str
    charset: str | None = None
    decided_by: str
    warnings: tuple[ReadingNote, ...] = ()
    removed: tuple[RemovedText, ...] = ()
    pages: int | None = None


class PutResult(AnswerModel):
    """What became of a document; `passages` counts those of its present content.

    `repaired`: what it is searched by was not all there, and is again.
    """

    document_id: str
    outcome: Literal["created", "updated", "unchanged"]
    revision: str
    passages: Count
    origin_id: str
    reading: Reading
    repaired: bool = False


class DocumentSummary(AnswerModel):
    """A document as it is now; `revision` None where it is gone."""

    document_id: str
    corpus: str
    external_id: str
    revision: str | None
    title: str | None
    uri: str | None
    metadata: dict[str, Any] | None
    derived_from: str | None
    origin_id: str
    position: int | None
    recorded_at: datetime
    changed_at: datetime


class RevisionEntry(AnswerModel):
    """One content that a document has or had."""

    revision: str
    recorded_at: datetime


class DocumentDetail(DocumentSummary):
    """A document with one of its contents; `state` says whether that is the present one."""

    state: Literal["current", "changed", "gone"]
    text: str
    passages: Count
    reading: Reading
    revisions: tuple[RevisionEntry, ...]


class DocumentPage(AnswerModel):
    """One page of documents."""

    items: tuple[DocumentSummary, ...]
    next_cursor: str | None = None


class CorpusEntry(AnswerModel):
    """A corpus with how many documents are in it."""

    corpus: str
    documents: Count
    recorded_at: datetime


class CorpusPage(AnswerModel):
    """One page of corpora."""

    items: tuple[CorpusEntry, ...]
    next_cursor: str | None = None


class DeleteResult(AnswerModel):
    """How many documents were there and are gone now; over HTTP the answer is 204 without a body."""

    deleted: Count
