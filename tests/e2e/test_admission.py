"""What may come into a prompt, and by which rule (SPEC R-43, R-45a): core, relevance, clauses of episodes."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from stemma import Stemma
from stemma.errors import StemmaError
from tests.e2e.telling import said
from tests.spine_clock import Clock

JANUARY, FEBRUARY = "2026-01-10T09:00:00Z", "2026-02-10T09:00:00Z"


def _remembered(stemma: Stemma, text: str, **more: Any) -> str:
    [row] = stemma.remember("ana", text, occurred_at=JANUARY, **more).memories
    return row.id


def _fates(stemma: Stemma, trace_id: str, stage: str) -> dict[str, str]:
    trace = stemma.get_trace(trace_id)
    [found] = [each for each in trace.stages if each.name == stage]
    return {each.id: each.reason for each in found.dropped}


def _texts(answer: Any, section: str = "memories") -> list[str]:
    return [item.text for each in answer.sections if each.name == section for item in each.items]


def test_only_the_core_list_comes_into_a_prompt_about_nothing(stemma: Stemma) -> None:
    """R-43: the list comes whatever is asked, and is forced; what is merely important does not come."""
    name = _remembered(stemma, "My name is Ana Duarte")
    _remembered(stemma, "The freezer alarm is set to -70 °C", importance=1.0)
    assert _texts(stemma.bundle("hi", subject_id="ana")) == []
    stemma.patch_memory(name, injection="core", by="reviewer")
    answer = stemma.bundle("hi", subject_id="ana")
    assert _texts(answer) == ["My name is Ana Duarte"]
    assert answer.grounding.verdict == "abstain"
    [item] = stemma.recall("ana", "hi").items
    assert (item.memory.id, item.forced, item.similarity) == (name, True, 0.0)
    [asked] = stemma.recall("ana", "What is my name? Ana Duarte?").items
    assert (asked.memory.id, asked.forced) == (name, False)
    stemma.patch_memory(name, injection="gated", by="reviewer")
    assert _texts(stemma.bundle("hi", subject_id="ana")) == []


def test_a_sixth_memory_does_not_come_on_the_core_list(stemma: Stemma) -> None:
    """R-43: at most five, refused by name; one taken off makes room, and one that is superseded holds no place."""
    ids = [_remembered(stemma, f"The {colour} bench belongs to the lab") for colour in COLOURS[:6]]
    for each in ids[:5]:
        stemma.patch_memory(each, injection="core", by="reviewer")
    with pytest.raises(StemmaError) as caught:
        stemma.patch_memory(ids[5], injection="core", by="reviewer")
    assert caught.value.code == "core_list_full"
    assert stemma.get_memory(ids[5]).injection == "gated"
    stemma.patch_memory(ids[4], injection="core", by="reviewer")
    stemma.forget_memory(ids[0], by="reviewer")
    stemma.patch_memory(ids[5], injection="core", by="reviewer")
    assert set(_texts(stemma.bundle("hi", subject_id="ana"))) == {stemma.get_memory(each).text for each in ids[1:]}


def test_the_core_list_takes_half_of_a_budget_at_most(stemma: Stemma) -> None:
    """R-43: `core_share` 0.5, item by item; what goes over it says so in the trace."""
    long = "My emergency contact is " + " ".join(f"person{number} at desk {number}" for number in range(40))
    short = _remembered(stemma, "My name is Ana Duarte")
    other = _remembered(stemma, long)
    for each in (other, short):
        stemma.patch_memory(each, injection="core", by="reviewer")
    answer = stemma.bundle("hi", subject_id="ana", budget_tokens=200)
    assert _texts(answer) == ["My name is Ana Duarte"]
    assert _fates(stemma, answer.trace_id, "budget") == {other: "core_budget"}
    assert set(_texts(stemma.bundle("hi", subject_id="ana", budget_tokens=2000))) == {long, "My name is Ana Duarte"}


def test_a_retype_forces_nothing_into_any_prompt(stemma: Stemma) -> None:
    """The seed's incident: 22 facts retyped; the off-topic prompt says why for each, the on-topic one admits one."""
    ids = [_remembered(stemma, f"The {colour} valve feeds tank {at}", kind="fact") for at, colour in enumerate(COLOURS)]
    asked = ["How do I cook rice?", "hi", "Which tank does the teal valve feed?"]
    before = [_forced(stemma, each) for each in asked]
    for each in ids:
        assert stemma.patch_memory(each, kind="milestone", by="reviewer").injection == "gated"
    assert [_forced(stemma, each) for each in asked] == before == [0, 0, 0]
    off = stemma.bundle("How do I cook rice?", subject_id="ana")
    assert _texts(off) == []
    assert set(_why(stemma, off.trace_id, ids)) <= {"below_gate", "not_found"}
    on = stemma.bundle("Which tank does the teal valve feed?", subject_id="ana")
    assert f"The teal valve feeds tank {COLOURS.index('teal')}" in _texts(on)


