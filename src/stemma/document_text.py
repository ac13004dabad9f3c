"""What reading a document yields: its text, its parts with their places, and what was left out of it and why.

Places count code points of `text`. How bytes become this is `readers`' affair, how it is cut `core/split`'s.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from stemma.errors import InvalidInput


class BlockKind(StrEnum):
    """What a part of a document is."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST = "list"
    TABLE = "table"
    CODE = "code"
    QUOTE = "quote"


class ReadStatus(StrEnum):
    """How far a reading can be relied on: a doubtful one says why in its warnings and is not to be served as ready."""

    READY = "ready"
    DOUBTFUL = "doubtful"


class RemovedKind(StrEnum):
    """Why a part of the content is not in the text."""

    HIDDEN = "hidden"
    COMMENT = "comment"
    CODE = "code"
    DELETED = "deleted"
    ALTERNATIVE = "alternative"
    MARGIN = "margin"


@dataclass(frozen=True, slots=True)
class Block:
    """One part of the text, `text[start:end]`; blocks stand in order and do not overlap.

    `level` is that of a heading (1 is the highest) or the depth of a quotation, else 0. `parts` are the places that
    should stay whole (rows of a table, items of a list); the first `head_parts` of them are a table's head. `hidden`:
    no reader saw it, but its source admits such text.
    """

    kind: BlockKind
    start: int
    end: int
    level: int = 0
    page: int | None = None
    hidden: bool = False
    parts: tuple[tuple[int, int], ...] = ()
    head_parts: int = 0
    title: str = ""


@dataclass(frozen=True, slots=True)
class Removed:
    """A piece that is kept as evidence and not indexed; `reason` is what showed it, e.g. `display:none`."""

    kind: RemovedKind
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class ReadWarning:
    """Something a person may want to know of a reading: a stable code and a sentence."""

    code: str
    detail: str


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that came with an e-mail; it is named, not read. `size` is in bytes."""

    name: str
    media_type: str
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadDocument:
    """A document as text.

    `decided_by` says how the type and the encoding were decided, e.g. `type:content encoding:bom`. `columns` are the
    names of a table's columns where the whole document is one (CSV). `pages` counts them where there are any.
    """

    text: str
    blocks: tuple[Block, ...]
    media_type: str
    charset: str | None = None
    decided_by: str = "given"
    title: str | None = None
    removed: tuple[Removed, ...] = ()
    warnings: tuple[ReadWarning, ...] = ()
    status: ReadStatus = ReadStatus.READY
    columns: tuple[str, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    pages: int | None = None

    def __post_init__(self) -> None:
        """Refuse blocks that are out of order, overlap, or lie outside the text."""
        at = 0
        for block in self.blocks:
            if not at <= block.start < block.end <= len(self.text):
                raise InvalidInput(f"block {block.start}:{block.end} is empty, out of order or outside the text")
            at = block.start
            for start, end in block.parts:
                if not at <= start < end <= block.end:
                    raise InvalidInput(f"part {start}:{end} is empty, out of order or outside its block")
                at = end
            at = block.end
