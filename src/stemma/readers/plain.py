"""The parts of a text that has no markup: paragraphs between blank lines."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stemma.document_text import Block, BlockKind

_LINE_END = r"(?:\r\n|\r(?!\n)|\n)"
_BLANK_LINES = re.compile(rf"{_LINE_END}(?:[^\S\r\n]*{_LINE_END})+")


def paragraphs(text: str, page: int | None = None, at: int = 0) -> tuple[Block, ...]:
    """Find what stands between blank lines, as places from `at` on; white space at its edges is not part of it."""
    return tuple(Block(BlockKind.PARAGRAPH, at + start, at + end, page=page) for start, end in _trimmed(text))


def _trimmed(text: str) -> Iterator[tuple[int, int]]:
    begin = 0
    for gap in [*((found.start(), found.end()) for found in _BLANK_LINES.finditer(text)), (len(text), len(text))]:
        piece = text[begin : gap[0]]
        start = begin + len(piece) - len(piece.lstrip())
        end = begin + len(piece.rstrip())
        if start < end:
            yield start, end
        begin = gap[1]
