"""Vectors: of a query, and of the texts that wait for one. Another model than the store's is refused by name (R-95)."""

from __future__ import annotations

from dataclasses import dataclass

from stemma.app.index_texts import texts_of
from stemma.app.models_recall import IndexState
from stemma.app.runtime import Runtime
from stemma.errors import EmbedderError, EmbeddingSpaceMismatch
from stemma.store import index, passages
from stemma.store.connection import Isolation
from stemma.store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class QueryVector:
    """A query's vector and the model that made it; without a vector `degraded` says why, None where none is wanted."""

    model_id: str | None
    vector: list[float] | None
    degraded: str | None = None


def query_vector(runtime: Runtime, query: str) -> QueryVector:
    """Embed a query; an embedder that fails leaves the lexical leg to answer, and says so.

    A query without a letter or digit says nothing that could be near to anything: it gets no vector.
    """
    if runtime.embedder is None:
        return QueryVector(None, None)
    if not any(map(str.isalnum, query)):
        return QueryVector(runtime.embedder.id, None)
    try:
        return QueryVector(runtime.embedder.id, runtime.embedder.query(query))
    except EmbedderError as error:
        return QueryVector(runtime.embedder.id, None, error.code)


@dataclass(frozen=True, slots=True)
class Usable:
    """A vector that may be compared with the stored ones."""

    model_id: str
    vector: list[float]


def index_state(runtime: Runtime, t: Transaction, asked: QueryVector, subject: str) -> tuple[IndexState, Usable | None]:
    """Say how complete the dense leg is for a subject; give the query's vector where it may be compared."""
    if asked.model_id is None:
        return IndexState(complete=True, outstanding=0, embedder=None), None
    outstanding = index.count_vectors_missing(t, asked.model_id, [subject])
    mismatch = space_mismatch(runtime, t)
    degraded = mismatch.detail if mismatch else asked.degraded
    complete = outstanding == 0 and degraded is None
    state = IndexState(complete=complete, outstanding=outstanding, embedder=asked.model_id, degraded=degraded)
    if asked.vector is None or mismatch is not None:
        return state, None
    return state, Usable(asked.model_id, asked.vector)


def space_mismatch(runtime: Runtime, t: Transaction) -> EmbeddingSpaceMismatch | None:
    """Say by name where the tenant's vectors are another model's than the configured one's."""
    if runtime.embedder is None:
        return None
    stored = index.vector_models(t)
    if not stored or runtime.embedder.id in stored:
        return None
    named = ", ".join(f"{model} ({size} dimensions)" for model, size in stored.items())
    return EmbeddingSpaceMismatch(
        f"embedding_space_mismatch: the stored vectors are of {named}, the configured embedder is "
        f"{runtime.embedder.id} ({runtime.embedder.dimensions} dimensions); vector search is off, the words answer"
    )


def fill(runtime: Runtime, tenant: str, *, limit: int, longest: int | None = None) -> int:
    """Embed up to `limit` waiting texts and say how many; 0 where none waits, without an embedder, or on a mismatch.

    No transaction is open while the model works; a text that goes meanwhile gets no vector. Of texts over `longest`
    characters none is taken: a model needs a second for each page, and somebody may wait.
    """
    embedder = runtime.embedder
    if embedder is None:
        return 0

    def waiting(t: Transaction) -> dict[bytes, str]:
        if space_mismatch(runtime, t) is not None:
            return {}
        # What was said comes before what was read: a document brings hundreds of passages at once.
        missing = index.vectors_missing(t, embedder.id, limit=limit)
        if len(missing) < limit:
            missing += passages.vectors_missing(t, embedder.id, limit=limit - len(missing))
        found = texts_of(t, missing)
        return {name: text for name, text in found.items() if longest is None or len(text) <= longest}

    texts = runtime.store.run(tenant, waiting, read_only=True, isolation=Isolation.REPEATABLE_READ)
    if not texts:
        return 0
    vectors = dict(zip(texts, embedder.passages(list(texts.values())), strict=True))
    runtime.store.run(tenant, lambda t: index.put_vectors(t, embedder.id, vectors))
    return len(texts)


def outstanding(runtime: Runtime, tenant: str) -> int:
    """Count the texts that wait for a vector of the configured embedder."""
    embedder = runtime.embedder
    if embedder is None:
        return 0

    def count(t: Transaction) -> int:
        return index.count_vectors_missing(t, embedder.id) + passages.count_vectors_missing(t, embedder.id)

    return runtime.store.run(tenant, count, read_only=True)
