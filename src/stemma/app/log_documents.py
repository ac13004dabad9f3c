"""Documents in an exported log: their lines, and joining those of another log with what is here.

In either order, any number of times, the same: the later head of a document stands, every content of both, every event.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from stemma.app import document_content
from stemma.app.document_writes import DocumentWriter, erased_among
from stemma.app.models_transfer import (
    CorpusLine,
    DocumentLine,
    DocumentRevisionLine,
    DocumentsLine,
    EventLine,
    LineError,
)
from stemma.core import documents as names
from stemma.core import log_lines
from stemma.document_records import EventStatus, Head
from stemma.errors import InvalidInput
from stemma.models.ruler import Ruler
from stemma.record_json import encode, plain
from stemma.store import document_events, documents
from stemma.store.documents import StoredCorpus, StoredRevision
from stemma.store.transaction import Transaction
from stemma.text import utc

_LOWEST = -(2**63)


@dataclass(slots=True)
class Joined:
    """What became of the lines of documents."""

    changed: int = 0
    unchanged: int = 0
    refused: int = 0
    errors: list[LineError] = field(default_factory=list)

    def count(self, *, changed: bool) -> None:
        """Count one line that was taken."""
        self.changed += changed
        self.unchanged += not changed


def lines(t: Transaction) -> Iterator[str]:
    """Write every corpus, content, document and event of a tenant, contents before the documents that need them."""
    for row in t.all("export_corpora"):
        yield log_lines.line("corpus", _plain(row))
    for row in t.stream("export_document_revisions", size=50):
        yield log_lines.line("document_revision", {**_plain(row), "reading": json.loads(row["reading"])})
    for row in t.stream("export_documents"):
        yield log_lines.line("document", _plain(row))
    for row in t.stream("export_document_events"):
        said = {name: value for name, value in row.items() if name != "document_id"}
        yield log_lines.line("document_event", {**_plain(said), "is_of_document": row["document_id"] is not None})


def join(t: Transaction, found: Sequence[tuple[int, DocumentsLine]], at: datetime, ruler: Ruler) -> Joined:
    """Join lines with what is here, in one transaction; a line that contradicts itself is named and left out."""
    documents.hold(t)
    joined = Joined()
    writer = DocumentWriter(t, at)
    named = {
        (line.corpus, line.external_id)
        for _, line in found
        if isinstance(line, DocumentLine | DocumentRevisionLine | EventLine)
    }
    erased = erased_among(t, named)
    for number, line in found:
        try:
            match line:
                case CorpusLine():
                    joined.count(changed=_join_corpus(t, line))
                case EventLine():
                    joined.count(changed=_join_event(t, line, is_erased=(line.corpus, line.external_id) in erased))
                case _ if (line.corpus, line.external_id) in erased:
                    joined.refused += 1
                case DocumentRevisionLine():
                    joined.count(changed=_join_revision(t, line))
                case DocumentLine():
                    joined.count(changed=_join_head(t, line, writer, ruler))
        except InvalidInput as error:
            joined.errors.append(LineError(line=number, code=error.code, detail=error.detail))
    writer.settle()
    return joined


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    return {name: plain(value) for name, value in row.items()}


def _join_corpus(t: Transaction, line: CorpusLine) -> bool:
    own = names.corpus_id(t.tenant, line.name)
    came = StoredCorpus(own, line.name, line.is_live, utc(line.recorded_at), utc(line.changed_at))
    old = documents.corpora(t, [own]).get(own)
    stands = came if old is None else max(old, came, key=lambda one: (one.changed_at, one.is_live))
    first = came.recorded_at if old is None else min(old.recorded_at, came.recorded_at)
    stands = replace(stands, recorded_at=first)
    if stands == old:
        return False
    documents.put_corpus(t, stands)
    return True


def _join_revision(t: Transaction, line: DocumentRevisionLine) -> bool:
    reading = document_content.reading_of(line.text, json.dumps(line.reading))
    if names.revision_of(reading.text, reading.media_type) != line.revision:
        raise InvalidInput("the content is not the one that revision names", field="revision")
    own = names.document_id(t.tenant, line.corpus, line.external_id)
    came = StoredRevision(
        document_id=own,
        revision=line.revision,
        text=line.text,
        reading=document_content.stored_reading(reading),
        recorded_at=utc(line.recorded_at),
        title=line.title,
        uri=line.uri,
        metadata=line.metadata,
    )
    old = documents.revision(t, own, line.revision)
    stands = came if old is None else min(old, came, key=_revision_rank)
    stands = replace(stands, reading=old.reading if old else came.reading)
    if stands == old:
        return False
    documents.put_revision(t, stands)
    return True


def _revision_rank(one: StoredRevision) -> tuple[datetime, str]:
    return utc(one.recorded_at), json.dumps([one.title, one.uri, one.metadata])


def _join_head(t: Transaction, line: DocumentLine, writer: DocumentWriter, ruler: Ruler) -> bool:
    own = names.document_id(t.tenant, line.corpus, line.external_id)
    old = documents.head(t, own)
    came = Head(
        document_id=own,
        corpus=line.corpus,
        external_id=line.external_id,
        revision=line.revision,
        title=line.title,
        uri=line.uri,
        metadata=line.metadata,
        derived_from=line.derived_from,
        position=line.position,
        recorded_at=utc(line.recorded_at),
        changed_at=utc(line.changed_at),
        revised_at=utc(line.revised_at),
        origin_id=old.origin_id if old else "",
    )
    stands = came if old is None else max(old, came, key=_rank)
    first = came.recorded_at if old is None else min(old.recorded_at, came.recorded_at)
    stands = replace(stands, recorded_at=first)
    if stands == old:
        return False
    content = None
    if stands.revision is not None:
        found = documents.revision(t, own, stands.revision)
        if found is None:
            raise InvalidInput(
                f"no content has come for revision {stands.revision}: keep the lines of an export in order"
            )
        reading = document_content.reading_of(found.text, found.reading)
        content = document_content.of_reading(reading, ruler, stands.title)
    writer.write(old, stands, content)
    return True


def _rank(head: Head) -> tuple[int, datetime, str]:
    """Order the heads of one document: by position, then time, then bytes; the greatest stands."""
    bare = replace(head, origin_id="", recorded_at=head.changed_at)
    return (_LOWEST if head.position is None else head.position, head.changed_at, encode(bare))


def _join_event(t: Transaction, line: EventLine, *, is_erased: bool) -> bool:
    key = names.event_key(t.tenant, line.event_id)
    is_of_document = line.is_of_document and not is_erased and line.external_id != ""
    came = {
        "event_key": key,
        "event_id": line.event_id,
        "corpus": line.corpus,
        "external_id": "" if is_erased else line.external_id,
        "op": line.op.value,
        "position": line.position,
        "occurred_at": utc(line.occurred_at) if line.occurred_at else None,
        "payload_hash": line.payload_hash,
        "status": line.status.value,
        "document_id": names.document_id(t.tenant, line.corpus, line.external_id) if is_of_document else None,
        "note": line.note,
        "error_code": line.error_code,
        "error_detail": line.error_detail,
        "place": line.place,
        "recorded_at": utc(line.recorded_at),
    }
    old = document_events.stored(t, [key]).get(key)
    if old is not None and min(old, came, key=_event_rank) is old:
        return False
    document_events.replace(t, {**came, "corpus_id": names.corpus_id(t.tenant, line.corpus)})
    return True


def _event_rank(row: dict[str, Any]) -> tuple[bool, datetime, str]:
    """Order two records of one event: what was applied stands, then what was recorded first."""
    return row["status"] != EventStatus.APPLIED, utc(row["recorded_at"]), json.dumps(_plain(row), sort_keys=True)
