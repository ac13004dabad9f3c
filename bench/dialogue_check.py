"""The product's own recall on dialogues, beside plain BM25, plain dense and the design study's figures.

`python -m bench.dialogue_check --data DIR --cache DIR [--only locomo|beam] [--first N] [--embedder none]`: a set's
dialogues go in as a user would send them, and `recall` with `include: ["episodes"]` is asked each question.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np

from bench.dialogue_sets import Asked, Dialogue, beam, locomo
from bench.plain_bm25 import PlainBM25
from bench.proof import Figure
from bench.spine_load import fresh
from bench.vector_cache import Matrix, VectorCache
from stemma import Stemma
from stemma.app.episode_index import text_hash
from stemma.app.models_recall import RecallEpisodeItem
from stemma.core.passages import episode_passages
from stemma.models.embedding import DEFAULT_EMBEDDER, NO_EMBEDDER, open_embedder
from stemma.records import Content, Message
from stemma.store import index
from stemma.store.transaction import Transaction

K: Final = 10
SETS: Final[dict[str, Callable[[Path], list[Dialogue]]]] = {"locomo": locomo, "beam": beam}
# The study's figures on the same half (dev): recipe, recipe without an embedder; R@5 and R@10.
STUDY: Final[dict[str, dict[str, dict[str, float]]]] = {
    "locomo": {
        "recipe": {"1-4 R@5": 0.729, "1-4 R@10": 0.806, "1 R@10": 0.473, "2 R@10": 0.923, "3 R@10": 0.456,
                   "4 R@10": 0.913, "5 R@10": 0.939, "all R@10": 0.838},
        "words alone": {"1-4 R@5": 0.679, "1-4 R@10": 0.770, "1 R@10": 0.424, "2 R@10": 0.869, "3 R@10": 0.398,
                        "4 R@10": 0.890, "5 R@10": 0.897, "all R@10": 0.800},
    },
    "beam": {
        "recipe": {"all R@5": 0.534, "all R@10": 0.593},
        "words alone": {"all R@5": 0.476, "all R@10": 0.556},
    },
}  # fmt: skip


@dataclass(slots=True)
class Tally:
    """What a leg found, question by question."""

    ranked: list[tuple[Asked, list[str]]] = field(default_factory=list)

    def figures(self) -> dict[str, Figure]:
        """Give R@5, R@10 and MRR of each category, of all, and of LoCoMo's first four, to three decimals."""
        groups: dict[str, list[tuple[Asked, list[str]]]] = defaultdict(list)
        for asked, names in self.ranked:
            if asked.right:
                groups[asked.category].append((asked, names))
                groups["all"].append((asked, names))
                if asked.category in ("1", "2", "3", "4"):
                    groups["1-4"].append((asked, names))
        return {name: _figures(listed) for name, listed in sorted(groups.items())}

    def outdated_above(self) -> dict[str, Figure]:
        """Give the share of updates that stand below what they outdated, or are not among the ten where that is."""
        pairs = [(asked, names) for asked, names in self.ranked if asked.older and asked.newer]
        above = sum(_place(names, asked.older) < _place(names, asked.newer) for asked, names in pairs)
        first = sum(_place(names, asked.newer) == 0 for asked, names in pairs)
        found = sum(_place(names, asked.newer) < K for asked, names in pairs)
        whole = max(1, len(pairs))
        return {
            "pairs": len(pairs),
            "outdated above update": round(above / whole, 3),
            "update first": round(first / whole, 3),
            "update among ten": round(found / whole, 3),
        }


def _place(names: Sequence[str], wanted: Iterable[str]) -> int:
    return min((names.index(name) for name in wanted if name in names), default=len(names) + K)


def _figures(listed: list[tuple[Asked, list[str]]]) -> dict[str, Figure]:
    def recall(k: int) -> float:
        return float(np.mean([len(set(names[:k]) & asked.right) / len(asked.right) for asked, names in listed]))

    firsts = [_place(names, asked.right) for asked, names in listed]
    return {
        "questions": len(listed),
        "R@5": round(recall(5), 3),
        "R@10": round(recall(K), 3),
        "MRR": round(float(np.mean([1 / (1 + place) if place < K else 0.0 for place in firsts])), 3),
    }


def passages(dialogue: Dialogue, roles: Iterable[str]) -> dict[str, list[str]]:
    """Give the texts that the product embeds of each message of some roles, by the message's name."""
    found: dict[str, list[str]] = {}
    for episode in dialogue.episodes:
        messages = episode["messages"]
        content = Content(messages=tuple(Message(one["role"], one["content"], one.get("name")) for one in messages))
        for passage in episode_passages(content, None):
            if passage.message is not None and content.messages[passage.message].role in roles:
                found.setdefault(f"{episode['key']}/{passage.message}", []).append(passage.shown)
    return found


def ask(memory: Stemma, dialogue: Dialogue, tally: Tally, supports: list[tuple[Asked, float]]) -> None:
    """Ask a dialogue's questions through the product's own recall."""
    subject = dialogue.episodes[0]["subject_id"]
    for asked in dialogue.questions:
        answer = memory.recall(subject, asked.text, k=K, include=["episodes"])
        names = [
            f"{one.episode.key}/{one.episode.span.message}"
            for one in answer.items
            if isinstance(one, RecallEpisodeItem)
        ]
        tally.ranked.append((asked, names))
        support = getattr(answer, "support", None)
        if support is not None:
            supports.append((asked, support.value))


