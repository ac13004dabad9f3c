"""A Stemma on each of the two ways to a server, in a tenant of the test's own, with a clock that the test sets."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from stemma import Stemma
from tests.e2e.telling import home_of
from tests.spine_clock import Clock
from tests.stores import Server

NOON = datetime(2026, 3, 4, 12, tzinfo=UTC)  # a Wednesday
_numbers = itertools.count(1)


@pytest.fixture
def clock() -> Clock:
    """It stands at noon on Wednesday 4 March 2026."""
    return Clock(NOON)


@pytest.fixture
def stemma(server: Server, clock: Clock) -> Iterator[Stemma]:
    """Embedded, then served; words alone."""
    with Stemma(home_of(server), tenant=f"e2e-{next(_numbers)}", clock=clock, embedder="none") as opened:
        yield opened
