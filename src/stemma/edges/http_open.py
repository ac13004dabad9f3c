"""The routes beside the operation table: whether the server lives, whether it can work, and its figures."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from stemma.app import health
from stemma.app.caller import Caller, Scope
from stemma.app.runtime import Runtime
from stemma.edges.metrics import Metrics
from stemma.errors import Forbidden

Endpoint = Callable[[Request], Awaitable[Response]]

# A probe that waits as long as a request would be given up by who probes, and say nothing of why.
PATIENCE_SECONDS: Final = 3.0


def live(runtime: Runtime) -> Endpoint:
    """Answer that the process lives."""

    async def endpoint(_: Request) -> Response:
        # In this very thread: with every other one busy, or the store gone, the process is alive all the same.
        return _answered(health.live(runtime))

    return endpoint


def ready(runtime: Runtime) -> Endpoint:
    """Answer whether the store can be used, within a bounded time; who asks meanwhile shares the one look."""
    looking: asyncio.Task[health.Health] | None = None

    async def endpoint(_: Request) -> Response:
        nonlocal looking
        if looking is None or looking.done():
            looking = asyncio.create_task(run_in_threadpool(health.ready, runtime))
        done, _pending = await asyncio.wait({looking}, timeout=PATIENCE_SECONDS)
        return _answered(looking.result() if done else health.slow(PATIENCE_SECONDS))

    return endpoint


def figures(metrics: Metrics, tenant: str) -> Endpoint:
    """Answer the figures to who runs the server: keyless work where there are no keys, else an admin key of `tenant`.

    They are of all tenants together, so another tenant's key does not open them.
    """

    async def endpoint(request: Request) -> Response:
        caller: Caller = request.state.caller
        caller.require(Scope.ADMIN)
        if caller.tenant != tenant:
            raise Forbidden(f"the figures are of all tenants: ask with an admin key of the server's own, {tenant!r}")
        body, media_type = await run_in_threadpool(metrics.written, request.headers.get("accept", ""))
        return Response(body, headers={"Content-Type": media_type, "Cache-Control": "no-store"})

    return endpoint


def _answered(found: health.Health) -> Response:
    status = 200 if found.status == "ok" else 503
    headers = {"Cache-Control": "no-store"}
    return Response(found.model_dump_json(), status, headers, media_type="application/json")
