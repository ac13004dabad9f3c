"""`Stemma` in process: one method a row, with the row's fields, and the errors of the tree (R-80)."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, get_type_hints, is_typeddict

import pytest

import stemma
from stemma import Stemma
from stemma.app.operations import OPERATIONS, Operation
from stemma.errors import InvalidInput, NaiveDatetime, NotFound, UnknownField

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def memory(address: str) -> Iterator[Stemma]:
    """A face on that store, whose clock stands at noon, without an embedder."""
    with Stemma(address, clock=lambda: NOON, embedder="none") as opened:
        yield opened


@pytest.mark.parametrize("row", OPERATIONS, ids=lambda row: row.name)
def test_a_method_takes_the_fields_of_its_row(row: Operation) -> None:
    """R-80: the same names and fields as every other door."""
    method = getattr(Stemma, row.name)
    assert set(_fields(method)) == set(row.request.model_fields)
    answer = get_type_hints(method)["return"]
    assert answer is row.answer


def test_the_package_offers_its_face_lazily() -> None:
    """R-80: `from stemma import Stemma`."""
    assert stemma.Stemma is Stemma
    assert "Stemma" in dir(stemma)
    with pytest.raises(AttributeError, match="no attribute 'Stema'"):
        _ = stemma.Stema


def test_from_an_episode_to_a_memory_with_its_evidence(memory: Stemma) -> None:
    """Issue 2: the path that really runs, in process; plain dictionaries, datetimes and texts are taken."""
    said = [
        {"subject_id": "ana", "text": "I live in Lisbon.", "key": "1", "occurred_at": NOON - timedelta(days=2)},
        {"subject_id": "ana", "text": "I am allergic to peanuts.", "key": "2", "occurred_at": "2026-02-28T12:00:00Z"},
    ]
    assert [one.outcome for one in memory.add_episodes(said).results] == ["created", "created"]
    assert [one.outcome for one in memory.add_episodes(said).results] == ["duplicate", "duplicate"]
    assert memory.compile_memories("ana").memories_created == 2
    assert memory.compile_memories().memories_created == 0
    (found,) = memory.recall("ana", "What is Ana allergic to?", k=1).items
    assert found.memory.text == "I am allergic to peanuts"
    assert [one.key for one in found.memory.episodes] == ["2"]


def test_the_clock_is_the_one_that_was_given(memory: Stemma) -> None:
    """R-80: `Stemma(store, clock=…)`; without a time an episode is said when it is received."""
    memory.add_episodes([{"subject_id": "ana", "text": "I live in Lisbon.", "key": "1"}])
    (episode,) = memory.find_episodes("ana").items
    assert [one.occurred_at for one in episode.sayings] == [NOON]


@pytest.mark.parametrize("scope", ["", " ", None, [], "*"])
def test_a_malformed_scope_is_an_error(memory: Stemma, scope: Any) -> None:
    """F31, in process."""
    for ask in (memory.list_decisions, memory.list_conflicts, memory.find_episodes):
        with pytest.raises(InvalidInput):
            ask(scope)
    with pytest.raises(InvalidInput):
        memory.recall(scope, "tea")


def test_errors_are_those_of_the_tree(memory: Stemma) -> None:
    """R-80: the narrowest class, with the field."""
    with pytest.raises(NaiveDatetime) as naive:
        memory.recall("ana", "tea", now=NOON.replace(tzinfo=None))
    assert naive.value.field == "now"
    with pytest.raises(UnknownField) as unknown:
        memory.recall("ana", "tea", depth=3)
    assert unknown.value.field == "depth"
    with pytest.raises(NotFound):
        memory.get_memory("none")


def test_two_tenants_of_one_store_see_nothing_of_one_another(memory: Stemma, address: str) -> None:
    """R-12: the tenant is fixed when the face is opened."""
    kept = memory.remember("ana", "Ana prefers oat milk.").memories[0]
    with Stemma(address, tenant="other", embedder="none") as other:
        assert other.list_memories("ana", status="all").items == ()
        assert other.recall("ana", "oat milk").items == ()
        for act in (other.get_memory, other.memory_history, other.forget_memory):
            with pytest.raises(NotFound):
                act(kept.id)
    assert memory.get_memory(kept.id).status == "active"


def test_a_folder_is_enough(place: Path) -> None:
    """R-90: the embedded default, opened twice in turn."""
    for outcome in ("created", "duplicate"):
        with Stemma(place / "store", embedder="none") as opened:
            episode = {"subject_id": "ana", "text": "I live in Lisbon.", "key": "1"}
            assert opened.add_episodes([episode]).results[0].outcome == outcome


def _fields(method: Any) -> Iterator[str]:
    hints = get_type_hints(method)
    for one in inspect.signature(method).parameters.values():
        if one.kind is inspect.Parameter.VAR_KEYWORD:
            (fields,) = hints[one.name].__args__
            assert is_typeddict(fields)
            yield from fields.__annotations__
        elif one.name != "self":
            yield one.name
