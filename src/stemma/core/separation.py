"""How far a score tells two labelled sets apart, and what it may therefore decide. Figures of two lists of scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby

BINS = 20
RELIABILITY_BINS = 10
# A calibrated probability needs so many labels and at most so large an error; else the number is shown as a score.
CALIBRATED_FROM = 500
CALIBRATED_ERROR = 0.05
LEAST_POSITIVES = 150
LEAST_NEGATIVES = 300
MAY_DECIDE = (0.80, 0.30)
MAY_DECIDE_ALONE = (0.95, 0.10)

Scores = Sequence[float]


class Use(StrEnum):
    """What a score may be used for."""

    TOO_FEW = "too_few_labels"
    MAY_ORDER = "may_order"
    WITH_SECOND = "may_decide_with_a_second_condition"
    ALONE = "may_decide_alone"

    @property
    def decides(self) -> bool:
        """Say whether a threshold on the score may decide anything."""
        return self in (Use.WITH_SECOND, Use.ALONE)


@dataclass(frozen=True, slots=True)
class Rates:
    """What passes a condition: the share of the real ones, the share of the others, and precision at a base rate.

    `precision` is None where nothing passes.
    """

    recall: float
    false_pass_rate: float
    precision: float | None


def curve_areas(positives: Scores, negatives: Scores) -> tuple[float, float]:
    """Give (area under ROC, average precision); ties count half in the first and stand together in the second.

    Both sets must hold at least one score.
    """
    marked = sorted([(score, True) for score in positives] + [(score, False) for score in negatives], reverse=True)
    above = passed = 0
    wins = 0.0
    precision_sum = 0.0
    for _, tied in groupby(marked, key=lambda each: each[0]):
        labels = [label for _, label in tied]
        real = sum(labels)
        other = len(labels) - real
        wins += other * (above + real / 2)
        above += real
        passed += len(labels)
        precision_sum += real * above / passed
    return wins / (len(positives) * len(negatives)), precision_sum / len(positives)


def histogram(scores: Scores, bins: int = BINS) -> tuple[int, ...]:
    """Count scores of 0 to 1 in bins of equal width; 1 is in the last."""
    counts = [0] * bins
    for score in scores:
        counts[_bin(score, bins)] += 1
    return tuple(counts)


def overlap(positives: Scores, negatives: Scores) -> float:
    """Give the share that two distributions have in common, over `BINS` bins: 0 apart, 1 the same."""
    pairs = zip(histogram(positives), histogram(negatives), strict=True)
    return sum(min(real / len(positives), other / len(negatives)) for real, other in pairs)


def calibration_error(positives: Scores, negatives: Scores) -> float:
    """Give the expected calibration error of the scores read as probabilities, over ten bins of equal width."""
    sums = [[0, 0, 0.0] for _ in range(RELIABILITY_BINS)]
    for scores, label in ((positives, 1), (negatives, 0)):
        for score in scores:
            cell = sums[_bin(score, RELIABILITY_BINS)]
            cell[0] += 1
            cell[1] += label
            cell[2] += score
    return sum(abs(real - total) for _, real, total in sums) / (len(positives) + len(negatives))


def is_calibrated(error: float, labels: int) -> bool:
    """Say whether a score may be called a probability."""
    return labels >= CALIBRATED_FROM and error <= CALIBRATED_ERROR


def rates(passed: int, positives: int, false_passed: int, negatives: int, *, base_rate: float) -> Rates:
    """Give the rates of a condition; precision is what it would be where `base_rate` of all candidates are real."""
    recall, false_rate = passed / positives, false_passed / negatives
    real, other = recall * base_rate, false_rate * (1 - base_rate)
    return Rates(recall, false_rate, real / (real + other) if passed or false_passed else None)


def rates_from(
    positives: Scores, negatives: Scores, threshold: float, *, base_rate: float, of: tuple[int, int]
) -> Rates:
    """Give the rates of the scores from a threshold on; `of` says how many real and other ones there are in all."""
    passed = sum(score >= threshold for score in positives)
    false_passed = sum(score >= threshold for score in negatives)
    return rates(passed, of[0], false_passed, of[1], base_rate=base_rate)


def verdict(auc: float, common: float, positives: int, negatives: int) -> Use:
    """Say what a score may be used for, by area under ROC, overlap, and the number of labels of each kind."""
    if positives < LEAST_POSITIVES or negatives < LEAST_NEGATIVES:
        return Use.TOO_FEW
    if auc >= MAY_DECIDE_ALONE[0] and common <= MAY_DECIDE_ALONE[1]:
        return Use.ALONE
    if auc >= MAY_DECIDE[0] and common <= MAY_DECIDE[1]:
        return Use.WITH_SECOND
    return Use.MAY_ORDER


def best_threshold(positives: Scores, negatives: Scores, *, base_rate: float, of: tuple[int, int]) -> float | None:
    """Give the lowest threshold, in hundredths, with the greatest F1 at the base rate; None where none passes any.

    `positives` and `negatives` are the scores of those that meet the other condition, `of` counts all, real and other.
    """
    best: tuple[float, float] | None = None
    for step in range(101):
        found = rates_from(positives, negatives, step / 100, base_rate=base_rate, of=of)
        if not found.precision or not found.recall:
            continue
        harmonic = 2 * found.precision * found.recall / (found.precision + found.recall)
        if best is None or harmonic > best[0]:
            best = harmonic, step / 100
    return None if best is None else best[1]


def _bin(score: float, bins: int) -> int:
    return min(bins - 1, int(score * bins))
