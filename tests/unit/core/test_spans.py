"""Sets of half-open spans: adding, parts inside and outside, holes, joining."""

from __future__ import annotations

from datetime import datetime
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from stemma.core.spans import Spans, joined, without
from tests.unit.core.stories import day

SPANS = st.lists(
    st.tuples(st.integers(0, 9), st.integers(1, 4)).map(lambda pair: (pair[0], pair[0] + pair[1])), max_size=8
)


def span(start: int, end: int) -> tuple[datetime, datetime]:
    """Make a span of days."""
    return day(start), day(end)


def hours(spans: list[tuple[datetime, datetime]]) -> list[int]:
    """Give the days that some spans cover, in the order of the spans."""
    return [at for start, end in spans for at in range(20) if start <= day(at) < end]


@given(SPANS, st.tuples(st.integers(0, 9), st.integers(1, 6)))
def test_a_set_of_spans_holds_what_was_added(added: list[tuple[int, int]], asked: tuple[int, int]) -> None:
    """D-17: parts inside and outside make up the whole, in order, and touching spans are one."""
    spans = Spans()
    for start, end in added:
        spans.add(span(start, end))
    covered = {at for start, end in added for at in range(start, end)}
    begin, finish = asked[0], asked[0] + asked[1]
    inside, outside = spans.within(span(begin, finish)), spans.outside(span(begin, finish))
    assert hours(inside) == [at for at in range(begin, finish) if at in covered]
    assert hours(outside) == [at for at in range(begin, finish) if at not in covered]
    assert inside == joined(inside) and outside == joined(outside)


@given(SPANS)
def test_joined_spans_cover_the_same_and_do_not_touch(given_spans: list[tuple[int, int]]) -> None:
    """D-17: in order, apart from one another."""
    found = joined([span(*each) for each in given_spans])
    assert hours(found) == sorted({at for start, end in given_spans for at in range(start, end)})
    assert all(one[1] < other[0] for one, other in pairwise(found))


def test_holes_are_cut_out_of_a_span() -> None:
    """D-17: holes may reach over its ends."""
    assert without(span(2, 9), [span(0, 3), span(5, 6), span(8, 12)]) == [span(3, 5), span(6, 8)]
    assert without(span(2, 9), []) == [span(2, 9)]
    assert without(span(2, 9), [span(2, 9)]) == []
