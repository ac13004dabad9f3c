"""Writing and reading corpora, the heads of documents and their contents. Passages and links stand apart."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Final

from stemma.document_records import Head
from stemma.store.connection import lock_key
from stemma.store.transaction import Row, Transaction

_LOCK: Final = "\0documents"
_HEAD: Final = tuple(field.name for field in fields(Head))


@dataclass(frozen=True, slots=True)
class StoredCorpus:
    """One corpus; one that was deleted is remembered and not live."""

    corpus_id: str
    name: str
    is_live: bool
    recorded_at: datetime
    changed_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRevision:
    """One content of a document; `reading` is the JSON text of what a reader made of it, without the text."""

    document_id: str
    revision: str
    text: str
    reading: str
    recorded_at: datetime
    title: str | None = None
    uri: str | None = None
    metadata: str | None = None


def hold(t: Transaction) -> None:
    """Keep every other writer of this tenant's documents out until the transaction ends."""
    t.execute("hold_documents", {"key": lock_key(t.tenant, _LOCK)})


def corpora(t: Transaction, corpus_ids: Iterable[str]) -> dict[str, StoredCorpus]:
    """Return corpora by id, deleted ones too."""
    rows = t.all("corpora_by_id", {"corpus_ids": sorted(set(corpus_ids))})
    return {row["corpus_id"]: StoredCorpus(**row) for row in rows}


def put_corpus(t: Transaction, corpus: StoredCorpus) -> None:
    """Write a corpus."""
    named = {"corpus_id": corpus.corpus_id, "name": corpus.name, "is_live": corpus.is_live}
    t.execute("put_corpus", {**named, "recorded_at": corpus.recorded_at, "changed_at": corpus.changed_at})


def live_corpora(t: Transaction, *, after: str, limit: int) -> list[Row]:
    """Return live corpora in order of name, each with how many documents it has."""
    return t.all("live_corpora", {"after": after, "limit": limit})


def to_search(t: Transaction, corpus_ids: Iterable[str] | None, *, filtered: bool) -> list[str]:
    """Return those of some corpora that are live, or every live one; what else the transaction does is to search."""
    named = {"every": corpus_ids is None, "corpus_ids": sorted(set(corpus_ids or ()))}
    planning = "force_generic_plan" if filtered else "force_custom_plan"
    return [row["corpus_id"] for row in t.all("corpora_to_search", {**named, "planning": planning})]


def heads(t: Transaction, document_ids: Iterable[str]) -> dict[str, Head]:
    """Return the heads of documents by id, of those that are gone too; one never heard of is absent."""
    wanted = sorted(set(document_ids))
    if not wanted:
        return {}
    return {row["document_id"]: head_of(row) for row in t.all("documents_by_id", {"document_ids": wanted})}


def head(t: Transaction, document_id: str) -> Head | None:
    """Return one document's head."""
    return heads(t, [document_id]).get(document_id)


def of_corpus(t: Transaction, corpus_id: str, *, after: str, limit: int) -> list[Head]:
    """Return the documents of a corpus that are there, in order of external id."""
    named = {"corpus_id": corpus_id, "after": after, "limit": limit}
    return [head_of(row) for row in t.all("documents_of_corpus", named)]


def page(t: Transaction, *, after: str, limit: int) -> list[Head]:
    """Return heads in order of id, of those that are gone too, after the one named."""
    return [head_of(row) for row in t.all("page_of_documents", {"after": after, "limit": limit})]


def head_of(row: Row) -> Head:
    """Read a head from its row, whatever else stands in it."""
    return Head(**{name: row[name] for name in _HEAD})


def put_head(t: Transaction, corpus_id: str, head: Head) -> None:
    """Write what a document is now; its origin only where it is new, since that is derived."""
    t.execute(
        "put_document",
        {
            "document_id": head.document_id,
            "corpus_id": corpus_id,
            "corpus": head.corpus,
            "external_id": head.external_id,
            "revision": head.revision,
            "title": head.title,
            "uri": head.uri,
            "metadata": head.metadata,
            "derived_from": head.derived_from,
            "position": head.position,
            "origin_id": head.origin_id or head.document_id,
            "recorded_at": head.recorded_at,
            "changed_at": head.changed_at,
            "revised_at": head.revised_at,
        },
    )


