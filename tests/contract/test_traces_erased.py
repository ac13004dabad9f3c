"""What is erased takes the traces with it that name it, those that wait as well (R-92, R-44)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from stemma import Stemma
from stemma.errors import NotFound
from tests.contract.test_traces import is_kept, note
from tests.corpora import Ticking


@pytest.fixture
def other(memory: Stemma, target: str | Path, clock: Ticking) -> Iterator[Stemma]:
    """Another process of the same tenant."""
    with Stemma(target, clock=clock, tenant=memory.tenant, embedder="none") as opened:
        yield opened


@pytest.fixture
def said(memory: Stemma) -> Stemma:
    """Two subjects, two documents."""
    note(memory, "The lamp is green.", 1)
    note(memory, "The boat is blue.", 2)
    episode = {"subject_id": "ben", "claims": [{"key": "lamp", "value": "red"}], "occurred_at": "2026-01-03T09:00:00Z"}
    memory.add_episodes([episode])
    memory.compile_memories("ana")
    memory.compile_memories("ben")
    memory.put_document("ops", "one", text="The lamp is lit at dusk.")
    memory.put_document("ops", "two", text="The boat leaves at noon.")
    return memory


def test_an_erased_subject_takes_its_traces(said: Stemma, other: Stemma) -> None:
    """R-92: stored, waiting here, waiting elsewhere and in memory alone; another subject's stay."""
    stored = str(said.recall("ana", "lamp").trace_id)
    said.get_trace(stored)
    waiting = str(said.recall("ana", "lamp").trace_id)
    overridden = str(said.recall("ana", "lamp", now="2026-02-01T00:00:00Z").trace_id)
    bens = str(said.recall("ben", "lamp").trace_id)
    elsewhere = str(other.recall("ana", "lamp").trace_id)
    bens_elsewhere = str(other.recall("ben", "lamp").trace_id)
    receipt = said.erase("ana")
    assert receipt.traces == 2
    assert not any(is_kept(said, name) for name in (stored, waiting, overridden, elsewhere))
    other.runtime.traces.write(other.runtime.store)
    assert not is_kept(said, elsewhere)
    assert is_kept(said, bens)
    assert is_kept(said, bens_elsewhere)
    assert said.erase("ana").traces == 0


def test_an_erased_episode_takes_the_traces_that_name_what_rests_on_it(said: Stemma, other: Stemma) -> None:
    """R-92: the trace of another question of the subject stays."""
    [episode] = [each for each in said.find_episodes("ana").items if "green" in str(said.get_episode(each.episode_id))]
    lamp, boat = (str(said.recall("ana", query).trace_id) for query in ("lamp", "boat"))
    elsewhere, kept = (str(other.recall("ana", query).trace_id) for query in ("lamp", "boat"))
    assert said.erase("ana", episode_key=episode.key).traces == 1
    other.runtime.traces.write(other.runtime.store)
    assert [is_kept(said, name) for name in (lamp, boat, elsewhere, kept)] == [False, True, False, True]


def test_an_erased_episode_takes_the_traces_that_name_a_message_of_it(said: Stemma) -> None:
    """R-92: an excerpt is named by its message; the episode that it is of is erased."""
    chat = {"subject_id": "ana", "key": "talk", "messages": [{"role": "user", "content": "Is the zephyr on?"}]}
    said.add_episodes([chat | {"occurred_at": "2026-01-05T09:00:00Z"}])
    named = str(said.recall("ana", "zephyr", include=["episodes"]).trace_id)
    other = str(said.recall("ana", "boat", include=["episodes"]).trace_id)
    assert "episode" in {each.type for each in said.get_trace(named).candidates}
    assert said.erase("ana", episode_key="talk").traces == 1
    assert [is_kept(said, name) for name in (named, other)] == [False, True]


def test_an_erased_document_takes_the_traces_of_its_passages(said: Stemma, other: Stemma) -> None:
    """R-92: a trace that names a passage of another document stays."""
    lamp, boat = (str(said.bundle(query, corpora=["ops"]).trace_id) for query in ("lamp", "boat"))
    elsewhere, kept = (str(other.bundle(query, corpora=["ops"]).trace_id) for query in ("lamp", "boat"))
    assert said.erase(corpus="ops", external_id="one").traces == 1
    other.runtime.traces.write(other.runtime.store)
    assert [is_kept(said, name) for name in (lamp, boat, elsewhere, kept)] == [False, True, False, True]


def test_a_subject_of_whom_nothing_is_known_is_traced_after_an_erasure_too(said: Stemma) -> None:
    """API traces: the next request is a new one."""
    said.erase("ana")
    trace_id = str(said.recall("ana", "lamp").trace_id)
    assert said.get_trace(trace_id).request.subject_id == "ana"
    said.erase("ana")
    with pytest.raises(NotFound):
        said.get_trace(trace_id)
