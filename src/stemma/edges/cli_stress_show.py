"""How a growth run reads on a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.text import Text

from stemma.app.models_stress import SizeLine, StressReport

_SHOWN_ANCHORS = 30


def show_stress(report: StressReport) -> RenderableType:
    """Show a row a size, and which anchors are lost at which."""
    return Group(*(Text(line) for line in _lines(report)))


def _lines(report: StressReport) -> Iterator[str]:
    judge = f"embedder {report.embedder or 'none'}; seed {report.seed}"
    yield f"{report.probes} probes; {judge}; room for {report.room} items"
    yield "  size memories recall forecast in rank   mrr  p50  p95 off topic  echo   ms  p95"
    yield from map(_size, report.sizes)
    for each in report.sizes:
        if each.reasons:
            lost = ", ".join(f"{name} {count}" for name, count in each.reasons.items())
            yield f"lost at {each.factor:g}x: {lost}"
    if report.forecast_error is not None:
        trust = "" if report.is_forecast_trusted else "; do not rely on it"
        yield f"the forecast from the first size is off by at most {report.forecast_error * 100:.1f} points{trust}"
    grown = [each for each in report.anchors if each.lost_at not in (None, 1)]
    for anchor in grown[:_SHOWN_ANCHORS]:
        ranks = " ".join("-" if rank is None else str(rank) for rank in anchor.ranks)
        where = f"lost at {anchor.lost_at:g}x, {anchor.stage} ({anchor.reason})"
        yield f"  {anchor.probe} {anchor.key}: ranks {ranks}; {where}"
    if len(grown) > _SHOWN_ANCHORS:
        yield f"  and {len(grown) - _SHOWN_ANCHORS} more"


def _size(line: SizeLine) -> str:
    return (
        f"{line.factor:5g}x {line.memories:8} {_share(line.anchor_recall):>6} {_share(line.forecast):>8} "
        f"{_share(line.anchors_within_rank):>7} {_share(line.mean_reciprocal_rank):>5} {_rank(line.rank_p50):>4} "
        f"{_rank(line.rank_p95):>4} {_share(line.off_topic_items):>9} {_share(line.echo_index):>5} "
        f"{line.ms_p50:4.0f} {line.ms_p95:4.0f}"
    )


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _rank(value: float | None) -> str:
    return "-" if value is None else f"{value:g}"
