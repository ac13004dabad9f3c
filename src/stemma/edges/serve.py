"""Running the HTTP door: one process, one socket, a graceful end, and where asked a compile of what is new."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
import sys
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from types import FrameType
from typing import Final, NoReturn

import structlog
import uvicorn
from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool

from stemma.app.compile import compile_memories
from stemma.app.models_memories import CompileRequest
from stemma.app.runtime import Runtime
from stemma.edges.http import create_app
from stemma.edges.http_guard import is_loopback
from stemma.errors import AddressInUse, ExposedAddress, StemmaError

_GRACE_SECONDS: Final = 30
_log = structlog.get_logger("stemma.serve")


@dataclass(frozen=True, slots=True)
class Terms:
    """For whom keyless work is done, and how often what is new is compiled (0: never)."""

    tenant: str
    compile_every_seconds: float


def bind(host: str, port: int) -> socket.socket:
    """Bind the address, or refuse one that the network reaches: there are no keys to keep it closed."""
    if not is_loopback(host):
        raise ExposedAddress(
            f"{host} is not a loopback address, and without keys everyone who reaches it could read and erase; "
            "bind 127.0.0.1 (the default) and let a proxy that asks for credentials stand before it"
        )
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host.strip("[]"), port))
    except OSError as error:
        listening.close()
        raise AddressInUse(f"{host}:{port} cannot be bound: {error.strerror}; give another --port") from error
    return listening


def address_of(listening: socket.socket) -> str:
    """Return the URL of a bound socket."""
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def serve(runtime: Runtime, terms: Terms, listening: socket.socket, announce: Callable[[str], None]) -> None:
    """Answer until a signal; `announce` gets the URL once requests are accepted. The caller closes the runtime."""

    @contextlib.asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        compiling = asyncio.create_task(_compile_on(runtime, terms)) if terms.compile_every_seconds else None
        yield
        if compiling is not None:
            compiling.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await compiling

    app = create_app(runtime, tenant=terms.tenant, lifespan=lifespan)
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )
    # uvicorn ends gracefully and then raises the signal again; this makes it an ordinary end, so that callers tidy up.
    signal.signal(signal.SIGTERM, _leave)
    with contextlib.suppress(KeyboardInterrupt):
        _Announcing(config, lambda: announce(address_of(listening))).run(sockets=[listening])


class _Announcing(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Tell that requests are accepted, once they are."""
        await super().startup(sockets)
        self._ready()


async def _compile_on(runtime: Runtime, terms: Terms) -> None:
    while True:
        await asyncio.sleep(terms.compile_every_seconds)
        try:
            made = await run_in_threadpool(compile_memories, runtime, terms.tenant, CompileRequest())
        except StemmaError as error:
            # What is new stays marked as new, so the next round takes it up.
            _log.warning("compile_put_off", code=error.code, retryable=error.retryable)
        else:
            if made.episodes_compiled:
                _log.info("compiled", episodes=made.episodes_compiled, created=made.memories_created)


def _leave(_: int, __: FrameType | None) -> NoReturn:
    sys.exit(0)
