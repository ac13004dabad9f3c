"""`AsyncStemmaClient`: the methods of `Stemma` over HTTP, awaited. What is sent and what a try comes to: `request`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Any, Self

import httpx

from stemma.app.asking import Answer, given
from stemma.client.answers import answered, refusal
from stemma.client.async_pages import AsyncPagesFace
from stemma.client.async_traces import AsyncTracesFace
from stemma.client.events import EventReader, broken_off
from stemma.client.quiet import unlogged
from stemma.client.request import DEFAULT_URL, EVENT_STREAM, LIMITS, TIMEOUT_SECONDS, Asked, Terms, Tries
from stemma.client.retrying import Retries
from stemma.errors import InvalidInput


class AsyncStemmaClient(AsyncPagesFace, AsyncTracesFace):
    """A server that is asked over HTTP. Use it as `async with AsyncStemmaClient(url) as memory`, in one event loop.

    Raises what `StemmaClient` raises; `stream_answer` and the `iter_…` raise it when their first item is asked for.
    """

    def __init__(
        self,
        base_url: str = DEFAULT_URL,
        *,
        api_key: str | None = None,
        timeout: float | httpx.Timeout | None = None,
        retries: Retries | None = None,
        http_client: httpx.AsyncClient | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        """Name the server; nothing is sent yet. `timeout` is in seconds and holds for each try (default: 60).

        An `http_client` that is given keeps its own timeout unless one is given too, and stays open at `close`.
        """
        if http_client is not None and transport is not None:
            raise InvalidInput("give an http_client or a transport, not both", field="transport")
        self._terms = Terms(base_url, api_key, retries or Retries())
        self._owns = http_client is None
        self._timeout = httpx.USE_CLIENT_DEFAULT if timeout is None else timeout
        self._http = http_client or httpx.AsyncClient(timeout=TIMEOUT_SECONDS, limits=LIMITS, transport=transport)

    async def __aenter__(self) -> Self:
        """Return the client itself."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Let go of the connections."""
        await self.close()

    def __repr__(self) -> str:
        """Show the address alone."""
        return f"AsyncStemmaClient({self._terms.base_url!r})"

    async def close(self) -> None:
        """Let go of the connections."""
        if self._owns:
            await self._http.aclose()

    async def _run_as_given(self, name: str, answer: type[Answer], fields: Mapping[str, Any]) -> Answer:
        response = await self._send(self._terms.asked(name, fields), stream=False)
        return answered(answer, response.status_code, response.headers, response.content)

    async def _stream(self, name: str, fields: Mapping[str, Any]) -> AsyncIterator[Any]:
        asked = self._terms.asked(name, given(fields), accept=EVENT_STREAM)
        response = await self._send(asked, stream=True)
        try:
            if not response.is_success:
                raise refusal(response.status_code, response.headers, response.content)
            reader = EventReader(name)
            try:
                async for some in response.aiter_bytes():
                    for event in reader.take(some):
                        yield event
            except httpx.RequestError as error:
                raise broken_off(error) from error
            reader.require_whole()
        finally:
            await response.aclose()

    async def _send(self, asked: Asked, *, stream: bool) -> httpx.Response:
        tries = Tries(asked, self._terms.retries)
        while True:
            try:
                response = await self._once(asked, stream=stream)
            except httpx.RequestError as error:
                pause: float | None = tries.after_failure(error)
            else:
                if response.is_success:
                    return response
                pause = tries.after_answer(response.status_code, response.headers, response.content)
                if pause is None:
                    return response
            await asyncio.sleep(pause or 0)

    async def _once(self, asked: Asked, *, stream: bool) -> httpx.Response:
        request = self._http.build_request(
            asked.route.method, asked.url, headers=asked.headers, content=asked.body, timeout=self._timeout
        )
        with unlogged():
            response = await self._http.send(request, stream=stream)
            if stream and not response.is_success:
                try:
                    await response.aread()
                finally:
                    await response.aclose()
        return response
