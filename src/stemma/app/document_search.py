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
from stemma.core.fuse import Hit, Query, fuse
from stemma.core.lexical import query_terms
from stemma.core.score import similarity
from stemma.core.trace import Fate
from stemma.document_records import Head
from stemma.errors import UnknownCorpus
from stemma.store import documents, passages
from stemma.store.connection import Isolation
from stemma.store.index import DenseQuery
from stemma.store.passages import DenseLeg, Scope
from stemma.store.transaction import Transaction

# As for memories: cutting the legs to 200 costs .006 R@10, and to 50 no more.
LEG_LIMIT: Final = 200


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
    lexical = passages.lexical(t, scope, query_terms(words), limit=LEG_LIMIT)
    dense, cosines = DenseLeg(), {}
    state, usable = _index_state(runtime, t, vector)
    if usable is not None:
        asked = DenseQuery(usable.model_id, usable.vector, runtime.calibration.fusion.sample_size)
        dense = passages.dense(t, scope, asked, limit=LEG_LIMIT)
        cosines = {name: cosine for name, _, cosine in dense.hits}
        cosines |= passages.cosines(t, asked, [name for name, *_ in lexical.hits if name not in cosines])
        complete = dense.outstanding == 0 and state.degraded is None
        state = state.model_copy(update={"complete": complete, "outstanding": dense.outstanding})
    bm25 = {name: score for name, _, score in lexical.hits}
    hits = [Hit(name, bm25.get(name), cosines.get(name)) for name in sorted({*bm25, *cosines})]
    query = Query(lexical.ideal, dense.floor, dense.sampled)
    owners = {name: document for name, document, _ in (*lexical.hits, *dense.hits)}
    found = _found(runtime, hits, query, owners)
    ranked = cite.in_order(found)
    near, fates = cite.admitted(ranked, runtime.calibration.scale.zero) if wanted.for_answer else (ranked, [])
    chosen, dropped = cite.selected(near, wanted.k)
    heads = documents.heads(t, {one.document_id for one in chosen})
    citations, merged = cite.cited(_placed(t, chosen), {name: head.origin_id for name, head in heads.items()})
    return Cited(
        citations=tuple(citations),
        texts=_texts(t, citations, heads),
        heads=heads,
        terms=frozenset(words),
        considered=len(found),
        index_state=state,
        fates=(*fates, *dropped, *merged),
        ranked=tuple(ranked),
    )


def _scope(t: Transaction, wanted: Wanted) -> Scope:
    if wanted.corpora is None:
        corpus_ids = documents.live_corpus_ids(t)
    else:
        by_id = {names.corpus_id(t.tenant, name): name for name in wanted.corpora}
        live = {name for name, corpus in documents.corpora(t, by_id).items() if corpus.is_live}
        if missing := sorted(name for key, name in by_id.items() if key not in live):
            raise UnknownCorpus(f"there is no corpus {', '.join(map(repr, missing))}", field="corpora")
        corpus_ids = sorted(live)
    if not wanted.metadata:
        return Scope(corpus_ids)
    asked = []
    for name, value in sorted(wanted.metadata.items()):
        values = value if isinstance(value, list) else [value]
        asked.append([names.tag_of(name, each) for each in values])
    return Scope(corpus_ids, documents.with_tags(t, corpus_ids, asked))


def _index_state(runtime: Runtime, t: Transaction, asked: embed.QueryVector) -> tuple[IndexState, embed.Usable | None]:
    """Say whether the dense leg may answer; how complete it is in the scope is counted where it looks."""
    if asked.model_id is None:
        return IndexState(complete=True, outstanding=0, embedder=None), None
    mismatch = embed.space_mismatch(runtime, t)
    degraded = mismatch.detail if mismatch else asked.degraded
    state = IndexState(complete=degraded is None, outstanding=0, embedder=asked.model_id, degraded=degraded)
    if asked.vector is None or mismatch is not None:
        return state, None
    return state, embed.Usable(asked.model_id, asked.vector)


def _found(runtime: Runtime, hits: Sequence[Hit], query: Query, owners: Mapping[str, str]) -> list[Found]:
    """Fuse both legs; where a passage stands is read later, of the few that are chosen."""
    return [
        Found(
            id=one.item,
            document_id=owners[one.item],
            score=one.score.value,
            similarity=similarity(one.score, runtime.calibration.scale).value,
            start=0,
            end=0,
        )
        for one in fuse(hits, query, runtime.calibration.fusion)
    ]


def _placed(t: Transaction, chosen: Sequence[Found]) -> list[Found]:
    rows = {row["passage_id"]: row for row in passages.by_id(t, [one.id for one in chosen])}
    return [
        replace(
            one,
            start=rows[one.id]["text_start"],
            end=rows[one.id]["text_end"],
            heading=rows[one.id]["heading"],
            page=rows[one.id]["page"],
            hidden=rows[one.id]["hidden"],
        )
        for one in chosen
    ]


def _texts(t: Transaction, citations: Sequence[Citation], heads: Mapping[str, Head]) -> dict[str, str]:
    listed = [(one.document_id, passage) for one in citations for passage in one.passages]
    places = [(name, heads[name].revision or "", one.start, one.end) for name, one in listed]
    return {one.id: text for (_, one), text in zip(listed, documents.spans(t, places), strict=True)}


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
