"""Keys before two real servers on one store: writers of two tenants at once, one limit over both, what logs hold."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from tests.contract.keyed import fresh_address
from tests.serving import Served, fork, fork_server
from tests.stores import Server

MARKS = 100


@dataclass(slots=True)
class Two:
    """Two servers of one store."""

    address: str
    servers: tuple[Served, Served]

    def keys(self, *arguments: str) -> Any:
        """Run `stemma keys`, and give its answer."""
        return fork("keys", *arguments, "--json", "--store", self.address).answer

    def statuses(self, key: str | None = None) -> list[int]:
        """Ask each server for something, and give what it answers."""
        headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        return [httpx.get(f"{one.address}/v1/subjects", headers=headers).status_code for one in self.servers]

    @contextlib.contextmanager
    def clients(self, key: str) -> Iterator[list[httpx.Client]]:
        """A client of each server."""
        headers = {"X-API-Key": key}
        with contextlib.ExitStack() as until_the_end:
            yield [until_the_end.enter_context(one.client(headers=headers)) for one in self.servers]

    def log(self) -> str:
        """Give what both have logged."""
        return "".join(one.log.read_text() for one in self.servers)


@pytest.fixture(scope="module", params=["embedded", "served"])
def two(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Two]:
    """Two servers over the embedded store, then over the served one."""
    folder = tmp_path_factory.mktemp("keys")
    server: Server = request.getfixturevalue(f"{request.param}_server")
    with fresh_address(server) as address:
        servers = [fork_server(address, folder / name, "--compile-every", "0.2") for name in ("one", "other")]
        yield Two(address, (servers[0], servers[1]))
        assert [one.stop() for one in servers] == [0, 0]


def test_the_command_makes_a_key_that_both_servers_take_at_once_and_refuse_when_it_is_revoked(two: Two) -> None:
    """API.md, auth: `keys create` → {"id", "key", "tenant", "scopes"}; the first key closes the door of each server."""
    assert two.statuses() == [200, 200]
    made = two.keys("create", "--tenant", "acme", "--scopes", "read, write", "--name", "crawler", "--rate-limit", "500")
    assert made | {"id": "", "key": ""} == {
        "id": "",
        "key": "",
        "tenant": "acme",
        "scopes": ["read", "write"],
        "name": "crawler",
        "rate_limit": 500,
        "expires_at": None,
    }
    assert two.statuses() == [401, 401]
    assert two.statuses(made["key"]) == [200, 200]
    listed = two.keys("list", "--all-tenants")["items"]
    assert [(one["id"], one["tenant"], one["status"]) for one in listed] == [(made["id"], "acme", "active")]
    assert two.keys("list")["items"] == []
    assert fork("keys", "revoke", made["id"], "--tenant", "globex", "--store", two.address).returncode == 2
    assert two.keys("revoke", made["id"])["status"] == "revoked"
    assert two.statuses(made["key"]) == [401, 401]
    # Nothing that stands in a log tells the secret, nor does what is listed.
    assert made["key"].rpartition("_")[2] not in two.log() + json.dumps(listed)


def test_two_hundred_writers_at_once_leave_nothing_with_the_other_tenant(two: Two) -> None:
    """F32, R-12: 200 writes alternating between two tenants over one server's connections, with reads among them."""
    keys = {name: two.keys("create", "--tenant", name, "--scopes", "read,write")["key"] for name in ("acme", "globex")}
    with two.clients(keys["acme"]) as first, two.clients(keys["globex"]) as second:

        def asked(number: int) -> tuple[int, str]:
            client = (first, second)[number % 2][number // 2 % 2]
            mark = f"{('acme', 'globex')[number % 2]}-{number // 2}"
            episode = {"subject_id": "ana", "key": mark, "text": f"My locker is {mark}."}
            status = client.post("/v1/episodes", json={"episodes": [episode]}).status_code
            if number % 8 < 2:
                asked = {"subject_id": "ana", "query": "locker", "include": ["episodes"]}
                return status, client.post("/v1/recall", json=asked).raise_for_status().text
            return status, client.get("/v1/episodes", params={"subject_id": "ana"}).raise_for_status().text

        with ThreadPoolExecutor(40) as pool:
            answers = list(pool.map(asked, range(2 * MARKS)))
        assert [status for status, _ in answers] == [200] * 2 * MARKS
        for number, (_, found) in enumerate(answers):
            assert f"{('acme', 'globex')[number % 2]}-" in found
            assert f"{('globex', 'acme')[number % 2]}-" not in found
        for tenant, clients in {"acme": first, "globex": second}.items():
            found = clients[0].get("/v1/episodes", params={"subject_id": "ana", "limit": 500}).json()["items"]
            assert sorted(one["key"] for one in found) == sorted(f"{tenant}-{number}" for number in range(MARKS))


def test_what_is_new_of_every_tenant_is_compiled_beside(two: Two) -> None:
    """R-30, R-12: `serve --compile-every` is not for the tenant of keyless work alone."""
    for tenant in ("initech", "umbrella"):
        key = two.keys("create", "--tenant", tenant, "--scopes", "read,write")["key"]
        with two.clients(key) as (client, _):
            client.post("/v1/episodes", json={"episodes": [{"subject_id": "ana", "text": "I am allergic to peanuts."}]})
            found: list[Any] = []
            deadline = time.monotonic() + 30
            while not found and time.monotonic() < deadline:
                time.sleep(0.05)
                found = client.get("/v1/memories", params={"subject_id": "ana"}).json()["items"]
        assert [one["text"] for one in found] == ["I am allergic to peanuts"]


def test_a_limit_holds_over_two_processes(two: Two) -> None:
    """R-93: one count for all that serve the store."""
    made = two.keys("create", "--tenant", "acme", "--scopes", "read", "--rate-limit", "12")
    with two.clients(made["key"]) as clients, ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda number: clients[number % 2].get("/v1/sources"), range(40)))
    assert sorted(one.status_code for one in answers) == [200] * 12 + [429] * 28
    waits = [int(one.headers["retry-after"]) for one in answers if one.status_code == 429]
    assert all(40 <= wait <= 61 for wait in waits)
    for one in two.servers:
        assert made["key"] not in one.log.read_text()
