"""What stands before every route: who may ask while there are no keys, the request's id, one line of log."""

from __future__ import annotations

import ipaddress
import re
import time
import uuid
from typing import Final
from urllib.parse import urlsplit

import structlog
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from stemma.app.problems import problem
from stemma.errors import Forbidden, ForeignHost, ForeignOrigin

REQUEST_ID: Final = "X-Request-ID"
_GIVEN_ID = re.compile(r"[A-Za-z0-9._:-]{1,128}")
_log = structlog.get_logger("stemma.http")


class KeylessGuard:
    """Serves requests that name this machine's loopback and come from no page of another site.

    A page in a browser on this machine can reach the port too: under a name of its own that resolves here (Host), or
    by a request of another site's script (Origin).
    """

    def __init__(self, app: ASGIApp) -> None:
        """Stand before `app`."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or answer 403."""
        if scope["type"] == "http" and (refused := _foreign(Headers(scope=scope))):
            answer = problem(refused)
            body = answer.model_dump_json()
            await Response(body, answer.status, media_type="application/problem+json")(scope, receive, send)
            return
        await self._app(scope, receive, send)


class RequestLog:
    """Gives every request an id and every answer one line: what was asked by route, never with what words."""

    def __init__(self, app: ASGIApp) -> None:
        """Stand before `app`."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on under its id and log what was answered."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = Headers(scope=scope).get(REQUEST_ID, "")
        request_id = given if _GIVEN_ID.fullmatch(given) else uuid.uuid4().hex
        scope.setdefault("state", {})["request_id"] = request_id
        status, started = 500, time.perf_counter()

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)[REQUEST_ID] = request_id
            await send(message)

        try:
            await self._app(scope, receive, send_with_id)
        finally:
            _log.info(
                "answered",
                method=scope["method"] if scope["method"] in _METHODS else "other",
                route=_route(scope),
                status=status,
                ms=round((time.perf_counter() - started) * 1000, 1),
                request_id=request_id,
            )


_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


def is_loopback(host: str) -> bool:
    """Say whether a host name or address means this machine alone."""
    name = host.strip("[]").rstrip(".").lower()
    if name == "localhost":
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def _foreign(headers: Headers) -> Forbidden | None:
    if not is_loopback(_host_of(f"//{headers.get('host', '')}")):
        return ForeignHost("without keys this server answers as 127.0.0.1 or localhost alone; ask for one of these")
    for origin in headers.getlist("origin"):
        if not is_loopback(_host_of(origin)):
            return ForeignOrigin("without keys this server answers no page of another site")
    return None


def _host_of(address: str) -> str:
    try:
        parts = urlsplit(address)
        parts.port  # noqa: B018 - a port that is no number makes the name untrustworthy
        return parts.hostname or ""
    except ValueError:
        return ""


def _route(scope: Scope) -> str:
    # The template that the endpoint left here, not the path: subjects and keys stand in paths and query strings.
    return str(scope["state"].get("route", "none"))
