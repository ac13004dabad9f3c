"""A memory of a test's own on an embedded store and on a served one, for the tests of documents."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from stemma import Stemma

_numbers = itertools.count(1)


class Ticking:
    """A clock that a test sets; it stands still in between."""

    def __init__(self, at: datetime = datetime(2026, 3, 1, 9, tzinfo=UTC)) -> None:
        """Start at a moment."""
        self.at = at

    def __call__(self) -> datetime:
        """Tell the time."""
        return self.at

    def pass_days(self, days: float) -> None:
        """Let days go by."""
        self.at += timedelta(days=days)


@pytest.fixture
def clock() -> Ticking:
    """The clock of `memory`."""
    return Ticking()


@pytest.fixture(params=["embedded", "served"])
def target(request: pytest.FixtureRequest) -> str | Path:
    """Each kind of store in turn, as a face is told where it is."""
    found: str | Path
    if request.param == "served":
        found = request.getfixturevalue("address")
    else:
        found = request.getfixturevalue("embedded_server").target
    return found


@pytest.fixture
def memory(target: str | Path, clock: Ticking) -> Iterator[Stemma]:
    """An empty tenant on each kind of store, words alone."""
    with Stemma(target, clock=clock, tenant=f"documents {next(_numbers)}", embedder="none") as opened:
        yield opened
