"""`stemma mcp`: one client on stdin and stdout, from its first line to the last reply, whatever ends it."""

from __future__ import annotations

import contextlib
import json
import signal
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import anyio
import anyio.to_thread
import structlog
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp import types
from mcp.server.context import ServerRequestContext
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from stemma.config import Settings
from stemma.edges.mcp_listing import read_listing
from stemma.edges.mcp_server import Told, build_server, client_name
from stemma.edges.mcp_wire import OVERLONG, Wire, Writer, read_lines

if TYPE_CHECKING:
    from stemma.edges.mcp_calls import OneStore, StoreToOpen

# A client that has closed its end may still read what it asked for before.
_LAST_REPLIES_SECONDS: Final = 60
_log = structlog.get_logger("stemma.mcp")

Incoming = SessionMessage | Exception


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What a client is served: a store, for whom, and which tools."""

    store: str | None
    settings: Settings
    tenant: str
    subject: str | None
    every_tool: bool


def answer_stdio(wire: Wire, terms: Terms) -> None:
    """Answer the client until it leaves or a signal comes, then leave the store."""
    session = _Session(terms)
    try:
        anyio.run(_answer, wire, terms, session)
    finally:
        session.close()


async def _answer(wire: Wire, terms: Terms, session: _Session) -> None:
    listing = read_listing(every_tool=terms.every_tool, subject=terms.subject)
    server = build_server(listing.instructions, lambda _: listing, session.call)
    async with anyio.create_task_group() as beside:
        session.beside = beside
        beside.start_soon(_end_at_a_signal, beside.cancel_scope)
        async with _streams(wire, terms.settings.request_bytes, beside) as (reads, writes):
            await server.run(reads, writes, server.create_initialization_options())
        beside.cancel_scope.cancel()


async def _end_at_a_signal(scope: anyio.CancelScope) -> None:
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async for _ in signals:
            scope.cancel()
            return


class _Session:
    """The store of this client: loaded and opened by the first call, in a thread, while others may be answered."""

    def __init__(self, terms: Terms) -> None:
        self._terms = terms
        self._opening = anyio.Lock()
        self._to_open: StoreToOpen | None = None
        self._opened: OneStore | None = None
        self.beside: anyio.abc.TaskGroup | None = None

    async def call(self, tool: str, arguments: Mapping[str, Any], ctx: ServerRequestContext) -> Told:
        """Call a tool; one that was begun is brought to its end even where nobody waits for it any more."""
        by = client_name(ctx)
        opened = self._opened or await self._open()
        return await anyio.to_thread.run_sync(opened.call, tool, arguments, by)

    def close(self) -> None:
        """Leave the store."""
        if self._to_open is not None:
            self._to_open.close()

    async def _open(self) -> OneStore:
        async with self._opening:
            if self._opened is None:
                self._opened = await anyio.to_thread.run_sync(self._load_and_open)
                if self.beside is not None:
                    self.beside.start_soon(_do_chores, self._opened)
            return self._opened

    def _load_and_open(self) -> OneStore:
        if self._to_open is None:
            from stemma.edges.mcp_calls import StoreToOpen

            terms = self._terms
            self._to_open = StoreToOpen(terms.store, terms.settings, terms.tenant, terms.subject)
        return self._to_open.opened()


async def _do_chores(opened: OneStore) -> None:
    from stemma.edges.background import running

    async with running(opened.chores()):
        await anyio.sleep_forever()


@contextlib.asynccontextmanager
async def _streams(
    wire: Wire, limit_bytes: int, beside: anyio.abc.TaskGroup
) -> AsyncIterator[tuple[MemoryObjectReceiveStream[Incoming], MemoryObjectSendStream[SessionMessage]]]:
    """Give the two streams that a server runs on."""
    line = _Line(Writer(wire))
    to_server, reads = anyio.create_memory_object_stream[Incoming](0)
    writes, from_server = anyio.create_memory_object_stream[SessionMessage](0)

    async def deliver(raw: bytes | None) -> None:
        if raw is None:
            await line.all_answered()
            to_server.close()
        elif (message := await line.read(raw)) is not None:
            with contextlib.suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
                await to_server.send(SessionMessage(message))

    async def write() -> None:
        async with from_server:
            async for each in from_server:
                await line.write(each.message)

    async def write_until_the_client_has_gone() -> None:
        try:
            await write()
        except BrokenPipeError:
            beside.cancel_scope.cancel()

    read_lines(wire, deliver, limit_bytes)
    async with anyio.create_task_group() as writing:
        writing.start_soon(write_until_the_client_has_gone)
        yield reads, writes


class _Line:
    """The lines of both directions, and which requests wait for theirs."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._asked: set[types.RequestId] = set()
        self._answered = anyio.Event()

    async def read(self, raw: bytes) -> types.JSONRPCMessage | None:
        """Read a message; what is none is answered as such."""
        if not raw.strip():
            return None
        if raw == OVERLONG:
            await self._refuse(types.PARSE_ERROR, "the message is over the limit of bytes")
            return None
        try:
            message = types.jsonrpc_message_adapter.validate_json(raw, by_name=False)
        except ValidationError as error:
            is_json = error.errors(include_url=False, include_input=False)[0]["type"] != "json_invalid"
            code = types.INVALID_REQUEST if is_json else types.PARSE_ERROR
            await self._refuse(code, "this is no JSON-RPC message" if is_json else "this is not JSON", _id_in(raw))
            return None
        if isinstance(message, types.JSONRPCRequest):
            self._asked.add(message.id)
        elif isinstance(message, types.JSONRPCNotification) and message.method == "notifications/cancelled":
            # Whoever cancels is not answered, so nobody waits for that.
            self._settle((message.params or {}).get("requestId"))
        return message

    async def write(self, message: types.JSONRPCMessage) -> None:
        """Write a message; raises BrokenPipeError."""
        await self._writer.write(message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n")
        if isinstance(message, types.JSONRPCResponse | types.JSONRPCError):
            self._settle(message.id)

    async def all_answered(self) -> None:
        """Wait until everything that was asked is answered, for as long as a client may be expected to read it."""
        with anyio.move_on_after(_LAST_REPLIES_SECONDS):
            while self._asked:
                self._answered = anyio.Event()
                await self._answered.wait()

    def _settle(self, request_id: object) -> None:
        if isinstance(request_id, int | str):
            self._asked.discard(request_id)
        self._answered.set()

    async def _refuse(self, code: int, words: str, asked: types.RequestId | None = None) -> None:
        _log.warning("no_message", code=code)
        with contextlib.suppress(BrokenPipeError):
            await self.write(
                types.JSONRPCError(jsonrpc="2.0", id=asked, error=types.ErrorData(code=code, message=words))
            )


def _id_in(raw: bytes) -> types.RequestId | None:
    """Return the id of a request that cannot be taken, as one with half of a character: who asked waits for it."""
    try:
        found = json.loads(raw)
        asked = found.get("id") if isinstance(found, dict) and "method" in found else None
        return asked if type(asked) is int or (isinstance(asked, str) and asked.encode()) else None
    except (ValueError, RecursionError):
        return None
