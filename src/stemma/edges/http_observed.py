"""Stands around every request of the HTTP door: its figures, its span, and its id on every line of log."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final

import structlog
from starlette.datastructures import Headers
from starlette.routing import BaseRoute, Match
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from stemma.app.observing import Observers, Step
from stemma.edges.metrics import Metrics

# What a request is counted as that no route takes: its path is the caller's word, one of any number.
UNROUTED: Final = "none"
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_CARRIED: Final = ("traceparent", "tracestate")


class Observed:
    """Counts and times what the app answers; the request's id is in its state already."""

    def __init__(self, app: ASGIApp, *, metrics: Metrics, observers: Observers, routes: Sequence[BaseRoute]) -> None:
        """Stand before `app`, whose `routes` say what a request is."""
        self._app = app
        self._metrics = metrics
        self._observers = observers
        self._routes = routes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on and tell what became of it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status, began = 500, time.perf_counter()

        async def send_and_look(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        headers = Headers(scope=scope)
        carrier = {name: headers[name] for name in _CARRIED if name in headers}
        request_id = scope.get("state", {}).get("request_id")
        self._metrics.began()
        try:
            with (
                structlog.contextvars.bound_contextvars(request_id=request_id),
                self._observers.step("request", carrier=carrier) as step,
            ):
                try:
                    await self._app(scope, receive, send_and_look)
                finally:
                    self._tell(step, scope, status)
        finally:
            self._metrics.answered(self._operation(scope), status, time.perf_counter() - began)

    def _tell(self, step: Step, scope: Scope, status: int) -> None:
        method = scope["method"] if scope["method"] in _METHODS else "_OTHER"
        route = scope.get("state", {}).get("route")
        step.tell(**{"http.request.method": method, "http.response.status_code": status})
        if route is not None:
            step.tell(**{"http.route": route})
        if status >= 500:
            step.error = str(status)

    def _operation(self, scope: Scope) -> str:
        """Name what was asked by the table's name of it, also where it was refused before it was routed."""
        endpoint = scope.get("endpoint")
        for one in self._routes:
            if endpoint is not None:
                # A path that knows other methods alone was matched in part.
                if getattr(one, "endpoint", None) is endpoint and scope["method"] in (
                    getattr(one, "methods", None) or ()
                ):
                    return _name_of(one)
            elif one.matches(scope)[0] is Match.FULL:
                return _name_of(one)
        return UNROUTED


def _name_of(route: BaseRoute) -> str:
    return str(getattr(route, "name", "") or UNROUTED)
