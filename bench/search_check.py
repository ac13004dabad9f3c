"""The product's own search on public sets, beside plain BM25 and plain dense of the same run on the same texts.

`python -m bench.search_check --data DIR --cache DIR [--only SET] [--documents N]`. The texts go in as a user would
send them and are found through the product's own search; passages become documents by the best passage.
"""

import argparse
import json
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bench.plain_bm25 import PlainBM25
from bench.proof import Figure
from bench.public_documents import SETS, Collection, is_there, read_set
from bench.public_sets import Question
from bench.retrieval_check import Measure, ndcg10, recall
from bench.spine_load import fresh
from bench.vector_cache import Remembering, VectorCache
from stemma import Stemma
from stemma.app.calibration import calibration_of
from stemma.models.embedding import DEFAULT_EMBEDDER, NO_EMBEDDER, open_embedder

Rank = Callable[[int], Sequence[str]]
Ranked = list[Sequence[str]]
Values = NDArray[np.float64]
MEASURES: Final[dict[str, Measure]] = {"nDCG@10": ndcg10, "Recall@10": recall(10), "R@1": recall(1)}
CORPUS: Final = "public"
MOST_PASSAGES: Final = 100
SAMPLES: Final = 10_000
SEED: Final = 1
_VECTORS_AT_ONCE: Final = 256


def run(collection: Collection, cache: Path | None, embedder: str = DEFAULT_EMBEDDER) -> dict[str, Figure]:
    """Index a collection and give each leg's figures; without a cache words alone, no vector on either side."""
    vectors = None
    if embedder != NO_EMBEDDER and cache is not None:
        opened = open_embedder(embedder)
        assert opened is not None
        vectors = VectorCache(opened, cache)
    plain = {"plain BM25": bm25_of(collection)}
    if vectors is not None:
        plain["plain dense"] = dense_of(collection, vectors)
    with fresh(embedder if vectors is not None else NO_EMBEDDER) as (memory, _):
        if vectors is not None:
            memory.runtime.embedder = Remembering(vectors)
        began = time.perf_counter()
        passages = index(memory, collection)
        spent = time.perf_counter() - began
        while memory.make_vectors(limit=_VECTORS_AT_ONCE):
            pass
        found: dict[str, Figure] = {"documents": len(collection.documents), "passages": passages}
        found |= {
            "questions": len(collection.questions),
            "put_document ms": round(spent * 1000 / len(collection.documents), 1),
        }
        began = time.perf_counter()
        ours = ranked(collection, searched(memory, collection))
        found["search mean ms"] = round((time.perf_counter() - began) * 1000 / len(collection.questions), 1)
        if vectors is not None:
            memory.runtime.embedder, memory.runtime.calibration = None, calibration_of(None)
            found["ours, words alone"] = _figures(measured(collection, searched(memory, collection)))
    legs = {name: ranked(collection, rank) for name, rank in plain.items()}
    found |= beside(collection.questions, ours, legs)
    if any(question.source for question in collection.questions):
        found["without the texts that questions were made from"] = beside(
            collection.questions,
            _without_source(collection, ours),
            {n: _without_source(collection, r) for n, r in legs.items()},
        )
    return found


def beside(questions: Sequence[Question], ours: Ranked, legs: Mapping[str, Ranked]) -> dict[str, Figure]:
    """Give the figures of the search and of each plain leg, and say where the search is below the better one.

    `by_question` says how many questions are answered better and worse than by that leg, and in which share of samples
    of the questions, drawn with replacement, the search would be below it: near .5 is chance.
    """
    figures = {name: _by_question(questions, leg) for name, leg in [("ours", ours), *legs.items()]}
    found: dict[str, Figure] = {name: _figures(_means(each)) for name, each in figures.items()}
    below: dict[str, Figure] = {}
    by_question: dict[str, Figure] = {}
    for name in MEASURES:
        best = max(legs, key=lambda leg: float(figures[leg][name].mean()))
        lead = figures["ours"][name] - figures[best][name]
        below[name] = bool(lead.mean() < -1e-9)
        by_question[name] = {
            "beside": best,
            "better": int((lead > 0).sum()),
            "worse": int((lead < 0).sum()),
            "below in samples": _share_below(lead),
        }
    return found | {"below_the_better_leg": below, "by_question": by_question}


