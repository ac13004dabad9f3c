"""Who may do what with a key (R-93, F58): scopes, expiry, revocation, rate limits, and who signs an act."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from psycopg import sql

from stemma.app.keys import revoke_key
from stemma.app.models_keys import RevokeKey
from stemma.app.operations import OPERATIONS, Operation, Scope
from stemma.errors import InvalidInput
from tests.contract.keyed import ALL, CODES, Keyed, fresh_runtime, placed_request, refused
from tests.stores import Server

START = datetime(2026, 3, 1, 12, tzinfo=UTC)


class Clock:
    """A clock that is set by hand."""

    now = START

    def __call__(self) -> datetime:
        """Return the instant it is set to."""
        return self.now


@pytest.fixture
def clock() -> Clock:
    """The clock of the door."""
    return Clock()


@pytest.fixture(params=["embedded", "served"])
def door(request: pytest.FixtureRequest, clock: Clock) -> Iterator[Keyed]:
    """The door of a store without keys: embedded, then served."""
    with fresh_runtime(request.getfixturevalue(f"{request.param}_server"), clock) as runtime:
        yield Keyed(runtime)


@pytest.fixture
def one_door(served_server: Server, clock: Clock) -> Iterator[Keyed]:
    """The same on one server alone, where the store does not matter."""
    with fresh_runtime(served_server, clock) as runtime:
        yield Keyed(runtime)


def test_without_a_key_works_until_the_first_key_is_made(door: Keyed) -> None:
    """R-93: loopback without a key works until the first key exists, and never again, whatever becomes of the key."""
    assert door.ask("GET", "/v1/subjects").status_code == 200
    made = door.key("acme")
    answer = door.ask("GET", "/v1/subjects")
    assert refused(answer) == (401, "key_missing")
    assert answer.headers["www-authenticate"] == 'Bearer realm="stemma"'
    assert door.ask("GET", "/v1/subjects", made.key).status_code == 200
    revoke_key(door.runtime, "acme", RevokeKey(key_id=made.id))
    assert refused(door.ask("GET", "/v1/subjects")) == (401, "key_missing")
    assert refused(Keyed(door.runtime).ask("GET", "/v1/subjects")) == (401, "key_missing")


def test_a_key_is_taken_from_either_header_and_from_nowhere_else(one_door: Keyed) -> None:
    """R-93, F58: with the token in the query string it is no token."""
    made, other = one_door.key("acme"), one_door.key("acme")
    for headers in (
        {"Authorization": f"Bearer {made.key}"},
        {"X-API-Key": made.key},
        {"Authorization": f"bearer  {made.key} "},
    ):
        assert one_door.ask("GET", "/v1/subjects", headers=headers).status_code == 200
    both = {"Authorization": f"Bearer {made.key}", "X-API-Key": made.key}
    assert one_door.ask("GET", "/v1/subjects", headers=both).status_code == 200
    differ = {"Authorization": f"Bearer {made.key}", "X-API-Key": other.key}
    assert refused(one_door.ask("GET", "/v1/subjects", headers=differ)) == (401, "key_unknown")
    assert refused(one_door.ask("GET", f"/v1/subjects?key={made.key}&api_key={made.key}")) == (401, "key_missing")
    basic = {"Authorization": f"Basic {made.key}"}
    assert refused(one_door.ask("GET", "/v1/subjects", headers=basic)) == (401, "key_missing")


@pytest.mark.parametrize("has_keys", [False, True])
def test_what_is_no_key_is_refused_also_while_there_are_none(one_door: Keyed, has_keys: bool) -> None:
    """R-93: a bad key is 401; it never falls back to the keyless tenant."""
    made = one_door.key("acme") if has_keys else None
    known = made.id if made else "0123456789abcdef"
    forged = [f"stemma_{known}_{'0' * 64}", f"stemma_{known}_", "", " ", "x" * 9_000, f"stemma_{'f' * 16}_{'0' * 64}"]
    forged += [made.key[:-1], made.key.upper(), made.key + "0"] if made else []
    for key in forged:
        answer = one_door.ask("GET", "/v1/subjects", headers={"X-API-Key": key})
        assert refused(answer) == (401, "key_unknown")
        assert answer.headers["www-authenticate"].endswith('error="invalid_token"')
        assert key.strip() == "" or key not in answer.text


def test_a_foreign_name_or_page_matters_only_without_a_key(one_door: Keyed) -> None:
    """F58, R-93: keyless, a foreign Host or Origin is 403; a page that has a key was given it."""
    foreign = [{"Host": "rebind.example"}, {"Origin": "https://evil.example"}]
    for headers in foreign:
        assert one_door.ask("GET", "/v1/subjects", headers=headers).status_code == 403
        assert one_door.ask("GET", "/v1/subjects", "stemma_x", headers=headers).status_code == 403
    made = one_door.key("acme")
    for headers in foreign:
        assert one_door.ask("GET", "/v1/subjects", headers=headers).status_code == 401
        answer = one_door.ask("GET", "/v1/subjects", made.key, headers=headers)
        assert answer.status_code == 200
        assert not [name for name in answer.headers if name.startswith("access-control")]
        assert one_door.ask("GET", "/healthz", headers=headers).status_code == 200


def test_another_machine_is_never_served_without_a_key(one_door: Keyed) -> None:
    """R-93: only loopback works without one."""
    assert refused(one_door.ask("GET", "/v1/subjects", peer="192.168.1.7")) == (401, "key_missing")
    made = one_door.key("acme")
    assert one_door.ask("GET", "/v1/subjects", made.key, peer="192.168.1.7").status_code == 200


def test_an_expired_and_a_revoked_key_are_told_apart_by_who_has_the_secret_alone(door: Keyed, clock: Clock) -> None:
    """R-93: expired, revoked, unknown."""
    brief = door.key("acme", expires_at=START + timedelta(hours=1))
    kept = door.key("acme", expires_at=START + timedelta(days=1))
    assert door.ask("GET", "/v1/subjects", brief.key).status_code == 200
    clock.now = START + timedelta(hours=1)
    assert refused(door.ask("GET", "/v1/subjects", brief.key)) == (401, "key_expired")
    assert door.ask("GET", "/v1/subjects", kept.key).status_code == 200
    assert door.ask("DELETE", f"/v1/keys/{kept.id}", kept.key).json()["status"] == "revoked"
    assert refused(door.ask("GET", "/v1/subjects", kept.key)) == (401, "key_revoked")
    for made in (brief, kept):
        assert refused(door.ask("GET", "/v1/subjects", f"stemma_{made.id}_{'0' * 64}")) == (401, "key_unknown")
    with pytest.raises(InvalidInput, match="expires_at is over"):
        door.key("acme", expires_at=clock.now)


@pytest.mark.parametrize("row", OPERATIONS, ids=lambda row: row.name)
def test_an_operation_asks_for_the_scope_of_its_row_and_no_other(row: Operation, shared_door: Keyed) -> None:
    """R-93: 403 outside its scope; erase and keys need admin."""
    path, sent = placed_request(row, row.example)
    allowed = []
    for scope in Scope:
        answer = shared_door.ask(row.method, path, shared_door.keys[scope], **sent)
        if answer.status_code == 403:
            assert refused(answer) == (403, "scope_missing")
        else:
            allowed.append(scope)
    assert allowed == [row.scope]


def test_erase_and_keys_need_admin_and_what_only_reads_needs_read() -> None:
    """API.md, auth."""
    named = {scope: {row.name for row in OPERATIONS if row.scope is scope} for scope in Scope}
    assert named[Scope.ADMIN] == {"erase", "create_key", "list_keys", "revoke_key"}
    assert {row.name for row in OPERATIONS if row.method == "GET"} - named[Scope.ADMIN] <= named[Scope.READ]


class Shared(Keyed):
    """A door with one key a scope."""

    keys: dict[Scope, str]


@pytest.fixture(scope="module")
def shared_door(served_server: Server) -> Iterator[Shared]:
    """One store for every row."""
    with fresh_runtime(served_server, Clock()) as runtime:
        door = Shared(runtime)
        door.keys = {scope: door.key("acme", [scope]).key for scope in Scope}
        yield door


def test_a_scope_is_refused_before_a_body_is_read(one_door: Keyed) -> None:
    """R-93: what would be refused anyway is not taken in."""
    reader = one_door.key("acme", ["read"])
    assert refused(one_door.ask("POST", "/v1/erase", reader.key, content=b"{")) == (403, "scope_missing")


def test_a_limit_is_told_with_the_seconds_to_wait(door: Keyed) -> None:
    """R-93: 429 with Retry-After; what is refused is not counted, and a bad secret counts for nobody."""
    made, free = door.key("acme", rate_limit=3), door.key("acme")
    for _ in range(5):
        door.ask("GET", "/v1/subjects", f"stemma_{made.id}_{'0' * 64}")
    answers = [door.ask("GET", "/v1/subjects", made.key) for _ in range(5)]
    assert [one.status_code for one in answers] == [200, 200, 200, 429, 429]
    assert refused(answers[-1]) == (429, "rate_limited")
    assert 55 <= int(answers[-1].headers["retry-after"]) <= 61
    assert door.ask("GET", "/v1/subjects", free.key).status_code == 200


def test_an_act_is_signed_by_the_key_where_the_caller_names_nobody(one_door: Keyed) -> None:
    """R-93: an audit's `by` is the key's name."""
    made = one_door.key("acme", name="night shift")

    def signed(**act: Any) -> Any:
        told = one_door.ask("POST", "/v1/memories", made.key, json={"subject_id": "ana", "text": f"My bay is {act}."})
        memory_id = told.json()["memories"][0]["id"]
        one_door.ask("PATCH", f"/v1/memories/{memory_id}", made.key, json={"importance": 0.9, **act}).raise_for_status()
        with one_door.runtime.store.transaction("acme", read_only=True) as t:
            rows = t.connection.execute("SELECT body FROM acts ORDER BY recorded_at, body").fetchall()
        return [row["body"] for row in rows]

    assert '"by":"night shift"' in signed()[0]
    assert '"by":"ben"' in "".join(signed(by="ben"))
    assert "".join(signed(by=None)).count('"by":"night shift"') == 2


def test_when_a_key_was_last_used_is_noted_apart_from_the_request(door: Keyed, clock: Clock) -> None:
    """R-93: no write a request."""
    made = door.key("acme")
    for minutes in (1, 2, 3):
        clock.now = START + timedelta(minutes=minutes)
        door.ask("GET", "/v1/subjects", made.key)
    (listed,) = door.ask("GET", "/v1/keys", made.key).json()["items"]
    assert (listed["last_used_at"], listed["status"]) == (None, "active")
    assert door.runtime.key_uses.write(door.runtime.store) == 1
    (listed,) = door.ask("GET", "/v1/keys", made.key).json()["items"]
    assert listed["last_used_at"] == "2026-03-01T12:03:00Z"


def test_a_key_made_over_http_is_of_the_tenant_of_the_one_that_made_it(one_door: Keyed) -> None:
    """R-12, R-93: nothing in the request names a tenant."""
    admin = one_door.key("acme")
    made = one_door.ask("POST", "/v1/keys", admin.key, json={"scopes": ["write", "read"], "name": "crawler"}).json()
    assert (made["tenant"], made["scopes"], made["name"]) == ("acme", ["read", "write"], "crawler")
    assert one_door.ask("GET", "/v1/subjects", made["key"]).status_code == 200
    assert refused(one_door.ask("GET", "/v1/keys", made["key"])) == (403, "scope_missing")
    for wrong in (
        {"scopes": []},
        {"scopes": ["all"]},
        {},
        {"scopes": ["read"], "tenant": "globex"},
        {"scopes": "read"},
    ):
        assert one_door.ask("POST", "/v1/keys", admin.key, json=wrong).status_code == 422
    for limit in (0, -1, 1_000_001, "5", 1.5):
        asked = {"scopes": ["read"], "rate_limit": limit}
        assert one_door.ask("POST", "/v1/keys", admin.key, json=asked).status_code == 422


def test_the_secret_stands_in_no_table(
    door: Keyed, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    """R-93: keys are kept as digests; no table, log line or error has a secret, not even a part of it."""
    made = door.key("acme", rate_limit=1)
    secret = made.key.rpartition("_")[2]
    answers = [door.ask(method, "/v1/keys", made.key) for method in ("GET", "GET", "PUT")]
    answers.append(door.ask("GET", f"/v1/keys/{made.key}", made.key[:-1]))
    door.runtime.key_uses.write(door.runtime.store)
    with door.runtime.store.transaction("acme", read_only=True) as t:
        tables = t.connection.execute("SELECT relname FROM pg_class WHERE relkind = 'r'").fetchall()
        names = [row["relname"] for row in tables if not row["relname"].startswith(("pg_", "sql_"))]
        held = "".join(
            str(
                t.connection.execute(
                    sql.SQL("SELECT {0}::text AS row FROM {0}").format(sql.Identifier(name))
                ).fetchall()
            )
            for name in names
        )
    assert {"api_keys", "key_rates", "tenants"} <= set(names)
    assert made.id in held
    written = "".join([held, *(one.text for one in answers), caplog.text, *capfd.readouterr(), repr(made)])
    assert secret not in written
    assert secret[:20] not in written


def test_all_scopes_are_told(one_door: Keyed) -> None:
    """API.md: `{"id", "key", "tenant", "scopes"}`."""
    made = one_door.key("acme", ("admin", "write", "read"))
    assert (made.tenant, made.scopes) == ("acme", ALL)


def test_the_document_names_each_code_and_each_scope(one_door: Keyed) -> None:
    """R-81, R-93: security schemes, and problem documents with stable codes; nothing of it is written by hand twice."""
    document = one_door.ask("GET", "/openapi.json").json()
    schemes = document["components"]["securitySchemes"]
    assert {(one["type"], one.get("scheme"), one.get("name")) for one in schemes.values()} == {
        ("http", "bearer", None),
        ("apiKey", None, "X-API-Key"),
    }
    for row in OPERATIONS:
        described = document["paths"][row.path.replace(":path}", "}")][row.method.lower()]
        assert described["security"] == [{name: [row.scope]} for name in schemes] + [{}]
        assert {"401", "403", "404", "429"} <= set(described["responses"])
        assert "Retry-After" in described["responses"]["429"]["headers"]
        assert "WWW-Authenticate" in described["responses"]["401"]["headers"]
        told = " ".join(one["description"] for one in described["responses"].values())
        assert all(f"`{code}`" in told for code in CODES)
