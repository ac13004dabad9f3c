"""The lexical leg and the dense floor over one collection in memory: the store's arithmetic without a store."""

import random
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from bench.vector_cache import Matrix
from stemma.core import lexical
from stemma.core.analyse import terms
from stemma.core.fuse import Fused, Fusion, Hit, Query, fuse


class MemoryIndex:
    """Texts by id, analysed in one language; optionally with their vectors, in the same order."""

    def __init__(self, texts: Mapping[str, str], language: str | None, vectors: Matrix | None = None) -> None:
        self.names = list(texts)
        self.vectors = vectors
        self._language = language
        self._postings: dict[int, list[tuple[int, float]]] = {}
        for number, text in enumerate(texts.values()):
            for hashed, weight in lexical.document_weights(terms(text, language)).items():
                self._postings.setdefault(hashed, []).append((number, weight))
        self._holding = Counter({hashed: len(rows) for hashed, rows in self._postings.items()})

    def lexical(self, question: str, language: str | None = None) -> tuple[dict[str, float], float]:
        """Give the BM25 of every text that shares a term, and the query's ideal."""
        asked = lexical.query_terms(terms(question, language or self._language))
        scores: dict[str, float] = {}
        for hashed in asked:
            worth = lexical.idf(len(self.names), self._holding[hashed])
            for number, weight in self._postings.get(hashed, ()):
                name = self.names[number]
                scores[name] = scores.get(name, 0.0) + worth * weight
        return scores, lexical.ideal(asked, len(self.names), self._holding)

    def hybrid(self, question: str, vector: Matrix | None, fusion: Fusion, language: str | None = None) -> list[Fused]:
        """Rank every text by the fused score; without a vector by the lexical leg alone."""
        scores, ideal = self.lexical(question, language)
        if vector is None or self.vectors is None:
            return fuse([Hit(name, bm25) for name, bm25 in scores.items()], Query(ideal), fusion)
        cosines = self.vectors @ vector
        sample = self._sample(fusion.sample_size)
        query = Query(ideal, float(cosines[sample].min()), len(sample))
        hits = [Hit(name, scores.get(name), float(cosine)) for name, cosine in zip(self.names, cosines, strict=True)]
        return fuse(hits, query, fusion)

    def _sample(self, size: int) -> Sequence[int]:
        if len(self.names) <= size:
            return np.arange(len(self.names)).tolist()
        return random.Random(0).sample(range(len(self.names)), size)
