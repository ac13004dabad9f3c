"""The path of the protocol on the HTTP server. What speaks it is loaded by the first request that comes there."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Final

import anyio
import anyio.to_thread
from starlette.types import Receive, Scope, Send

from stemma.app.runtime import Runtime

if TYPE_CHECKING:
    from stemma.edges.mcp_http_session import Sessions

# Clients write either; a redirect would lose the body of some.
PATHS: Final = ("/mcp", "/mcp/")


class McpRoute:
    """Answers requests of the protocol for the caller that the guard named; nothing is kept from one to the next."""

    def __init__(self, runtime: Runtime) -> None:
        """Answer from an opened store."""
        self._runtime = runtime
        self._sessions: Sessions | None = None
        self._starting = anyio.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        scope.setdefault("state", {})["route"] = PATHS[0]
        async with self._starting:
            if self._sessions is None:
                self._sessions = await self._started()
        await self._sessions.answer(scope, receive, send)

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """End what was started at the end of the block."""
        try:
            yield
        finally:
            if self._sessions is not None:
                await self._sessions.close()

    async def _started(self) -> Sessions:
        # Loaded in a thread: meanwhile other requests are answered.
        sessions = await anyio.to_thread.run_sync(_made, self._runtime)
        await sessions.start()
        return sessions


def _made(runtime: Runtime) -> Sessions:
    from stemma.edges.mcp_http_session import Sessions

    return Sessions(runtime)
