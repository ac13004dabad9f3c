"""F14: a lost acknowledgement and a retried write make no second memory."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from stemma.app.compile import CompileRequest, compile_memories
from stemma.app.memories import list_memories
from stemma.app.models_memories import ListMemories
from stemma.store.connection import Store
from tests.contract.log_door import Door


def test_a_retried_write_is_one_episode_and_one_set_of_memories(store: Store) -> None:
    """F14, R-1: the reply is lost, the same comes twice at once, then another body, then the first 400 days later."""
    door = Door(store)
    body = {"subject_id": "ana", "key": "K", "text": "I prefer dark mode.", "occurred_at": "2026-05-01T09:00:00Z"}
    door.send(body)  # the connection was cut before this answer arrived
    with ThreadPoolExecutor(2) as pool:
        both = [one for answers in pool.map(lambda _: door.send(body), range(2)) for one in answers]
    (other,) = door.send({**body, "text": "I prefer light mode."})
    door.later(days=400)
    (late,) = door.send(body)
    assert [one.outcome.value for one in (*both, other, late)] == ["duplicate"] * 4
    assert len({one.episode_id for one in (*both, other, late)}) == 1
    assert [one.content_changed for one in (*both, other, late)] == [False, False, True, False]
    first = compile_memories(door.runtime, "default", CompileRequest(subject_id="ana"))
    second = compile_memories(door.runtime, "default", CompileRequest(subject_id="ana"))
    assert (first.memories_created, second.memories_created, second.episodes_compiled) == (1, 0, 0)
    rows = list_memories(door.runtime, "default", ListMemories(subject_id="ana", status="all")).items
    assert [row.text for row in rows] == ["I prefer dark mode"]
    assert len(door.rows("episodes")) == len(door.rows("sayings")) == 1
