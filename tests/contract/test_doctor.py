"""`stemma doctor`: what it looks at and finds amiss, what it ends with, and that it changes nothing (R-94, API.md)."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from stemma import Stemma
from stemma.app import doctor_store
from stemma.app.keys import create_key, revoke_key
from stemma.app.models_keys import CreateKey, RevokeKey
from tests.faults.embedding_server import embedding_server
from tests.serving import Shell
from tests.stores import Server

STORE = ["store", "pgvector", "clock", "migrations", "role", "vectors", "backlog", "keys"]
MACHINE = ["python", "memory", "registry", "chat", "embedder"]
Look = Callable[..., dict[str, Any]]


@pytest.fixture
def look(shell: Shell) -> Look:
    """Run the command and give its findings by name, with the exit code under `code`."""

    def looked(store: str, **more: str) -> dict[str, Any]:
        done = shell("doctor", "--json", "--store", store, **more)
        told = json.loads(done.stdout)
        return {"code": done.returncode, "told": told, **{one["name"]: one for one in told["findings"]}}

    return looked


def verdict(finding: dict[str, Any]) -> str:
    """Return what is said of a thing; what is not well comes with advice."""
    assert (finding["advice"] is None) == (finding["verdict"] == "ok")
    return str(finding["verdict"])


@pytest.fixture
def admin(served_server: Server, address: str) -> Iterator[psycopg.Connection]:
    """The superuser in the store's database."""
    with psycopg.connect(served_server.admin(address.rpartition("/")[2]), autocommit=True) as connection:
        yield connection


def test_a_store_that_is_well_is_said_to_be_so_line_by_line(look: Look, shell: Shell, address: str) -> None:
    """API.md: doctor ends with 0; one line each."""
    found = look(address)
    names = [one["name"] for one in found["told"]["findings"]]
    assert (found["code"], found["told"]["verdict"], found["told"]["reached"]) == (0, "ok", True)
    assert names == [*MACHINE, *STORE]
    plain = shell("doctor", "--store", address).stdout.decode()
    assert [line.split()[:2] for line in plain.splitlines()] == [["ok", name] for name in names]


