"""What both clients send, and what they make of each try: nothing here waits or touches the network."""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

import httpx

from stemma import __version__
from stemma.client.answers import refusal
from stemma.client.errors import AnswerUnreadable, OutcomeUnknown, ServerUnreachable
from stemma.client.retrying import PASSING, TOO_MANY, Retries, asked_seconds, pause_seconds
from stemma.client.routes import ROUTES, Route
from stemma.client.wording import worded
from stemma.errors import InvalidInput

DEFAULT_URL: Final = "http://127.0.0.1:8765"
TIMEOUT_SECONDS: Final = 60.0
# A server lets go of a connection after five silent seconds; ours must not be the one that finds out by using it.
LIMITS: Final = httpx.Limits(max_connections=100, max_keepalive_connections=20, keepalive_expiry=2.0)
EVENT_STREAM: Final = "text/event-stream"
# These fail before a byte of the request is on its way.
_UNBEGUN: Final = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
_log = logging.getLogger("stemma.client")


@dataclass(frozen=True, slots=True)
class Asked:
    """One request, ready to be sent as often as that is allowed."""

    route: Route
    url: str
    headers: Mapping[str, str]
    body: bytes | None
    may_repeat: bool


class Terms:
    """Where the server is and how it is asked. Its key is shown nowhere."""

    def __init__(self, base_url: str, api_key: str | None, retries: Retries) -> None:
        """Check the address and the key. Raises InvalidInput."""
        self.base_url = _base(base_url)
        self.retries = retries
        self._headers = {"User-Agent": f"stemma-python/{__version__}"}
        if api_key is not None:
            if not api_key.isascii() or not api_key.isprintable() or not api_key or " " in api_key:
                raise InvalidInput("api_key is no key: it is empty or has letters that no key has", field="api_key")
            self._headers["Authorization"] = f"Bearer {api_key}"

    def asked(self, name: str, fields: Mapping[str, Any], *, accept: str = "application/json") -> Asked:
        """Word a request. Raises InvalidInput for what cannot be said over HTTP."""
        route = ROUTES[name]
        path, body = worded(route, fields)
        headers = {**self._headers, "Accept": accept}
        if body is not None:
            headers["Content-Type"] = "application/json"
        return Asked(route, self.base_url + path, headers, body, route.may_repeat(fields))


class Tries:
    """The tries of one request: what came of each decides whether there is another, and after how long."""

    def __init__(self, asked: Asked, retries: Retries) -> None:
        """Begin to count."""
        self._asked = asked
        self._retries = retries
        self._started = time.monotonic()
        self._tried = 0

    def after_answer(self, status: int, headers: Mapping[str, str], body: bytes) -> float | None:
        """Give the pause in seconds before the next try, or None where this answer is to be taken."""
        self._tried += 1
        if status not in PASSING or not (self._asked.may_repeat or status == TOO_MANY):
            return None
        refused = refusal(status, headers, body)
        if status != TOO_MANY and not refused.retryable:
            return None
        return self._pause(str(status), asked_seconds(headers, datetime.now(UTC)))

    def after_failure(self, error: httpx.RequestError) -> float:
        """Give the pause in seconds before the next try. Raises what it came to where there is none."""
        self._tried += 1
        what = type(error).__name__
        if isinstance(error, httpx.DecodingError | httpx.TooManyRedirects | httpx.UnsupportedProtocol):
            raise AnswerUnreadable(f"the server's answer cannot be read: {what}") from error
        unbegun = isinstance(error, _UNBEGUN)
        if unbegun or self._asked.may_repeat:
            pause = self._pause(what, None)
            if pause is not None:
                return pause
            times = f"{self._tried} tries" if self._tried > 1 else "one try"
            raise ServerUnreachable(f"the server did not answer in {times}: {what}") from error
        raise OutcomeUnknown(
            f"the request was sent and no answer came ({what}); it may have been done, and it is not sent again: "
            f"{self._asked.route.once}"
        ) from error

    def _pause(self, what: str, asked: float | None) -> float | None:
        spent = time.monotonic() - self._started
        pause = pause_seconds(
            self._retries, tried=self._tried, spent_seconds=spent, asked_seconds=asked, chance=random.random()
        )
        if pause is not None:
            _log.debug("%s %s: %s; again in %.2f s", self._asked.route.method, self._asked.route.path, what, pause)
        return pause


def _base(address: str) -> str:
    try:
        url = httpx.URL(address)
    except (httpx.InvalidURL, TypeError) as error:
        raise InvalidInput("base_url is no URL; write http://host:port", field="base_url") from error
    if url.scheme not in {"http", "https"} or not url.host:
        raise InvalidInput("base_url is no http or https URL; write http://host:port", field="base_url")
    if url.userinfo:
        raise InvalidInput("base_url names a user; give the key as api_key", field="base_url")
    if url.query or url.fragment:
        raise InvalidInput("base_url has a query or a fragment; write http://host:port/path", field="base_url")
    return str(url).rstrip("/")
