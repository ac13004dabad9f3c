"""Both clients as one: each test of a client runs with the one that blocks and with the one that is awaited."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest

from stemma import AsyncStemmaClient, Stemma, StemmaClient
from stemma.app.face import Face
from tests.serving import Served
from tests.stores import Server


class Awaited:
    """The asynchronous client, each of whose methods is waited for here."""

    def __init__(self, client: AsyncStemmaClient, runner: asyncio.Runner) -> None:
        self.client = client
        self._runner = runner

    def __getattr__(self, name: str) -> Any:
        method = getattr(self.client, name)

        def call(*named: Any, **more: Any) -> Any:
            made = method(*named, **more)
            return self._items(made) if inspect.isasyncgen(made) else self._runner.run(made)

        return call

    def wait_for(self, made: Coroutine[Any, Any, Any]) -> Any:
        """Run something where the client runs."""
        return self._runner.run(made)

    def __repr__(self) -> str:
        return repr(self.client)

    def _items(self, made: AsyncIterator[Any]) -> Iterator[Any]:
        async def following() -> Any:
            return await anext(made, None)

        while (one := self._runner.run(following())) is not None:
            yield one


@contextmanager
def opened(kind: str, address: str, **more: Any) -> Iterator[Any]:
    """Open one of the two clients."""
    if kind == "blocking":
        with StemmaClient(address, **more) as client:
            yield client
        return
    with asyncio.Runner() as runner:
        client = AsyncStemmaClient(address, **more)
        try:
            yield Awaited(client, runner)
        finally:
            runner.run(client.close())


@pytest.fixture(params=["blocking", "awaited"])
def kind(request: pytest.FixtureRequest) -> str:
    """Name each of the two clients in turn."""
    return str(request.param)


@pytest.fixture(name="faces", scope="module")
def both_faces(served_server: Server, served: Served) -> Iterator[dict[str, Face]]:
    """The store in this process, and a client of a server."""
    name = served_server.fresh()
    address = str(served_server.target).rpartition("/")[0] + f"/{name}"
    with Stemma(address, embedder="none") as process, StemmaClient(served.address) as client:
        yield {"process": process, "client": client}
    served_server.drop(name)


@pytest.fixture(params=["process", "client"])
def face(request: pytest.FixtureRequest, faces: dict[str, Face]) -> Face:
    """Each of the two in turn."""
    return faces[request.param]


class Faulty(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """Passes requests on to a real server and spoils what comes back, as often as it is told to.

    A fault is an answer in the server's place, an exception before anything is sent, or `lost`: the request is served,
    and its answer never arrives.
    """

    def __init__(self, *faults: Any, always: Any = None) -> None:
        self.faults = list(faults)
        self.always = always
        self.sent: list[httpx.Request] = []
        self.served = 0
        self._blocking, self._awaited = httpx.HTTPTransport(), httpx.AsyncHTTPTransport()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Serve one request, or not."""
        self.sent.append(request)
        fault = self._fault()
        if fault is None or isinstance(fault, Lost):
            answer = self._blocking.handle_request(request)
            answer.read()
            self.served += 1
            if fault is None:
                return answer
            fault = fault.how
        return _spoilt(fault, request)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Serve one request, or not."""
        self.sent.append(request)
        fault = self._fault()
        if fault is None or isinstance(fault, Lost):
            answer = await self._awaited.handle_async_request(request)
            await answer.aread()
            self.served += 1
            if fault is None:
                return answer
            fault = fault.how
        return _spoilt(fault, request)

    def close(self) -> None:
        """Let go of the connections."""
        self._blocking.close()

    async def aclose(self) -> None:
        """Let go of the connections."""
        await self._awaited.aclose()

    def _fault(self) -> Any:
        return self.faults.pop(0) if self.faults else self.always


class Lost:
    """The request was served; instead of its answer comes this."""

    def __init__(self, how: Any) -> None:
        self.how = how


def _spoilt(fault: Any, request: httpx.Request) -> httpx.Response:
    if isinstance(fault, httpx.Response):
        return httpx.Response(fault.status_code, headers=fault.headers, content=fault.content)
    raise fault("spoilt", request=request)
