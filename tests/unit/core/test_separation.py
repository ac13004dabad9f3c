"""How far a score tells two sets apart: every figure by hand (R-32, the study's section 7)."""

from __future__ import annotations

import pytest

from stemma.core import separation
from stemma.core.separation import Use


@pytest.mark.parametrize(
    ("positives", "negatives", "auc", "average_precision"),
    [
        ([0.9, 0.8], [0.1, 0.2], 1.0, 1.0),
        ([0.1, 0.2], [0.9, 0.8], 0.0, (1 / 3 + 2 / 4) / 2),
        ([0.5], [0.5], 0.5, 0.5),
        ([0.9, 0.4], [0.6, 0.1], 0.75, (1 + 2 / 3) / 2),
        ([0.7, 0.7, 0.2], [0.7, 0.2], (2 * 0.5 + 2 * 1 + 0.5) / 6, (2 * 2 / 3 + 3 / 5) / 3),
    ],
)
def test_areas_count_ties_as_half(
    positives: list[float], negatives: list[float], auc: float, average_precision: float
) -> None:
    """ROC: of every pair who is above; average precision: at each real one, with all that tie with it."""
    assert separation.curve_areas(positives, negatives) == pytest.approx((auc, average_precision))


def test_histogram_and_overlap_are_of_equal_bins() -> None:
    """Twenty bins from 0 to 1; 1 is in the last. Overlap is what two distributions share."""
    counts = separation.histogram([0.0, 0.049, 0.05, 0.999, 1.0])
    assert (counts[0], counts[1], counts[19], sum(counts)) == (2, 1, 2, 5)
    assert separation.overlap([0.1, 0.9], [0.1, 0.3, 0.3, 0.9]) == pytest.approx(0.5)
    assert separation.overlap([0.1], [0.9]) == 0.0
    assert separation.overlap([0.1, 0.9], [0.9, 0.1]) == 1.0


def test_calibration_error_is_the_distance_of_score_and_share() -> None:
    """Two of four at 0.75 are real, and none of one at 0.05: (4 × 0.25 + 1 × 0.05) / 5."""
    assert separation.calibration_error([0.75, 0.75], [0.75, 0.75, 0.05]) == pytest.approx(0.21)
    assert separation.is_calibrated(0.05, 500)
    assert not separation.is_calibrated(0.05, 499)
    assert not separation.is_calibrated(0.051, 500)


def test_precision_is_told_at_the_base_rate() -> None:
    """The study: 6 % false passes and 97 % recall are a precision of 46 % at 5 %; 1 % at 2 % are 66 %."""
    common = separation.rates(97, 100, 6, 100, base_rate=0.05)
    rare = separation.rates(97, 100, 1, 100, base_rate=0.02)
    assert (common.recall, common.false_pass_rate) == (0.97, 0.06)
    assert common.precision == pytest.approx(0.46, abs=0.005)
    assert rare.precision == pytest.approx(0.66, abs=0.005)
    assert separation.rates(0, 100, 0, 100, base_rate=0.02).precision is None


@pytest.mark.parametrize(
    ("auc", "overlap", "labels", "use"),
    [
        (0.79, 0.10, (500, 500), Use.MAY_ORDER),
        (0.80, 0.30, (500, 500), Use.WITH_SECOND),
        (0.99, 0.31, (500, 500), Use.MAY_ORDER),
        (0.95, 0.10, (500, 500), Use.ALONE),
        (0.95, 0.11, (500, 500), Use.WITH_SECOND),
        (0.949, 0.05, (500, 500), Use.WITH_SECOND),
        (1.0, 0.0, (149, 300), Use.TOO_FEW),
        (1.0, 0.0, (150, 299), Use.TOO_FEW),
        (1.0, 0.0, (150, 300), Use.ALONE),
    ],
)
def test_the_verdict_goes_by_the_rule(auc: float, overlap: float, labels: tuple[int, int], use: Use) -> None:
    """The study, 7.2: below 0.80 or above 0.30 it may order; alone it decides from 0.95 and up to 0.10."""
    assert separation.verdict(auc, overlap, *labels) is use
    assert use.decides is (use in (Use.ALONE, Use.WITH_SECOND))


def test_the_best_threshold_is_the_lowest_of_equals() -> None:
    """From 0.31 to 0.60 nothing changes: 0.31 keeps every real one and no other."""
    found = separation.best_threshold([0.6, 0.7], [0.3, 0.1], base_rate=0.02, of=(2, 2))
    assert found == 0.31
    assert separation.best_threshold([], [0.3], base_rate=0.02, of=(2, 2)) is None


def test_a_rare_kind_asks_for_a_higher_threshold() -> None:
    """One of ten others stands above half of the real ones: worth it at one in two, not at one in a hundred."""
    positives, negatives = [0.4, 0.45, 0.8, 0.9], [0.5, *([0.1] * 9)]
    of = (4, 10)
    assert separation.best_threshold(positives, negatives, base_rate=0.5, of=of) == 0.11
    assert separation.best_threshold(positives, negatives, base_rate=0.01, of=of) == 0.51
