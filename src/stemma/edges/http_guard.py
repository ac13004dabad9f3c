"""What stands before every route: for whom the request works, its id, one line of log."""

from __future__ import annotations

import re
import time
import uuid
from typing import Final
from urllib.parse import urlsplit

import structlog
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from stemma.app import key_door
from stemma.app.caller import Caller
from stemma.app.loopback import is_loopback
from stemma.app.runtime import Runtime
from stemma.edges.http_problem import refuse
from stemma.errors import Forbidden, ForeignHost, ForeignOrigin, StemmaError
from stemma.key_errors import KeyMissing, KeyUnknown

REQUEST_ID: Final = "X-Request-ID"
_GIVEN_ID = re.compile(r"[A-Za-z0-9._:-]{1,128}")
_PLAIN = re.compile(r"(?:[a-z][a-z0-9+.-]*:)?//[a-z0-9.:\[\]-]+", re.ASCII | re.IGNORECASE)
_log = structlog.get_logger("stemma.http")


class KeyGuard:
    """Leaves in the request's state the `caller` that it works for, or answers 401, 403 or 429.

    Without a key it works for `tenant`, as long as the store has none, on this machine's loopback, and for no page of
    another site. A page in a browser on this machine can reach the port too: under a name of its own that resolves here
    (Host), or by a request of another site's script (Origin). With a key none of that matters: a browser sends none by
    itself, so a page has one only if it was given one.
    """

    def __init__(self, app: ASGIApp, *, runtime: Runtime, tenant: str) -> None:
        """Stand before `app`."""
        self._app = app
        self._runtime = runtime
        self._tenant = tenant

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on under its caller, or refuse it."""
        if scope["type"] == "http":
            try:
                await self._admit(scope)
            except StemmaError as error:
                await refuse(error)(scope, receive, send)
                return
        await self._app(scope, receive, send)

    async def _admit(self, scope: Scope) -> None:
        headers = Headers(scope=scope)
        if scope["path"] in _OPEN:
            # No look at the store here: whether this process lives is told while the store is gone, too.
            if not self._runtime.asks_for_keys:
                _require_own(headers)
            return
        scope.setdefault("state", {})["caller"] = await run_in_threadpool(self._caller, scope, headers)

    def _caller(self, scope: Scope, headers: Headers) -> Caller:
        if not key_door.asks_for_keys(self._runtime):
            _require_own(headers)
        presented = _presented(headers)
        if presented is not None:
            return key_door.caller_of(self._runtime, presented)
        peer = scope.get("client")
        if peer is not None and not is_loopback(peer[0]):
            raise KeyMissing("only this machine works without a key; send one as `Authorization: Bearer <key>`")
        return key_door.keyless(self._runtime, self._tenant)


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


# What says nothing of a tenant: whether the server lives, and the published contract.
_OPEN: Final = frozenset({"/healthz", "/readyz", "/openapi.json"})
_NAMED: Final = _OPEN | {"/metrics"}
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


def _require_own(headers: Headers) -> None:
    if refused := _foreign(headers):
        raise refused


def _presented(headers: Headers) -> str | None:
    """Return the key that came, in whichever header; a scheme of somebody else's is none of ours."""
    found = {one.strip() for one in headers.getlist("x-api-key")}
    for one in headers.getlist("authorization"):
        scheme, _, credential = one.strip().partition(" ")
        if scheme.lower() == "bearer":
            found.add(credential.strip())
    if len(found) > 1:
        raise KeyUnknown("two different keys came with one request; send one")
    return next(iter(found), None)


def _foreign(headers: Headers) -> Forbidden | None:
    if not is_loopback(_host_of(f"//{headers.get('host', '')}")):
        return ForeignHost("without keys this server answers as 127.0.0.1 or localhost alone; ask for one of these")
    for origin in headers.getlist("origin"):
        if not is_loopback(_host_of(origin)):
            return ForeignOrigin("without keys this server answers no page of another site")
    return None


def _host_of(address: str) -> str:
    # A user, a path or a backslash beside the name is read one way here and another way elsewhere.
    if not _PLAIN.fullmatch(address):
        return ""
    try:
        parts = urlsplit(address)
        parts.port  # noqa: B018 - a port that is no number makes the name untrustworthy
        return parts.hostname or ""
    except ValueError:
        return ""


def _route(scope: Scope) -> str:
    # The template that the endpoint left here, not the path: subjects and keys stand in paths and query strings.
    # A path of the closed list is its own template, also where it was refused.
    own = scope["path"] if scope["path"] in _NAMED else "none"
    return str(scope["state"].get("route", own))
