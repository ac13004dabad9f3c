"""The protocol over HTTP: each request by itself, so that any of several servers may answer it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final
from urllib.parse import unquote_to_bytes

import anyio
import anyio.to_thread
from mcp.server.context import ServerRequestContext
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from stemma.app.caller import Caller
from stemma.app.runtime import Runtime
from stemma.edges.mcp_calls import call
from stemma.edges.mcp_listing import Listing, read_listing
from stemma.edges.mcp_server import Told, build_server, client_name
from stemma.edges.mcp_subject import subject_named
from stemma.errors import InvalidInput, InvalidUnicode, UnknownField

# The longest text of a memory is 1 MiB, which JSON may escape sixfold.
_BODY_BYTES: Final = 8 * 1024 * 1024
_ALL: Final = "all"
_KNOWN: Final = ("tools", "subject")


class Sessions:
    """What answers requests, in a task of its own from `start` to `close`."""

    def __init__(self, runtime: Runtime) -> None:
        """Answer from an opened store."""
        self._runtime = runtime
        server = build_server(read_listing().instructions, _listing_asked, self._call)
        self._answering = StreamableHTTPSessionManager(
            server, json_response=True, stateless=True, max_request_body_size=_BODY_BYTES
        )
        self._end: asyncio.Event | None = None
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Begin to answer."""
        started, self._end = asyncio.Event(), asyncio.Event()
        # What is begun by one request has to outlive it.
        self._task = asyncio.create_task(self._run(started, self._end), name="mcp")
        await started.wait()

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        await self._answering.handle_request(scope, receive, send)

    async def close(self) -> None:
        """End."""
        if self._end is not None and self._task is not None:
            self._end.set()
            await self._task

    async def _run(self, started: asyncio.Event, end: asyncio.Event) -> None:
        async with self._answering.run():
            started.set()
            await end.wait()

    async def _call(self, tool: str, arguments: Mapping[str, Any], ctx: ServerRequestContext) -> Told:
        request = _request_of(ctx)
        caller: Caller = request.state.caller
        signed = caller if caller.by is not None else Caller(caller.tenant, caller.scopes, client_name(ctx))
        subject = _subject(request)
        return await anyio.to_thread.run_sync(call, self._runtime, signed, subject, tool, arguments)


def _listing_asked(ctx: ServerRequestContext) -> Listing:
    """Return the tools of an address: `/mcp?tools=all` offers every one, `/mcp?subject=S` keeps to a subject."""
    request = _request_of(ctx)
    _require_known(request)
    tools = request.query_params.get("tools", "default")
    if tools not in ("default", _ALL):
        raise InvalidInput(f"tools: {tools!r} is neither default nor all", field="tools")
    return _listing(tools == _ALL, _subject(request))


def _require_known(request: Request) -> None:
    # A subject that is misspelt, named twice or no UTF-8 would open every subject, or another one (F31).
    try:
        unquote_to_bytes(request.scope["query_string"]).decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidUnicode("the query of the address is not UTF-8 once percent-decoded") from error
    names = [name for name, _ in request.query_params.multi_items()]
    for name in names:
        if name not in _KNOWN:
            raise UnknownField(f"{name} is nothing that this address takes; there are {', '.join(_KNOWN)}", field=name)
        if names.count(name) > 1:
            raise InvalidInput(f"{name} stands twice in the address", field=name)


def _subject(request: Request) -> str | None:
    named = request.query_params.get("subject")
    return None if named is None else subject_named(named)


@lru_cache(maxsize=64)
def _listing(every_tool: bool, subject: str | None) -> Listing:
    return read_listing(every_tool=every_tool, subject=subject)


def _request_of(ctx: ServerRequestContext) -> Request:
    assert isinstance(ctx.request, Request)
    return ctx.request
