"""Seeded documents and vectors for loads: words by Zipf's law, vectors strewn about real ones."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Final

import numpy as np

from bench.vector_cache import Matrix

VOCABULARY: Final = 50_000
COMMON: Final = 100
WORDS_A_PASSAGE: Final = 40
PASSAGES_A_DOCUMENT: Final = 20
SHELVES: Final = 100
# A vector's height above a random real one it is drawn about; neighbours are then as near as real ones are.
SPREAD: Final = 0.4
_SYLLABLES: Final = [first + second for first in "bdfgklmnprstvz" for second in "aeiou"]


@dataclass(frozen=True, slots=True)
class Drawn:
    """A synthetic document: what is sent, and the words of each passage."""

    name: str
    passages: tuple[tuple[str, ...], ...]
    shelf: int

    def event(self, corpus: str) -> dict[str, Any]:
        """Give the event that brings it in; each passage stands under a heading of its own."""
        text = "\n\n".join(f"# Part {n}\n\n{' '.join(words)}." for n, words in enumerate(self.passages, start=1))
        sent = {"event_id": f"synthetic {self.name}", "op": "upsert", "corpus": corpus, "external_id": self.name}
        return {**sent, "text": text, "media_type": "text/markdown", "metadata": {"shelf": self.shelf}}


def drawn(passages: int, seed: int) -> Iterator[Drawn]:
    """Draw documents of 20 passages of 40 words; their shelves go round, so that each holds 1 %."""
    draw = random.Random(seed)
    words = [_word(number) for number in range(VOCABULARY)]
    weights = list(accumulate(1 / (rank + 2.7) for rank in range(VOCABULARY)))
    for number in range(passages // PASSAGES_A_DOCUMENT):
        texts = tuple(
            tuple(draw.choices(words, cum_weights=weights, k=WORDS_A_PASSAGE)) for _ in range(PASSAGES_A_DOCUMENT)
        )
        yield Drawn(str(number), texts, number % SHELVES)


def question_of(passage: Sequence[str], draw: random.Random) -> str:
    """Ask for a passage by five of its words that are not among the commonest."""
    common = {_word(number) for number in range(COMMON)}
    rare = sorted(set(passage) - common) or sorted(set(passage))
    return " ".join(draw.sample(rare, min(5, len(rare))))


def vectors_about(real: Matrix, count: int, seed: int) -> Matrix:
    """Draw unit vectors, each about a random one of the real ones."""
    draw = np.random.default_rng(seed)
    strewn = draw.standard_normal((count, real.shape[1]), dtype=np.float32)
    strewn *= SPREAD / np.linalg.norm(strewn, axis=1, keepdims=True)
    strewn += real[draw.integers(0, len(real), count)]
    unit: Matrix = strewn / np.linalg.norm(strewn, axis=1, keepdims=True)
    return unit


def _word(number: int) -> str:
    base = len(_SYLLABLES)
    return _SYLLABLES[number % base] + _SYLLABLES[number // base % base] + _SYLLABLES[number // base // base % base]
