"""An answer that streams: from the bytes of server-sent events to the models of the events."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final, get_args

from pydantic import TypeAdapter, ValidationError

from stemma.app.models_search import AnswerDone, AnswerEvent
from stemma.client.answers import unlike
from stemma.client.errors import AnswerUnreadable, ServerUnreachable

EVENTS: Final[Mapping[str, Any]] = {"answer_from_documents": AnswerEvent}
_LAST: Final = AnswerDone
_END: Final = b"\n\n"


class EventReader:
    """Takes the bytes of one stream as they come. Events whose name this version does not know are passed over."""

    def __init__(self, name: str) -> None:
        """Read the events of an operation."""
        self._known, self._models = _models(name)
        self._left = b""
        self._is_whole = False

    def take(self, more: bytes) -> Iterator[Any]:
        """Give every event that is whole now. Raises AnswerUnreadable."""
        *blocks, self._left = (self._left + more.replace(b"\r\n", b"\n")).split(_END)
        for block in blocks:
            event = self._read(block)
            if event is not None:
                self._is_whole = self._is_whole or isinstance(event, _LAST)
                yield event

    def require_whole(self) -> None:
        """Raise ServerUnreachable where the stream ended before its last event."""
        if not self._is_whole:
            raise ServerUnreachable("the answer broke off before its last event")

    def _read(self, block: bytes) -> Any:
        lines = [line.partition(b":") for line in block.split(b"\n")]
        name = b"".join(value for field, _, value in lines if field == b"event").strip().decode("utf-8", "replace")
        body = b"\n".join(value for field, _, value in lines if field == b"data")
        if name not in self._known:
            return None
        try:
            return self._models.validate_json(body, extra="ignore")
        except ValidationError as error:
            odd = unlike(error)
        raise AnswerUnreadable(f"the event {name} is not as this version knows it ({odd})")


def broken_off(error: Exception) -> ServerUnreachable:
    """Say that a stream ended before its time; no words of it are repeated."""
    return ServerUnreachable(f"the answer broke off: {type(error).__name__}")


@cache
def _models(name: str) -> tuple[frozenset[str], TypeAdapter[Any]]:
    union = EVENTS[name]
    return frozenset(one.model_fields["event"].default for one in get_args(union)), TypeAdapter(union)
