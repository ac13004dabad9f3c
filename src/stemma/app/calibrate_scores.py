"""The figures of one score on two labelled sets, with bootstrap intervals, slices and the control. Chance is seeded."""

from __future__ import annotations

import random
from collections.abc import Sequence

from stemma.app.calibrate_labels import Judged
from stemma.app.models_calibrate import (
    AtThreshold,
    CalibrateRequest,
    Control,
    Histogram,
    Interval,
    ScoreReport,
    Slice,
    passing,
)
from stemma.core import separation

RESAMPLES = 200
THRESHOLDS = tuple(step / 20 for step in range(21))
LEAST_OF_SLICE = 10
SHORT_WORDS = 8
DIGITS = 4


def score_report(judged: Sequence[Judged], request: CalibrateRequest) -> ScoreReport:
    """Say how the scores part the labels; both labels are there."""
    real, other = _split(judged)
    of = len(real), len(other)
    auc, precision = separation.curve_areas(real, other)
    resampled = _resampled(real, other, request.seed)
    error = separation.calibration_error(real, other)
    return ScoreReport(
        histogram=Histogram(positives=separation.histogram(real), negatives=separation.histogram(other)),
        overlap=round(separation.overlap(real, other), DIGITS),
        auc=_interval(auc, [each for each, _ in resampled]),
        average_precision=_interval(precision, [each for _, each in resampled]),
        thresholds=tuple(
            AtThreshold(
                threshold=each,
                **passing(separation.rates_from(real, other, each, base_rate=request.base_rate, of=of)).model_dump(),
            )
            for each in THRESHOLDS
        ),
        calibration_error=round(error, DIGITS),
        is_calibrated=separation.is_calibrated(error, len(judged)),
        control=_control(real, other, request.seed),
        slices=tuple(_slices(judged)),
    )


def _split(judged: Sequence[Judged]) -> tuple[list[float], list[float]]:
    return [each.score for each in judged if each.label], [each.score for each in judged if not each.label]


def _resampled(real: list[float], other: list[float], seed: int) -> list[tuple[float, float]]:
    chance = random.Random(seed)
    return [
        separation.curve_areas(chance.choices(real, k=len(real)), chance.choices(other, k=len(other)))
        for _ in range(RESAMPLES)
    ]


def _interval(value: float, resampled: list[float]) -> Interval:
    ordered = sorted(resampled)
    low, high = ordered[round(0.025 * (len(ordered) - 1))], ordered[round(0.975 * (len(ordered) - 1))]
    return Interval(value=round(value, DIGITS), low=round(low, DIGITS), high=round(high, DIGITS))


def _control(real: list[float], other: list[float], seed: int) -> Control:
    """Deal the labels anew and judge what is left by the same rule."""
    scores = [*real, *other]
    random.Random(seed).shuffle(scores)
    first, second = scores[: len(real)], scores[len(real) :]
    auc, _ = separation.curve_areas(first, second)
    use = separation.verdict(auc, separation.overlap(first, second), len(first), len(second))
    return Control(seed=seed, auc=round(auc, DIGITS), names_threshold=use.decides)


def _slices(judged: Sequence[Judged]) -> list[Slice]:
    parts: dict[str, list[Judged]] = {}
    for each in judged:
        length = "short" if len(each.line.text.split()) <= SHORT_WORDS else "long"
        parts.setdefault(f"length {length}", []).append(each)
        if each.line.at is not None:
            parts.setdefault(f"month {each.line.at:%Y-%m}", []).append(each)
    found = []
    for name, part in sorted(parts.items()):
        real, other = _split(part)
        if min(len(real), len(other)) >= LEAST_OF_SLICE:
            auc = round(separation.curve_areas(real, other)[0], DIGITS)
            found.append(Slice(name=name, positives=len(real), negatives=len(other), auc=auc))
    return found
