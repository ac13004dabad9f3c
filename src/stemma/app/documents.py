"""The use cases of documents and corpora: put, read, delete, list (R-7, R-60, R-61). Events and search stand apart."""

from __future__ import annotations

import json
from typing import Any

from stemma.app import document_content
from stemma.app import models_documents as wire
from stemma.app.cursors import cursor_of, name_after
from stemma.app.document_content import Content, Sent
from stemma.app.document_writes import Description, DocumentWriter, erased_among
from stemma.app.episode_form import check_texts
from stemma.app.runtime import Runtime
from stemma.core import documents as names
from stemma.document_records import Head
from stemma.errors import Erased, InvalidInput, NotFound, PayloadTooLarge
from stemma.store import documents, passages
from stemma.store.connection import Isolation
from stemma.store.transaction import Transaction

_DOCUMENTS, _CORPORA = "documents", "corpora"

_ALL_AT_ONCE = 500


def put_document(runtime: Runtime, tenant: str, request: wire.PutDocument) -> wire.PutResult:
    """Make a document what is sent. Its passages change at once: a reader sees all old ones or all new ones.

    Sending the same again changes nothing; a new title, address, metadata or ancestor applies with the same text too.
    """
    name = request.external_id
    if request.text is not None:
        content = document_content.of_text(
            request.text, media_type=request.media_type, name=name, ruler=runtime.ruler, title=request.title
        )
    else:
        sent = Sent(
            name=name, media_type=request.media_type, charset=request.charset, admit_hidden=request.admit_hidden
        )
        content = document_content.of_bytes(
            request.content_base64 or "", sent, ruler=runtime.ruler, title=request.title
        )
    said = Description(
        title=content.title,
        uri=request.uri,
        metadata=metadata_text(request.metadata, runtime.settings.metadata_bytes),
        derived_from=request.derived_from,
    )
    return put_content(runtime, tenant, (request.corpus, name), content, said)


def put_content(
    runtime: Runtime, tenant: str, named: tuple[str, str], content: Content, said: Description
) -> wire.PutResult:
    """Make a document what was read. Raises Erased where it was erased."""
    at = runtime.now()

    def write(t: Transaction) -> wire.PutResult:
        documents.hold(t)
        if erased_among(t, {named}):
            raise Erased("this document was erased; it is not taken in again", field="external_id")
        writer = DocumentWriter(t, at)
        writer.require_corpus(named[0])
        old = documents.head(t, names.document_id(tenant, *named))
        outcome, head = writer.upsert(old, named, content, said)
        writer.settle()
        present = documents.head(t, head.document_id) or head
        return wire.PutResult(
            document_id=head.document_id,
            outcome=outcome,
            revision=content.revision,
            passages=len(content.passages),
            origin_id=present.origin_id,
            reading=document_content.told(content.reading),
            repaired=writer.repaired,
        )

    return runtime.store.run(tenant, write)


def get_document(runtime: Runtime, tenant: str, request: wire.DocumentByName) -> wire.DocumentDetail:
    """Read a document, or any revision that it ever had, also when it changed or is gone. Raises NotFound."""

    def read(t: Transaction) -> wire.DocumentDetail:
        head = documents.head(t, names.document_id(tenant, request.corpus, request.external_id))
        wanted = request.revision or (head.revision if head else None)
        found = documents.revision(t, head.document_id, wanted) if head and wanted else None
        if head is None or found is None:
            of = f" of revision {request.revision}" if request.revision else ""
            raise NotFound(f"there is no document {request.corpus}/{request.external_id}{of}", field="external_id")
        reading = document_content.reading_of(found.text, found.reading)
        is_present = head.revision == found.revision
        fields = summary_fields(head)
        if not is_present:
            fields |= {"title": found.title, "uri": found.uri, "metadata": _read_metadata(found.metadata)}
        return wire.DocumentDetail.model_validate(
            {
                **fields,
                "revision": found.revision,
                "state": "current" if is_present else "gone" if head.revision is None else "changed",
                "text": found.text,
                "passages": len(passages.of_document(t, head.document_id)) if is_present else 0,
                "reading": document_content.told(reading),
                "revisions": [
                    wire.RevisionEntry(revision=each, recorded_at=at)
                    for each, at in documents.revisions(t, head.document_id)
                ],
            }
        )

    return runtime.store.run(tenant, read, read_only=True, isolation=Isolation.REPEATABLE_READ)


