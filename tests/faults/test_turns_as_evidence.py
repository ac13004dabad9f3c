"""Turns of a chat as evidence: a forget names the turn that it saw, and `verify` finds what it said (R-37, D-21)."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from stemma import Stemma
from tests.spine_clock import Clock

SAID = "2026-03-01T10:00:00Z"


@pytest.mark.parametrize(("place", "turns"), [(0, 1), (1, 2), (None, 0)])
def test_a_forget_lists_the_turn_and_the_span(address: str, place: int | None, turns: int) -> None:
    """R-37, D-21: a later extractor that reads the same words of that turn as something else is silenced by them.

    Fails where an act lists spans without their turn: no statement of a turn stands at such a span.
    """
    sentence = "Our main database is Postgres."
    filler = [{"role": "user", "content": "Good morning."}] * (turns - 1)
    content = {"messages": [*filler, {"role": "user", "content": sentence}]} if turns else {"text": sentence}
    with Stemma(address, clock=Clock(datetime(2026, 3, 3, tzinfo=UTC)), embedder="none") as stemma:
        stemma.add_episodes([{"subject_id": "s", "key": "k", "occurred_at": SAID, **content}])
        stemma.compile_memories("s")
        [memory] = stemma.list_memories("s").items
        stemma.forget_memory(memory.id)
        lines: list[str] = []
        stemma.export_log(lines.append)
    [act] = [json.loads(line)["act"] for line in lines if json.loads(line).get("type") == "act"]
    [saying] = act["memories"][0]["sayings"]
    assert (saying["message"], saying["start"]) == (place, 0)
    assert sentence[saying["start"] : saying["end"]].startswith("Our main database is Postgres")


def test_a_turn_with_a_time_of_its_own_is_a_saying_that_the_log_holds(address: str) -> None:
    """R-13, R-22: `verify` finds what a memory rests on, though no saying has the time of that turn.

    Found by a drawn history: verify named such a saying as missing from the log.
    """
    turn = {"role": "user", "content": "Our main database is Postgres.", "at": "2026-02-01T08:00:00-08:00"}
    with Stemma(address, clock=Clock(datetime(2026, 3, 3, tzinfo=UTC)), embedder="none") as stemma:
        stemma.add_episodes([{"subject_id": "s", "key": "k", "occurred_at": SAID, "messages": [turn]}])
        stemma.compile_memories("s")
        [memory] = stemma.list_memories("s").items
        assert memory.last_said_at == datetime(2026, 2, 1, 16, tzinfo=UTC)
        assert stemma.verify().faults == ()
