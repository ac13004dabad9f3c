"""BM25: the weights a text is stored with, and what a query's terms are worth. The SQL that adds them is the store's.

Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond (2009); with Lucene's positive idf.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from stemma.core.analyse import term_hash
from stemma.core.scripts import script_of

K = TypeVar("K", str, tuple[str, str])

K1: Final = 0.9
B: Final = 0.4


@dataclass(frozen=True, slots=True)
class Weighting:
    """How BM25 weighs the terms of a kind of text: `k1`, `b`, and how many terms of a script without spaces one counts.

    A character of such a script makes two terms, itself and a pair, and two characters are about a word.
    """

    k1: float
    b: float
    unspaced_terms: int = 1

    @property
    def name(self) -> str:
        """Name it, to stand with what it weighed."""
        return f"bm25-{self.k1}-{self.b}"


# Turns and memories, by measurement; what the design study found for dialogue.
SAYINGS: Final = Weighting(K1, B)
# Passages of documents have the length of abstracts, for which the study found the usual values better (SciFact whole:
# .668 nDCG@10, .658 by those above), where long texts must not win by their length alone.
PASSAGES: Final = Weighting(1.2, 0.75, unspaced_terms=4)
# A constant of the analyser's version, in terms, where BM25 has the mean length: a mean that drifts with the store
# would make a weight depend on the order of writing. Measured: from 48 to 150 every set stays within .01 of its own
# mean; below that long texts lose (24 terms: XQuAD zh .928 to .887, as a Chinese text has two terms a character).
AVERAGE_LENGTH = 100.0


def document_weights(terms: Sequence[str], weighting: Weighting = SAYINGS) -> dict[int, float]:
    """Give the BM25 weight of each hashed term of a text, without its idf.

    `tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / average length))`; two terms with one hash are added up.
    """
    counts = Counter(map(term_hash, terms))
    k1, b = weighting.k1, weighting.b
    norm = k1 * (1 - b + b * _length(terms, weighting) / AVERAGE_LENGTH)
    return {hashed: times * (k1 + 1) / (times + norm) for hashed, times in sorted(counts.items())}


def _length(terms: Sequence[str], weighting: Weighting) -> float:
    if weighting.unspaced_terms == 1:
        return len(terms)
    unspaced = sum(not term.isascii() and script_of(term[0]).is_unspaced for term in terms)
    return len(terms) - unspaced + unspaced / weighting.unspaced_terms


def query_terms(terms: Iterable[str]) -> list[int]:
    """Give a query's distinct hashed terms, in ascending order."""
    return sorted(set(map(term_hash, terms)))


def idf(documents: int, holding: int) -> float:
    """Give `ln(1 + (N - df + 0.5) / (df + 0.5))`: positive for every term, and greatest for one that none holds."""
    return math.log(1 + (documents - holding + 0.5) / (holding + 0.5))


def ideal(query: Iterable[int], documents: int, holding: Mapping[int, int]) -> float:
    """Add up the idf of a query's distinct terms; one that no text holds counts as the rarest possible."""
    return sum(idf(documents, holding.get(hashed, 0)) for hashed in query)


def score(query: Iterable[int], weights: Mapping[int, float], documents: int, holding: Mapping[int, int]) -> float:
    """Give a text's BM25 for a query from its stored weights: what the store's SQL computes."""
    return sum(weights[hashed] * idf(documents, holding.get(hashed, 0)) for hashed in query if hashed in weights)


def rank(
    query: Sequence[int], texts: Sequence[tuple[K, str, Mapping[int, float]]], limit: int
) -> tuple[list[tuple[K, str, float]], float]:
    """Rank (owner, item, weights) for a query as the store's SQL does, and give the query's ideal beside.

    One hit an owner, its best item: (owner, item, BM25), best first, ties by owner.
    """
    holding = Counter(term for _, _, weights in texts for term in query if term in weights)
    best: dict[K, tuple[float, str]] = {}
    for owner, item, weights in texts:
        if any(term in weights for term in query):
            found = -score(query, weights, len(texts), holding), item
            best[owner] = min(best.get(owner, found), found)
    ranked = sorted(best.items(), key=lambda each: (each[1][0], each[0]))[:limit]
    return [(owner, item, -bm25) for owner, (bm25, item) in ranked], ideal(query, len(texts), holding) if best else 0.0
