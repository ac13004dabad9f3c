"""The familiar verbs over the store in this process and over a server: what they answer and what they leave (R-86)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from stemma import Stemma
from stemma.adapters.verbs import Memory
from stemma.app.face import Face
from stemma.app.models_memories import CompileResult
from stemma.errors import Erased, InvalidInput, NotFound

MARCH = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def memory(face: Face) -> Memory:
    """The verbs over it."""
    return Memory(face)


@pytest.fixture
def user(subject_id: str) -> str:
    """A user of the test's own."""
    return subject_id


def test_a_conversation_is_added_searched_and_read(memory: Memory, user: str) -> None:
    """R-86: add, search, get, get_all, in the shapes that users expect."""
    turns = [
        {"role": "user", "content": "I am allergic to peanuts. I live in Lisbon."},
        {"role": "assistant", "content": "Noted!"},
    ]
    added = memory.add(turns, user_id=user, metadata={"topic": "health"}, occurred_at=MARCH)["results"]
    assert sorted((one["memory"], one["event"]) for one in added) == [
        ("I am allergic to peanuts", "ADD"),
        ("I live in Lisbon", "ADD"),
    ]
    (best, *_) = memory.search("What is she allergic to?", user_id=user)["results"]
    assert best["memory"] == "I am allergic to peanuts"
    assert 0 < best["score"] <= 1
    got = memory.get(best["id"])
    assert got == {name: value for name, value in best.items() if name != "score"}
    assert got is not None
    assert (got["user_id"], got["agent_id"], got["metadata"]) == (user, None, {"topic": "health"})
    assert (got["created_at"], got["updated_at"], got["status"]) == (MARCH, MARCH, "active")
    assert {one["id"] for one in memory.get_all(user_id=user)["results"]} == {one["id"] for one in added}
    assert len(memory.get_all(user_id=user, limit=1)["results"]) == 1
    assert memory.get("no such id") is None


def test_adding_again_changes_nothing(memory: Memory, face: Face, user: str) -> None:
    """R-86, R-20: the key is made of what is said, so a second `add` brings nothing about."""
    assert len(memory.add("I live in Lisbon.", user_id=user)["results"]) == 1
    assert memory.add("I live in Lisbon.", user_id=user)["results"] == []
    (one,) = memory.get_all(user_id=user)["results"]
    assert face.get_memory(one["id"]).times_said == 1


