"""A store that was filled before traces: the migration copies each memory's last turn beside it (R-92)."""

from __future__ import annotations

import psycopg
from psycopg.types.json import Jsonb

from stemma.app.acts import forget_memory
from stemma.app.compile import compile_subject
from stemma.app.memories import list_memories
from stemma.app.models_memories import ForgetRequest, ListMemories
from stemma.store import migrate
from tests.contract.log_door import Door
from tests.stores import Server

_BEFORE = "SELECT to_jsonb(m) - 'status' - 'turned_at' AS row FROM memories m"
_FILL = "INSERT INTO memories SELECT * FROM jsonb_populate_record(NULL::memories, %s)"
_COLUMNS = "SELECT id, status, turned_at FROM memories ORDER BY id"


def test_the_last_turn_of_older_memories_is_copied(server: Server) -> None:
    """Each as a compile of now would write it; a body that cannot be read stays for `verify` to name."""
    rows, wanted = filled(server)
    rows.append({**rows[0], "id": "torn", "body": str(rows[0]["body"])[:99]})
    name = server.fresh("template0")
    with psycopg.connect(server.admin(name), autocommit=True) as admin:
        admin.execute("CREATE EXTENSION vector")
    with server.open(name) as store:
        migrate.apply(store, migrate.shipped()[:4])
        with store.transaction("default") as t:
            for row in rows:
                t.connection.execute(_FILL, [Jsonb(row)])
        migrate.apply(store)
        with store.transaction("default", read_only=True) as t:
            found = t.connection.execute(_COLUMNS).fetchall()
    server.drop(name)
    assert [one for one in found if one["id"] == "torn"] == [{"id": "torn", "status": None, "turned_at": None}]
    assert [one for one in found if one["id"] != "torn"] == wanted
    assert {one["status"] for one in wanted} == {"active", "superseded", "tombstoned"}


def filled(server: Server) -> tuple[list[dict[str, object]], list[dict[str, object]]]:
    """Give the memories of a store of now, without and with what the migration adds."""
    name = server.fresh()
    with server.open(name) as store:
        door = Door(store)
        for day, town in enumerate(("Lisbon", "Porto"), start=1):
            door.send({"subject_id": "ana", "text": f"I live in {town}.", "occurred_at": f"2026-01-0{day}T09:00:00Z"})
        claim = {"key": "shed", "value": "green"}
        door.send({"subject_id": "ana", "claims": [claim], "occurred_at": "2026-01-03T09:00:00Z"})
        compile_subject(door.runtime, door.tenant, "ana")
        listed = list_memories(door.runtime, door.tenant, ListMemories(subject_id="ana")).items
        green = next(one.id for one in listed if one.claim is not None and one.claim.key == "shed")
        forget_memory(door.runtime, door.tenant, ForgetRequest(memory_id=green, by="ana"))
        with store.transaction("default", read_only=True) as t:
            rows = [row["row"] for row in t.connection.execute(_BEFORE).fetchall()]
            wanted = t.connection.execute(_COLUMNS).fetchall()
    server.drop(name)
    return rows, wanted
