"""A hundred thousand passages in one corpus: ingest, search of the whole and of 1 %, exactness and memory (R-103).

`python -m bench.passages_load --data DIR --cache DIR [--passages N --real N]`. Documents come in through the product's
own events; the vectors of 2,000 passages are the embedder's, the others are drawn about them by a seed.
"""

import argparse
import json
import os
import random
import resource
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np

from bench import storage_study, synthetic_passages
from bench.proof import Figure
from bench.public_documents import Collection, cranfield, scifact_documents
from bench.spine_load import Server, Spent, fresh, measured, reads
from bench.vector_cache import Matrix, Remembering, VectorCache
from stemma import Stemma
from stemma.core import documents as names
from stemma.core.analyse import terms
from stemma.core.lexical import query_terms
from stemma.models.embedding import DEFAULT_EMBEDDER, open_embedder
from stemma.store import index, passages
from stemma.store.index import DenseQuery
from stemma.store.passages import Scope

CORPUS: Final = "library"
PASSAGES, REAL, QUERIES, SEED = 100_000, 2_000, 200, 17
_EVENTS_AT_ONCE: Final = 50
_VECTORS_AT_ONCE: Final = 1_000
K: Final = 10
LEG_LIMIT: Final = 100


@dataclass(frozen=True, slots=True)
class Asked:
    """A query with its vector and the shelf that a filtered search keeps to."""

    text: str
    vector: Sequence[float]
    shelf: int


class Planted(Remembering):
    """The cached embedder that knows the vectors of synthetic questions."""

    def __init__(self, cache: VectorCache) -> None:
        super().__init__(cache)
        self.planted: dict[str, Sequence[float]] = {}

    def query(self, text: str) -> list[float]:
        """Give a question's vector."""
        return list(self.planted[text]) if text in self.planted else super().query(text)


@dataclass(slots=True)
class Load:
    """A filled store with what was put into it: a row of `vectors` for each of `passage_ids`."""

    memory: Stemma
    server: Server
    embedder: Planted
    shelf_of: dict[str, int]
    questions: list[str]
    drawn: list[synthetic_passages.Drawn]
    passage_ids: list[str]
    document_ids: list[str]
    vectors: Matrix

    def search(self, asked: Asked, *, filtered: bool) -> None:
        """Search as a user would."""
        if filtered:
            self.memory.search_documents(asked.text, corpora=[CORPUS], k=K, metadata={"shelf": asked.shelf})
        else:
            self.memory.search_documents(asked.text, corpora=[CORPUS], k=K)


def run(
    folder: Path, cache: Path, *, total: int = PASSAGES, real: int = REAL, queries: int = QUERIES
) -> dict[str, Any]:
    """Fill a store and measure it."""
    opened = open_embedder(DEFAULT_EMBEDDER)
    assert opened is not None
    embedder = Planted(VectorCache(opened, cache))
    with fresh(DEFAULT_EMBEDDER) as (memory, server):
        memory.runtime.embedder = embedder
        load, found = _fill(memory, server, embedder, folder, total=total, real=real)
        asked = _asked(load, queries)
        embedder.planted = {one.text: one.vector for one in asked}
        _build_study(load)
        for filtered in (False, True):
            scope = "1 % by metadata" if filtered else "whole corpus"
            found[f"search, {scope}"] = _timed(load, asked, partial(load.search, filtered=filtered))
            found[f"recall@10 of the dense leg, {scope}"] = _recall(load, asked, filtered=filtered)
            found |= _beside_the_study(load, asked, scope, found, filtered=filtered)
        found["client peak memory MB"] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1)
        found["server memory MB (PSS)"] = server.resident_mb()
        found["load average at the end"] = round(os.getloadavg()[0], 1)
        return found


