"""Recall and bundle as a newcomer meets them: words alone, small stores (R-40, R-43, R-45, API recall and bundle)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from stemma import Stemma
from stemma.errors import UnknownKind


@pytest.fixture
def memory(place: Path) -> Iterator[Stemma]:
    """A store of its own, words alone."""
    with Stemma(place / "store", embedder="none") as opened:
        yield opened


def say(memory: Stemma, *texts: str) -> None:
    """Say texts a day apart and compile."""
    for day, text in enumerate(texts, start=1):
        episode = {"subject_id": "ana", "text": text, "occurred_at": f"2026-03-{day:02d}T09:00:00Z"}
        assert memory.add_episodes([episode]).results[0].outcome == "created"
    memory.compile_memories("ana")


def recalled(memory: Stemma, query: str) -> list[str]:
    """Return the texts that a query finds, in order."""
    return [item.memory.text for item in memory.recall("ana", query).items]


def test_a_bundle_that_has_no_room_does_not_deny_what_it_knows(memory: Stemma) -> None:
    """R-45: the verdict is on what survives, but leaving out for want of room is not knowing nothing."""
    say(memory, "Acme charges 4% on every transaction that crosses a border.")
    query = "What does Acme charge on a transaction?"
    whole = memory.bundle(query, subject_id="ana", budget_tokens=300)
    assert "Acme charges 4%" in whole.text
    tight = memory.bundle(query, subject_id="ana", budget_tokens=whole.tokens - 5)
    assert (tight.grounding.verdict, tight.sections) == ("partial", ())
    assert "Nothing relevant" not in tight.text
    assert tight.tokens <= whole.tokens - 5
    nothing = memory.bundle("Who wrote the harbour rules?", subject_id="ana", budget_tokens=300)
    assert nothing.grounding.verdict == "abstain"
    assert "Nothing relevant is remembered." in nothing.text


def test_a_typed_fact_is_found_by_the_words_of_its_key(memory: Stemma) -> None:
    """DESIGN §4 key look-up: the sentence that states the new home has no word of the question."""
    say(memory, "I live in Lisbon.", "I just moved to Porto")
    assert recalled(memory, "Where do I live?") == ["I just moved to Porto"]


def test_a_memory_of_health_comes_only_when_it_is_asked_for(memory: Stemma) -> None:
    """R-43: on_request is no matter of being near."""
    say(memory, "I am allergic to peanuts.", "I live in Lisbon.")
    assert recalled(memory, "Where do I live?") == ["I live in Lisbon"]
    assert recalled(memory, "What am I allergic to?") == ["I am allergic to peanuts"]


def test_a_misspelt_kind_is_refused_by_name(memory: Stemma) -> None:
    """R-33: a kind that is not registered would find nothing, or become a kind of its own."""
    say(memory, "I live in Lisbon.")
    for ask in (
        lambda: memory.recall("ana", "home", kinds=["bogus"]),
        lambda: memory.list_memories("ana", kind="bogus"),
        lambda: memory.remember("ana", "The code is 4471", kind="bogus"),
    ):
        with pytest.raises(UnknownKind, match="bogus"):
            ask()
    assert [each.text for each in memory.list_memories("ana").items] == ["I live in Lisbon"]


def test_a_decision_is_read_with_the_texts_of_both_sides(memory: Stemma) -> None:
    """R-3: why the one stands and the other does not, without looking ids up."""
    say(memory, "I live in Lisbon.", "I live in Porto.")
    [decision] = memory.list_decisions("ana").items
    assert (decision.rule, decision.winner_text, decision.loser_text) == (
        "latest",
        "I live in Porto",
        "I live in Lisbon",
    )
