"""F35: another embedding model is refused by name, whether its vectors have another length or only another origin."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from stemma import Stemma
from tests.faults.embedding_server import embedding_server
from tests.spine_clock import Clock, wait_for_vectors

NOW = datetime(2026, 3, 1, 10, tzinfo=UTC)
MODELS = {"m1": 384, "m2": 768, "m3": 384}
TEXTS = [f"The {name} buoy lies off pier {number}" for number, name in enumerate(("red", "green", "white", "black"), 1)]
TEXTS += [f"Berth {number} takes barges of {number + 20} metres" for number in range(1, 17)]


@pytest.fixture(scope="module")
def models() -> Iterator[str]:
    """An endpoint with three models."""
    with embedding_server(MODELS) as address:
        yield address


@pytest.fixture
def filled(address: str, models: str) -> str:
    """A store of twenty memories built with m1, two of them quarantined; return its address."""
    with Stemma(address, clock=Clock(NOW), embedder=f"{models}#m1") as stemma:
        for number, text in enumerate(TEXTS):
            stemma.remember("harbour", text, key=f"said:{number}", occurred_at=NOW)
        rows = stemma.list_memories("harbour", limit=100).items
        assert len(rows) == 20
        for memory in rows:
            if memory.text in TEXTS[:2]:
                stemma.patch_memory(memory.id, quarantine=True, by="Ada")
        wait_for_vectors(stemma, "harbour")
        state = stemma.recall("harbour", "white buoy").index_state
        assert (state.complete, state.degraded) == (True, None)
    return address


@pytest.mark.parametrize("model", ["m2", "m3"])
def test_a_restart_with_another_model_refuses_the_dense_leg_by_name_and_answers_by_words(
    filled: str, models: str, model: str
) -> None:
    """F35, R-95: `degraded` names both models and sizes; the lexical answer stands; it is never an empty "ok".

    Breaks when equal lengths pass for equal models (m3), or when other lengths give an empty list (m2).
    """
    with Stemma(filled, clock=Clock(NOW), embedder=f"{models}#{model}") as stemma:
        answer = stemma.recall("harbour", "white buoy")
        assert [one.memory.text for one in answer.items][:1] == [TEXTS[2]]
        degraded = answer.index_state.degraded
        assert degraded is not None
        assert "embedding_space_mismatch" in degraded
        assert not answer.index_state.complete
        bundle = stemma.bundle("white buoy", subject_id="harbour")
        assert TEXTS[2] in bundle.text
        assert bundle.index_state.degraded == degraded
        for named in ("m1", model, str(MODELS["m1"]), str(MODELS[model])):
            assert named in degraded


@pytest.mark.parametrize("model", ["m2", "m3"])
def test_what_is_said_under_another_model_is_found_by_words_and_loses_no_vector(
    filled: str, models: str, model: str
) -> None:
    """F35, R-95: a write under the other model is stored and found; back on the first model nothing is missing.

    Breaks when the other model's vectors are mixed into the space, or when the old ones are thrown away.
    """
    with Stemma(filled, clock=Clock(NOW), embedder=f"{models}#{model}") as stemma:
        said = stemma.remember("harbour", "The yellow buoy lies off pier 9", key="late", occurred_at=NOW)
        assert [one.text for one in said.memories] == ["The yellow buoy lies off pier 9"]
        assert [one.memory.text for one in stemma.recall("harbour", "yellow buoy").items][:1] == [said.memories[0].text]
    with Stemma(filled, clock=Clock(NOW), embedder=f"{models}#m1") as stemma:
        answer = stemma.recall("harbour", "white buoy")
        assert answer.index_state.degraded is None
        assert answer.index_state.outstanding <= 1
        assert [one.memory.text for one in answer.items][:1] == [TEXTS[2]]


@pytest.mark.parametrize("model", ["m1", "m2", "m3"])
def test_a_quarantined_memory_comes_back_whole_after_a_change_of_model(filled: str, models: str, model: str) -> None:
    """F35, R-50: the two that were quarantined stay out, and are found once restored, under any model."""
    with Stemma(filled, clock=Clock(NOW), embedder=f"{models}#{model}") as stemma:
        held = stemma.list_memories("harbour", status="quarantined").items
        assert sorted(one.text for one in held) == sorted(TEXTS[:2])
        before = {one.memory.text for one in stemma.recall("harbour", "red buoy pier 1", k=50).items}
        assert not before & set(TEXTS[:2])
        for one in held:
            assert stemma.patch_memory(one.id, quarantine=False, by="Ada").status == "active"
        assert stemma.recall("harbour", "red buoy pier 1").items[0].memory.text == TEXTS[0]


def test_two_models_make_two_extractor_versions_and_going_back_gives_the_first_state_again(
    filled: str, models: str
) -> None:
    """R-2, R-95: the embedder's id is part of the extractor version; the state itself says the same under each."""
    hashes = {}
    for model in ("m1", "m2", "m1"):
        with Stemma(filled, clock=Clock(NOW), embedder=f"{models}#{model}") as stemma:
            state_hash = stemma.compile_memories("harbour").state_hash
            assert hashes.setdefault(model, state_hash) == state_hash
            assert len(stemma.list_memories("harbour", limit=100).items) == 18


def test_a_text_that_cannot_be_cut_is_remembered_without_waiting_for_its_vector(address: str, models: str) -> None:
    """R-40: signs without a word are one passage, for which a model needs a second for each page."""
    signs = '"\\' * 4_000
    with Stemma(address, clock=Clock(NOW), embedder=f"{models}#m1") as stemma:
        stemma.remember("harbour", TEXTS[0], occurred_at=NOW)
        stemma.remember("harbour", signs, occurred_at=NOW)
        found = stemma.recall("harbour", "red buoy")
        assert found.items[0].memory.text == TEXTS[0]
        assert found.index_state.outstanding == 1
        stemma.make_vectors(limit=100)
        assert stemma.recall("harbour", "red buoy").index_state.complete
