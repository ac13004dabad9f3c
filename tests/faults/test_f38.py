"""F38: check-then-create, at the door."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from stemma.store.connection import Store
from tests.contract.log_door import Door


def test_eight_that_name_a_new_subject_at_once_make_one(store: Store) -> None:
    """F38, R-1: one row and eight equal ids."""
    door = Door(store)
    together = Barrier(8)
    sent = {"subject_id": "harbour desk", "key": "opening", "text": "The desk opens at six."}

    def name_it(_: int) -> tuple[str, str | None]:
        together.wait()
        (one,) = door.send(sent)
        return one.outcome.value, one.episode_id

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(name_it, range(8)))
    assert sorted(outcome for outcome, _ in found) == ["created"] + ["duplicate"] * 7
    assert len({name for _, name in found}) == 1
    for table in ("subjects", "episodes", "revisions", "sayings", "tenants", "dirty"):
        assert len(door.rows(table)) == 1
