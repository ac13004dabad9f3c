"""The bounds of a reading. Each is checked before the work it bounds is done; over one is a named error."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one document may be.

    `blocks` counts paragraphs, rows and removed pieces; `nesting` elements, objects or parts inside one another;
    `unpacked_bytes` and `members` what an archive holds.
    """

    content_bytes: int = 25 * 1024 * 1024
    markup_bytes: int = 8 * 1024 * 1024
    text_characters: int = 5_000_000
    blocks: int = 100_000
    pages: int = 2_000
    nesting: int = 400
    unpacked_bytes: int = 64 * 1024 * 1024
    members: int = 5_000
