"""The seed's monoculture: 1,751 junk milestones beside 100 real memories, and what of them comes into a prompt."""

from __future__ import annotations

from typing import Any

import pytest

from stemma import Stemma

SAID = "2026-02-10T09:00:00Z"
JUNK, REAL = 1_751, 100
MOODS = "laughed smiled hoped wondered promised dreamed talked waited".split()
THINGS = "the rain,the printer,our plans,a long day,small wins,the weekend,being tired,the news,good coffee,old songs"
ROOMS = "Ymir Fenris Sleipnir Hati Garm Nidhogg Skoll Vidar Magni Modi".split()
PARTS = "alarm shelf door compressor key manual logbook sensor battery licence".split()
GREETINGS = ["hi", "thanks!", "good morning", "How do I cook rice?", "Why does my Python loop never end?", "lol ok"]


def _milestone(number: int) -> str:
    mood, thing = MOODS[number % len(MOODS)], THINGS.split(",")[number % 10]
    return f"A milestone of trust, number {number}: we {mood} about {thing} together"


def _real(number: int) -> str:
    room, part = ROOMS[number % 10], PARTS[number // 10]
    return f"The {part} of freezer {room} is kept by person {number}"


@pytest.fixture
def ana(stemma: Stemma) -> Stemma:
    texts = [(f"junk:{at}", _milestone(at), "milestone") for at in range(JUNK)]
    texts += [(f"real:{at}", _real(at), "fact") for at in range(REAL)]
    claims = [{"key": key, "value": text, "text": text, "kind": kind} for key, text, kind in texts]
    form = {"subject_id": "ana", "source": "form", "occurred_at": SAID}
    told = [form | {"key": each["key"], "claims": [each]} for each in claims]
    for begin in range(0, len(told), 500):
        stemma.add_episodes(told[begin : begin + 500])
    assert stemma.compile_memories("ana").memories_created == JUNK + REAL
    return stemma


def _delivered(stemma: Stemma, query: str) -> list[str]:
    answer: Any = stemma.bundle(query, subject_id="ana", budget_tokens=800)
    return [item.text for section in answer.sections for item in section.items]


def test_junk_by_the_thousand_stays_out_of_every_prompt_it_does_not_answer(ana: Stemma) -> None:
    """R-43: forced 0.00, off-topic items at most 8 %, the anchors of 20 real prompts kept, nothing for a greeting."""
    assert {query: _delivered(ana, query) for query in GREETINGS} == {query: [] for query in GREETINGS}
    forced = [item for query in GREETINGS for item in ana.recall("ana", query).items if item.forced]
    assert forced == []
    asked = {at: f"Who keeps the {PARTS[at // 10]} of freezer {ROOMS[at % 10]}?" for at in range(0, REAL, 5)}
    found = {at: _delivered(ana, query) for at, query in asked.items()}
    assert [at for at in asked if _real(at) not in found[at]] == []
    items = [text for listed in found.values() for text in listed]
    assert sum("milestone" in text for text in items) / len(items) <= 0.08
    [best] = ana.recall("ana", _real(7), k=1).items
    ana.patch_memory(best.memory.id, injection="core", by="reviewer")
    assert _delivered(ana, "hi") == [_real(7)]
