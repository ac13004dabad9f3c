"""Tools as a client of the protocol's own library calls them: in this process, or from `stemma mcp` as a real one."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import anyio.to_thread
from mcp.client import Client
from mcp.types import CallToolResult, Tool

from stemma import Stemma
from stemma.app.caller import EVERYTHING, Caller
from stemma.edges.mcp_calls import call
from stemma.edges.mcp_listing import read_listing
from stemma.edges.mcp_server import build_server
from tests.serving import STEMMA, environment

HELLO: Final = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "a test", "version": "1"},
}
_WAIT_SECONDS: Final = 60.0


@dataclass(slots=True)
class Tools:
    """The tools over an opened store, through the protocol; an answer that its own schema refuses is an error there."""

    memory: Stemma
    subject: str | None = None
    every_tool: bool = True

    def call(self, tool: str, **arguments: Any) -> CallToolResult:
        """Call one tool."""
        return self.session(lambda client: client.call_tool(tool, arguments))

    def answer(self, tool: str, **arguments: Any) -> Any:
        """Call one tool and return its structured answer."""
        found = self.call(tool, **arguments)
        assert not found.is_error, words(found)
        return found.structured_content

    def refused(self, tool: str, **arguments: Any) -> str:
        """Call one tool and return the code it was refused with."""
        found = self.call(tool, **arguments)
        assert found.is_error
        assert found.structured_content is None
        code, _, detail = words(found).partition(": ")
        told = (found.meta or {})["stemma/error"]
        assert (told["code"], told["detail"]) == (code, detail)
        return code

    def session(self, does: Callable[[Client], Awaitable[Any]]) -> Any:
        """Do something as a client."""

        async def run() -> Any:
            async with Client(self._server()) as client:
                return await does(client)

        return asyncio.run(run())

    def _server(self) -> Any:
        listing = read_listing(every_tool=self.every_tool, subject=self.subject)
        runtime = self.memory.runtime
        caller = Caller(self.memory.tenant, EVERYTHING, "mcp:a test")

        async def run(tool: str, arguments: Mapping[str, Any], _: Any) -> tuple[str, dict[str, Any]]:
            doing = functools.partial(call, runtime, caller, self.subject, tool, arguments)
            return await anyio.to_thread.run_sync(doing)

        return build_server(listing.instructions, lambda _: listing, run)


def words(found: CallToolResult) -> str:
    """Return the text of a reply."""
    assert [one.type for one in found.content] == ["text"]
    return found.content[0].text  # type: ignore[union-attr]


async def listed(client: Client) -> list[Tool]:
    """List the tools of a server."""
    return list((await client.list_tools()).tools)


@dataclass(slots=True)
class Lines:
    """`stemma mcp` as a process of its own, spoken to line by line; `read` keeps every line of its stdout."""

    program: list[str]
    log: Path
    environment: dict[str, str] = field(default_factory=dict)
    read: list[bytes] = field(default_factory=list)
    _rest: bytes = b""
    _process: subprocess.Popen[bytes] | None = None

    @property
    def process(self) -> subprocess.Popen[bytes]:
        """The process, started at first use."""
        if self._process is None:
            with self.log.open("wb") as stderr:
                self._process = subprocess.Popen(
                    self.program,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=stderr,
                    env=environment(**self.environment),
                )
        return self._process

    def send(self, *messages: Any) -> None:
        """Send messages, each on a line."""
        stdin = self.process.stdin
        assert stdin is not None
        for one in messages:
            stdin.write(one if isinstance(one, bytes) else json.dumps(one).encode() + b"\n")
        stdin.flush()

    def hello(self) -> Any:
        """Shake hands and return what the server says of itself."""
        self.send(request(0, "initialize", **HELLO))
        answer = self.reply(0)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer["result"]

    def call(self, number: int, tool: str, **arguments: Any) -> Any:
        """Call a tool and return its result."""
        self.send(called(number, tool, **arguments))
        return self.reply(number)["result"]

    def reply(self, number: int | None) -> Any:
        """Wait for the reply of a request."""
        until = time.monotonic() + _WAIT_SECONDS
        seen = 0
        while time.monotonic() < until:
            for line in self.read[seen:]:
                message = json.loads(line)
                if "method" not in message and message["id"] == number:
                    return message
            seen = len(self.read)
            self._more(until)
        raise AssertionError(f"no reply to {number}: {self.log.read_text()}")

    def replies(self) -> list[Any]:
        """Return the ids of all replies so far."""
        return [one["id"] for one in map(json.loads, self.read) if "method" not in one]

    def leave(self) -> int:
        """Close its stdin, read what it still says, and return its exit code."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self._ended()

    def signalled(self, how: signal.Signals) -> int:
        """Send a signal, read what it still says, and return its exit code."""
        self.process.send_signal(how)
        return self._ended()

    def close(self) -> None:
        """End it at once, if it still runs, and close our ends."""
        if self._process is None:
            return
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        for one in (self._process.stdin, self._process.stdout):
            if one is not None:
                with contextlib.suppress(BrokenPipeError):
                    one.close()

    def _ended(self) -> int:
        until = time.monotonic() + _WAIT_SECONDS
        while time.monotonic() < until and self._more(until):
            continue
        return self.process.wait(timeout=_WAIT_SECONDS)

    def _more(self, until: float) -> bool:
        stdout = self.process.stdout
        assert stdout is not None
        ready, _, _ = select.select([stdout], [], [], max(0.0, until - time.monotonic()))
        piece = os.read(stdout.fileno(), 65_536) if ready else b""
        *lines, self._rest = (self._rest + piece).split(b"\n")
        self.read += lines
        assert piece or not self._rest, f"the last line is no line: {self._rest!r}"
        return bool(piece)


def request(number: int, method: str, **params: Any) -> dict[str, Any]:
    """Write a request."""
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def called(number: int, tool: str, **arguments: Any) -> dict[str, Any]:
    """Write the call of a tool."""
    return request(number, "tools/call", name=tool, arguments=arguments)


def stemma_mcp(store: str | Path, log: Path, *arguments: str, program: str | None = None, **more: str) -> Lines:
    """Return `stemma mcp` on a store; `program` is another entry to it, as Python."""
    entry = STEMMA if program is None else [sys.executable, "-c", program]
    return Lines([*entry, "mcp", "--store", str(store), *arguments], log, dict(more))
