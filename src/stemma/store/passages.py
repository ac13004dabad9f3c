"""The passages that are searched: swapping those of a document at once, and the two legs among them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stemma.store.index import DenseQuery, MissingVector, sparse_text, vector_text
from stemma.store.transaction import Row, Transaction

KIND = "passage"


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageRow:
    """One passage of a document's present content; `text_hash` is that of what is indexed, `weights` are its terms'."""

    passage_id: str
    document_id: str
    corpus_id: str
    start: int
    end: int
    heading: str
    lead: str
    hidden: bool
    page: int | None
    tokens: int
    text_hash: bytes
    analyser: str
    weights: Mapping[int, float]


@dataclass(frozen=True, slots=True)
class Scope:
    """What a search is confined to before anything is ranked: corpora, and documents that hold certain tags.

    Of each list of `tags`, one for a field of the filter, a document holds at least one.
    """

    corpus_ids: Sequence[str]
    tags: Sequence[Sequence[str]] = ()


@dataclass(frozen=True, slots=True)
class Candidates:
    """What both legs found: (passage, document, BM25, cosine), None where a leg has nothing on it.

    `ideal` is the sum of the query terms' idf in the scope; `floor`, `sampled` and `outstanding` are the dense leg's.
    """

    hits: tuple[tuple[str, str, float | None, float | None], ...] = ()
    ideal: float = 0.0
    floor: float | None = None
    sampled: int = 0
    outstanding: int = 0


@dataclass(frozen=True, slots=True)
class LexicalLeg:
    """BM25 by (passage, document), best first; `ideal` is the sum of the query terms' idf in the scope."""

    hits: tuple[tuple[str, str, float], ...] = ()
    ideal: float = 0.0


@dataclass(frozen=True, slots=True)
class DenseLeg:
    """Cosines by (passage, document), best first; `floor` None where none has a vector, `outstanding` lack one."""

    hits: tuple[tuple[str, str, float], ...] = ()
    floor: float | None = None
    sampled: int = 0
    outstanding: int = 0


def add(t: Transaction, rows: Sequence[PassageRow]) -> None:
    """Write the passages of a document that has none."""
    t.many("put_passage", [bound(row) for row in rows])


def swap(t: Transaction, document_id: str, rows: Sequence[PassageRow]) -> None:
    """Put passages in place of those that a document had; whoever reads sees all of the old or all of the new.

    One that says the same stays as it is. Vectors of texts that nothing holds any more go.
    """
    kept = [row.passage_id for row in rows]
    before = {bytes(row["text_hash"]) for row in t.all("passages_of_document", {"document_id": document_id})}
    t.execute("delete_other_passages", {"document_id": document_id, "passage_ids": kept})
    t.many("put_passage", [bound(row) for row in rows])
    if gone := sorted(before - {row.text_hash for row in rows}):
        t.execute("delete_vectors_without_text", {"text_hashes": gone})


def of_document(t: Transaction, document_id: str) -> list[Row]:
    """Return the stored passages of a document in reading order."""
    return t.all("passages_of_document", {"document_id": document_id})


def by_id(t: Transaction, passage_ids: Sequence[str]) -> list[Row]:
    """Return passages by id; one that has gone is absent."""
    return t.all("passages_by_id", {"passage_ids": list(passage_ids)})


def candidates(
    t: Transaction, scope: Scope, terms: Sequence[int], query: DenseQuery | None, *, limit: int
) -> Candidates:
    """Find the passages that share a term with the query and those nearest to its vector, at most `limit` each.

    Under a filter both legs read the passages once, in one statement: R-103 is about these.
    """
    if scope.tags and query is not None:
        return _among(t, scope, terms, query, limit=limit)
    words = lexical(t, scope, terms, limit=limit)
    if query is None:
        return Candidates(tuple((name, document, bm25, None) for name, document, bm25 in words.hits), words.ideal)
    near = dense(t, scope, query, limit=limit)
    known = {name: cosine for name, _, cosine in near.hits}
    known |= cosines(t, query, [name for name, *_ in words.hits if name not in known])
    found: list[tuple[str, str, float | None, float | None]] = [
        (name, document, bm25, known.get(name)) for name, document, bm25 in words.hits
    ]
    worded = {name for name, *_ in words.hits}
    found += [(name, document, None, cosine) for name, document, cosine in near.hits if name not in worded]
    return Candidates(tuple(found), words.ideal, near.floor, near.sampled, near.outstanding)


def _among(t: Transaction, scope: Scope, terms: Sequence[int], query: DenseQuery, *, limit: int) -> Candidates:
    listed = sorted(set(terms))
    named = {
        **_bound_scope(scope),
        "query": listed,
        "asked": sparse_text(dict.fromkeys(listed, 1.0)),
        "model_id": query.model_id,
        "vector": vector_text(query.vector),
        "sample_size": query.sample_size,
        "limit": limit,
    }
    rows = t.all("passage_candidates_among", named)
    hits = tuple(
        (row["passage_id"], row["document_id"], row["bm25"], row["cosine"]) for row in rows if row["passage_id"]
    )
    told = rows[0]
    return Candidates(hits, told["ideal"] or 0.0, told["floor"], told["sampled"], told["outstanding"])


