"""A compile derives the neighbours that a withdrawn frame leaves behind (R-2, D-24)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from stemma import Stemma


@pytest.fixture
def memory(place: Path) -> Iterator[Stemma]:
    """A store of its own, words alone."""
    with Stemma(place / "store", embedder="none") as opened:
        yield opened


def revise(memory: Stemma, text: str, day: int) -> None:
    """Say another revision of the one note."""
    note = {"subject_id": "s", "key": "note", "key_policy": "revision", "source": "notes", "text": text}
    memory.add_episodes([note | {"occurred_at": f"2026-03-{day:02d}T09:00:00Z"}])
    memory.compile_memories("s")


def test_what_a_withdrawn_rate_had_displaced_stands_again(memory: Stemma) -> None:
    """R-20, D-24: the note that beat the older rate says something else now; the rate is current once more."""
    memory.add_episodes(
        [{"subject_id": "s", "key": "a", "text": "Stripe charges 3.5% + 35c", "occurred_at": "2026-01-01T09:00:00Z"}]
    )
    memory.compile_memories("s")
    revise(memory, "Stripe charges 2.9% + 30c", 1)
    assert [each.text for each in memory.list_memories("s").items] == ["Stripe charges 2.9% + 30c"]
    revise(memory, "I live in Lisbon.", 2)
    assert {each.text for each in memory.list_memories("s").items} == {"Stripe charges 3.5% + 35c", "I live in Lisbon"}
    assert memory.verify().sound


def test_a_twin_that_speaks_first_gives_back_what_the_silenced_one_displaced(memory: Stemma) -> None:
    """R-21, D-11, D-24: the publication that was heard first is silent now, and its frame has no point left.

    Fails where a compile looks for neighbours of units that still have points alone.
    """
    said = [("a", None, "Stripe charges 3.5%", 1), ("b", "event", "Stripe charges 2.9% + 30c", 9)]
    said.append(("c", "event", "I live in Lisbon.", 5))
    for key, event, text, day in said:
        episode = {"subject_id": "s", "key": key, "text": text, "occurred_at": f"2026-01-{day:02d}T09:00:00Z"}
        memory.add_episodes([episode | ({"business_key": event} if event else {})])
        memory.compile_memories("s")
    assert {each.text for each in memory.list_memories("s").items} == {"Stripe charges 3.5%", "I live in Lisbon"}
    assert memory.verify().sound


def test_an_erased_rate_leaves_the_older_one_standing(memory: Stemma) -> None:
    """D-22: erased is never said, for its neighbours too."""
    said = [("a", "Stripe charges 3.5% + 35c", 1), ("b", "Stripe charges 2.9% + 30c", 2)]
    for key, text, day in said:
        memory.add_episodes(
            [{"subject_id": "s", "key": key, "text": text, "occurred_at": f"2026-01-{day:02d}T09:00:00Z"}]
        )
    memory.compile_memories("s")
    memory.erase(subject_id="s", episode_key="b")
    assert [each.text for each in memory.list_memories("s").items] == ["Stripe charges 3.5% + 35c"]
    assert memory.verify().sound
