"""The bounds of a reading. Each is checked before the work it bounds is done; over one is a named error."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one document may be; `nesting` counts elements, objects or parts inside one another."""

    content_bytes: int = 25 * 1024 * 1024
    text_characters: int = 5_000_000
    pages: int = 2_000
    nesting: int = 200
    unpacked_bytes: int = 100 * 1024 * 1024
    members: int = 5_000
    cells: int = 2_000_000