def put_revision(t: Transaction, found: StoredRevision) -> None:
    """Write a content; one that is there stays as it was recorded first."""
    t.execute(
        "put_document_revision",
        {
            "document_id": found.document_id,
            "revision": found.revision,
            "text": found.text,
            "reading": found.reading,
            "title": found.title,
            "uri": found.uri,
            "metadata": found.metadata,
            "recorded_at": found.recorded_at,
        },
    )


def revision(t: Transaction, document_id: str, name: str) -> StoredRevision | None:
    """Return one content of a document, present or former."""
    row = t.maybe("document_revision", {"document_id": document_id, "revision": name})
    return None if row is None else StoredRevision(document_id=document_id, **row)


def known_revisions(t: Transaction, named: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
    """Return those (document id, revision) pairs that the store holds."""
    listed = sorted(set(named))
    if not listed:
        return set()
    asked = {"document_ids": [each for each, _ in listed], "revisions": [each for _, each in listed]}
    return {(row["document_id"], row["revision"]) for row in t.all("known_document_revisions", asked)}


def revisions(t: Transaction, document_id: str) -> list[tuple[str, datetime]]:
    """Return (revision, recorded_at) of every content of a document, the earliest first."""
    rows = t.all("names_of_revisions", {"document_id": document_id})
    return [(row["revision"], row["recorded_at"]) for row in rows]


def spans(t: Transaction, places: Sequence[tuple[str, str, int, int]]) -> list[str]:
    """Return the texts at (document id, revision, start, end), in order; raises LookupError where one is not there."""
    if not places:
        return []
    named = {
        "document_ids": [place[0] for place in places],
        "revisions": [place[1] for place in places],
        "starts": [place[2] for place in places],
        "ends": [place[3] for place in places],
    }
    rows = t.all("spans_of_texts", named)
    if len(rows) != len(places):
        raise LookupError(f"{len(places) - len(rows)} of {len(places)} texts are not there")
    return [row["text"] for row in rows]


def put_tags(t: Transaction, corpus_id: str, document_id: str, tags: Iterable[str], *, is_new: bool = False) -> None:
    """Write what a document is filtered by, in place of what it was."""
    if not is_new:
        t.execute("delete_document_tags", {"document_id": document_id})
    if listed := sorted(tags):
        t.execute("put_document_tags", {"corpus_id": corpus_id, "document_id": document_id, "tags": listed})


def tags_of(t: Transaction, document_id: str) -> set[str]:
    """Return what a document is filtered by."""
    return {row["tag"] for row in t.all("tags_of_document", {"document_id": document_id})}


def mark_learned_from(t: Transaction, names: Iterable[tuple[str, str]]) -> None:
    """Say that the subjects that learned from documents, named by (corpus, external id), have something new."""
    if listed := sorted(set(names)):
        named = {"corpora": [corpus for corpus, _ in listed], "external_ids": [name for _, name in listed]}
        t.execute("mark_learned_from", named)


def learned_from(t: Transaction, corpus: str, external_id: str) -> list[tuple[str, str]]:
    """Return (subject, episode id) of every episode that was learned from a document."""
    rows = t.all("episodes_learned_from", {"corpus": corpus, "external_id": external_id})
    return [(row["subject_id"], row["episode_id"]) for row in rows]


def texts(t: Transaction, document_ids: Iterable[str], *, earlier: bool) -> list[tuple[str, str, str, bool]]:
    """Return (document id, revision, text, whether that is the present one), former contents too if `earlier`."""
    rows = t.all("texts_of_documents", {"document_ids": sorted(set(document_ids)), "earlier": earlier})
    return [(row["document_id"], row["revision"], row["text"], bool(row["present"])) for row in rows]


def erase(t: Transaction, document_id: str) -> int:
    """Delete a document with every content it had, and say how many these were. Passages and links are apart."""
    t.execute("delete_document_tags", {"document_id": document_id})
    t.execute("erase_document", {"document_id": document_id})
    return t.execute("erase_document_revisions", {"document_id": document_id})
