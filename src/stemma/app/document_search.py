"""The use case of a search among documents: both legs within the scope, fusion, citations (R-6, R-41, R-62)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from stemma.app import embed
from stemma.app import models_search as wire
from stemma.app.models_recall import IndexState
from stemma.app.runtime import Runtime
from stemma.core import cite
from stemma.core import documents as names
from stemma.core.analyse import terms
from stemma.core.cite import Citation, Found
from stemma.core.fuse import Hit, Query, fused_values
from stemma.core.lexical import query_terms
from stemma.core.trace import Fate
from stemma.document_records import Head
from stemma.errors import UnknownCorpus
from stemma.store import documents, passages
from stemma.store.connection import Isolation
from stemma.store.index import DenseQuery
from stemma.store.passages import Candidates, Scope
from stemma.store.transaction import Row, Transaction

# The study: cutting the legs to 200 costs .006 R@10, to 100 .005; each hit costs both sides its time.
LEG_LIMIT: Final = 100


@dataclass(frozen=True, slots=True)
class Cited:
    """What a search found: citations with the texts of their passages, and what became of every other candidate.

    `ranked` are all candidates, the best first.
    """

    citations: tuple[Citation, ...]
    texts: Mapping[str, str]
    heads: Mapping[str, Head]
    terms: frozenset[str]
    considered: int
    index_state: IndexState
    fates: tuple[Fate, ...]
    ranked: tuple[Found, ...] = ()

    def text_of(self, passage: Found) -> str:
        """Return the words of a cited passage."""
        return self.texts[passage.id]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is looked for, and where; `for_answer` lets nothing in that is not near to the query."""

    query: str
    k: int
    corpora: Sequence[str] | None = None
    metadata: Mapping[str, Any] | None = None
    for_answer: bool = False


def search_documents(runtime: Runtime, tenant: str, request: wire.SearchRequest) -> wire.SearchResult:
    """Find passages that answer a query and cite their documents, one number a document. Raises UnknownCorpus."""
    wanted = Wanted(query=request.query, k=request.k, corpora=request.corpora, metadata=request.metadata)
    found = find(runtime, tenant, wanted)
    return wire.SearchResult(
        citations=written(found),
        independent_origins=cite.independent_origins(found.citations),
        passages_considered=found.considered,
        index_state=found.index_state,
    )


def find(runtime: Runtime, tenant: str, wanted: Wanted) -> Cited:
    """Search under one snapshot, so that no document is seen half changed."""
    vector = embed.query_vector(runtime, wanted.query)

    def read(t: Transaction) -> Cited:
        return _read(runtime, t, wanted, vector)

    return runtime.store.run(tenant, read, read_only=True, isolation=Isolation.REPEATABLE_READ)


def written(found: Cited) -> tuple[wire.Citation, ...]:
    """Write citations as they are answered."""
    return tuple(_written(found, one) for one in found.citations)


def title_of(head: Head) -> str:
    """Return what a document is called: its title, else the name its source gave it."""
    return head.title or head.external_id


def _read(runtime: Runtime, t: Transaction, wanted: Wanted, vector: embed.QueryVector) -> Cited:
    scope = _scope(t, wanted)
    words = terms(wanted.query)
    asked = None
    if vector.model_id is not None and vector.vector is not None:
        asked = DenseQuery(vector.model_id, vector.vector, runtime.calibration.fusion.sample_size)
    both = passages.candidates(t, scope, query_terms(words), asked, limit=LEG_LIMIT)
    state = _index_state(runtime, t, vector, both)
    ranked = _ranked(runtime, both)
    fates: list[Fate] = []
    if wanted.for_answer:
        near, far = cite.admitted(ranked, runtime.calibration.scale.zero)
        chosen, dropped = cite.selected(near, wanted.k)
        fates = [*far, *dropped]
    else:
        # Nobody asks what became of the rest, which is most of the candidates.
        chosen = cite.chosen(ranked, wanted.k)
    rows = passages.cited(t, [one.id for one in chosen])
    heads = {row["document_id"]: documents.head_of(row) for row in rows.values()}
    origins = {name: head.origin_id for name, head in heads.items()}
    citations, merged = cite.cited([_placed(one, rows[one.id]) for one in chosen], origins)
    return Cited(
        citations=tuple(citations),
        texts=_texts(t, citations, rows, heads),
        heads=heads,
        terms=frozenset(words),
        considered=len(ranked),
        index_state=state,
        fates=(*fates, *merged),
        ranked=tuple(ranked),
    )


