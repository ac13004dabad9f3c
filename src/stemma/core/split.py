"""Cuts a read document into passages that follow its structure and hold their place."""

from __future__ import annotations

import hashlib
import re
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from stemma.core.document_text import Block, BlockKind, ReadDocument
from stemma.core.split_pieces import Piece, Pieces, with_gaps
from stemma.errors import InvalidInput

# Stands with each passage: another version may cut a text elsewhere.
SPLIT_VERSION: Final = "s2"
# A passage this full ends before a block whose hash says so: after an edit the cuts soon fall where they fell before.
_ANCHOR_FULL: Final = 2
_ANCHOR_OF: Final = 4
# A passage emptier than this takes a part of the next block rather than end.
_STUMP: Final = 4
# After white space, and after the signs that end a sentence in scripts without it.
_WORD_EDGE = re.compile(r"\s+|[。！？｡]+")


@dataclass(frozen=True, slots=True)
class Passage:
    """One piece of a document: `text` is `document.text[start:end]`, to the code point.

    `lead` is what stands above the piece and explains it, the head of the table that its rows belong to: it is
    indexed and embedded before the text (`indexed`), and never shown as if it stood there. `tokens` counts `indexed`.
    """

    text: str
    start: int
    end: int
    heading: tuple[str, ...]
    page: int | None
    tokens: int
    lead: str = ""
    hidden: bool = False

    @property
    def indexed(self) -> str:
        """Give what is indexed and embedded: the text with its lead before it."""
        return f"{self.lead}\n{self.text}" if self.lead else self.text


@dataclass(frozen=True, slots=True)
class _Section:
    """Blocks that may share a passage: under one heading, on one page, all seen by a reader or all hidden."""

    heading: tuple[str, ...]
    blocks: tuple[Block, ...]


def split(
    document: ReadDocument,
    *,
    count: Callable[[str], int],
    limit: int,
    overlap: int = 0,
    taken: Callable[[tuple[str, ...]], int] | None = None,
) -> tuple[Passage, ...]:
    """Cut a document into passages of at most `limit` tokens, in order; together they hold all that is not blank.

    `count` gives the tokens of a passage as its embedder counts them, `taken` how many of the limit the embedder sees
    besides (a title, the headings that a passage stands under). With `overlap` a passage begins with at most so many
    tokens of the end of the one before. A heading, a page and a hidden part begin a passage. No grapheme is cut: one
    that is over the limit by itself is the only passage that can be. Raises InvalidInput where no room is left.
    """
    pieces = Pieces(document.text, count, limit)
    if limit <= pieces.base:
        raise InvalidInput(
            f"a limit of {limit} tokens leaves no room: an empty passage has {pieces.base}", field="limit"
        )
    if not 0 <= overlap < limit - pieces.base:
        raise InvalidInput(f"an overlap of {overlap} tokens is not below the limit of {limit}", field="overlap")
    found: list[Passage] = []
    for section in _sections(document):
        room = pieces if taken is None else pieces.within(limit - taken(section.heading))
        found += _Packing(room, section, overlap).passages()
    return tuple(found)


def _sections(document: ReadDocument) -> Iterator[_Section]:
    path: list[tuple[int, str]] = []
    blocks: list[Block] = []
    heading: tuple[str, ...] = ()
    for block in with_gaps(document.text, document.blocks):
        is_heading = block.kind is BlockKind.HEADING
        if blocks and (_is_apart(blocks[-1], block) or (is_heading and not _goes_on(blocks, block))):
            yield _Section(heading, tuple(blocks))
            blocks = []
        if is_heading:
            path = [one for one in path if one[0] < block.level]
            path.append((block.level, block.title or document.text[block.start : block.end].strip()))
            heading = tuple(title for _, title in path)
        blocks.append(block)
    if blocks:
        yield _Section(heading, tuple(blocks))


def _is_apart(before: Block, block: Block) -> bool:
    return before.page != block.page or before.hidden != block.hidden


def _goes_on(blocks: list[Block], block: Block) -> bool:
    """Say whether a heading follows right under a higher one, with which it shares a passage."""
    return all(one.kind is BlockKind.HEADING for one in blocks) and blocks[-1].level < block.level


