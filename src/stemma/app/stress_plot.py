"""A growth run as one SVG drawing: recall beside its forecast, ranks, and what came off topic, by size. Pure text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil, log10
from xml.sax.saxutils import escape

from stemma.app.models_stress import SizeLine, StressReport

WIDTH, LEFT, PANEL, HEIGHT, GAP = 860, 60, 340, 200, 80
ONE, OTHER, THIRD, INK, FAINT = "#1b6ca8", "#c2571a", "#6b8e23", "#222222", "#cccccc"

_FONT = 'font-family="sans-serif"'

Value = Callable[[SizeLine], float | None]


def plot(report: StressReport) -> str:
    """Draw recall and shares on the left, ranks on the right; the size runs along a logarithmic axis."""
    sizes = report.sizes
    most = _top([value for each in sizes for value in (each.rank_p50, each.rank_p95)])
    title = f"{report.probes} probes as a store grows, embedder {report.embedder or 'none'}, seed {report.seed}"
    right = LEFT + PANEL + GAP
    return (
        "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} 360" {_FONT} role="img">',
                f"<title>{escape(title)}</title>",
                f'<rect width="{WIDTH}" height="360" fill="#ffffff"/>',
                _text(LEFT, 26, title, size=15),
                *_frame(LEFT, 60, "1.00", sizes),
                *_curve(sizes, lambda each: each.anchor_recall, LEFT, 1.0, ONE),
                *_curve(sizes, lambda each: each.forecast, LEFT, 1.0, THIRD, dashes="5 4"),
                *_curve(sizes, lambda each: each.off_topic_items, LEFT, 1.0, OTHER),
                *_legend(LEFT, [("anchors that come", ONE), ("forecast", THIRD), ("off-topic items", OTHER)]),
                *_frame(right, 60, f"{most:g}", sizes),
                *_curve(sizes, lambda each: each.rank_p50, right, most, ONE),
                *_curve(sizes, lambda each: each.rank_p95, right, most, OTHER),
                *_legend(right, [("rank, median", ONE), ("rank, 95 %", OTHER)]),
                "</svg>",
            ]
        )
        + "\n"
    )


def _top(values: Sequence[float | None]) -> float:
    found = [value for value in values if value is not None]
    return float(max(2, ceil(max(found, default=1))))


def _across(factor: float, sizes: Sequence[SizeLine], left: int) -> float:
    last = log10(sizes[-1].factor) if sizes else 0.0
    return left + 10 + (PANEL - 20) * (log10(factor) / last if last else 0.5)


def _curve(
    sizes: Sequence[SizeLine], value: Value, left: int, most: float, colour: str, *, dashes: str = ""
) -> list[str]:
    points = [
        (_across(each.factor, sizes, left), 60 + HEIGHT * (1 - min(1.0, found / most)))
        for each in sizes
        if (found := value(each)) is not None
    ]
    drawn = " ".join(f"{across:.1f},{down:.1f}" for across, down in points)
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    dots = [f'<circle cx="{across:.1f}" cy="{down:.1f}" r="3" fill="{colour}"/>' for across, down in points]
    return [f'<polyline points="{drawn}" fill="none" stroke="{colour}" stroke-width="2"{dashed}/>', *dots]


def _frame(left: int, top: int, most: str, sizes: Sequence[SizeLine]) -> list[str]:
    return [
        f'<rect x="{left}" y="{top}" width="{PANEL}" height="{HEIGHT}" fill="none" stroke="{FAINT}"/>',
        _text(left - 34, top + 10, most, size=11),
        _text(left - 12, top + HEIGHT, "0", size=11),
        *(
            _text(_across(each.factor, sizes, left) - 12, top + HEIGHT + 15, f"{each.factor:g}x", size=11)
            for each in sizes
        ),
        *(
            _text(_across(each.factor, sizes, left) - 12, top + HEIGHT + 28, str(each.memories), size=9)
            for each in sizes
        ),
    ]


def _legend(left: int, entries: Sequence[tuple[str, str]]) -> list[str]:
    parts = []
    for number, (name, colour) in enumerate(entries):
        across, down = left + 10 + number * 115, 60 + HEIGHT + 50
        parts.append(f'<rect x="{across}" y="{down}" width="10" height="10" fill="{colour}"/>')
        parts.append(_text(across + 15, down + 9, name, size=11))
    return parts


def _text(left: float, top: float, words: str, size: int = 12) -> str:
    return f'<text x="{left:.1f}" y="{top:.1f}" font-size="{size}" fill="{INK}">{escape(words)}</text>'
