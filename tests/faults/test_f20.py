"""F20 through the whole path: a correction does not strengthen what it corrects (R-34a, D-18, D-19)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from stemma import Stemma

TURNS = (
    "I keep bees at the allotment.",
    "Correction: the bees are my neighbour's, not mine.",
    "You told me I keep bees; that was wrong.",
)


@pytest.fixture
def memory(place: Path) -> Iterator[Stemma]:
    """A store of its own, words alone."""
    with Stemma(place / "store", embedder="none") as opened:
        yield opened


def say(memory: Stemma, *turns: str, session: str | None = None) -> None:
    """Say turns a day apart, compiling after each."""
    for day, text in enumerate(turns, start=1):
        episode = {"subject_id": "rowan", "text": text, "occurred_at": f"2026-02-{day:02d}T09:00:00Z"}
        memory.add_episodes([episode | ({"session_id": session} if session else {})])
        memory.compile_memories("rowan")


def test_a_correction_and_its_retelling_leave_no_fact_and_no_support(memory: Stemma) -> None:
    """F20: retracted after the second turn, with all three as evidence, and not raised by the third."""
    say(memory, *TURNS)
    first = next(each for each in memory.list_memories("rowan", status="all").items if "keep" in each.text)
    assert (first.status, first.times_said, first.confidence) == ("tombstoned", 0, 1.0)
    assert {(each.effect, each.occurred_at.day) for each in first.episodes} == {
        ("support", 1),
        ("retracts", 2),
        ("retracts", 3),
    }
    assert len(first.episodes) == len(TURNS)
    assert [each.text for each in memory.list_memories("rowan").items] == ["the bees are my neighbour's"]
    assert memory.verify().sound


def test_a_value_called_wrong_by_name_gives_way_to_what_it_had_displaced(memory: Stemma) -> None:
    """D-18, R-34a: Lisbon, Porto, "Porto was wrong": Lisbon, whatever was said in between."""
    say(memory, "I live in Lisbon.", "I live in Porto.", "I prefer tea.", "Porto was wrong.", session="one")
    homes = {each.text: each.status for each in memory.list_memories("rowan", claim_key="home", status="all").items}
    assert homes == {"I live in Lisbon": "active", "I live in Porto": "tombstoned"}
