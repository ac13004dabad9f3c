"""A calibration report as one SVG drawing: both histograms and precision and recall by threshold. Pure text."""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape

from stemma.app.models_calibrate import AtThreshold, CalibrationReport, KindReport, ScoreReport

WIDTH, ROW, LEFT, PANEL, HEIGHT = 860, 300, 60, 340, 180
REAL, OTHER, INK, FAINT = "#1b6ca8", "#c2571a", "#222222", "#cccccc"


def plot(report: CalibrationReport) -> str:
    """Draw every kind and language of a report, one below the other."""
    rows = [each for each in report.kinds if each.score is not None]
    height = 60 + ROW * max(1, len(rows))
    shuffled = "" if report.shuffled is None else ", labels dealt anew"
    title = f"Similarity of {report.embedder or 'no embedder'}, base rate {report.base_rate:g}{shuffled}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" role="img">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
        _text(LEFT, 26, title, size=15),
    ]
    if not rows:
        parts.append(_text(LEFT, 60, "no kind here has scores of both labels"))
    for number, each in enumerate(rows):
        parts += _row(each, 60 + ROW * number)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _row(report: KindReport, top: int) -> list[str]:
    score = report.score
    assert score is not None
    head = (
        f"{report.kind}, {report.language}: {report.positives} real, {report.negatives} others, "
        f"AUC {score.auc.value:.3f} ({score.auc.low:.3f} to {score.auc.high:.3f}), overlap {score.overlap:.3f}, "
        f"{report.verdict.value.replace('_', ' ')}"
    )
    return [
        _text(LEFT, top + 4, head),
        *_histograms(score, top + 24),
        *_curves(score.thresholds, LEFT + PANEL + 80, top + 24),
        *_threshold(report, top + 24),
    ]


def _histograms(score: ScoreReport, top: int) -> list[str]:
    """Draw the share of each set by bin, side by side in it."""
    sets = [(score.histogram.positives, REAL), (score.histogram.negatives, OTHER)]
    shares = [([count / max(1, sum(counts)) for count in counts], colour) for counts, colour in sets]
    most = max(max(each) for each, _ in shares) or 1.0
    wide = PANEL / len(shares[0][0])
    parts = _frame(LEFT, top, f"{most:.2f}")
    for number, (each, colour) in enumerate(shares):
        for at, share in enumerate(each):
            tall = HEIGHT * share / most
            left = LEFT + wide * at + wide * number / 2
            parts.append(
                f'<rect x="{left:.1f}" y="{top + HEIGHT - tall:.1f}" width="{wide / 2:.1f}" height="{tall:.1f}" '
                f'fill="{colour}"/>'
            )
    return [*parts, *_legend(LEFT, top, [("real", REAL), ("others", OTHER)], "similarity")]


def _curves(thresholds: Sequence[AtThreshold], left: int, top: int) -> list[str]:
    """Draw recall and precision at the base rate over the threshold; precision ends where nothing passes."""
    recall = [(each.threshold, each.recall) for each in thresholds]
    precision = [(each.threshold, each.precision) for each in thresholds if each.precision is not None]
    return [
        *_frame(left, top, "1.00"),
        _line(recall, left, top, REAL),
        _line(precision, left, top, OTHER),
        *_legend(left, top, [("recall", REAL), ("precision at base rate", OTHER)], "threshold"),
    ]


def _threshold(report: KindReport, top: int) -> list[str]:
    point = report.operating_point
    if point is None:
        return [_text(LEFT + 4, top - 4, "no threshold is borne out", size=11)]
    told = f"threshold {point.threshold:.2f}"
    found = [_text(LEFT + PANEL * point.threshold + 3, top - 4, told, size=11)]
    for left in (LEFT, LEFT + PANEL + 80):
        at = left + PANEL * point.threshold
        found.append(
            f'<line x1="{at:.1f}" y1="{top}" x2="{at:.1f}" y2="{top + HEIGHT}" stroke="{INK}" stroke-dasharray="4 3"/>'
        )
    return found


def _frame(left: int, top: int, most: str) -> list[str]:
    return [
        f'<rect x="{left}" y="{top}" width="{PANEL}" height="{HEIGHT}" fill="none" stroke="{FAINT}"/>',
        _text(left - 32, top + 10, most, size=11),
        _text(left - 10, top + HEIGHT, "0", size=11),
        _text(left, top + HEIGHT + 14, "0", size=11),
        _text(left + PANEL - 6, top + HEIGHT + 14, "1", size=11),
    ]


def _legend(left: int, top: int, entries: Sequence[tuple[str, str]], axis: str) -> list[str]:
    parts = [_text(left + PANEL / 2 - 30, top + HEIGHT + 14, axis, size=11)]
    for number, (name, colour) in enumerate(entries):
        across = left + 20 + number * 90
        parts.append(f'<rect x="{across}" y="{top + HEIGHT + 24}" width="10" height="10" fill="{colour}"/>')
        parts.append(_text(across + 15, top + HEIGHT + 33, name, size=11))
    return parts


def _line(points: Sequence[tuple[float, float]], left: int, top: int, colour: str) -> str:
    drawn = " ".join(f"{left + PANEL * across:.1f},{top + HEIGHT * (1 - up):.1f}" for across, up in points)
    return f'<polyline points="{drawn}" fill="none" stroke="{colour}" stroke-width="2"/>'


def _text(left: float, top: float, words: str, size: int = 12) -> str:
    return f'<text x="{left:.1f}" y="{top:.1f}" font-size="{size}" fill="{INK}">{escape(words)}</text>'