def test_an_embedded_store_is_looked_at_with_its_disk(
    look: Look, shell: Shell, embedded_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R-94: disk space, before a full disk stops every write."""
    shell("migrate", "--store", str(embedded_server.target))
    found = look(str(embedded_server.target))
    assert [one["name"] for one in found["told"]["findings"]] == [*MACHINE[:2], "disk", *MACHINE[2:], *STORE]
    assert (verdict(found["disk"]), verdict(found["role"]), verdict(found["migrations"])) == ("ok", "ok", "ok")
    real = shutil.disk_usage(embedded_server.target)
    for free, said, code in ((2**30, "warn", 0), (2**20, "fail", 1)):
        monkeypatch.setattr(shutil, "disk_usage", lambda _, free=free: real._replace(free=free))
        found = look(str(embedded_server.target))
        assert (verdict(found["disk"]), found["code"]) == (said, code)


def test_a_store_that_is_not_there_is_not_made(look: Look, place: Path) -> None:
    """API.md: nothing is changed by looking."""
    found = look(str(place / "none"))
    assert (found["code"], verdict(found["store"])) == (0, "warn")
    assert not (place / "none").exists()


def test_a_store_that_cannot_be_reached_ends_with_3_and_no_password_is_shown(shell: Shell) -> None:
    """API.md: 3; what was looked at before is told all the same."""
    store = "postgresql://nobody:hush-hush@127.0.0.1:1/none?connect_timeout=1"
    done = shell("doctor", "--json", "--store", store, STEMMA_RESTORE_SECONDS="0.2")
    told = json.loads(done.stdout)
    assert (done.returncode, told["verdict"], told["reached"]) == (3, "fail", False)
    assert told["findings"][-1]["detail"].startswith("postgresql://127.0.0.1:1/none: store_unavailable: ")
    assert b"hush" not in done.stdout + done.stderr


def test_migrations_that_are_missing_are_told_and_left(look: Look, address: str, admin: psycopg.Connection) -> None:
    """R-92: of an older schema, and of a newer one than this version knows."""
    admin.execute("DELETE FROM schema_migrations WHERE number = (SELECT max(number) FROM schema_migrations)")
    for _ in range(2):
        found = look(address)
        assert (found["code"], verdict(found["migrations"])) == (0, "warn")
        assert found["migrations"]["detail"].startswith("1 of ")
        assert "backlog" not in found
    admin.execute("INSERT INTO schema_migrations (number, name, sha256) VALUES (9999, 'future', 'x')")
    found = look(address)
    assert (found["code"], verdict(found["migrations"])) == (1, "fail")
    assert found["migrations"]["detail"].startswith("store_newer: ")


def test_a_role_that_row_security_does_not_hold_is_told(look: Look, served_server: Server, address: str) -> None:
    """R-93: the second lock between tenants."""
    parts = conninfo_to_dict(served_server.admin(address.rpartition("/")[2]))
    found = look("postgresql:///?" + urlencode(parts, quote_via=quote))
    assert (found["code"], verdict(found["role"])) == (0, "warn")
    assert "row security" in found["role"]["detail"]


def test_a_role_without_rights_is_told_which_tables(look: Look, address: str, admin: psycopg.Connection) -> None:
    """R-91: any DSN; a role that cannot use the tables is named before a request fails for it."""
    role = f"guest_{address.rpartition('_')[2]}"
    admin.execute(f"CREATE ROLE {role} LOGIN PASSWORD 'guest'")  # type: ignore[arg-type]
    try:
        admin.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {role}")  # type: ignore[arg-type]
        guest = f"postgresql://{role}:guest@{address.rpartition('@')[2]}"
        found = look(guest)
        assert (found["code"], verdict(found["role"])) == (1, "fail")
        assert f"{role} may not use " in found["role"]["detail"]
        assert "episodes" in found["role"]["detail"]
        admin.execute(f"GRANT ALL ON ALL TABLES IN SCHEMA public TO {role}")  # type: ignore[arg-type]
        found = look(guest)
        assert (found["code"], verdict(found["role"])) == (0, "warn")
        assert "not migrate" in found["role"]["detail"]
    finally:
        admin.execute(f"DROP OWNED BY {role}")  # type: ignore[arg-type]
        admin.execute(f"DROP ROLE {role}")  # type: ignore[arg-type]


def test_an_embedder_that_is_missing_is_told(look: Look, address: str) -> None:
    """R-94: the model is asked for one vector, so what it lacks is seen here."""
    found = look(address, STEMMA_EMBEDDER="nosuch")
    assert (found["code"], verdict(found["embedder"])) == (1, "fail")
    assert found["embedder"]["detail"].startswith("nosuch: embedder_missing: ")


def test_an_embedder_that_was_never_measured_and_vectors_of_another_are_told(look: Look, address: str) -> None:
    """R-95: stored and configured embedder differ."""
    with embedding_server({"tiny": 8, "other": 9}) as endpoint:
        with Stemma(address, embedder=f"{endpoint}#tiny", tenant="acme") as memory:
            memory.remember("ana", "I like tea.")
            memory.make_vectors()
        found = look(address, STEMMA_EMBEDDER=f"{endpoint}#tiny")
        assert (verdict(found["embedder"]), verdict(found["vectors"])) == ("ok", "ok")
        assert (found["code"], verdict(found["calibration"])) == (0, "warn")
        found = look(address, STEMMA_EMBEDDER=f"{endpoint}#other")
        assert verdict(found["vectors"]) == "warn"
        assert found["vectors"]["detail"].startswith("those of 1 of 1 tenants are another model's")


def test_a_backlog_that_grows_is_told(look: Look, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """R-30: what no compile has seen is visible."""
    with Stemma(address, embedder="none") as memory:
        memory.add_episodes([{"subject_id": "ana", "text": f"I like tea number {n}."} for n in range(3)])
    assert verdict(look(address)["backlog"]) == "ok"
    monkeypatch.setattr(doctor_store, "_USUAL_BACKLOG", 2)
    found = look(address)
    assert (found["code"], verdict(found["backlog"])) == (0, "warn")
    assert found["backlog"]["detail"].startswith("3 episodes wait for a compile, ")


@pytest.mark.parametrize(
    ("apart", "said", "code"), [(1, "ok", 0), (60, "warn", 0), (600, "fail", 1), (-600, "fail", 1)]
)
def test_a_clock_that_is_apart_from_the_servers_is_told(
    look: Look, address: str, monkeypatch: pytest.MonkeyPatch, apart: int, said: str, code: int
) -> None:
    """R-22: five minutes ahead, and what is said now is marked as said in the future."""
    monkeypatch.setattr(doctor_store, "system_clock", lambda: datetime.now(UTC) + timedelta(seconds=apart))
    found = look(address)
    assert (verdict(found["clock"]), found["code"]) == (said, code)


def test_keys_that_end_and_a_door_that_is_open_are_told(look: Look, address: str) -> None:
    """R-93: who would be served, and whether the network could reach a store without keys."""
    found = look(address, STEMMA_HOST="0.0.0.0")
    assert (found["code"], verdict(found["keys"])) == (1, "fail")
    assert "the network" in found["keys"]["detail"]
    with Stemma(address, embedder="none") as memory:
        ends = datetime.now(UTC) + timedelta(days=3)
        made = create_key(memory.runtime, "acme", CreateKey(scopes=("read",), name="soon", expires_at=ends))
        found = look(address, STEMMA_HOST="0.0.0.0")
        assert (found["code"], verdict(found["keys"])) == (0, "warn")
        assert found["keys"]["detail"] == "1 of 1 in force; 1 end within 7 days: soon"
        lasting = create_key(memory.runtime, "default", CreateKey(scopes=("read",)))
        revoke_key(memory.runtime, "acme", RevokeKey(key_id=made.id))
        assert verdict(look(address)["keys"]) == "ok"
        revoke_key(memory.runtime, "default", RevokeKey(key_id=lasting.id))
        found = look(address)
        assert (found["code"], found["keys"]["detail"]) == (1, "0 of 2 in force: nobody is served")