def lexical(t: Transaction, scope: Scope, query: Sequence[int], *, limit: int) -> LexicalLeg:
    """Find the passages that share a term with the query, by BM25 of the scope's own statistics."""
    if not query:
        return LexicalLeg()
    terms = sorted(set(query))
    asked = sparse_text(dict.fromkeys(terms, 1.0))
    named = {**_bound_scope(scope), "query": terms, "asked": asked, "limit": limit}
    rows = t.all("passage_candidates_lexical", named)
    hits = tuple((row["passage_id"], row["document_id"], row["bm25"]) for row in rows)
    return LexicalLeg(hits, rows[0]["ideal"]) if rows else LexicalLeg()


def dense(t: Transaction, scope: Scope, query: DenseQuery, *, limit: int) -> DenseLeg:
    """Find the passages of whole corpora nearest to a vector, exactly; only those with one of the same model."""
    asked = {"model_id": query.model_id, "vector": vector_text(query.vector), "sample_size": query.sample_size}
    rows = t.all("passage_candidates_dense", {"corpus_ids": list(scope.corpus_ids), **asked, "limit": limit})
    found = tuple((row["passage_id"], row["document_id"], row["cosine"]) for row in rows if row["passage_id"])
    return DenseLeg(found, rows[0]["floor"], rows[0]["sampled"], rows[0]["outstanding"])


def cosines(t: Transaction, query: DenseQuery, passage_ids: Sequence[str]) -> dict[str, float]:
    """Give the cosine of some passages; one without a vector is absent."""
    if not passage_ids:
        return {}
    asked = {"model_id": query.model_id, "vector": vector_text(query.vector), "passage_ids": list(passage_ids)}
    return {row["passage_id"]: row["cosine"] for row in t.all("cosines_of_passages", asked)}


def cited(t: Transaction, passage_ids: Sequence[str]) -> dict[str, Row]:
    """Return passages by id with their place, their words, and what their documents are now (`documents.head_of`)."""
    if not passage_ids:
        return {}
    return {row["passage_id"]: row for row in t.all("passages_cited", {"passage_ids": list(passage_ids)})}


def differing(t: Transaction, rows: Sequence[PassageRow]) -> list[str]:
    """Return the ids of stored passages that are not what they should be."""
    named = {
        "passage_ids": [row.passage_id for row in rows],
        "corpus_ids": [row.corpus_id for row in rows],
        "starts": [row.start for row in rows],
        "ends": [row.end for row in rows],
        "headings": [row.heading for row in rows],
        "leads": [row.lead for row in rows],
        "text_hashes": [row.text_hash for row in rows],
        "analysers": [row.analyser for row in rows],
        "weights": [sparse_text(row.weights) for row in rows],
    }
    return [row["passage_id"] for row in t.all("passages_that_differ", named)]


def orphans(t: Transaction, limit: int) -> list[str]:
    """Return the ids of passages whose document is not there."""
    return [row["passage_id"] for row in t.all("passage_orphans", {"limit": limit})]


def delete_orphans(t: Transaction) -> int:
    """Delete passages whose document is not there, and say how many."""
    return t.execute("delete_passage_orphans")


def vectors_missing(t: Transaction, model_id: str, *, limit: int) -> list[MissingVector]:
    """Name passages whose text has no vector of a model."""
    rows = t.all("passage_vectors_missing", {"model_id": model_id, "limit": limit})
    return [MissingVector(bytes(row["text_hash"]), KIND, row["document_id"], row["passage_id"]) for row in rows]


def count_vectors_missing(t: Transaction, model_id: str) -> int:
    """Count the texts of passages without a vector of a model."""
    outstanding: int = t.one("count_passage_vectors_missing", {"model_id": model_id})["outstanding"]
    return outstanding


def bound(row: PassageRow) -> dict[str, object]:
    """Give the parameters that a row is written with."""
    return {
        "passage_id": row.passage_id,
        "document_id": row.document_id,
        "corpus_id": row.corpus_id,
        "text_start": row.start,
        "text_end": row.end,
        "heading": row.heading,
        "lead": row.lead,
        "hidden": row.hidden,
        "page": row.page,
        "tokens": row.tokens,
        "text_hash": row.text_hash,
        "analyser": row.analyser,
        "weights": sparse_text(row.weights),
    }


def _bound_scope(scope: Scope) -> dict[str, object]:
    pairs = [(place, tag) for place, tags in enumerate(scope.tags) for tag in tags]
    return {
        "corpus_ids": list(scope.corpus_ids),
        "filtered": bool(scope.tags),
        "fields": [place for place, _ in pairs],
        "tags": [tag for _, tag in pairs],
        "wanted": len(scope.tags),
    }