class _Packing:
    """Packs the pieces of one section into passages, first come first served."""

    def __init__(self, pieces: Pieces, section: _Section, overlap: int) -> None:
        self._pieces, self._section, self._overlap = pieces, section, overlap
        whole = (pieces.of_block(block) for block in section.blocks)
        self._queue: deque[Piece] = deque(piece for piece in whole if piece is not None)
        self._current: list[Piece] = []
        self._found: list[Passage] = []
        self._start = self._tokens = 0
        self._lead = ""
        self._laps = False

    def passages(self) -> list[Passage]:
        """Pack all of it."""
        while self._queue or self._current:
            if not self._queue:
                self._close()  # which may give back what turns out to be too much
                continue
            piece = self._queue.popleft()
            if self._current and self._is_anchor(piece):
                self._close()
            if self._fits(piece):
                self._take(piece)
            elif len(smaller := self._smaller(piece)) > 1:
                self._queue.extendleft(reversed(smaller))
            elif self._current:
                self._queue.appendleft(piece)
                self._close()
            elif self._laps:
                self._queue.appendleft(piece)
                self._lap(self._start, piece.start)
            else:
                self._take(piece)
        return self._found

    def _fits(self, piece: Piece) -> bool:
        if not self._current and not self._laps:
            self._start, self._lead = piece.start, piece.lead
            self._tokens = self._pieces.base + (self._pieces.tokens(0, 0, piece.lead) if piece.lead else 0)
            if self._lead and self._tokens + piece.cost > self._pieces.limit:
                # A row that is whole says more than one that is cut for the sake of its head.
                self._lead, self._tokens = "", self._pieces.base
            return self._tokens + piece.cost <= self._pieces.limit
        if self._tokens + piece.cost <= self._pieces.limit:
            return True
        # The sum of the parts is a bound from above in most tokenizers; what the whole has decides.
        whole = self._pieces.tokens(self._start, piece.end, self._lead)
        if whole > self._pieces.limit:
            return False
        self._tokens = whole - piece.cost
        return True

    def _take(self, piece: Piece) -> None:
        self._current.append(piece)
        self._tokens += piece.cost

    def _is_anchor(self, piece: Piece) -> bool:
        if piece.depth or self._tokens * _ANCHOR_FULL < self._pieces.limit:
            return False
        text = self._pieces.text[piece.start : piece.end]
        return hashlib.sha256(text.encode()).digest()[0] % _ANCHOR_OF == 0

    def _smaller(self, piece: Piece) -> list[Piece]:
        """Cut a piece that fits no passage, or whose beginning is to fill up a stump."""
        if piece.cost + self._pieces.base > self._pieces.limit:
            return self._pieces.cut(piece)
        is_stump = bool(self._current) and self._tokens * _STUMP < self._pieces.limit
        if not is_stump or piece.depth or piece.block.kind in (BlockKind.CODE, BlockKind.HEADING):
            return []
        found = self._pieces.cut(piece)
        return found if found[0].depth == 1 else []

    def _close(self) -> None:
        """Make a passage of what is packed; what turns out to be too much goes back."""
        text, limit = self._pieces.text, self._pieces.limit
        first, end = self._current[0], self._current[-1].end
        tokens = self._pieces.tokens(self._start, end, self._lead)
        while tokens > limit and (len(self._current) > 1 or self._laps or self._lead):
            if len(self._current) > 1:
                self._queue.appendleft(self._current.pop())
                end = self._current[-1].end
            elif self._laps:
                self._start, self._laps = first.start, False
            else:
                self._lead = ""
            tokens = self._pieces.tokens(self._start, end, self._lead)
        block = first.block
        heading, lead = self._section.heading, self._lead
        self._found.append(
            Passage(text[self._start : end], self._start, end, heading, block.page, tokens, lead, block.hidden)
        )
        self._current = []
        self._lap(self._start, end)

    def _lap(self, after: int, end: int) -> None:
        """Begin the next passage with the last words before `end` that the overlap has room for, if any."""
        self._laps = False
        if not self._overlap:
            return
        text = self._pieces.text
        stop = after + len(text[after:end].rstrip())
        starts = {found.end() for found in _WORD_EDGE.finditer(text, after, stop)}
        for at in sorted(
            (at for at in starts if after < at < stop and self._pieces.graphemes.allows(at)), reverse=True
        ):
            tokens = self._pieces.tokens(at, stop)
            if tokens - self._pieces.base > self._overlap:
                return
            self._start, self._tokens, self._lead, self._laps = at, tokens, "", True
