"""The part of the check that looks at documents: contents, passages, tags and origins, made anew and compared."""

from __future__ import annotations

import json
from datetime import datetime
from functools import partial
from typing import Final

from stemma.app import document_content
from stemma.app.document_writes import DocumentWriter
from stemma.app.runtime import Runtime
from stemma.app.verify_faults import Found
from stemma.core import documents as names
from stemma.core import origins as core_origins
from stemma.core.origins import Link
from stemma.document_records import Head
from stemma.models.ruler import Ruler, general_ruler
from stemma.store import documents, origins, passages
from stemma.store.connection import Isolation
from stemma.store.transaction import Row, Transaction

_PAGE: Final = 100
_MOST_ORPHANS: Final = 1_000
# What is made from the documents and can be made again.
DERIVED: Final = frozenset(
    {
        "document_tags_differ",
        "origin_differs",
        "passage_cut_differs",
        "passage_differs",
        "passage_missing",
        "passage_not_derived",
        "passage_orphan",
    }
)


def check(runtime: Runtime, tenant: str) -> Found:
    """Look at every document of a tenant, and name what is not as its content says; nothing is written."""
    found = Found()
    after = ""
    while True:
        look = partial(_look, after=after, found=found, ruler=runtime.ruler)
        # Each page under one snapshot, so that a document is seen before a change or after it.
        last = runtime.store.run(tenant, look, read_only=True, isolation=Isolation.REPEATABLE_READ)
        if last is None:
            return found
        after = last


def mend(runtime: Runtime, tenant: str) -> None:
    """Make passages, tags and origins of every document anew from its content; what is right stays as it is."""
    at, after = runtime.now(), ""
    while True:
        last = runtime.store.run(tenant, partial(_mend, after=after, at=at, ruler=runtime.ruler))
        if last is None:
            return
        after = last


def _mend(t: Transaction, *, after: str, at: datetime, ruler: Ruler) -> str | None:
    documents.hold(t)
    page = documents.page(t, after=after, limit=_PAGE)
    writer = DocumentWriter(t, at)
    for head in page:
        stored = documents.revision(t, head.document_id, head.revision) if head.revision else None
        if stored is None:
            # Gone, or a fault of the log: nothing is to be found of it.
            writer.put_index(head, None)
            continue
        reading = document_content.reading_of(stored.text, stored.reading)
        if names.revision_of(reading.text, reading.media_type) == head.revision:
            cut_by = _ruler_of(passages.of_document(t, head.document_id), ruler) or ruler
            writer.put_index(head, document_content.of_reading(reading, cut_by, head.title))
    writer.settle()
    if not page:
        passages.delete_orphans(t)
        return None
    return page[-1].document_id


def _ruler_of(held: list[Row], ruler: Ruler) -> Ruler | None:
    """Give the ruler that stored passages were cut by, where it is at hand: the embedder's own or the general one."""
    if not held:
        return ruler
    stored = document_content.cut_of(held[0])
    return next((one for one in (ruler, general_ruler()) if document_content.cut_name(one) == stored), None)


def _look(t: Transaction, *, after: str, found: Found, ruler: Ruler) -> str | None:
    page = documents.page(t, after=after, limit=_PAGE)
    for head in page:
        _passages(t, head, found, ruler)
        wanted = names.tags_of(json.loads(head.metadata)) if head.metadata and head.revision else set()
        if documents.tags_of(t, head.document_id) != wanted:
            found.add("document_tags_differ", _name(head), "what this document is filtered by is not its metadata")
    _origins(t, page, found)
    if page:
        return page[-1].document_id
    for orphan in passages.orphans(t, _MOST_ORPHANS):
        found.add("passage_orphan", orphan, "this passage belongs to no document that is there")
    return None


def _passages(t: Transaction, head: Head, found: Found, ruler: Ruler) -> None:
    if head.revision is None:
        return
    stored = documents.revision(t, head.document_id, head.revision)
    if stored is None:
        found.add("document_revision_missing", _name(head))
        return
    reading = document_content.reading_of(stored.text, stored.reading)
    if names.revision_of(reading.text, reading.media_type) != head.revision:
        found.add("document_revision_altered", _name(head))
        return
    stored_rows = passages.of_document(t, head.document_id)
    cut_by = _ruler_of(stored_rows, ruler)
    if cut_by is None:
        found.add("passage_cut_differs", _name(head), "its passages were cut for an embedder other than this one")
        return
    content = document_content.of_reading(reading, cut_by, head.title)
    corpus_id = names.corpus_id(t.tenant, head.corpus)
    rows = document_content.rows_of(t.tenant, corpus_id, head.document_id, content)
    wanted = {row.passage_id for row in rows}
    held = {row["passage_id"] for row in stored_rows}
    for name in sorted(wanted - held):
        found.add("passage_missing", name, f"a passage of {_name(head)} is not there to be found; put it again")
    for name in sorted(held - wanted):
        found.add("passage_not_derived", name, f"a passage of {_name(head)} is none of its present content")
    for name in sorted(passages.differing(t, rows)):
        found.add("passage_differs", name, f"a passage of {_name(head)} is not found by what it says")


def _origins(t: Transaction, page: list[Head], found: Found) -> None:
    seen: set[str] = set()
    links: dict[tuple[str, str, str], Link] = {}
    waiting = {head.document_id for head in page}
    while waiting:
        seen |= waiting
        links |= {link: Link(*link) for link in origins.links_of(t, waiting)}
        waiting = {end for link in links.values() for end in (link.document_id, link.other_id)} - seen
    wanted = core_origins.origins(documents.heads(t, seen), links.values())
    for head in page:
        if head.origin_id != wanted[head.document_id]:
            found.add("origin_differs", _name(head), "its origin is not that of the documents it is linked to")


def _name(head: Head) -> str:
    return f"{head.corpus}/{head.external_id}"
