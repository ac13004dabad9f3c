"""What a model is sent: the question, and the passages as one line of JSON a document inside a fence.

The rules for the model are a file (`data/prompts`). What comes back is judged in `answering`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from stemma.core.fence import CLOSE, OPEN, defused


@dataclass(frozen=True, slots=True)
class Block:
    """One document under its number: its title and its passages (heading, text) in reading order."""

    number: int
    title: str
    passages: tuple[tuple[str, str], ...]
    copy_of: int | None = None


def fitting(blocks: Sequence[Block], most_characters: int) -> list[Block]:
    """Keep the passages that fit, whole ones alone, the best document first; a document without any is left out.

    The very first passage stays however long it is: without it there is nothing to ask.
    """
    kept: list[Block] = []
    left = most_characters
    for block in blocks:
        passages: list[tuple[str, str]] = []
        for heading, text in block.passages:
            size = len(heading) + len(text)
            if size <= left or not (kept or passages):
                passages.append((heading, text))
                left -= size
        if passages:
            kept.append(Block(block.number, block.title, tuple(passages), block.copy_of))
    return kept


def question(query: str, blocks: Iterable[Block]) -> str:
    """Write what the model is asked.

    A line of JSON holds no line end of its own, and a fence mark inside a text has lost its force: so no document can
    end the fence, open another number, or speak in the question's place.
    """
    lines = [_line(block) for block in blocks]
    return "\n".join([OPEN, *lines, CLOSE, "", f"Question: {defused(' '.join(query.split()))}"])


def _line(block: Block) -> str:
    said = [{"heading": heading, "text": text} if heading else {"text": text} for heading, text in block.passages]
    fields = {"number": block.number, "title": block.title, "passages": said}
    if block.copy_of is not None:
        fields["copy_of"] = block.copy_of
    # Line ends that JSON lets stand as they are.
    written = json.dumps(fields, ensure_ascii=False).replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    return defused(written.replace("\u0085", "\\u0085"))


__all__ = ["Block", "fitting", "question"]
