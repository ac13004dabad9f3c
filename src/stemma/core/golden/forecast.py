"""Where an anchor would stand in a larger store, from the tail of today's scores. Checked against the real growth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, lgamma, log
from typing import Final

# So many of the best scores are the tail.
TAIL: Final = 60
# Below so many there is no tail to fit; the share above is then counted.
LEAST: Final = 8


@dataclass(frozen=True, slots=True)
class Tail:
    """The upper tail of a score: above `threshold` lies `share` of all, in a generalised Pareto law."""

    threshold: float
    share: float
    shape: float
    scale: float

    def above(self, score: float) -> float:
        """Give the share of all items whose score is above one that lies in the tail."""
        excess = max(0.0, score - self.threshold)
        if self.scale <= 0:
            return 0.0 if excess > 0 else self.share
        if abs(self.shape) < 1e-9:
            return self.share * exp(-excess / self.scale)
        base = 1 + self.shape * excess / self.scale
        return self.share * base ** (-1 / self.shape) if base > 0 else 0.0


def fit(scores: Sequence[float], total: int) -> Tail | None:
    """Fit the tail of the best scores of `total` items by probability-weighted moments (Hosking and Wallis, 1987).

    None with fewer than `LEAST` scores.
    """
    best = sorted(scores, reverse=True)[:TAIL]
    if len(best) < LEAST or total < len(best):
        return None
    threshold = best[-1]
    excesses = sorted(each - threshold for each in best)
    size = len(excesses)
    mean = sum(excesses) / size
    weighted = sum(each * (size - place - 1) / (size - 1) for place, each in enumerate(excesses)) / size
    spread = mean - 2 * weighted
    if spread <= 0 or mean <= 0:
        return Tail(threshold, size / total, 0.0, mean)
    # In their notation k = -shape; bounded, because a handful of scores bear no heavier or shorter tail out.
    shape = max(-0.5, min(0.5, 2 - mean / spread))
    return Tail(threshold, size / total, shape, mean * (1 - shape))


def stays(tail: Tail | None, score: float, *, rank: int, room: int, total: int, factor: float) -> float:
    """Give the chance that an anchor of this rank today is among the first `room` when the store is `factor` times.

    What stands above it today stays there; the number of new ones above is about Poisson with as many as the tail says.
    """
    if rank > room:
        return 0.0
    share = (rank - 1) / total if tail is None or score < tail.threshold else tail.above(score)
    return poisson_at_most(room - rank, (factor - 1) * total * share)


def poisson_at_most(most: int, mean: float) -> float:
    """Give the chance that a Poisson number is at most `most`."""
    if mean <= 0:
        return 1.0
    return min(1.0, sum(exp(each * log(mean) - mean - lgamma(each + 1)) for each in range(most + 1)))
