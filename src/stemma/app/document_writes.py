"""Writing documents inside one transaction: heads, contents, passages, origins, and the news for what was learned.

What becomes of an arrival is decided before; this writes it, in the same way for a PUT, an event and an import.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Final, Literal

from stemma.app import document_content, tombstones
from stemma.app.document_content import Content
from stemma.core import copies
from stemma.core import documents as names
from stemma.core import origins as core_origins
from stemma.core.origins import DERIVED, IDENTICAL, NEAR, Link, text_node
from stemma.document_records import Head
from stemma.store import documents, episodes, origins, passages
from stemma.store.documents import StoredCorpus, StoredRevision
from stemma.store.transaction import Transaction

Outcome = Literal["created", "updated", "unchanged"]
_INSTANT: Final = timedelta(microseconds=1)
# No subject can have this name, so the digest of an erased document meets that of no episode.
_DOCUMENT_SUBJECT: Final = "\0document:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """What a document is called and said to be; `metadata` is JSON text."""

    title: str | None = None
    uri: str | None = None
    metadata: str | None = None
    derived_from: str | None = None


@dataclass(slots=True)
class DocumentWriter:
    """Writes documents of one tenant at one time; `settle` once at the end brings origins and news up to date.

    The caller holds the documents. `repaired` says whether passages were put back that had been lost.
    """

    t: Transaction
    at: datetime
    repaired: bool = False
    _touched: set[str] = field(default_factory=set)
    _revised: set[tuple[str, str]] = field(default_factory=set)

    def require_corpus(self, corpus: str) -> str:
        """Make a corpus where there is none, or none any more, and return its id."""
        name = names.corpus_id(self.t.tenant, corpus)
        found = documents.corpora(self.t, [name]).get(name)
        if found is None:
            episodes.put_tenant(self.t, self.at)
            documents.put_corpus(self.t, StoredCorpus(name, corpus, True, self.at, self.at))
        elif not found.is_live:
            changed_at = max(self.at, found.changed_at + _INSTANT)
            documents.put_corpus(self.t, replace(found, is_live=True, changed_at=changed_at))
        return name

    def close_corpus(self, corpus: StoredCorpus) -> None:
        """Let a corpus be gone; its documents are deleted before."""
        changed_at = max(self.at, corpus.changed_at + _INSTANT)
        documents.put_corpus(self.t, replace(corpus, is_live=False, changed_at=changed_at))

    def upsert(
        self,
        old: Head | None,
        named: tuple[str, str],
        content: Content,
        said: Description,
        position: int | None = None,
    ) -> tuple[Outcome, Head]:
        """Let a document be what is sent, and say what that changed; the corpus of `named` is there."""
        head = self._head(old, named, content.revision, said, position)
        if old is not None and _is_same(old, head):
            self.repaired = self._mend(old, content)
            return "unchanged", old
        outcome: Outcome = "created" if old is None or old.revision is None else "updated"
        if outcome == "updated" and old is not None and _is_same(replace(old, position=head.position), head):
            # Only its place in the order of its events moved.
            outcome = "unchanged"
        self.write(old, head, content)
        return outcome, head

    def delete(self, old: Head | None, named: tuple[str, str], position: int | None = None) -> Head:
        """Let a document be gone: its name, its ancestor and its position are all that stays, with its contents."""
        derived_from = old.derived_from if old else None
        head = self._head(old, named, None, Description(derived_from=derived_from), position)
        self.write(old, head, None)
        return head

    def write(self, old: Head | None, head: Head, content: Content | None) -> None:
        """Write a head over the one before, with its content where that is not there yet or shows otherwise."""
        corpus_id = names.corpus_id(self.t.tenant, head.corpus)
        documents.put_head(self.t, corpus_id, head)
        revised = old is None or old.revision != head.revision
        if content is not None and head.revision is not None:
            documents.put_revision(self.t, stored_revision(head, content, head.changed_at))
        if revised or old is None or (old.title, old.metadata) != (head.title, head.metadata):
            # What is new has nothing that would have to go first.
            self._put_passages(head, content, is_new=old is None)
            self._put_tags(head, is_new=old is None)
        self._link(old, head, content, revised=revised)
        if revised:
            self._revised.add((head.corpus, head.external_id))

    def put_index(self, head: Head, content: Content | None) -> None:
        """Write what a document is searched and filtered by anew; `settle` gives it its origin."""
        self._put_passages(head, content)
        self._put_tags(head)
        self._touch(head.document_id)

    def _put_passages(self, head: Head, content: Content | None, *, is_new: bool = False) -> None:
        corpus_id = names.corpus_id(self.t.tenant, head.corpus)
        rows = document_content.rows_of(self.t.tenant, corpus_id, head.document_id, content)
        if is_new:
            passages.add(self.t, rows)
        else:
            passages.swap(self.t, head.document_id, rows)

    def _put_tags(self, head: Head, *, is_new: bool = False) -> None:
        corpus_id = names.corpus_id(self.t.tenant, head.corpus)
        tags = names.tags_of(json.loads(head.metadata)) if head.metadata and head.revision else set()
        documents.put_tags(self.t, corpus_id, head.document_id, tags, is_new=is_new)

    def forget(self, head: Head) -> int:
        """Take a document out with every content, for good, and say how many contents went."""
        self._touch(head.document_id)
        passages.swap(self.t, head.document_id, [])
        origins.delete_signature(self.t, head.document_id)
        origins.delete_derived(self.t, head.document_id)
        self._revised.add((head.corpus, head.external_id))
        return documents.erase(self.t, head.document_id)

    def settle(self) -> None:
        """Give every document that was touched, and all that it is or was linked to, the origin that it has now."""
        links = self._links_around(self._touched)
        group = core_origins.reached(self._touched, links)
        found = core_origins.origins(documents.heads(self.t, group), links)
        moved = origins.set_origins(self.t, found)
        documents.mark_learned_from(self.t, {*self._revised, *moved})
        self._touched.clear()
        self._revised.clear()

    def _mend(self, head: Head, content: Content) -> bool:
        """Put passages back that are not there although nothing changed: an index is derived and can be lost (F13).

        What was cut for another embedder stays as it is until its text changes.
        """
        wanted = set(names.passage_ids(self.t.tenant, head.document_id, content.passages))
        held = passages.of_document(self.t, head.document_id)
        if wanted == {row["passage_id"] for row in held}:
            return False
        if held and document_content.cut_of(held[0]) != content.cut:
            return False
        self._put_passages(head, content)
        return True

    def _head(
        self, old: Head | None, named: tuple[str, str], revision: str | None, said: Description, position: int | None
    ) -> Head:
        corpus, external_id = named
        # A clock that was set back must not make the newer head the older one.
        changed_at = self.at if old is None else max(self.at, old.changed_at + _INSTANT)
        stays = old is not None and old.revision == revision
        return Head(
            document_id=names.document_id(self.t.tenant, corpus, external_id),
            corpus=corpus,
            external_id=external_id,
            revision=revision,
            recorded_at=old.recorded_at if old else self.at,
            changed_at=changed_at,
            revised_at=old.revised_at if old is not None and stays else changed_at,
            title=said.title,
            uri=said.uri,
            metadata=said.metadata,
            derived_from=said.derived_from,
            position=position if position is not None else (old.position if old else None),
            origin_id=old.origin_id if old else "",
        )

    def _link(self, old: Head | None, head: Head, content: Content | None, *, revised: bool) -> None:
        re_derived = (old.derived_from if old else None) != head.derived_from
        if not revised and not re_derived:
            return
        if old is None:
            self._touched.add(head.document_id)
        else:
            # What it was linked to may have to part from it.
            self._touch(head.document_id)
        if re_derived:
            if old is not None:
                origins.delete_derived(self.t, head.document_id)
            if head.derived_from is not None:
                ancestors = names.ancestors_of(self.t.tenant, head.corpus, head.derived_from)
                others = [(each, DERIVED) for each in ancestors if each != head.document_id]
                origins.put_links(self.t, head.document_id, others)
        if revised:
            if old is not None:
                origins.delete_signature(self.t, head.document_id)
            if content is not None:
                self._link_copies(head.document_id, content)

    def _link_copies(self, document_id: str, content: Content) -> None:
        origins.put_signature(self.t, document_id, content.signature, content.bands)
        near = [
            revision
            for revision, signature in origins.candidates(self.t, content.revision, content.bands)
            if copies.likeness(content.signature, signature) >= copies.NEAR_COPY
        ]
        links = [(text_node(content.revision), IDENTICAL), *((text_node(each), NEAR) for each in near)]
        origins.put_links(self.t, document_id, links)

    def _touch(self, document_id: str) -> None:
        self._touched.add(document_id)
        for link in self._links_around({document_id}):
            self._touched |= {link.document_id, link.other_id}

    def _links_around(self, start: set[str]) -> list[Link]:
        """Read every link that can be reached from some documents."""
        seen: set[str] = set()
        found: dict[tuple[str, str, str], Link] = {}
        waiting = set(start)
        while waiting:
            seen |= waiting
            for link in origins.links_of(self.t, waiting):
                found[link] = Link(*link)
            ends = {end for link in found.values() for end in (link.document_id, link.other_id)}
            waiting = ends - seen
        return list(found.values())


def stored_revision(head: Head, content: Content, at: datetime) -> StoredRevision:
    """Give the row of a content as it is called now."""
    return StoredRevision(
        document_id=head.document_id,
        revision=content.revision,
        text=content.text,
        reading=document_content.stored_reading(content.reading),
        recorded_at=at,
        title=head.title,
        uri=head.uri,
        metadata=head.metadata,
    )


def erased_name(corpus: str, external_id: str) -> tuple[str, str]:
    """Name a document as the tombstones of erased ones know it."""
    return _DOCUMENT_SUBJECT + corpus, external_id


def erased_among(t: Transaction, named: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """Return those of some documents, named by (corpus, external id), that were erased."""
    found = tombstones.load(t, (), {erased_name(*each) for each in named})
    return {each for each in named if found.of_event(erased_name(*each)) is not None}


def _is_same(old: Head, new: Head) -> bool:
    return replace(old, changed_at=new.changed_at, revised_at=new.revised_at) == new
