"""Fusion of the lexical and the dense leg into one score; which items come in, and what follows, is decided elsewhere.

One formula for every collection, chosen by measurement (design study on retrieval): no rank enters it.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from stemma.core.score import Score, ScoreKind


@dataclass(frozen=True, slots=True)
class Fusion:
    """The parameters of the formula; they belong to an embedder's calibration record.

    The dense leg weighs `base + reach * (1 - the best lexical match's share of the ideal)`: a query that words answer
    leans on words, one in another language on vectors. A weak embedder has `reach` 0 and a small `base`.

    `floor` and `spread` are an embedder's usual lowest cosine in a scope and a right text's usual height above it.
    They keep a small scope honest: the lowest of a few cosines says little, and without them one text would be its own
    floor and the better of two always a full match. The floor counts below `small_scope` texts only.
    """

    base: float = 0.4
    reach: float = 0.4
    ideal_share: float = 0.5
    floor: float = 1.0
    spread: float = 0.02
    sample_size: int = 500
    small_scope: int = 100
    role_weights: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not (self.base >= 0 and self.reach >= 0 and self.base + self.reach <= 1):
            raise ValueError(f"dense weights from {self.base} to {self.base + self.reach} leave 0 to 1")
        if not 0 < self.ideal_share <= 1:
            raise ValueError(f"ideal_share is {self.ideal_share}, outside 0 to 1")
        if not (-1 <= self.floor <= 1 and self.spread > 0 and self.sample_size > 0 <= self.small_scope):
            raise ValueError("floor is a cosine, spread and sample_size lie above 0, small_scope not below")
        if not all(0 <= weight <= 1 for weight in self.role_weights.values()):
            raise ValueError("a role's weight lies in 0 to 1")


@dataclass(frozen=True, slots=True)
class Hit:
    """What the legs found about one item; None where a leg did not find it or has nothing on it yet."""

    item: str
    bm25: float | None = None
    cosine: float | None = None
    role: str | None = None


@dataclass(frozen=True, slots=True)
class Query:
    """What is known of the query besides its hits.

    `ideal` is the sum of its terms' idf, `floor` the lowest cosine of a sample of `sampled` texts of the scope; without
    a floor the dense leg did not answer, and the lexical one answers alone.
    """

    ideal: float
    floor: float | None = None
    sampled: int = 0


@dataclass(frozen=True, slots=True)
class Fused:
    """An item's fused score with its parts; `dense` and `weight` are None where the dense leg did not answer."""

    item: str
    score: Score
    lexical: Score
    dense: Score | None
    weight: float | None
    role_weight: float


def fuse(hits: Iterable[Hit], query: Query, fusion: Fusion) -> list[Fused]:
    """Fuse the legs' hits; best first, ties by item.

    `lexical = bm25 / max(best bm25, ideal_share * ideal)`, so a lone accidental match is not blown up to 1;
    `dense = clip((cosine - floor) / max(best cosine - floor, spread), 0, 1)`, 0 without a vector;
    `score = ((1 - w) * lexical + w * dense) * role weight`.
    """
    found = list(hits)
    best, weight = _best_and_weight(found, query, fusion)
    fused = [
        Fused(
            item=hit.item,
            score=Score(ScoreKind.FUSED, value),
            lexical=Score(ScoreKind.LEXICAL, lexical),
            dense=None if weight is None else Score(ScoreKind.DENSE, dense),
            weight=weight,
            role_weight=fusion.role_weights.get(hit.role or "", 1.0),
        )
        for hit, lexical, dense, value in _parts(found, best, weight, query, fusion)
    ]
    return sorted(fused, key=lambda each: (-each.score.value, each.item))


def fused_values(hits: Iterable[Hit], query: Query, fusion: Fusion) -> list[tuple[str, float]]:
    """Give each item with its fused score alone, 0 to 1, as `fuse` does and in its order; at a sixth of its cost."""
    found = list(hits)
    best, weight = _best_and_weight(found, query, fusion)
    values = [(hit.item, value) for hit, _, _, value in _parts(found, best, weight, query, fusion)]
    return sorted(values, key=lambda each: (-each[1], each[0]))


def _best_and_weight(found: list[Hit], query: Query, fusion: Fusion) -> tuple[float, float | None]:
    best = max((hit.bm25 or 0.0 for hit in found), default=0.0)
    return best, None if query.floor is None else dense_weight(best, query.ideal, fusion)


def _parts(
    found: list[Hit], best: float, weight: float | None, query: Query, fusion: Fusion
) -> Iterator[tuple[Hit, float, float, float]]:
    """Give each hit with its lexical share, its dense share, and what they make."""
    top = max(best, fusion.ideal_share * query.ideal)
    floor, spread = _span(found, query, fusion)
    for hit in found:
        lexical = (hit.bm25 or 0.0) / top if top > 0 else 0.0
        dense = 0.0 if hit.cosine is None else min(1.0, max(0.0, (hit.cosine - floor) / spread))
        mixed = lexical if weight is None else (1 - weight) * lexical + weight * dense
        role = fusion.role_weights.get(hit.role or "", 1.0)
        yield hit, lexical, dense, min(1.0, mixed) * role  # the last bit may exceed 1


def dense_weight(best_bm25: float, ideal: float, fusion: Fusion) -> float:
    """Say how much the dense leg weighs for a query whose best lexical match has `best_bm25`."""
    answered = min(1.0, best_bm25 / ideal) if ideal > 0 else 0.0
    return fusion.base + fusion.reach * (1 - answered)


def _span(found: list[Hit], query: Query, fusion: Fusion) -> tuple[float, float]:
    """Give the cosine that counts as nothing, and how far above it a full match lies."""
    if query.floor is None:
        return 0.0, 1.0
    floor = min(query.floor, fusion.floor) if query.sampled < fusion.small_scope else query.floor
    best = max((hit.cosine for hit in found if hit.cosine is not None), default=floor)
    return floor, max(best - floor, fusion.spread)
