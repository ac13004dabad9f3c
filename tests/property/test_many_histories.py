"""Hundreds of seeded histories through every check of the pure derivation; ten thousand are in the long run."""

from __future__ import annotations

import pytest

from tests.property.runner import run

HISTORIES, PARTS = 600, 4
SEED = 1_000_000


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_hundreds_of_histories_pass_every_check(part: int) -> None:
    """R-1, R-2, R-3, R-34 to R-37: each broken one names its seed (`tests.property.runner.run(1, seed)`)."""
    share = HISTORIES // PARTS
    assert run(count=share, seed=SEED + part * share) == []
