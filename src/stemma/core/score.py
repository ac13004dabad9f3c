"""Typed score values and the score of recall: similarity by importance by recency. Fusion of legs is `fuse`'s."""

import math
from dataclasses import dataclass
from enum import StrEnum


class Direction(StrEnum):
    """Which end of a score's range is the good one."""

    HIGHER = "higher"
    LOWER = "lower"


class ScoreKind(StrEnum):
    """Every kind of score; two kinds are never compared, added or stored in one column."""

    BM25 = "bm25"
    COSINE = "cosine"
    LEXICAL = "lexical"
    DENSE = "dense"
    FUSED = "fused"
    TURN = "turn"
    SIMILARITY = "similarity"
    IMPORTANCE = "importance"
    RECENCY = "recency"
    COMPOSITE = "composite"
    PROTOTYPE = "prototype"
    OVERLAP = "overlap"


_UNIT = (0.0, 1.0)
_RANGES: dict[ScoreKind, tuple[float, float]] = {
    ScoreKind.BM25: (0.0, math.inf),
    ScoreKind.COSINE: (-1.0, 1.0),
    ScoreKind.LEXICAL: _UNIT,
    ScoreKind.DENSE: _UNIT,
    ScoreKind.FUSED: _UNIT,
    ScoreKind.TURN: (0.0, 2.5),
    ScoreKind.SIMILARITY: _UNIT,
    ScoreKind.IMPORTANCE: _UNIT,
    ScoreKind.RECENCY: _UNIT,
    ScoreKind.COMPOSITE: _UNIT,
    ScoreKind.PROTOTYPE: _UNIT,
    ScoreKind.OVERLAP: _UNIT,
}


@dataclass(frozen=True, slots=True)
class Score:
    """A number that knows its kind; comparing two kinds is a TypeError, a value outside its range a ValueError."""

    kind: ScoreKind
    value: float

    def __post_init__(self) -> None:
        low, high = _RANGES[self.kind]
        if not low <= self.value <= high:  # false for nan as well
            raise ValueError(f"{self.kind} is {self.value}, outside {low} to {high}")

    @property
    def range(self) -> tuple[float, float]:
        """Give the least and the greatest value of this kind."""
        return _RANGES[self.kind]

    @property
    def direction(self) -> Direction:
        """Say which end is the good one; every kind so far counts upwards."""
        return Direction.HIGHER

    def __lt__(self, other: "Score") -> bool:
        return self.value < self._same_kind(other)

    def __le__(self, other: "Score") -> bool:
        return self.value <= self._same_kind(other)

    def __gt__(self, other: "Score") -> bool:
        return self.value > self._same_kind(other)

    def __ge__(self, other: "Score") -> bool:
        return self.value >= self._same_kind(other)

    def _same_kind(self, other: "Score") -> float:
        if other.kind is not self.kind:
            raise TypeError(f"{self.kind} and {other.kind} are scores of two kinds and cannot be compared")
        return other.value


@dataclass(frozen=True, slots=True)
class Scale:
    """What of a raw score counts as nothing (`zero`) and as a full match (`one`); measured for one embedder."""

    zero: float
    one: float

    def __post_init__(self) -> None:
        if not self.zero < self.one:
            raise ValueError(f"a scale from {self.zero} to {self.one} is empty")

    def place(self, value: float) -> float:
        """Put a raw score on the scale, clipped to 0 to 1."""
        return min(1.0, max(0.0, self.reach(value)))

    def reach(self, value: float) -> float:
        """Put a raw score on the scale, below 0 and above 1 too: what tells apart those that `place` clips."""
        return (value - self.zero) / (self.one - self.zero)


def similarity(fused: Score, scale: Scale) -> Score:
    """Turn a fused score, or a turn's, into the similarity of R-40 by its scale for the embedder that took part."""
    if fused.kind is not ScoreKind.TURN:
        _require(fused, ScoreKind.FUSED)
    return Score(ScoreKind.SIMILARITY, scale.place(fused.value))


def prototype(cosine: Score, scale: Scale) -> Score:
    """Turn a cosine to a kind's prototype into the similarity of R-32: 0 the median of unrelated pairs, 1 identity."""
    _require(cosine, ScoreKind.COSINE)
    return Score(ScoreKind.PROTOTYPE, scale.place(cosine.value))


def importance(value: float) -> Score:
    """Wrap an importance, 0 to 1."""
    return Score(ScoreKind.IMPORTANCE, value)


def recency(age_days: float, half_life_days: float | None) -> Score:
    """Give 0.5 ** (age / half-life); a negative age counts as none, and without a half-life nothing fades."""
    if half_life_days is None:
        return Score(ScoreKind.RECENCY, 1.0)
    if half_life_days <= 0:
        raise ValueError(f"a half-life of {half_life_days} days is none; use None for what does not fade")
    return Score(ScoreKind.RECENCY, 0.5 ** (max(age_days, 0.0) / half_life_days))


def composite(similarity: Score, importance: Score, recency: Score) -> Score:
    """Multiply the three factors of R-40."""
    _require(similarity, ScoreKind.SIMILARITY)
    _require(importance, ScoreKind.IMPORTANCE)
    _require(recency, ScoreKind.RECENCY)
    return Score(ScoreKind.COMPOSITE, similarity.value * importance.value * recency.value)


def _require(score: Score, kind: ScoreKind) -> None:
    if score.kind is not kind:
        raise TypeError(f"{score.kind} was given where {kind} is wanted")
