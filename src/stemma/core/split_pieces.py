"""The pieces that passages are packed from: blocks, and what a block falls into when it does not fit."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from copy import copy
from dataclasses import dataclass, replace
from typing import Final

from stemma.core.document_text import Block, BlockKind
from stemma.core.graphemes import Graphemes

# The places after which a text may be cut, from the best to the worst. What is cut off later stays whole longer.
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n|\r\n[^\S\n]*\r\n|\r[^\S\r\n]*\r")
_LINE = re.compile(r"\r\n|\r(?!\n)|\n")
_SENTENCE = re.compile(
    r"""(?<![.!?…])[.!?…]+["'”’»)\]]*(?=\s+[^\sa-zà-öø-ÿα-ωа-я])|[。！？｡︒…]+[」』”’）】》]*|(?<![।॥۔؟])[।॥۔؟]+(?=\s)|(?:\r?\n|\r)[^\S\n]*(?:\r?\n|\r)"""
)
_CLAUSE = re.compile(r"(?<![,;:–—،؛])[,;:–—،؛]+(?=\s)|[，、；：､]+")
_WORD = re.compile(r"\s+")
_PROSE: Final = (_SENTENCE, _LINE, _CLAUSE, _WORD)
_LINES: Final = (_BLANK_LINE, _LINE, _CLAUSE, _WORD)
# A run without any such place falls into parts of about a fourth of a passage.
_FOURTHS: Final = 4


@dataclass(frozen=True, slots=True)
class Piece:
    """One stretch of text that goes into a passage whole, or falls into smaller ones.

    `cost` is what it adds to a passage's tokens; `depth` how far it was cut already; `lead` the head of its table.
    """

    start: int
    end: int
    cost: int
    block: Block
    depth: int = 0
    lead: str = ""


class Pieces:
    """Makes pieces of one text and cuts them smaller; every edge is a grapheme's and no white space's."""

    def __init__(self, text: str, count: Callable[[str], int], limit: int) -> None:
        """Take the text, what counts its tokens, and how many a passage may have."""
        self.text = text
        self.graphemes = Graphemes(text)
        self.limit = limit
        self._count = count
        # Special tokens and prefixes come once a passage, not once a piece.
        self.base = max(0, count(""))

    def within(self, limit: int) -> Pieces:
        """Give the same text to be cut by another limit."""
        if limit == self.limit:
            return self
        found = copy(self)
        found.limit = limit
        return found

    def of_block(self, block: Block) -> Piece | None:
        """Make the piece of a whole block, or None where it holds nothing to read."""
        return self._piece(block.start, block.end, block, 0)

    def tokens(self, start: int, end: int, lead: str = "") -> int:
        """Count the tokens of a passage over this stretch."""
        piece = self.text[start:end]
        return self._count(f"{lead}\n{piece}" if lead else piece)

    def cut(self, piece: Piece) -> list[Piece]:
        """Cut a piece at the best places it has; one that cannot be cut is given back alone."""
        if piece.depth == 0 and len(piece.block.parts) > 1:
            return self._rows(piece)
        levels = _LINES if piece.block.kind in (BlockKind.CODE, BlockKind.LIST, BlockKind.TABLE) else _PROSE
        for depth in range(max(piece.depth, 1), len(levels) + 1):
            places = (found.end() for found in levels[depth - 1].finditer(self.text, piece.start, piece.end))
            found = self._between(piece, places, depth)
            if len(found) > 1:
                return found
        return self._between(piece, self._even(piece), len(levels) + 1)

    def _rows(self, piece: Piece) -> list[Piece]:
        block = piece.block
        head = block.parts[block.head_parts - 1][1] if block.head_parts else block.start
        first = block.parts[0][0] if block.parts else block.start
        lead = self.text[first:head] if block.head_parts else ""
        # A head that fills half a passage would leave no room for what it explains.
        if lead and self._count(f"{lead}\n") > self.limit // 2:
            lead = ""
        found = self._between(piece, (start for start, _ in block.parts), 1)
        return [replace(row, lead=lead if row.start >= head else "") for row in found]

    def _between(self, piece: Piece, places: Iterable[int], depth: int) -> list[Piece]:
        edges = sorted({at for at in places if piece.start < at < piece.end and self.graphemes.allows(at)})
        found = []
        for start, end in zip([piece.start, *edges], [*edges, piece.end], strict=True):
            if (one := self._piece(start, end, piece.block, depth)) is not None:
                found.append(replace(one, lead=piece.lead))
        return found

    def _even(self, piece: Piece) -> Iterator[int]:
        size = piece.end - piece.start
        parts = min(size, max(2, -(-_FOURTHS * max(1, piece.cost) // self.limit)))
        for number in range(1, parts):
            at = piece.start + number * size // parts
            before = self.graphemes.before(at)
            yield before if before > piece.start else self.graphemes.after(at)

    def _piece(self, start: int, end: int, block: Block, depth: int) -> Piece | None:
        inner = self.text[start:end]
        first = self.graphemes.before(start + len(inner) - len(inner.lstrip()))
        last = self.graphemes.after(start + len(inner.rstrip()))
        if first >= last:
            return None
        return Piece(first, last, max(0, self._count(self.text[first:last]) - self.base), block, depth)


def with_gaps(text: str, blocks: Iterable[Block]) -> Iterator[Block]:
    """Give the blocks, and a paragraph for whatever stands outside them, in order."""
    at, page = 0, None
    for block in blocks:
        if text[at : block.start].strip():
            yield Block(BlockKind.PARAGRAPH, at, block.start, page=page)
        yield block
        at, page = block.end, block.page
    if text[at:].strip():
        yield Block(BlockKind.PARAGRAPH, at, len(text), page=page)
