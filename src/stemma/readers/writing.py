"""Builds the text of a document block by block, for readers whose source is no text itself."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from stemma.document_text import Block, BlockKind, ReadWarning, Removed, RemovedKind
from stemma.errors import DocumentTooLarge
from stemma.readers.limits import Limits

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_GAP: Final = "\n\n"


@dataclass
class Writing:
    """The text so far. What a source holds besides text (control characters) is left out and counted."""

    limits: Limits
    admit_hidden: bool = False
    blocks: list[Block] = field(default_factory=list)
    removed: list[Removed] = field(default_factory=list)
    warnings: list[ReadWarning] = field(default_factory=list)
    _parts: list[str] = field(default_factory=list)
    _length: int = 0
    _controls: int = 0

    def add(
        self,
        kind: BlockKind,
        parts: Sequence[str],
        *,
        level: int = 0,
        page: int | None = None,
        hidden: bool = False,
        head_parts: int = 0,
    ) -> None:
        """Add a block of one or several parts, one under the other; blank ones are nothing."""
        kept = [stripped for part in parts if (stripped := self._stripped(kind, part))]
        if not kept:
            return
        at = self._length + (len(_GAP) if self.blocks else 0)
        places, end = [], at
        for part in kept:
            places.append((end, end + len(part)))
            end += len(part) + 1
        end -= 1
        check_size(end, self.limits)
        check_blocks(len(self.blocks), self.limits)
        if self.blocks:
            self._parts.append(_GAP)
        self._parts.append("\n".join(kept))
        self._length = end
        title = " ".join(kept) if kind is BlockKind.HEADING else ""
        inner = tuple(places) if len(places) > 1 else ()
        heads = head_parts if len(kept) == len(parts) and inner else 0
        self.blocks.append(Block(kind, at, end, level, page, hidden, inner, heads, title))

    def remove(self, kind: RemovedKind, text: str, reason: str) -> None:
        """Put down what is left out, as evidence; a blank piece is none."""
        if kept := self._cleaned(text).strip():
            check_blocks(len(self.removed), self.limits)
            self.removed.append(Removed(kind, kept, reason))

    def warn(self, code: str, detail: str) -> None:
        """Put down what a person may want to know."""
        self.warnings.append(ReadWarning(code, detail))

    def text(self) -> str:
        """Give the whole text."""
        if self._controls:
            self.warn("control_characters", f"{self._controls} control characters were left out")
            self._controls = 0
        return "".join(self._parts)

    def _stripped(self, kind: BlockKind, part: str) -> str:
        cleaned = self._cleaned(part).rstrip()
        return cleaned.lstrip("\n") if kind is BlockKind.CODE else cleaned.lstrip()

    def _cleaned(self, text: str) -> str:
        text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n").replace("\v", "\n")
        if _CONTROL.search(text) is None:
            return text
        kept, count = _CONTROL.subn("", text)
        self._controls += count
        return kept


def check_size(length: int, limits: Limits) -> None:
    """Raise where a text is over the limit of characters."""
    if length > limits.text_characters:
        raise DocumentTooLarge(f"the text has over {limits.text_characters} characters, which is all that is read")


def check_blocks(count: int, limits: Limits) -> None:
    """Raise where a document has more parts than are read."""
    if count >= limits.blocks:
        raise DocumentTooLarge(f"the document has over {limits.blocks} parts, which is all that is read")
