"""Hundreds of small histories on each of the three servers (R-1, R-2, R-13, R-37): every way there is one state."""

from __future__ import annotations

import pytest

from tests.simulation.small_histories import AT_ONCE, tell, two_stores
from tests.stores import Server

HISTORIES, PARTS = 300, 4
SEED = 20_261_130


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_small_histories_end_as_their_logs_say(any_server: Server, part: int) -> None:
    """R-1, R-2, R-37, R-92: the state is that of another order and of the pure derivation; compiled again, zeros."""
    tellings = HISTORIES // PARTS // AT_ONCE
    with two_stores(any_server) as (one, other):
        for seed in range(SEED + part * tellings, SEED + (part + 1) * tellings):
            tell(seed, one, other)
