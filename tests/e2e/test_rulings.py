"""A person rules on what is before them: also on a saying whose clock runs a little ahead of the store's (R-37)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import permutations
from typing import Any

import pytest

from stemma import Stemma
from tests.spine_clock import Clock

NOW = datetime(2026, 3, 1, 10, tzinfo=UTC)
SIDES = (("Lisbon", timedelta(hours=-1)), ("Porto", timedelta(minutes=4)))


def home(value: str, said: timedelta) -> dict[str, Any]:
    """Make an episode with one claim about a home, said some time before or after the clock."""
    claims = [{"key": "home", "value": value}]
    return {"subject_id": "ana", "key": f"desk:{value}", "claims": claims, "occurred_at": (NOW + said).isoformat()}


def statuses(stemma: Stemma) -> dict[str, str]:
    """Return the status of each value, the lost ones too."""
    items = stemma.list_memories("ana", status="all").items
    return {one.claim.value: str(one.status) for one in items if one.claim is not None}


@pytest.mark.parametrize("chosen", ["Lisbon", "Porto"])
@pytest.mark.parametrize("order", list(permutations(SIDES)), ids=["older first", "older last"])
def test_a_ruling_settles_what_it_saw_though_that_clock_ran_ahead(
    address: str, order: tuple[tuple[str, timedelta], ...], chosen: str
) -> None:
    """R-22, R-37, D-20: four minutes ahead is sound; the conflict stays resolved now, and when that time has come.

    Breaks when only what lies before the ruling's own time is settled: the saying would contest it at once.
    """
    clock = Clock(NOW)
    with Stemma(address, clock=clock, embedder="none") as stemma:
        stemma.put_claim_key("home", policy="flag")
        for value, said in order:
            stemma.add_episodes([home(value, said)])
            stemma.compile_memories("ana")
        (conflict,) = stemma.list_conflicts("ana", status="open").items
        sides = {
            one.claim.value: one.id for one in stemma.list_memories("ana", status="all").items if one.claim is not None
        }
        resolved = stemma.resolve_conflict(conflict.id, choose=sides[chosen])
        lost = next(value for value in sides if value != chosen)
        assert str(resolved.status) == "resolved"
        for _ in ("now", "an hour later"):
            assert statuses(stemma) == {chosen: "active", lost: "superseded"}
            assert stemma.list_conflicts("ana", status="open").items == ()
            clock.now += timedelta(hours=1)
        # Said anew after the ruling, the loser contests it.
        stemma.add_episodes([home(lost, timedelta(hours=1)) | {"key": "desk:again"}])
        stemma.compile_memories("ana")
        assert statuses(stemma) == {chosen: "active", lost: "active"}
        assert len(stemma.list_conflicts("ana", status="open").items) == 1