def test_what_another_program_compiled_first_is_told_all_the_same(
    memory: Memory, face: Face, user: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R-86: a server that compiles by itself may be quicker than the call that follows; the memory is no less new."""
    compiled = face.compile_memories

    def after_another(subject_id: str) -> CompileResult:
        compiled(subject_id)
        return compiled(subject_id)

    monkeypatch.setattr(face, "compile_memories", after_another)
    (told,) = memory.add("I live in Rome.", user_id=user)["results"]
    assert (told["event"], told["memory"]) == ("ADD", "I live in Rome")
    assert memory.add("I live in Rome.", user_id=user)["results"] == []


def test_what_takes_another_s_place_is_an_update(memory: Memory, user: str) -> None:
    """R-86: the older memory is shown as it was, and stays on record."""
    (lisbon,) = memory.add("I live in Lisbon.", user_id=user, occurred_at="2026-01-01T00:00:00Z")["results"]
    (porto,) = memory.add("I live in Porto now.", user_id=user, occurred_at="2026-02-01T00:00:00Z")["results"]
    assert (porto["event"], porto["previous_memory"], porto["previous_id"]) == (
        "UPDATE",
        lisbon["memory"],
        lisbon["id"],
    )
    old = memory.get(lisbon["id"])
    assert old is not None
    assert (old["status"], old["superseded_by"]) == ("superseded", porto["id"])
    (known,) = memory.add("As I said, I live in Porto.", user_id=user, occurred_at="2026-03-01T00:00:00Z")["results"]
    assert (known["id"], known["event"]) == (porto["id"], "NONE")
    (back,) = memory.add("I live in Lisbon again.", user_id=user, occurred_at="2026-04-01T00:00:00Z")["results"]
    assert (back["id"], back["event"], back["previous_id"]) == (lisbon["id"], "UPDATE", porto["id"])
    in_porto, in_lisbon = "I live in Porto", "I live in Lisbon"
    told = memory.history(porto["id"])
    assert [(one["event"], one["old_memory"], one["new_memory"]) for one in told] == [
        ("ADD", None, in_porto),
        ("UPDATE", in_lisbon, in_porto),
        ("UPDATE", in_porto, in_lisbon),
    ]


def test_a_text_is_kept_as_it_is_without_inference(memory: Memory, user: str) -> None:
    """R-86: `infer=False` makes one memory of each message."""
    said = [{"role": "user", "content": "the blue folder"}, {"role": "user", "content": "third shelf"}]
    added = memory.add(said, user_id=user, infer=False, metadata={"n": 1})["results"]
    assert [(one["memory"], one["event"]) for one in added] == [("the blue folder", "ADD"), ("third shelf", "ADD")]
    assert memory.add(said, user_id=user, infer=False, metadata={"n": 1})["results"] == []
    assert [one["metadata"] for one in memory.get_all(user_id=user)["results"]] == [{"n": 1}] * 2


def test_ids_and_filters_narrow(memory: Memory, user: str) -> None:
    """R-86: the user is the subject; agent, run and metadata narrow, in `filters` or beside them."""
    for agent, run, text, rank in (
        ("a", "1", "I like green tea.", 1),
        ("a", "2", "I like black coffee.", 2),
        ("b", "2", "I like cold water.", 3),
        ("b", "2", "I like green tea.", 4),
    ):
        memory.add(text, user_id=user, agent_id=agent, run_id=f"{run} {user}"[:90], metadata={"rank": rank})
    tea, coffee, water = "I like green tea", "I like black coffee", "I like cold water"

    def texts(found: dict[str, list[dict[str, Any]]]) -> set[str]:
        return {one["memory"] for one in found["results"]}

    assert texts(memory.get_all(user_id=user)) == {tea, coffee, water}
    assert texts(memory.get_all(user_id=user, agent_id="a")) == {tea, coffee}
    assert texts(memory.get_all(user_id=user, agent_id="b")) == {tea, water}
    assert texts(memory.get_all(filters={"AND": [{"user_id": user}, {"agent_id": "a"}, {"rank": {"gte": 2}}]})) == {
        coffee
    }
    assert texts(memory.get_all(user_id=user, filters={"OR": [{"rank": 1}, {"rank": 3}]})) == {tea, water}
    found = memory.search("What do I like to drink?", filters={"user_id": user, "rank": {"gt": 2}}, limit=5)
    assert texts(found) == {tea, water}
    assert {one["agent_id"] for one in found["results"]} == {"b"}
    (last,) = memory.search("I like green tea", user_id=user, filters={"rank": 3}, limit=1)["results"]
    assert last["memory"] == water
    assert memory.get_all(agent_id="a")["results"] == []
    with pytest.raises(InvalidInput, match="near"):
        memory.search("drink", user_id=user, filters={"rank": {"near": 2}})


def test_an_update_is_a_correction_said_now(memory: Memory, face: Face, user: str) -> None:
    """R-86: a new memory with what was noted; the old one stands no more and stays on record."""
    (kept,) = memory.add("the locker is 12", user_id=user, agent_id="a", infer=False, metadata={"n": 1})["results"]
    done = memory.update(kept["id"], "the cupboard is green")
    assert (done["previous_id"], done["id"] != kept["id"]) == (kept["id"], True)
    (now,) = memory.get_all(user_id=user)["results"]
    assert (now["id"], now["memory"], now["metadata"], now["agent_id"]) == (
        done["id"],
        "the cupboard is green",
        {"n": 1},
        "a",
    )
    assert kept["id"] not in [one["id"] for one in memory.search("locker", user_id=user)["results"]]
    assert [one["event"] for one in memory.history(kept["id"])] == ["ADD", "DELETE"]
    assert len(face.find_episodes(user).items) == 2
    again = memory.update(done["id"], "the cupboard is green", metadata={"n": 2})
    assert again["id"] == done["id"]
    assert memory.get(done["id"]) is not None
    with pytest.raises(NotFound):
        memory.update(kept["id"], "something else")


def test_what_a_ruling_worded_is_shown_without_notes(memory: Memory, face: Face, user: str) -> None:
    """R-34: a third value stands in no episode; it is a memory as any other."""
    claim = f"fee of {user}"[-100:]
    face.put_claim_key(claim, cardinality="single", policy="flag")
    for key, value in (("1", "10 EUR"), ("2", "20 EUR")):
        face.add_episodes([{"subject_id": user, "key": key, "claims": [{"key": claim, "value": value}]}])
    face.compile_memories(user)
    (conflict,) = face.list_conflicts(user).items
    face.resolve_conflict(conflict.id, value="15 EUR", text="The fee is 15 EUR.", by="ana")
    (ruled,) = memory.get_all(user_id=user)["results"]
    assert (ruled["memory"], ruled["metadata"], ruled["user_id"]) == ("The fee is 15 EUR.", {}, user)
    assert memory.get_all(user_id=user, filters={"topic": "fees"})["results"] == []


def test_deleting_forgets_and_erasing_takes_out(memory: Memory, face: Face, user: str) -> None:
    """R-86, R-92: what is deleted comes back by no compile, and its words stay until they are erased."""
    (kept,) = memory.add("I live in Lisbon.", user_id=user)["results"]
    assert memory.delete(kept["id"]) == memory.delete(kept["id"])
    if isinstance(face, Stemma):
        log: list[str] = []
        face.export_log(log.append)
        assert sum(kept["id"] in line for line in log) == 1
    face.compile_memories(user)
    assert (memory.get(kept["id"]), memory.get_all(user_id=user)["results"]) == (None, [])
    assert [one["event"] for one in memory.history(kept["id"])] == ["ADD", "DELETE"]
    assert len(face.find_episodes(user).items) == 1
    memory.add("I like tea.", user_id=user, agent_id="a")
    memory.add("I like coffee.", user_id=user, agent_id="b")
    assert memory.delete_all(user_id=user, agent_id="a")["count"] == 1
    assert [one["memory"] for one in memory.get_all(user_id=user)["results"]] == ["I like coffee"]
    with pytest.raises(InvalidInput) as whole:
        memory.delete_all(user_id=user, agent_id="b", erase=True)
    assert whole.value.field == "agent_id"
    memory.delete_all(user_id=user, erase=True)
    assert face.find_episodes(user).items == ()
    with pytest.raises(Erased):
        memory.add("I live in Lisbon.", user_id=user)
    with pytest.raises(NotFound):
        memory.delete("no such id")


def test_what_cannot_be_meant_is_refused_by_name(memory: Memory, user: str) -> None:
    """F31, R-86: nobody's memories are nobody's, and a message is a text."""
    cases: list[tuple[str, Any]] = [
        ("user_id", lambda: memory.add("x")),
        ("user_id", lambda: memory.search("x")),
        ("user_id", lambda: memory.get_all()),
        ("user_id", lambda: memory.delete_all()),
        ("user_id", lambda: memory.delete_all(user_id=None)),
        ("limit", lambda: memory.search("x", user_id=user, limit=0)),
        ("limit", lambda: memory.get_all(user_id=user, limit=True)),
        ("messages", lambda: memory.add([], user_id=user)),
        ("messages.1", lambda: memory.add([{"content": "a"}, {"content": [{"type": "image_url"}]}], user_id=user)),
        ("metadata.run_id", lambda: memory.add("x", user_id=user, metadata={"run_id": "r"})),
        ("metadata", lambda: memory.add("x", user_id=user, metadata={"a": {1}})),
        ("app_id", lambda: memory.get_all(user_id=user, app_id="x")),  # type: ignore[call-arg]
    ]
    for field, ask in cases:
        with pytest.raises(InvalidInput) as refused:
            ask()
        assert refused.value.field == field
