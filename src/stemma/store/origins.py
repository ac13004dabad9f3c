"""Signatures, bands and links of documents as stored. What they make of origins is `core/origins`'s."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from stemma.store.transaction import Transaction

_SHARED: Final = 3


def put_signature(t: Transaction, document_id: str, signature: bytes, bands: Sequence[int]) -> None:
    """Write what near copies of a document are found by, where nothing is."""
    t.execute("put_document_signature", {"document_id": document_id, "signature": signature})
    t.execute("put_document_bands", {"document_id": document_id, "bands": list(bands)})


def delete_signature(t: Transaction, document_id: str) -> None:
    """Delete what copies of a document are found by, and the links to those that were found."""
    named = {"document_id": document_id}
    for name in ("delete_document_signature", "delete_document_bands", "delete_copy_links"):
        t.execute(name, named)


def candidates(t: Transaction, revision: str, bands: Sequence[int]) -> list[tuple[str, bytes]]:
    """Return (revision, signature) of other texts that documents have now and that share a third of the bands.

    Bands are the smallest hashes of a text's shingles, so near copies share nearly all of them.
    """
    least = -(-len(bands) // _SHARED)
    rows = t.all("texts_that_may_be_copies", {"revision": revision, "bands": list(bands), "least": least})
    return [(row["revision"], bytes(row["signature"])) for row in rows]


def put_links(t: Transaction, document_id: str, others: Sequence[tuple[str, str]]) -> None:
    """Link a document to others, each with the reason."""
    if others:
        named = {"other_ids": [other for other, _ in others], "reasons": [reason for _, reason in others]}
        t.execute("put_document_links", {"document_id": document_id, **named})


def delete_derived(t: Transaction, document_id: str) -> None:
    """Delete what a document was said to be derived from."""
    t.execute("delete_derived_links", {"document_id": document_id})


def links_of(t: Transaction, document_ids: Iterable[str]) -> list[tuple[str, str, str]]:
    """Return (document id, other id, reason) of every link that one of the documents is an end of."""
    rows = t.all("links_of_documents", {"document_ids": sorted(set(document_ids))})
    return [(row["document_id"], row["other_id"], row["reason"]) for row in rows]


def set_origins(t: Transaction, origins: dict[str, str]) -> list[tuple[str, str]]:
    """Set the origins of documents, and return (corpus, external id) of those where that is another one."""
    if not origins:
        return []
    rows = t.all("set_origins", {"document_ids": list(origins), "origin_ids": list(origins.values())})
    return [(row["corpus"], row["external_id"]) for row in rows]
