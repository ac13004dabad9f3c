"""How long a server rests between rounds of what it does beside answering."""

from __future__ import annotations

import pytest

from stemma.edges.background import Chore, rest_after


@pytest.mark.parametrize(
    ("done", "took", "expected"),
    [(0, 0.002, 1.0), (0, 0.05, 1.0), (0, 0.5, 10.0), (0, 900.0, 60.0), (3, 0.5, 0.0), (3, 900.0, 0.0)],
)
def test_an_idle_server_looks_at_its_tenants_for_a_twentieth_of_the_time_at_most(
    done: int, took: float, expected: float
) -> None:
    """R-30, R-12: every tenant is looked after, and thousands with nothing to do cost no core."""
    assert rest_after(Chore("vectors", lambda: 0, 1.0), done=done, took_seconds=took) == expected


def test_a_rest_that_was_asked_for_is_never_shortened() -> None:
    """R-30: `--compile-every S`."""
    every = Chore("compile", lambda: 0, 300.0, 300.0)
    assert [rest_after(every, done=done, took_seconds=900.0) for done in (0, 7)] == [300.0, 300.0]
