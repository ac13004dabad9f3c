"""Running the HTTP door: one process, one socket, a graceful end. What is done beside it stands in `background`."""

from __future__ import annotations

import contextlib
import gc
import signal
import socket
import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType
from typing import Final, NoReturn

import structlog
import uvicorn

from stemma.app.key_door import role_of
from stemma.app.runtime import Runtime
from stemma.edges.background import chores, running
from stemma.edges.http import create_app
from stemma.edges.http_wire import Wire
from stemma.errors import AddressInUse, ExposedAddress

_GRACE_SECONDS: Final = 30
_log = structlog.get_logger("stemma.serve")


@dataclass(frozen=True, slots=True)
class Terms:
    """For whom keyless work is done, and how often what is new is compiled (0: never), of every tenant."""

    tenant: str
    compile_every_seconds: float


def exposed(host: str) -> ExposedAddress:
    """Return the refusal of an address that the network reaches, where there are no keys to keep it closed."""
    return ExposedAddress(
        f"{host} is not a loopback address, and without keys everyone who reaches it could read and erase; "
        "make a key first (`stemma keys create`), or bind 127.0.0.1 (the default)"
    )


def bind(host: str, port: int) -> socket.socket:
    """Bind the address. Raises AddressInUse."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # The protocol by name: only then does asyncio send at once, and else each answer waits 40 ms for the client's ACK.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host.strip("[]"), port))
    except OSError as error:
        listening.close()
        raise AddressInUse(f"{host}:{port} cannot be bound: {error.strerror}; give another --port") from error
    return listening


def end_orderly() -> None:
    """Let SIGTERM end this program as an ordinary exit does, so that what was opened is closed.

    uvicorn finishes the requests under way at a signal and then raises it again, for this handler.
    """
    signal.signal(signal.SIGTERM, _leave)


def address_of(listening: socket.socket) -> str:
    """Return the URL of a bound socket."""
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def serve(runtime: Runtime, terms: Terms, listening: socket.socket, announce: Callable[[str], None]) -> None:
    """Answer until a signal; `announce` gets the URL once requests are accepted. The caller closes the runtime."""
    _warn_of_role(runtime)
    todo = chores(runtime, compile_every_seconds=terms.compile_every_seconds)
    app = create_app(runtime, tenant=terms.tenant, lifespan=lambda _: running(todo))
    config = uvicorn.Config(
        app,
        http=Wire,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )
    # Rules and models stay for good: each full collection would walk all of them, 76 ms in which nothing is answered.
    gc.collect()
    gc.freeze()
    with contextlib.suppress(KeyboardInterrupt):
        _Announcing(config, lambda: announce(address_of(listening))).run(sockets=[listening])


def _warn_of_role(runtime: Runtime) -> None:
    role = role_of(runtime)
    if role.passes_row_security:
        _log.warning(
            "row_security_passed",
            role=role.name,
            advice="this role is a superuser or has BYPASSRLS, so that row security, the second lock between tenants, "
            "does not hold; serve as a plain role that owns the database",
        )


class _Announcing(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Tell that requests are accepted, once they are."""
        await super().startup(sockets)
        self._ready()


def _leave(_: int, __: FrameType | None) -> NoReturn:
    # Whoever is impatient asks twice: a second exit in the middle of closing would leave threads that never end.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.exit(0)