def put_vectors(memory: Stemma, dialogue: Dialogue, vectors: VectorCache, roles: Iterable[str]) -> None:
    """Give the store the vectors of some roles' messages, from the cache: what the background would have written."""
    shown = [text for listed in passages(dialogue, roles).values() for text in listed]
    rows = dict(zip(map(text_hash, shown), vectors.passages(shown).tolist(), strict=True))

    def write(t: Transaction) -> int:
        return index.put_vectors(t, vectors.embedder.id, rows)

    memory.runtime.store.run(memory.tenant, write)


def plain_legs(dialogue: Dialogue, vectors: VectorCache | None, roles: Iterable[str]) -> dict[str, Tally]:
    """Rank whole messages by plain BM25, and by the best cosine of their passages alone."""
    words = PlainBM25(dialogue.texts, "en")
    found = {"plain BM25": Tally([(asked, words.rank(asked.text)[:K]) for asked in dialogue.questions])}
    if vectors is None:
        return found
    parts = passages(dialogue, roles)
    owners = np.array([name for name, listed in parts.items() for _ in listed])
    rows = vectors.passages([text for listed in parts.values() for text in listed])
    asked_for = vectors.queries([asked.text for asked in dialogue.questions])
    tally = found["plain dense"] = Tally()
    for asked, vector in zip(dialogue.questions, asked_for, strict=True):
        ordered = owners[np.argsort(-(rows @ vector), kind="stable")].tolist()
        tally.ranked.append((asked, list(dict.fromkeys(ordered))[:K]))
    return found


def auc(supports: Sequence[tuple[Asked, float]]) -> float | None:
    """Give how often an answerable question has more support than one that is not; None without both."""
    right = np.array([value for asked, value in supports if asked.is_answerable])
    wrong = np.array([value for asked, value in supports if not asked.is_answerable])
    if not len(right) or not len(wrong):
        return None
    above = (right[:, None] > wrong[None, :]).mean() + 0.5 * (right[:, None] == wrong[None, :]).mean()
    return round(float(above), 3)


class CachedQueries:
    """The cache in an embedder's place."""

    def __init__(self, cache: VectorCache) -> None:
        self._cache = cache
        self.id, self.dimensions = cache.embedder.id, cache.embedder.dimensions

    def passages(self, texts: Sequence[str]) -> list[list[float]]:
        """Embed what is stored, in order."""
        rows: list[list[float]] = self._cache.passages(texts).tolist() if texts else []
        return rows

    def query(self, text: str) -> list[float]:
        """Embed what is searched for."""
        row: Matrix = self._cache.queries([text])[0]
        return list(map(float, row))


def run(name: str, dialogues: Sequence[Dialogue], vectors: VectorCache | None, roles: Iterable[str]) -> dict[str, Any]:
    """Put a set's dialogues in, ask everything, and give each leg's figures beside the study's."""
    ours, supports, plain = Tally(), list[tuple[Asked, float]](), dict[str, Tally]()
    spent = 0.0
    with fresh(NO_EMBEDDER if vectors is None else vectors.embedder.id.partition("@")[0]) as (memory, _):
        if vectors is not None:
            memory.runtime.embedder = CachedQueries(vectors)
        for dialogue in dialogues:
            memory.add_episodes(dialogue.episodes)
            if vectors is not None:
                put_vectors(memory, dialogue, vectors, roles)
            began = time.perf_counter()
            ask(memory, dialogue, ours, supports)
            spent += time.perf_counter() - began
            for leg, tally in plain_legs(dialogue, vectors, roles).items():
                plain.setdefault(leg, Tally()).ranked.extend(tally.ranked)
    found: dict[str, Any] = {
        "dialogues": len(dialogues),
        "questions": len(ours.ranked),
        "recall mean ms": round(spent * 1000 / max(1, len(ours.ranked)), 1),
        "ours": ours.figures(),
        **{leg: tally.figures() for leg, tally in plain.items()},
        "study": STUDY[name]["recipe" if vectors is not None else "words alone"],
        "support AUC": auc(supports),
    }
    if name == "beam":
        found["ours, updates"] = ours.outdated_above()
        found |= {f"{leg}, updates": tally.outdated_above() for leg, tally in plain.items()}
    return found


def main() -> None:
    """Run a set and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", dest="folder", type=Path, required=True)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--embedder", default=DEFAULT_EMBEDDER)
    parser.add_argument("--only", choices=SETS, help="run one set alone")
    parser.add_argument("--places", default="", help="run these dialogues alone, by place: 1,2,3")
    parser.add_argument("--roles", default="user", help="whose messages have vectors: user or user,assistant")
    asked = parser.parse_args()
    embedder = open_embedder(asked.embedder)
    vectors = None if embedder is None else VectorCache(embedder, asked.cache)
    for name in [asked.only] if asked.only else SETS:
        whole = SETS[name](asked.folder)
        kept = [whole[int(each) - 1] for each in asked.places.split(",")] if asked.places else whole
        print(json.dumps({name: run(name, kept, vectors, asked.roles.split(","))}, indent=1), flush=True)


if __name__ == "__main__":
    main()
