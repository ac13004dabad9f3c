"""`StemmaClient`: the methods of `Stemma` over HTTP. What is sent and what a try comes to stands in `request`."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import Any, Self

import httpx

from stemma.app.asking import Answer, given
from stemma.app.face import Face
from stemma.client.answers import answered, refusal
from stemma.client.events import EventReader, broken_off
from stemma.client.quiet import unlogged
from stemma.client.request import DEFAULT_URL, EVENT_STREAM, LIMITS, TIMEOUT_SECONDS, Asked, Terms, Tries
from stemma.client.retrying import Retries
from stemma.errors import InvalidInput


class StemmaClient(Face):
    """A server that is asked over HTTP. Use it as `with StemmaClient(url) as memory`, from any number of threads.

    Raises the errors of `stemma.errors` that the server answers, and those of `stemma.client.errors`.
    """

    def __init__(
        self,
        base_url: str = DEFAULT_URL,
        *,
        api_key: str | None = None,
        timeout: float | httpx.Timeout | None = None,
        retries: Retries | None = None,
        http_client: httpx.Client | None = None,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        """Name the server; nothing is sent yet. `timeout` is in seconds and holds for each try (default: 60).

        An `http_client` that is given keeps its own timeout unless one is given too, and stays open at `close`.
        """
        if http_client is not None and transport is not None:
            raise InvalidInput("give an http_client or a transport, not both", field="transport")
        self._terms = Terms(base_url, api_key, retries or Retries())
        self._owns = http_client is None
        self._timeout = httpx.USE_CLIENT_DEFAULT if timeout is None else timeout
        self._http = http_client or httpx.Client(timeout=TIMEOUT_SECONDS, limits=LIMITS, transport=transport)

    def __enter__(self) -> Self:
        """Return the client itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Let go of the connections."""
        self.close()

    def __repr__(self) -> str:
        """Show the address alone."""
        return f"StemmaClient({self._terms.base_url!r})"

    def close(self) -> None:
        """Let go of the connections."""
        if self._owns:
            self._http.close()

    def _run_as_given(self, name: str, answer: type[Answer], fields: Mapping[str, Any]) -> Answer:
        response = self._send(self._terms.asked(name, fields), stream=False)
        return answered(answer, response.status_code, response.headers, response.content)

    def _stream(self, name: str, fields: Mapping[str, Any]) -> Iterator[Any]:
        events = self._events(name, self._terms.asked(name, given(fields), accept=EVENT_STREAM))
        # What is refused before the first event is refused here and not at the first use, as in process.
        next(events)
        return events

    def _events(self, name: str, asked: Asked) -> Iterator[Any]:
        response = self._send(asked, stream=True)
        try:
            if not response.is_success:
                raise refusal(response.status_code, response.headers, response.content)
            yield None
            reader = EventReader(name)
            try:
                for some in response.iter_bytes():
                    yield from reader.take(some)
            except httpx.RequestError as error:
                raise broken_off(error) from error
            reader.require_whole()
        finally:
            response.close()

    def _send(self, asked: Asked, *, stream: bool) -> httpx.Response:
        tries = Tries(asked, self._terms.retries)
        while True:
            try:
                response = self._once(asked, stream=stream)
            except httpx.RequestError as error:
                pause: float | None = tries.after_failure(error)
            else:
                if response.is_success:
                    return response
                pause = tries.after_answer(response.status_code, response.headers, response.content)
                if pause is None:
                    return response
            time.sleep(pause or 0)

    def _once(self, asked: Asked, *, stream: bool) -> httpx.Response:
        request = self._http.build_request(
            asked.route.method, asked.url, headers=asked.headers, content=asked.body, timeout=self._timeout
        )
        with unlogged():
            response = self._http.send(request, stream=stream)
            if stream and not response.is_success:
                try:
                    response.read()
                finally:
                    response.close()
        return response
