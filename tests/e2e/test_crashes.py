"""Kill -9 of real processes; the runner stands in `tests/simulation/crashes.py`, for longer runs too."""

from __future__ import annotations

import json

import pytest

from tests.simulation import crashes


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_twenty_kills_lose_no_acknowledged_episode_and_end_in_the_state_of_an_undisturbed_run() -> None:
    """R-13, R-2: of the server and of the postmaster, during ingest and compile; a fresh process recovers by itself.

    Breaks when an answer goes out before its commit, when episode and dirty mark are two transactions, when a compile
    writes its rows and takes its marks away in two, or when a store cannot be opened after its server was killed.
    """
    figures = crashes.run(rounds=20, seed=20261130)
    print(json.dumps(figures, indent=1))
    assert figures["acknowledged_episodes"] > 20 * crashes.BATCH_SIZE
    assert set(figures["kills"].values()) == {5}
    assert figures["kills_before_the_answer"] >= 5
