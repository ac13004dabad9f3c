"""The HTTP door in this process with the keys of two tenants, for the tests of who may do what."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode

import httpx
from psycopg.conninfo import conninfo_to_dict

from stemma import key_errors
from stemma.app.keys import create_key
from stemma.app.models_keys import CreatedKey, CreateKey
from stemma.app.operations import Operation
from stemma.app.runtime import Clock, Runtime, open_runtime, system_clock
from stemma.config import Settings
from stemma.edges.http import create_app
from stemma.errors import ForeignHost, ForeignOrigin
from tests.stores import Server

ALL = ("read", "write", "admin")
REFUSALS = [one for one in vars(key_errors).values() if getattr(one, "__module__", "") == key_errors.__name__]
CODES = {one.code for one in REFUSALS} - {key_errors.Unauthorized.code} | {ForeignHost.code, ForeignOrigin.code}


@dataclass(slots=True)
class Keyed:
    """Asks the door of one opened store."""

    runtime: Runtime
    app: Any = field(init=False)

    def __post_init__(self) -> None:
        """Build the door once."""
        self.app = create_app(self.runtime)

    def key(self, tenant: str, scopes: Sequence[str] = ALL, **more: Any) -> CreatedKey:
        """Make a key as the command line does."""
        return create_key(self.runtime, tenant, CreateKey.model_validate({"scopes": scopes, **more}))

    def ask(
        self,
        method: str,
        path: str,
        key: str | None = None,
        *,
        headers: Mapping[str, str] | None = None,
        peer: str = "127.0.0.1",
        **body: Any,
    ) -> httpx.Response:
        """Send one request, with `key` as a bearer's."""
        sent = {**({"Authorization": f"Bearer {key}"} if key is not None else {}), **(headers or {})}

        async def send() -> httpx.Response:
            door = httpx.ASGITransport(self.app, raise_app_exceptions=False, client=(peer, 1))
            async with httpx.AsyncClient(transport=door, base_url="http://localhost") as client:
                return await client.request(method, path, headers=sent, **body)

        return asyncio.run(send())


def refused(answer: httpx.Response) -> tuple[int, str]:
    """Return status and code of a problem document."""
    assert answer.headers["content-type"] == "application/problem+json"
    return answer.status_code, answer.json()["code"]


def placed_request(row: Operation, fields: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the path of a request with its fields, and what goes beside it."""
    path, rest = row.path, dict(fields)
    for name in fields:
        for place in (f"{{{name}}}", f"{{{name}:path}}"):
            if place in path:
                path = path.replace(place, quote(str(rest.pop(name)), safe=""))
    return path, {"json": rest} if row.method in {"POST", "PUT", "PATCH"} else {"params": rest}


@contextlib.contextmanager
def fresh_address(server: Server) -> Iterator[str]:
    """Make a store of the test's own and give its address: a key closes the whole of one to whoever has none."""
    name = server.fresh()
    try:
        with server.open(name) as store:
            if store.server is None:
                yield str(server.target).rpartition("/")[0] + f"/{name}"
            else:
                yield "postgresql:///?" + urlencode(conninfo_to_dict(store.server.address(name)), quote_via=quote)
    finally:
        server.drop(name)


@contextlib.contextmanager
def fresh_runtime(server: Server, clock: Clock = system_clock) -> Iterator[Runtime]:
    """Open such a store."""
    with fresh_address(server) as address:
        opened = open_runtime(address, settings=Settings(embedder="none"), clock=clock)
        try:
            yield opened
        finally:
            opened.close()