def index(memory: Stemma, collection: Collection) -> int:
    """Put every document of a collection and say how many passages came of them."""
    total = 0
    for one in collection.documents:
        titled: dict[str, Any] = {} if one.title is None else {"title": one.title}
        put = memory.put_document(CORPUS, one.name, text=one.text, media_type="text/plain", **titled)
        total += put.passages
    return total


def searched(memory: Stemma, collection: Collection) -> Rank:
    """Rank documents as the product cites them: by the best passage of each."""

    def rank(number: int) -> Sequence[str]:
        question = collection.questions[number].text
        found = memory.search_documents(question, corpora=[CORPUS], k=MOST_PASSAGES)
        return [one.external_id for one in found.citations]

    return rank


def bm25_of(collection: Collection) -> Rank:
    """Rank whole documents by plain BM25."""
    plain = PlainBM25({one.name: one.whole for one in collection.documents}, collection.language)
    return lambda number: plain.rank(collection.questions[number].text)


def dense_of(collection: Collection, vectors: VectorCache) -> Rank:
    """Rank whole documents by the embedder's cosine alone."""
    names = np.array([one.name for one in collection.documents])
    rows = vectors.passages([one.whole for one in collection.documents])
    asked = vectors.queries([one.text for one in collection.questions])

    def rank(number: int) -> Sequence[str]:
        ordered: list[str] = names[np.argsort(-(rows @ asked[number]), kind="stable")].tolist()
        return ordered

    return rank


def ranked(collection: Collection, rank: Rank) -> Ranked:
    """Rank the documents for every question."""
    return [rank(number) for number in range(len(collection.questions))]


def measured(collection: Collection, rank: Rank) -> dict[str, float]:
    """Give the mean of each measure over all questions."""
    return _means(_by_question(collection.questions, ranked(collection, rank)))


def _without_source(collection: Collection, found: Ranked) -> Ranked:
    pairs = zip(found, collection.questions, strict=True)
    return [[name for name in each if name not in question.source] for each, question in pairs]


def _by_question(questions: Sequence[Question], found: Ranked) -> dict[str, Values]:
    pairs = list(zip(found, questions, strict=True))
    return {
        name: np.array([measure(each, question.right) for each, question in pairs])
        for name, measure in MEASURES.items()
    }


def _means(figures: Mapping[str, Values]) -> dict[str, float]:
    return {name: float(each.mean()) for name, each in figures.items()}


def _share_below(lead: Values) -> float:
    drawn = np.random.default_rng(SEED).integers(0, len(lead), (SAMPLES, len(lead)))
    return round(float((lead[drawn].mean(axis=1) < -1e-9).mean()), 3)


def _figures(leg: dict[str, float]) -> Figure:
    return {name: round(value, 4) for name, value in leg.items()}


def main() -> None:
    """Run the sets and print each as one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", dest="folder", type=Path, required=True)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--embedder", default=DEFAULT_EMBEDDER)
    parser.add_argument("--only", help=f"run one set alone: {', '.join(SETS)}, SciFact whole")
    parser.add_argument("--documents", type=int, help="keep so many documents of each, to try the script")
    asked = parser.parse_args()
    for name in [one for one in SETS if is_there(asked.folder, one)] if asked.only is None else [asked.only]:
        whole = read_set(asked.folder, name)
        kept = whole if asked.documents is None else whole.first(asked.documents)
        print(json.dumps({kept.name: run(kept, asked.cache, asked.embedder)}, ensure_ascii=False), flush=True)


if __name__ == "__main__":
    main()