def _scope(t: Transaction, wanted: Wanted) -> Scope:
    by_id = None if wanted.corpora is None else {names.corpus_id(t.tenant, name): name for name in wanted.corpora}
    corpus_ids = documents.to_search(t, by_id, filtered=bool(wanted.metadata))
    if by_id is not None and len(corpus_ids) < len(by_id):
        missing = sorted(name for key, name in by_id.items() if key not in corpus_ids)
        raise UnknownCorpus(f"there is no corpus {', '.join(map(repr, missing))}", field="corpora")
    asked = []
    for name, value in sorted((wanted.metadata or {}).items()):
        values = value if isinstance(value, list) else [value]
        asked.append([names.tag_of(name, each) for each in values])
    return Scope(corpus_ids, asked)


def _index_state(runtime: Runtime, t: Transaction, asked: embed.QueryVector, both: Candidates) -> IndexState:
    """Say whether the dense leg answered, and how complete it is in the scope.

    One that compared the query with a stored vector is of the store's own model; only another has to be asked for it.
    """
    if asked.model_id is None:
        return IndexState(complete=True, outstanding=0, embedder=None)
    mismatch = embed.space_mismatch(runtime, t) if both.floor is None else None
    degraded = mismatch.detail if mismatch else asked.degraded
    outstanding = 0 if mismatch else both.outstanding
    complete = outstanding == 0 and degraded is None
    return IndexState(complete=complete, outstanding=outstanding, embedder=asked.model_id, degraded=degraded)


def _ranked(runtime: Runtime, both: Candidates) -> list[Found]:
    """Fuse both legs; where a passage stands is read later, of the few that are chosen."""
    place = runtime.calibration.scale.place
    owners = {name: document for name, document, *_ in both.hits}
    hits = [Hit(name, bm25, cosine) for name, _, bm25, cosine in both.hits]
    query = Query(both.ideal, both.floor, both.sampled)
    return [
        Found(name, owners[name], score, place(score), 0, 0)
        for name, score in fused_values(hits, query, runtime.calibration.fusion)
    ]


def _placed(one: Found, row: Row) -> Found:
    return replace(
        one,
        start=row["text_start"],
        end=row["text_end"],
        heading=row["heading"],
        page=row["page"],
        hidden=row["hidden"],
    )


def _texts(
    t: Transaction, citations: Sequence[Citation], rows: Mapping[str, Row], heads: Mapping[str, Head]
) -> dict[str, str]:
    """Give the words of each cited passage; those that overlapped and were merged are read anew."""
    listed = [(one.document_id, passage) for one in citations for passage in one.passages]
    longer = [(name, one) for name, one in listed if one.end != rows[one.id]["text_end"]]
    places = [(name, heads[name].revision or "", one.start, one.end) for name, one in longer]
    texts: dict[str, str] = {one.id: rows[one.id]["text"] for _, one in listed}
    return texts | {one.id: text for (_, one), text in zip(longer, documents.spans(t, places), strict=True)}


def _written(found: Cited, one: Citation) -> wire.Citation:
    head = found.heads[one.document_id]
    return wire.Citation(
        number=one.number,
        document_id=one.document_id,
        corpus=head.corpus,
        external_id=head.external_id,
        revision=head.revision or "",
        title=title_of(head),
        uri=head.uri,
        origin_id=one.origin_id,
        copy_of=one.copy_of,
        score=one.score,
        passages=tuple(
            wire.CitedPassage(
                text=found.text_of(each),
                start=each.start,
                end=each.end,
                heading=each.heading,
                page=each.page,
                score=each.score,
                similarity=each.similarity,
                hidden=each.hidden,
            )
            for each in one.passages
        ),
    )
