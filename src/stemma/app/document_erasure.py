"""Taking a document out for good: every content, passage, link and name of it; a tombstone stops a re-sync (R-92)."""

from __future__ import annotations

from functools import partial
from typing import Final

from stemma.app.document_writes import DocumentWriter, erased_among, erased_name
from stemma.app.runtime import Runtime
from stemma.app.tombstones import Mark
from stemma.core import documents as names
from stemma.errors import NotFound
from stemma.store import document_events, documents, erasure, passages, traces
from stemma.store.expunge import Counts
from stemma.store.transaction import Transaction

_PAGE: Final = 500


def take_out(t: Transaction, named: tuple[str, str], by: Mark) -> Counts:
    """Erase a document, named by (corpus, external id), and count what went. Raises NotFound for one never heard of."""
    documents.hold(t)
    document = names.document_id(t.tenant, *named)
    head = documents.head(t, document)
    if head is None:
        if not erased_among(t, {named}):
            raise NotFound(f"there is no document {named[0]}/{named[1]}", field="external_id")
        return {}
    counts = {"documents": 1, "passages": len(passages.of_document(t, document))}
    writer = DocumentWriter(t, by.at)
    counts["document_revisions"] = writer.forget(head)
    document_events.forget_names(t, names.corpus_id(t.tenant, named[0]), named[1])
    counts["tombstones"] = erasure.put_tombstones(t, [by.of_event(*erased_name(*named))])
    writer.settle()
    counts["traces"] = traces.erase_naming(t, [document])
    return counts


def learned_from(t: Transaction, named: tuple[str, str]) -> dict[str, list[str]]:
    """Return the episodes that were learned from a document, by subject."""
    found: dict[str, list[str]] = {}
    for subject, episode in documents.learned_from(t, *named):
        found.setdefault(subject, []).append(episode)
    return found


def settle(runtime: Runtime, tenant: str) -> int:
    """Take out the documents that tombstones of another log cover, and say how many went."""
    total, after = 0, ""
    while True:
        page = runtime.store.run(tenant, partial(documents.page, after=after, limit=_PAGE), read_only=True)
        if not page:
            return total
        total += runtime.store.run(tenant, partial(_settle, named={(each.corpus, each.external_id) for each in page}))
        after = page[-1].document_id


def _settle(t: Transaction, named: set[tuple[str, str]]) -> int:
    documents.hold(t)
    erased = erased_among(t, named)
    if not erased:
        return 0
    heads = documents.heads(t, {names.document_id(t.tenant, *each) for each in erased})
    if not heads:
        return 0
    writer = DocumentWriter(t, max(head.changed_at for head in heads.values()))
    for head in heads.values():
        writer.forget(head)
        document_events.forget_names(t, names.corpus_id(t.tenant, head.corpus), head.external_id)
    writer.settle()
    traces.erase_naming(t, heads)
    return len(heads)
