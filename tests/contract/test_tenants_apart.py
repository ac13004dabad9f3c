"""Two tenants over HTTP: every operation of the table asked for what the other has (R-12, R-93, F31)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

import httpx
import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from stemma.app.operations import BY_NAME, OPERATIONS
from tests.contract.keyed import Keyed, fresh_runtime, placed_request, refused
from tests.contract.two_tenants import Fields, Named, readings, tell, writings
from tests.stores import Server

# What names one thing by an id that the server gave: another tenant's is no id at all.
BY_ID = {"episode_id", "memory_id", "conflict_id", "trace_id", "other", "key_id", "merge_into"}
CHANCE = re.compile(r"[0-9a-f]{16,}|\d{4}-\d\d-\d\dT[0-9:.]+Z|\"ms\":[0-9.e-]+")


@dataclass(frozen=True, slots=True)
class Pair:
    """One tenant that has everything, and the key of another that has nothing."""

    door: Keyed
    theirs: Named
    key: str
    server: Server
    database: str

    def held(self) -> dict[str, list[str]]:
        """Read every row of the first tenant, as the server's superuser."""
        self.door.runtime.uses.write(self.door.runtime.store)
        self.door.runtime.traces.write(self.door.runtime.store)
        self.door.runtime.key_uses.write(self.door.runtime.store)
        found = {}
        with psycopg.connect(self.server.admin(self.database)) as admin:
            owned = "SELECT table_name FROM information_schema.columns WHERE column_name = 'tenant_id'"
            for (name,) in admin.execute(owned + " AND table_schema = 'public'").fetchall():
                rows = sql.SQL("SELECT {0}::text FROM {0} WHERE tenant_id = 'acme'").format(sql.Identifier(name))
                found[name] = sorted(row for (row,) in admin.execute(rows).fetchall())
        return found


@pytest.fixture(scope="module", params=["embedded", "served"])
def pair(request: pytest.FixtureRequest) -> Iterator[Pair]:
    """Both tenants in one store: embedded, then served."""
    server: Server = request.getfixturevalue(f"{request.param}_server")
    with fresh_runtime(server) as runtime:
        door = Keyed(runtime)
        theirs = tell(runtime, "acme", "acme")
        with runtime.store.transaction("acme") as t:
            database = str(conninfo_to_dict(t.connection.info.dsn)["dbname"])
        yield Pair(door, theirs, door.key("globex").key, server, database)


def test_every_operation_is_asked() -> None:
    """R-12: a row that is added to the table is added here."""
    it = Named(*[""] * len(fields(Named)))
    assert {name for name, _ in [*readings(it), *writings(it)]} == {row.name for row in OPERATIONS}


def test_what_another_tenant_has_answers_as_what_nobody_has(pair: Pair) -> None:
    """R-12, F31: an id of theirs is 404, a name of theirs is as good as one that nobody has; nothing of theirs changes
    and nothing is counted."""
    before = pair.held()
    assert all(before[name] for name in ("memories", "traces", "uses", "documents", "session_bundles", "api_keys"))
    for ask in (readings, writings):
        for (name, theirs), (_, nobodys) in zip(ask(pair.theirs), ask(_unknown(pair.theirs)), strict=True):
            answer, other = _ask(pair, name, theirs), _ask(pair, name, nobodys)
            if theirs.keys() & BY_ID:
                assert refused(answer) == (404, "not_found"), name
            assert (answer.status_code, _told(answer)) == (other.status_code, _told(other)), name
    assert pair.held() == before


@pytest.mark.parametrize("scope", ["", " ", None, [], "*", 7])
@pytest.mark.parametrize("path", ["/v1/recall", "/v1/bundle"])
def test_a_malformed_scope_is_an_error_for_a_key_too(pair: Pair, path: str, scope: Any) -> None:
    """F31: it never means everybody's."""
    answer = pair.door.ask("POST", path, pair.key, json={"subject_id": scope, "query": "peanuts"})
    assert (answer.status_code, answer.json()["errors"]) == (422, ["subject_id"])


def _unknown(named: Named) -> Named:
    """Name what nobody has, of the same form."""
    ids = {one.name: getattr(named, one.name)[::-1] for one in fields(Named) if one.name.endswith("_id")}
    return replace(named, **ids, subject="subject-two", corpus="corpus-two", session="session-two")


def _ask(pair: Pair, name: str, fields: Fields) -> httpx.Response:
    path, sent = placed_request(BY_NAME[name], fields)
    return pair.door.ask(BY_NAME[name].method, path, pair.key, **sent)


def _told(answer: httpx.Response) -> str:
    return CHANCE.sub("#", answer.text).replace("-two", "-one")