COLOURS = (
    "amber azure beige black blue bronze brown coral cyan gold green grey indigo ivory jade lilac lime olive pink plum "
    "red teal"
).split()


def _forced(stemma: Stemma, query: str) -> int:
    return sum(item.forced for item in stemma.recall("ana", query, k=100).items)


def _why(stemma: Stemma, trace_id: str, ids: list[str]) -> list[str]:
    return [str(stemma.why(trace_id, each).reason) for each in ids]


def test_a_clause_of_an_episode_answers_where_no_memory_does(stemma: Stemma) -> None:
    """R-46: what was said and never became a memory comes as a labelled excerpt, of its clause alone."""
    text = "Right. Could the Zephyr incubator be kept at 37 degrees? I will see you later at the gate."
    stemma.add_episodes([said(text, JANUARY, speaker="Ana") | {"subject_id": "ana"}])
    stemma.compile_memories("ana")
    answer = stemma.bundle("Zephyr incubator degrees", subject_id="ana")
    assert _texts(answer) == []
    assert _texts(answer, "episodes") == ["Could the Zephyr incubator be kept at 37 degrees?"]
    [section] = [each for each in answer.sections if each.name == "episodes"]
    assert section.items[0].provenance[0].key == f"{JANUARY} {text}"
    assert "## Said in conversation" in answer.text


PAIRS = [
    ("Stripe charges 3.5% + 35c", "Stripe charges 2.9% + 30c", "What does Stripe charge?"),
    ("Our sprint length is 3 weeks", "Our sprint length is 2 weeks", "sprint length in weeks"),
    ("I live in Lisbon", "I live in Porto", "Where do I live, Lisbon or Porto?"),
]


@pytest.mark.parametrize(("old", "new", "query"), PAIRS)
@pytest.mark.parametrize("retired", ["superseded", "forgotten"])
def test_a_retired_value_does_not_come_back_as_an_excerpt(
    stemma: Stemma, old: str, new: str, query: str, retired: str
) -> None:
    """R-45a: neither from the episode that said it, nor from another that says it in passing."""
    told = [said(old, JANUARY), said(new, FEBRUARY), said(f"Could it be that {old} again, like before?", FEBRUARY)]
    stemma.add_episodes([each | {"subject_id": "ana"} for each in told])
    stemma.compile_memories("ana")
    if retired == "forgotten":
        [row] = [each for each in stemma.list_memories("ana", status="all").items if each.text == old]
        stemma.forget_memory(row.id, by="reviewer")
    for asked in (query, f"{query} {old}", "like before again"):
        text = stemma.bundle(asked, subject_id="ana").text
        assert old not in text, asked
    assert new in stemma.bundle(query, subject_id="ana").text


WEB = "Could the Zephyr incubator be at 38 degrees?"


def test_an_assistants_and_an_untrusted_sources_words_are_no_excerpts(stemma: Stemma) -> None:
    """R-39, R-33a: only a user's own words come as an excerpt, and from no source below the user's authority."""
    stemma.put_source("web", authority=10)
    chat = {"role": "assistant", "content": "Could the Zephyr incubator be kept at 37 degrees?"}
    stemma.add_episodes(
        [
            {"subject_id": "ana", "key": "a", "messages": [chat], "occurred_at": JANUARY},
            {"subject_id": "ana", "source": "web", "key": "w", "text": WEB, "occurred_at": JANUARY},
        ]
    )
    stemma.compile_memories("ana")
    answer = stemma.bundle("Zephyr incubator degrees", subject_id="ana")
    assert _texts(answer, "episodes") == []
    fates = set(_fates(stemma, answer.trace_id, "admission").values())
    assert {"untrusted"} <= fates <= {"assistant_voice", "below_gate", "untrusted"}


def test_what_held_for_a_while_does_not_come_back_as_an_excerpt(stemma: Stemma, clock: Clock) -> None:
    """R-45a: a window that is over retires what it bounded; the sentence that said it is left out with it."""
    text = "Until 20 March 2026 the Zephyr incubator is reserved for Tom."
    stemma.add_episodes([said(text, "2026-03-02T09:00:00Z") | {"subject_id": "ana"}])
    stemma.compile_memories("ana")
    assert "reserved for Tom" in stemma.bundle("Is the Zephyr incubator reserved?", subject_id="ana").text
    clock.now += timedelta(days=60)
    assert "reserved for Tom" not in stemma.bundle("Is the Zephyr incubator reserved?", subject_id="ana").text