def _fill(
    memory: Stemma, server: Server, embedder: Planted, folder: Path, *, total: int, real: int
) -> tuple[Load, dict[str, Any]]:
    """Bring in the real documents with the embedder's vectors, then the synthetic ones with drawn vectors."""
    shelf_of: dict[str, int] = {}
    questions: list[str] = []
    put = 0
    for collection in (scifact_documents(folder), cranfield(folder)):
        put += _put_real(memory, collection, shelf_of, real - put)
        questions += [one.text for one in collection.questions]
    while memory.make_vectors(limit=_VECTORS_AT_ONCE):
        pass
    made = _stored_vectors(memory, embedder.id)
    drawn = list(synthetic_passages.drawn(total - put, SEED))
    events = [one.event(CORPUS) for one in drawn]
    with measured(server) as ingest:
        for start in range(0, len(events), _EVENTS_AT_ONCE):
            found = memory.add_events(events[start : start + _EVENTS_AT_ONCE])
            assert all(one.status == "applied" for one in found.results), found.results[0]
    shelf_of |= {names.document_id(memory.tenant, CORPUS, one.name): one.shelf for one in drawn}
    with measured(server) as vectors:
        made |= _put_vectors(memory, embedder.id, np.stack(list(made.values())))
    with memory.runtime.store.transaction(memory.tenant) as t:
        # What the server does by itself within a minute.
        t.connection.execute("ANALYZE")
        rows = t.connection.execute("SELECT passage_id, document_id, text_hash FROM passages").fetchall()
    count = len(rows) - put
    load = Load(
        memory=memory,
        server=server,
        embedder=embedder,
        shelf_of=shelf_of,
        questions=questions,
        drawn=drawn,
        passage_ids=[row["passage_id"] for row in rows],
        document_ids=[row["document_id"] for row in rows],
        vectors=np.stack([made[bytes(row["text_hash"])] for row in rows]),
    )
    return load, {
        "passages": len(rows),
        "documents": len(shelf_of),
        "passages with the embedder's own vector": put,
        "ingest passages/s": round(count / ingest.wall, 1),
        "ingest CPU ms a passage": _each(ingest, count),
        "vectors written/s": round(count / vectors.wall, 1),
    }


def _put_real(memory: Stemma, collection: Collection, shelf_of: dict[str, int], most: int) -> int:
    put = 0
    for number, one in enumerate(collection.documents):
        if put >= most:
            break
        name, shelf = f"{collection.name} {one.name}", number % synthetic_passages.SHELVES
        more: dict[str, Any] = {} if one.title is None else {"title": one.title}
        result = memory.put_document(
            CORPUS, name, text=one.text, media_type="text/plain", metadata={"shelf": shelf}, **more
        )
        put += result.passages
        shelf_of[result.document_id] = shelf
    return put


def _stored_vectors(memory: Stemma, model_id: str) -> dict[bytes, Matrix]:
    """Read the vectors of the real passages back, by text hash."""
    with memory.runtime.store.transaction(memory.tenant, read_only=True) as t:
        rows = t.connection.execute(
            "SELECT text_hash, emb::text AS vector FROM embeddings WHERE model_id = %s ORDER BY text_hash", [model_id]
        ).fetchall()
    return {bytes(row["text_hash"]): np.array(json.loads(row["vector"]), dtype=np.float32) for row in rows}


def _put_vectors(memory: Stemma, model_id: str, real: Matrix) -> dict[bytes, Matrix]:
    """Write a drawn vector for each text without one, through the store's own way in."""
    store, tenant = memory.runtime.store, memory.tenant
    with store.transaction(tenant, read_only=True) as t:
        missing = passages.vectors_missing(t, model_id, limit=10_000_000)
    hashes = sorted({one.text_hash for one in missing})
    made = dict(zip(hashes, synthetic_passages.vectors_about(real, len(hashes), SEED), strict=True))
    for start in range(0, len(hashes), _VECTORS_AT_ONCE):
        batch = hashes[start : start + _VECTORS_AT_ONCE]
        with store.transaction(tenant) as t:
            index.put_vectors(t, model_id, {each: made[each].tolist() for each in batch})
    return made


