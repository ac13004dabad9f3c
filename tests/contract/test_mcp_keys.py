"""Tools over HTTP act for the caller that the guard names: its tenant, its scopes, its signature (R-82, R-93)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import httpx
import pytest

from stemma.app.runtime import open_runtime
from stemma.app.transfer import export_log
from stemma.config import Settings
from tests.contract.keyed import Keyed, fresh_address
from tests.mcp_asking import called, request
from tests.stores import Server

ACCEPT = {"accept": "application/json"}
Ask = Callable[..., Awaitable[httpx.Response]]


@pytest.fixture
def keyed(served_server: Server) -> Iterator[Keyed]:
    """The HTTP door to an empty store."""
    with fresh_address(served_server) as address:
        runtime = open_runtime(address, settings=Settings(embedder="none"))
        yield Keyed(runtime)
        runtime.close()


def test_tools_act_for_the_tenant_of_the_key_as_far_as_it_may(keyed: Keyed) -> None:
    """R-93: 401 without a key; another tenant's ids are not there; a scope that is missing is told by name."""
    mine, others = keyed.key("a", name="owner"), keyed.key("b")
    reads = keyed.key("a", ["read"], name="reader")

    async def run(ask: Ask) -> None:
        assert (await ask(None, request(1, "tools/list"))).status_code == 401
        kept = _result(await ask(mine.key, called(2, "remember", subject_id="ana", text="I like tea.")))
        name = kept["structuredContent"]["memories"][0]["id"]

        for tool in ("memory_history", "forget"):
            refused = _result(await ask(others.key, called(3, tool, memory_id=name)))
            assert refused["content"][0]["text"].startswith("not_found: ")
        found = _result(await ask(others.key, called(4, "recall", subject_id="ana", query="tea")))
        assert found["structuredContent"]["items"] == []

        found = _result(await ask(reads.key, called(5, "recall", subject_id="ana", query="tea")))
        assert [one["memory"]["id"] for one in found["structuredContent"]["items"]] == [name]
        refused = _result(await ask(reads.key, called(6, "forget", memory_id=name)))
        assert (refused["isError"], refused["_meta"]["stemma/error"]["code"]) == (True, "scope_missing")

        assert not _result(await ask(mine.key, called(7, "forget", memory_id=name)))["isError"]

    _speak(keyed, run)
    lines: list[str] = []
    export_log(keyed.runtime, "a", lines.append)
    acts = [one["act"] for one in map(json.loads, lines) if one.get("type") == "act"]
    assert [(one["kind"], one["by"]) for one in acts] == [("forget", "owner")]


def test_f31_an_address_whose_subject_got_lost_opens_no_other(keyed: Keyed) -> None:
    """F31: a misspelt, doubled or garbled subject of an address is refused by name, and nothing is written."""
    key = keyed.key("a").key

    async def run(ask: Ask) -> None:
        refused = {"?subjct=eva": "unknown_field", "?Subject=eva": "unknown_field", "?subject=%ff": "invalid_unicode"}
        for query, code in {**refused, "?subject=eva&subject=ana": "invalid", "?subject=": "invalid"}.items():
            told = _result(await ask(key, called(2, "remember", subject_id="ana", text="I like tea."), query))
            assert (told["isError"], told["_meta"]["stemma/error"]["code"]) == (True, code), query
        told = _result(await ask(key, called(3, "remember", text="I like tea."), "?subject=eva&tools=all"))
        assert not told["isError"]

    _speak(keyed, run)
    assert [one["subject_id"] for one in keyed.ask("GET", "/v1/subjects", key).json()["items"]] == ["eva"]


def test_f32_tenants_that_call_at_once_write_into_their_own_stores(keyed: Keyed) -> None:
    """F32: whom a call is for is told by the request that it came with, whatever else runs."""
    keys = {tenant: keyed.key(tenant).key for tenant in ("a", "b")}

    async def run(ask: Ask) -> None:
        said = [(tenant, f"The mark is {tenant.upper()}{number}.") for number in range(20) for tenant in keys]
        kept = [
            ask(keys[tenant], called(place, "remember", subject_id="x", text=text, key=text))
            for place, (tenant, text) in enumerate(said)
        ]
        assert not any(_result(one)["isError"] for one in await asyncio.gather(*kept))

    _speak(keyed, run)
    for tenant, key in keys.items():
        found = keyed.ask("GET", "/v1/episodes?subject_id=x&limit=500", key).json()["items"]
        assert sorted(one["key"] for one in found) == sorted(f"The mark is {tenant.upper()}{n}." for n in range(20))


def _speak(keyed: Keyed, does: Callable[[Ask], Awaitable[None]]) -> None:
    async def run() -> None:
        door = httpx.ASGITransport(keyed.app, client=("127.0.0.1", 1))
        async with httpx.AsyncClient(transport=door, base_url="http://localhost", headers=ACCEPT) as client:

            async def ask(key: str | None, message: dict[str, Any], query: str = "") -> httpx.Response:
                sent = {} if key is None else {"Authorization": f"Bearer {key}"}
                return await client.post(f"/mcp{query}", json=message, headers=sent)

            await does(ask)

    asyncio.run(run())


def _result(answer: httpx.Response) -> Any:
    assert answer.status_code == 200, answer.text
    return {"isError": False, **answer.json()["result"]}
