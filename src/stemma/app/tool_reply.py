"""One reply of a tool: an answer for programs, its text for a model, and how both stay under a bound of bytes."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from stemma.app.models_base import AnswerModel

# What the protocol puts around a reply.
ENVELOPE_BYTES: Final = 1_024
_MARGIN: Final = 0.97
Place = TypeVar("Place")


@dataclass(frozen=True, slots=True)
class Reply:
    """What a tool answers."""

    answer: AnswerModel
    text: str

    @property
    def structured(self) -> dict[str, Any]:
        """Give the answer as JSON values; what there is not is left out."""
        return self.answer.model_dump(mode="json", by_alias=True, exclude_none=True)

    @property
    def size_bytes(self) -> int:
        """Count the bytes that both take on the wire."""
        text = json.dumps(self.text, ensure_ascii=False).encode()
        return ENVELOPE_BYTES + len(text) + len(json.dumps(self.structured, ensure_ascii=False).encode())


def fitting(rooms: Sequence[Place], make: Callable[[Place], Reply], limit_bytes: int) -> Reply:
    """Make the reply with the first of several rooms that leaves it under the bound, else with the last."""
    for room in rooms[:-1]:
        reply = make(room)
        if reply.size_bytes <= limit_bytes:
            return reply
    return make(rooms[-1])


def bounded(make: Callable[[int], Reply], most: int, limit_bytes: int) -> tuple[Reply, int]:
    """Make a reply of `most` items, or of as many as stay under the bound, and say of how many; of one at least."""
    count = most
    while True:
        reply = make(count)
        if count <= 1 or reply.size_bytes <= limit_bytes:
            return reply, count
        # Items are much alike, so a few tries are enough; each takes a little less than would just fit.
        count = max(1, min(count - 1, int(count * limit_bytes / reply.size_bytes * _MARGIN)))
