"""How near a text is to what is typical of a kind, by the embedder's own scale (SPEC R-32). Gates decide with it."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from stemma.core.calibration import Calibration
from stemma.core.rules import Rules
from stemma.core.score import Scale, Score, ScoreKind, prototype
from stemma.models.embedding import Embedder

# Last bits of a vector differ between machines; three decimals do not, and are kept with the extraction.
DECIMALS = 3


class Prototypes:
    """The vectors of every kind's prototypes, embedded at their first use. Safe to use from several threads."""

    def __init__(self, embedder: Embedder, scale: Scale, rules: Rules) -> None:
        self._embedder, self._scale, self._rules = embedder, scale, rules
        self._guard = threading.Lock()
        self._vectors: dict[str, list[list[float]]] = {}

    def similarity(self, text: str, kind: str) -> float:
        """Return 0 (as unlike as unrelated texts) to 1 (identical), rounded; 0 for a kind without prototypes."""
        return self.similarities([text], kind)[0]

    def similarities(self, texts: Sequence[str], kind: str) -> list[float]:
        """Return the similarity of each text, in order; a batch gives what the texts give alone."""
        typical = self._of(kind)
        if not typical:
            return [0.0] * len(texts)
        return [self._nearest(vector, typical) for vector in self._embedder.passages(texts)]

    def _nearest(self, vector: Sequence[float], typical: Sequence[Sequence[float]]) -> float:
        nearest = max(_cosine(vector, each) for each in typical)
        return round(prototype(Score(ScoreKind.COSINE, nearest), self._scale).value, DECIMALS)

    def _of(self, kind: str) -> list[list[float]]:
        with self._guard:
            if kind not in self._vectors:
                texts = self._rules.prototypes(kind)
                self._vectors[kind] = self._embedder.passages(texts) if texts else []
            return self._vectors[kind]


def prototypes_of(embedder: Embedder | None, calibration: Calibration, rules: Rules) -> Prototypes | None:
    """Return the prototypes of an embedder that was measured; without one the gates skip that step and say so."""
    if embedder is None or calibration.prototype is None or not calibration.is_of(embedder.id):
        return None
    return Prototypes(embedder, calibration.prototype, rules)


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    return max(-1.0, min(1.0, sum(a * b for a, b in zip(one, other, strict=True))))