def _asked(load: Load, queries: int) -> list[Asked]:
    """Draw questions: half of the public sets with the embedder's vectors, half for a synthetic passage."""
    draw = random.Random(SEED)
    real = [
        Asked(text, load.embedder.query(text), draw.randrange(synthetic_passages.SHELVES))
        for text in draw.sample(load.questions, min(queries // 2, len(load.questions)))
    ]
    targets = [(one, draw.choice(one.passages)) for one in draw.choices(load.drawn, k=queries - len(real))]
    vectors = synthetic_passages.vectors_about(load.vectors[-len(targets) :], len(targets), SEED + 1)
    made = [
        Asked(synthetic_passages.question_of(words, draw), vector.tolist(), one.shelf)
        for (one, words), vector in zip(targets, vectors, strict=True)
    ]
    return real + made


def _build_study(load: Load) -> None:
    with load.memory.runtime.store.transaction(load.memory.tenant) as t:
        storage_study.build(t, load.embedder.id, load.shelf_of)


def _recall(load: Load, asked: Sequence[Asked], *, filtered: bool) -> float:
    """Give the share of the exact ten nearest that the product's dense leg finds, ties counted as found."""
    rows = load.vectors.astype(np.float16).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    shelves = np.array([load.shelf_of[one] for one in load.document_ids])
    place = {name: number for number, name in enumerate(load.passage_ids)}
    shares = []
    for one in asked:
        vector = np.array(one.vector, dtype=np.float16).astype(np.float32)
        cosines = rows @ (vector / np.linalg.norm(vector))
        inside = np.flatnonzero(shelves == one.shelf) if filtered else np.arange(len(rows))
        tenth = np.sort(cosines[inside])[-K]
        with load.memory.runtime.store.transaction(load.memory.tenant, read_only=True) as t:
            scope = _scope(load, t, one, filtered=filtered)
            hits = passages.candidates(t, scope, [], DenseQuery(load.embedder.id, one.vector), limit=K).hits
        allowed = set(inside.tolist())
        # Single precision here and in the server differ in the seventh place.
        good = sum(place[name] in allowed and cosines[place[name]] >= tenth - 1e-6 for name, *_ in hits)
        shares.append(good / K)
    return round(float(np.mean(shares)), 4)


def _scope(load: Load, t: Any, one: Asked, *, filtered: bool) -> Scope:
    corpus_id = names.corpus_id(load.memory.tenant, CORPUS)
    if not filtered:
        return Scope([corpus_id])
    return Scope([corpus_id], [[names.tag_of("shelf", one.shelf)]])


def _beside_the_study(
    load: Load, asked: Sequence[Asked], scope: str, found: dict[str, Any], *, filtered: bool
) -> dict[str, Any]:
    """Measure the product's two legs alone and the study's two statements, and relate what they cost."""
    store, tenant = load.memory.runtime.store, load.memory.tenant

    def legs(one: Asked) -> None:
        with store.transaction(tenant, read_only=True) as t:
            where = _scope(load, t, one, filtered=filtered)
            vector = DenseQuery(load.embedder.id, one.vector)
            passages.candidates(t, where, query_terms(terms(one.text)), vector, limit=LEG_LIMIT)

    def exact(one: Asked) -> None:
        with store.transaction(tenant, read_only=True) as t:
            storage_study.dense(t, one.vector, one.shelf if filtered else None)

    def lexical(one: Asked) -> None:
        with store.transaction(tenant, read_only=True) as t:
            storage_study.lexical(t, query_terms(terms(one.text)), one.shelf if filtered else None)

    told: dict[str, Any] = {
        f"the product's two legs alone, {scope}": _timed(load, asked, legs),
        f"the study's exact cosine, {scope}": _timed(load, asked, exact),
        f"the study's lexical, {scope}": _timed(load, asked, lexical),
    }
    ours, ours_legs, *study = [found[f"search, {scope}"], *told.values()]
    for unit in ("CPU ms", "p50 ms"):
        least = sum(each[unit] for each in study)
        told[f"R-103: search over the study's exact + lexical, {unit}, {scope}"] = round(ours[unit] / least, 2)
        told[f"R-103: legs alone over the study's exact + lexical, {unit}, {scope}"] = round(ours_legs[unit] / least, 2)
    return told


def _timed(load: Load, asked: Sequence[Asked], ask: Callable[[Asked], None]) -> dict[str, float]:
    for one in asked[:5]:
        ask(one)
    return reads(load.server, ask, asked)


def _each(spent: Spent, count: int) -> dict[str, Figure]:
    return {"client": round(spent.client * 1000 / count, 3), "server": round(spent.server * 1000 / count, 3)}


def main() -> None:
    """Run one load and print its figures as one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", dest="folder", type=Path, required=True)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--passages", type=int, default=PASSAGES)
    parser.add_argument("--real", type=int, default=REAL)
    parser.add_argument("--queries", type=int, default=QUERIES)
    asked = parser.parse_args()
    print(json.dumps(run(asked.folder, asked.cache, total=asked.passages, real=asked.real, queries=asked.queries)))


if __name__ == "__main__":
    main()
