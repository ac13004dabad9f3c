"""One reply of a tool: an answer for programs, its text for a model, and how both stay under a bound of bytes."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from stemma.app.models_base import AnswerModel

# What the protocol puts around a reply.
ENVELOPE_BYTES: Final = 1_024


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


def longest(make: Callable[[int], Reply], most: int, limit_bytes: int) -> tuple[Reply, int]:
    """Make the longest reply of at most `most` items under the bound, and say of how many; of one or none at least."""
    whole = make(most)
    if most <= 1 or whole.size_bytes <= limit_bytes:
        return whole, most
    fits, over = 1, most
    found = make(fits)
    while over - fits > 1:
        middle = (fits + over) // 2
        tried = make(middle)
        if tried.size_bytes <= limit_bytes:
            fits, found = middle, tried
        else:
            over = middle
    return found, fits