def delete_document(runtime: Runtime, tenant: str, request: wire.DeleteDocument) -> wire.DeleteResult:
    """Let a document be gone; again changes nothing. What it said stays openable by revision."""
    at = runtime.now()
    named = (request.corpus, request.external_id)

    def write(t: Transaction) -> wire.DeleteResult:
        documents.hold(t)
        old = documents.head(t, names.document_id(tenant, *named))
        if old is None or old.revision is None:
            return wire.DeleteResult(deleted=0)
        writer = DocumentWriter(t, at)
        writer.delete(old, named)
        writer.settle()
        return wire.DeleteResult(deleted=1)

    return runtime.store.run(tenant, write)


def list_documents(runtime: Runtime, tenant: str, request: wire.ListDocuments) -> wire.DocumentPage:
    """List the documents of a corpus by external id. Raises NotFound for a corpus that is not there."""
    corpus_id = names.corpus_id(tenant, request.corpus)

    def read(t: Transaction) -> wire.DocumentPage:
        found = documents.corpora(t, [corpus_id]).get(corpus_id)
        if found is None or not found.is_live:
            raise NotFound(f"there is no corpus {request.corpus!r}", field="corpus")
        page = documents.of_corpus(t, corpus_id, after=name_after(request.cursor, _DOCUMENTS), limit=request.limit + 1)
        items = tuple(wire.DocumentSummary(**summary_fields(head)) for head in page[: request.limit])
        following = cursor_of(_DOCUMENTS, items[-1].external_id) if len(page) > request.limit else None
        return wire.DocumentPage(items=items, next_cursor=following)

    return runtime.store.run(tenant, read, read_only=True)


def list_corpora(runtime: Runtime, tenant: str, request: wire.ListCorpora) -> wire.CorpusPage:
    """List the corpora by name."""
    with runtime.store.transaction(tenant, read_only=True) as t:
        rows = documents.live_corpora(t, after=name_after(request.cursor, _CORPORA), limit=request.limit + 1)
    items = tuple(
        wire.CorpusEntry(corpus=row["name"], documents=row["documents"], recorded_at=row["recorded_at"])
        for row in rows[: request.limit]
    )
    following = cursor_of(_CORPORA, items[-1].corpus) if len(rows) > request.limit else None
    return wire.CorpusPage(items=items, next_cursor=following)


def delete_corpus(runtime: Runtime, tenant: str, request: wire.DeleteCorpus) -> wire.DeleteResult:
    """Let a corpus and all that is in it be gone at once; again changes nothing."""
    at = runtime.now()
    corpus_id = names.corpus_id(tenant, request.corpus)

    def write(t: Transaction) -> wire.DeleteResult:
        documents.hold(t)
        found = documents.corpora(t, [corpus_id]).get(corpus_id)
        if found is None or not found.is_live:
            return wire.DeleteResult(deleted=0)
        writer, deleted, after = DocumentWriter(t, at), 0, ""
        while page := documents.of_corpus(t, corpus_id, after=after, limit=_ALL_AT_ONCE):
            for head in page:
                writer.delete(head, (head.corpus, head.external_id))
            deleted, after = deleted + len(page), page[-1].external_id
        writer.close_corpus(found)
        writer.settle()
        return wire.DeleteResult(deleted=deleted)

    return runtime.store.run(tenant, write)


def metadata_text(metadata: dict[str, Any] | None, most: int) -> str | None:
    """Write metadata as JSON text. Raises InvalidInput for what JSON cannot hold, PayloadTooLarge over `most` bytes."""
    if metadata is None:
        return None
    check_texts(metadata, field="metadata")
    try:
        text = json.dumps(metadata, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"metadata is no JSON: {error}", field="metadata") from error
    if len(text.encode()) > most:
        raise PayloadTooLarge(f"metadata has {len(text.encode())} bytes; at most {most} are accepted", field="metadata")
    return text


def summary_fields(head: Head) -> dict[str, Any]:
    """Give the fields of a document as it is answered."""
    return {
        "document_id": head.document_id,
        "corpus": head.corpus,
        "external_id": head.external_id,
        "revision": head.revision,
        "title": head.title,
        "uri": head.uri,
        "metadata": _read_metadata(head.metadata),
        "derived_from": head.derived_from,
        "origin_id": head.origin_id,
        "position": head.position,
        "recorded_at": head.recorded_at,
        "changed_at": head.changed_at,
    }


def _read_metadata(text: str | None) -> Any:
    return None if text is None else json.loads(text)
