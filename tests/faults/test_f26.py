"""F26: naive, aware and offset times in one subject."""

from __future__ import annotations

from stemma.app.compile import compile_subject
from stemma.app.memories import list_memories
from stemma.app.models_memories import ListMemories
from stemma.store.connection import Store
from tests.contract.log_door import Door


def test_the_later_instant_wins_whatever_its_zone(store: Store) -> None:
    """F26, R-22: 23:30 at -08:00 is after 06:00Z of the next day; the time without a zone is refused by name."""
    door = Door(store)
    times = {"one": "2026-03-01T23:30:00-08:00", "two": "2026-03-02T06:00:00Z", "three": "2026-03-02T05:00:00"}
    answers = door.send(
        *(
            {"subject_id": "ana", "key": name, "claims": [{"key": "home", "value": name}], "occurred_at": at}
            for name, at in times.items()
        )
    )
    assert [one.outcome.value for one in answers] == ["created", "created", "rejected"]
    assert answers[2].error is not None
    assert answers[2].error.code == "naive_datetime"
    compile_subject(door.runtime, "default", "ana")
    rows = list_memories(door.runtime, "default", ListMemories(subject_id="ana", status="all")).items
    assert {row.claim.value: row.status.value for row in rows if row.claim} == {"one": "active", "two": "superseded"}
