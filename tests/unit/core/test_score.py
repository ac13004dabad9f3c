"""Typed scores and the score of R-40."""

import math

import pytest

from stemma.core.score import (
    Direction,
    Scale,
    Score,
    ScoreKind,
    composite,
    importance,
    prototype,
    recency,
    similarity,
)

SCALE = Scale(0.25, 0.75)


def fused(value: float) -> Score:
    return Score(ScoreKind.FUSED, value)


def test_ninety_days_at_thirty_leave_an_eighth() -> None:
    """R-40: exactly 0.125 of fresh."""
    assert recency(90, 30).value == 0.125
    fresh = composite(similarity(fused(0.9), SCALE), importance(0.5), recency(0, 30))
    old = composite(similarity(fused(0.9), SCALE), importance(0.5), recency(90, 30))
    assert (fresh.value, old.value) == (0.5, 0.0625)


@pytest.mark.parametrize(("age", "half_life"), [(-9, 30), (0, 30), (10_000, None), (-9, None)])
def test_nothing_is_fresher_than_fresh(age: float, half_life: float | None) -> None:
    """R-40, F25: a negative age is none, and without a half-life nothing fades."""
    assert recency(age, half_life).value == 1.0


@pytest.mark.parametrize("half_life", [0, -1])
def test_a_half_life_of_nothing_is_refused(half_life: float) -> None:
    """R-40: it would divide by zero."""
    with pytest.raises(ValueError, match="half-life"):
        recency(1, half_life)


@pytest.mark.parametrize(("raw", "expected"), [(0.0, 0.0), (0.25, 0.0), (0.5, 0.5), (0.75, 1.0), (1.0, 1.0)])
def test_similarity_runs_from_unrelated_to_right(raw: float, expected: float) -> None:
    """R-40: clip((s - s0) / (s1 - s0), 0, 1)."""
    assert similarity(fused(raw), SCALE) == Score(ScoreKind.SIMILARITY, expected)


def test_the_scale_of_prototypes_is_another_one() -> None:
    """R-32: 0 is the median of unrelated pairs, 1 is identity; a cosine is never a similarity of R-40."""
    scale = Scale(0.8, 1.0)
    assert prototype(Score(ScoreKind.COSINE, 0.8), scale).value == 0.0
    assert prototype(Score(ScoreKind.COSINE, 0.9), scale).value == pytest.approx(0.5)
    assert prototype(Score(ScoreKind.COSINE, 1.0), scale).value == 1.0
    with pytest.raises(TypeError, match="cosine was given where fused is wanted"):
        similarity(Score(ScoreKind.COSINE, 0.9), SCALE)


def test_scores_of_two_kinds_cannot_be_compared_or_multiplied() -> None:
    """R-42: typed values that cannot be mixed."""
    bm25, cosine = Score(ScoreKind.BM25, 0.5), Score(ScoreKind.COSINE, 0.5)
    assert bm25 != cosine
    for compare in (bm25.__lt__, bm25.__le__, bm25.__gt__, bm25.__ge__):
        with pytest.raises(TypeError, match="two kinds"):
            compare(cosine)
    with pytest.raises(TypeError, match="wanted"):
        composite(bm25, importance(0.5), recency(0, None))
    with pytest.raises(TypeError):
        max([bm25, cosine])


def test_scores_of_one_kind_are_ordered() -> None:
    """R-42: every kind counts upwards."""
    low, high = Score(ScoreKind.BM25, 1.0), Score(ScoreKind.BM25, 7.5)
    assert low < high and low <= high and high > low and high >= low
    assert max([low, high]) == high
    assert high.direction is Direction.HIGHER


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (ScoreKind.FUSED, 1.01),
        (ScoreKind.FUSED, -0.01),
        (ScoreKind.COSINE, -1.5),
        (ScoreKind.BM25, -0.1),
        (ScoreKind.SIMILARITY, math.nan),
        (ScoreKind.IMPORTANCE, 2.0),
    ],
)
def test_a_value_outside_its_range_cannot_be_built(kind: ScoreKind, value: float) -> None:
    """R-42, F25: every factor stays within its declared range."""
    with pytest.raises(ValueError, match="outside"):
        Score(kind, value)


def test_an_empty_scale_cannot_be_built() -> None:
    """R-40: it would divide by zero."""
    with pytest.raises(ValueError, match="empty"):
        Scale(0.5, 0.5)
