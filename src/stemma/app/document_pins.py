"""Which revision an arriving episode was learned from: the one it names, else its document's present one (R-38)."""

from __future__ import annotations

from collections.abc import Sequence

from stemma.app.models_base import ItemError
from stemma.core.documents import document_id
from stemma.records import DocumentPin
from stemma.store import documents
from stemma.store.transaction import Transaction


class Pins:
    """The documents that a batch of episodes names, as they are when the batch is taken in."""

    def __init__(self, t: Transaction, named: Sequence[DocumentPin]) -> None:
        """Read the documents and the revisions that are named."""
        self._tenant = t.tenant
        self._heads = documents.heads(t, {self._id(pin) for pin in named})
        self._known = documents.known_revisions(t, {(self._id(pin), pin.revision) for pin in named if pin.revision})

    def resolved(self, pin: DocumentPin | None) -> DocumentPin | ItemError | None:
        """Give a pin with its revision, or why there is no such document. A named revision may be a former one."""
        if pin is None:
            return None
        own = self._id(pin)
        head = self._heads.get(own)
        name = f"{pin.corpus}/{pin.external_id}"
        if pin.revision:
            if (own, pin.revision) in self._known:
                return pin
            return _unknown(f"document: there is no revision {pin.revision} of a document {name}")
        if head is None or head.revision is None:
            return _unknown(f"document: there is no document {name}")
        return DocumentPin(pin.corpus, pin.external_id, head.revision)

    def is_present(self, pin: DocumentPin) -> bool:
        """Say whether a document's present revision is the pinned one."""
        head = self._heads.get(self._id(pin))
        return head is not None and head.revision == pin.revision

    def _id(self, pin: DocumentPin) -> str:
        return document_id(self._tenant, pin.corpus, pin.external_id)


def _unknown(detail: str) -> ItemError:
    return ItemError(code="unknown_document", detail=detail)
