"""An answer as server-sent events: one block an event, its name and its JSON. What the events are is the use case's."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Generator, Iterator
from typing import Any, Final

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from stemma.app.models_base import AnswerModel

EVENT_STREAM: Final = "text/event-stream"
# A proxy that keeps what it passes on would hold the sentences back until the last.
_HEADERS: Final = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


def wants_events(request: Request) -> bool:
    """Say whether a request asks for events and for no JSON beside."""
    accepted = [one.partition(";")[0].strip().lower() for one in request.headers.get("accept", "").split(",")]
    return EVENT_STREAM in accepted and "application/json" not in accepted


async def respond(start: Callable[[], Iterator[AnswerModel]]) -> Response:
    """Send events as they come; what is refused before the first is an ordinary problem document."""
    events = await run_in_threadpool(start)
    return StreamingResponse(_sent(events), headers=_HEADERS, media_type=EVENT_STREAM)


async def _sent(events: Iterator[AnswerModel]) -> AsyncIterator[bytes]:
    try:
        while (event := await run_in_threadpool(next, events, None)) is not None:
            fields: dict[str, Any] = event.model_dump(include={"event"})
            yield f"event: {fields['event']}\ndata: {event.model_dump_json(by_alias=True)}\n\n".encode()
    finally:
        # Whoever listened has gone, or it is over: the model need not go on.
        if isinstance(events, Generator):
            events.close()
