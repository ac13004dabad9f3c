"""The HTTP door: one route for each row of the operation table, problem documents for what is refused, health."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from functools import cache
from typing import Any, Final
from urllib.parse import unquote_to_bytes

import structlog
from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from stemma import __version__
from stemma.app.caller import Caller
from stemma.app.operations import OPERATIONS, Operation
from stemma.app.runtime import Runtime
from stemma.door_errors import MalformedRequest
from stemma.edges.http_body import read_body, require_no_body
from stemma.edges.http_cors import allow_pages
from stemma.edges.http_events import respond, wants_events
from stemma.edges.http_guard import REQUEST_ID, KeyGuard, RequestLog
from stemma.edges.http_idempotency import idempotency_key
from stemma.edges.http_observed import Observed
from stemma.edges.http_open import figures, live, ready
from stemma.edges.http_openapi import ANSWER_HEADER, describe, placed
from stemma.edges.http_paths import keep_apart, methods_of, take_names_whole, written_out
from stemma.edges.http_problem import refuse
from stemma.edges.json_input import parse_object
from stemma.edges.logs import raised_at
from stemma.edges.mcp_http import PATHS as MCP_PATHS
from stemma.edges.mcp_http import McpRoute
from stemma.edges.metrics import Metrics
from stemma.errors import (
    Forbidden,
    InvalidInput,
    InvalidUnicode,
    MethodNotAllowed,
    NoSuchRoute,
    StemmaError,
    UnknownField,
)

Endpoint = Callable[[Request], Awaitable[Response]]
Lifespan = Callable[[FastAPI], AbstractAsyncContextManager[None]]

DEFAULT_TENANT: Final = "default"
_NO_CONTENT: Final = 204
_WHOLE = re.compile(r"-?\d{1,18}", re.ASCII)
_log = structlog.get_logger("stemma.http")


def create_app(runtime: Runtime, *, tenant: str = DEFAULT_TENANT, lifespan: Lifespan | None = None) -> FastAPI:
    """Build the door to an opened runtime: a request works for its key's tenant, a keyless one for `tenant`.

    The caller closes the runtime.
    """
    mcp = McpRoute(runtime)
    app = FastAPI(
        title="Stemma",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        redirect_slashes=False,
        lifespan=_with_mcp(mcp, lifespan),
    )
    take_names_whole()
    keep_apart(app, _written_out())
    for row in OPERATIONS:
        app.add_route(row.path, _endpoint(row, runtime), methods=[row.method], name=row.name)
    metrics = Metrics(runtime)
    runtime.observers.add(metrics)
    app.add_route("/healthz", live(runtime), methods=["GET"], name="healthz")
    app.add_route("/readyz", ready(runtime), methods=["GET"], name="readyz")
    app.add_route("/metrics", figures(metrics, tenant), methods=["GET"], name="metrics")
    app.add_route("/openapi.json", _answer_document, methods=["GET"], name="openapi")
    app.router.routes += [Route(path, mcp, methods=["POST"], name="mcp") for path in MCP_PATHS]
    app.add_exception_handler(StemmaError, _answer_refusal)
    app.add_exception_handler(HTTPException, _answer_unrouted)
    app.add_exception_handler(ClientDisconnect, _answer_nobody)
    app.add_exception_handler(Exception, _answer_fault)
    # Added last stands first: what the guard refuses is logged as well.
    app.add_middleware(KeyGuard, runtime=runtime, tenant=tenant)
    allow_pages(app, runtime.settings.cors_origins)
    app.add_middleware(Observed, metrics=metrics, observers=runtime.observers, routes=app.router.routes)
    app.add_middleware(RequestLog)
    return app


def _with_mcp(mcp: McpRoute, lifespan: Lifespan | None) -> Lifespan:
    @asynccontextmanager
    async def both(app: FastAPI) -> AsyncIterator[None]:
        async with mcp.running(), nullcontext() if lifespan is None else lifespan(app):
            yield

    return both


def _endpoint(row: Operation, runtime: Runtime) -> Endpoint:
    places, limit = placed(row), runtime.settings.request_bytes

    def run(caller: Caller, fields: Mapping[str, Any], key: str | None) -> bytes:
        return row.run_for(runtime, caller, fields, idempotency_key=key).model_dump_json(by_alias=True).encode()

    async def endpoint(request: Request) -> Response:
        request.state.route = row.path
        caller: Caller = request.state.caller
        # Before a body is read that would be refused anyway.
        caller.require(row.scope)
        _require_utf8(request.scope.get("raw_path", b""), request.scope["query_string"])
        fields = dict(request.path_params)
        if places.body:
            fields |= _apart(parse_object(await read_body(request, limit)), fields)
        else:
            require_no_body(request)
        fields |= _query(request, places.query)
        if row.stream is not None and wants_events(request):
            return await respond(lambda: row.run_stream_for(runtime, caller, fields))
        key = idempotency_key(request) if row.takes_idempotency_key else None
        answer = await run_in_threadpool(run, caller, fields, key)
        if row.status == _NO_CONTENT:
            # A client's method answers what the operation does, also where the protocol leaves no room for a body.
            return Response(status_code=_NO_CONTENT, headers={ANSWER_HEADER: answer.decode("ascii")})
        return Response(answer, row.status, media_type="application/json")

    return endpoint


def _require_utf8(*escaped: bytes) -> None:
    # Otherwise what is no UTF-8 would be read as replacement characters: another name than the one that was sent.
    for part in escaped:
        try:
            unquote_to_bytes(part).decode("utf-8")
        except UnicodeDecodeError as error:
            raise InvalidUnicode("the path or the query is not UTF-8 once percent-decoded") from error


def _apart(given: dict[str, Any], taken: Mapping[str, Any]) -> dict[str, Any]:
    if twice := sorted(given.keys() & taken.keys()):
        raise UnknownField(f"{twice[0]} is given by the path; leave it out here", field=twice[0])
    return given


def _query(request: Request, kinds: Mapping[str, str]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for name, text in request.query_params.multi_items():
        if name in fields:
            raise InvalidInput(f"{name} stands twice in the query", field=name)
        if name not in kinds:
            raise UnknownField(f"{name} is no field of this operation's query", field=name)
        fields[name] = _typed(text, kinds[name])
    return fields


def _typed(text: str, kind: str) -> Any:
    if kind == "integer" and _WHOLE.fullmatch(text):
        return int(text)
    if kind == "boolean":
        return {"true": True, "false": False}.get(text, text)
    return text


async def _answer_document(_: Request) -> Response:
    return Response(await run_in_threadpool(_document), media_type="application/json")


@cache
def _written_out() -> Mapping[str, Sequence[str]]:
    return written_out(OPERATIONS)


@cache
def _document() -> bytes:
    # Written when it is first asked for: it takes a third of the time in which a server starts.
    return describe(OPERATIONS)


def _answer_refusal(_: Request, error: Exception) -> Response:
    assert isinstance(error, StemmaError)
    if error.status >= 500:
        _log.warning("refused", code=error.code, raised_at=raised_at(error))
    return refuse(error)


def _answer_unrouted(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    match error.status_code:
        case 404:
            return refuse(NoSuchRoute("there is nothing under this path; /openapi.json lists what is"))
        case 405:
            allow = ", ".join(methods_of(request, _written_out()))
            return refuse(MethodNotAllowed(f"this path knows {allow} alone"), {"Allow": allow})
        case 403:
            return refuse(Forbidden("refused"))
    return refuse(InvalidInput("the request cannot be read"))


def _answer_nobody(_: Request, __: Exception) -> Response:
    # Nobody reads it: it says in the log and in the figures that this was no fault of ours.
    return refuse(MalformedRequest("the client left before its body was whole"))


def _answer_fault(request: Request, error: Exception) -> Response:
    # The words of an unforeseen error may quote a memory, so neither the answer nor the log repeats them.
    request_id = str(getattr(request.state, "request_id", ""))
    _log.error("fault", error=type(error).__name__, raised_at=raised_at(error), request_id=request_id)
    unforeseen = StemmaError(f"a fault of ours; the log has it under request {request_id}")
    return refuse(unforeseen, {REQUEST_ID: request_id})
