"""Half-open spans of time and sets of them. Counts in instants; knows nothing of memories."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from datetime import UTC, datetime

Span = tuple[datetime, datetime]

# Stands for an open beginning, so that spans can be compared.
BEGINNING = datetime.min.replace(tzinfo=UTC)


class Spans:
    """A set of instants as disjoint spans in order; each adding merges what it touches."""

    def __init__(self) -> None:
        """Begin empty."""
        self._starts: list[datetime] = []
        self._ends: list[datetime] = []

    def add(self, span: Span) -> None:
        """Add a span, merged with those it touches."""
        start, end = span
        first = bisect_left(self._ends, start)
        after = bisect_right(self._starts, end)
        if first < after:
            start, end = min(start, self._starts[first]), max(end, self._ends[after - 1])
        self._starts[first:after] = [start]
        self._ends[first:after] = [end]

    def within(self, span: Span) -> list[Span]:
        """Return the parts of a span that the set holds."""
        start, end = span
        first = bisect_right(self._ends, start)
        after = bisect_left(self._starts, end)
        return [
            (max(start, self._starts[each]), min(end, self._ends[each])) for each in range(first, max(first, after))
        ]

    def outside(self, span: Span) -> list[Span]:
        """Return the parts of a span that the set does not hold."""
        return without(span, self.within(span))


def without(span: Span, holes: Iterable[Span]) -> list[Span]:
    """Return what is left of a span without some disjoint holes, given in order."""
    left: list[Span] = []
    start, end = span
    for hole_start, hole_end in holes:
        if start < hole_start:
            left.append((start, min(hole_start, end)))
        start = max(start, hole_end)
    return [*left, (start, end)] if start < end else left


def joined(spans: Iterable[Span]) -> list[Span]:
    """Return spans in order, those that touch as one."""
    found: list[Span] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((start, end))
    return found
