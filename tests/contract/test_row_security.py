"""Row security is a lock of its own (R-12): the queries without their condition on the tenant give its rows alone."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict
from psycopg.rows import dict_row

from stemma.app.key_door import role_of
from stemma.app.runtime import Runtime
from stemma.app.verify import verify
from stemma.store import queries
from stemma.store.pool import Link
from stemma.store.postmaster import SUPERUSER
from stemma.store.queries import Queries
from stemma.store.transaction import Parameters, Row, Transaction
from tests.contract.keyed import fresh_runtime
from tests.contract.two_tenants import Named, readings, run, tell, writings
from tests.serving import fork_server
from tests.stores import Server

CONDITION = re.compile(r"(\b\w+\.)?\btenant_id = %\(tenant_id\)s")
WRITES = re.compile(r"\b(INSERT INTO|UPDATE \w+ .*SET|DELETE FROM)\b")
WHOLE = queries.load()
STRIPPED = Queries({name: CONDITION.sub("TRUE", WHOLE[name]) for name in WHOLE.names()})
READS = {
    name
    for name in WHOLE.names()
    if WHOLE[name] != STRIPPED[name] and WHOLE[name].startswith(("SELECT", "WITH")) and not WRITES.search(WHOLE[name])
}
TENANTS = ("acme", "globex")


class Both:
    """Runs every query twice: as it is, and without its condition on the tenant, here and as the server's superuser."""

    def __init__(self, superuser: Link) -> None:
        """Take a connection that no row policy holds for."""
        self.superuser: Link | None = superuser
        self.ran: set[str] = set()
        self.leaked: set[str] = set()

    def run(self, t: Transaction, name: str, parameters: Parameters | None) -> psycopg.Cursor[Row]:
        """Give what the query gives, having held the other against it."""
        bound = {"tenant_id": t.tenant, **(parameters or {})}
        found = t.connection.execute(WHOLE[name], bound)
        if name in READS:
            rows = found.fetchall()
            assert _alike(t.connection.execute(STRIPPED[name], bound).fetchall(), rows), name
            self.ran.add(name)
            if self.superuser is not None and not _alike(self._as_superuser(name, bound), rows):
                self.leaked.add(name)
            found = t.connection.execute(WHOLE[name], bound)
        return found

    def _as_superuser(self, name: str, bound: Parameters) -> list[Row]:
        assert self.superuser is not None
        with self.superuser.transaction(force_rollback=True):
            self.superuser.execute(WHOLE["open_transaction"], bound)
            return self.superuser.execute(STRIPPED[name], bound).fetchall()


@pytest.fixture(scope="module", params=["embedded", "served"])
def told(request: pytest.FixtureRequest) -> Iterator[tuple[Runtime, Named, Server, str]]:
    """Two tenants that have the same of everything, in their own words: embedded, then served."""
    server: Server = request.getfixturevalue(f"{request.param}_server")
    with fresh_runtime(server) as runtime:
        named = [tell(runtime, tenant, tenant) for tenant in TENANTS]
        with runtime.store.transaction("acme") as t:
            database = str(conninfo_to_dict(t.connection.info.dsn)["dbname"])
        yield runtime, named[0], server, server.admin(database)


def test_reading_without_the_condition_gives_the_tenants_rows_alone(
    told: tuple[Runtime, Named, Server, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """R-12: each named query that reads, as the product runs it, gives the same rows without its WHERE on the tenant;
    where no row security holds, as for a superuser, it does not."""
    runtime, named, _, admin = told
    with psycopg.Connection[Row].connect(admin, row_factory=dict_row) as superuser:
        both = Both(superuser)
        monkeypatch.setattr(Transaction, "_run", lambda t, name, parameters: both.run(t, name, parameters))
        for name, fields in readings(named):
            answer = run(runtime, "acme", name, fields).model_dump_json()
            assert "globex" not in answer, name
        assert verify(runtime, "acme").sound
        # What a write looks up first, too; the superuser would wait there for the rows that it holds.
        both.superuser = None
        for name, fields in writings(tell(runtime, "initech", "initech")):
            run(runtime, "initech", name, fields)
    assert len(both.ran) >= 110
    assert len(both.leaked) >= 25


def test_everything_goes_on_without_any_condition_and_touches_no_other_tenant(
    told: tuple[Runtime, Named, Server, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """R-12: one tenant reads, writes and erases, every query stripped: nothing of the other is shown or changed."""
    runtime, named, _, admin = told
    before = _held(admin, "globex")
    assert {name for name, rows in before.items() if rows} >= {"memories", "episodes", "documents", "api_keys", "uses"}
    monkeypatch.setattr(queries, "load", lambda: STRIPPED)
    for name, fields in [*readings(named), *writings(named)]:
        answer = run(runtime, "acme", name, fields).model_dump_json()
        assert "globex" not in answer, name
    runtime.uses.write(runtime.store)
    runtime.traces.write(runtime.store)
    assert _held(admin, "globex") == before
    assert not [row for row in _held(admin, "acme")["episodes"] if named.subject in row]


def test_a_server_whose_role_passes_row_security_says_so_at_its_start(
    told: tuple[Runtime, Named, Server, str], tmp_path: Path
) -> None:
    """R-12: the lock does not hold for a superuser, and whoever starts a server as one is told."""
    runtime, _, _, admin = told
    assert not role_of(runtime).passes_row_security
    address = "postgresql:///?" + urlencode(conninfo_to_dict(admin), quote_via=quote)
    assert fork_server(address, tmp_path / "log").stop() == 0
    lines = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    assert [(one["level"], one["role"]) for one in lines if one["event"] == "row_security_passed"] == [
        ("warning", SUPERUSER)
    ]


def _held(admin: str, tenant: str) -> dict[str, list[str]]:
    """Read every row of a tenant, as the server's superuser."""
    found = {}
    with psycopg.connect(admin) as link:
        owned = "SELECT table_name FROM information_schema.columns WHERE column_name = 'tenant_id'"
        for (name,) in link.execute(owned + " AND table_schema = 'public'").fetchall():
            rows = sql.SQL("SELECT {0}::text FROM {0} WHERE tenant_id = %s").format(sql.Identifier(name))
            found[name] = sorted(row for (row,) in link.execute(rows, (tenant,)).fetchall())
    return found


def _alike(some: list[Any], others: list[Any]) -> bool:
    return sorted(map(repr, some)) == sorted(map(repr, others))
