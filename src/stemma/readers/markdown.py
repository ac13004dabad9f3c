"""The parts of a Markdown text, whose own characters stay as they are: headings, fences, tables, lists, quotations.

A scan by lines that takes time in proportion to the text; inline marks are left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from stemma.document_text import Block, BlockKind

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_FENCE = re.compile(r"(?P<indent> *)(?P<marks>`{3,}|~{3,})(?P<rest>[^\r\n]*)")
_HEADING = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_RULE = re.compile(r" {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$")
_ITEM = re.compile(r"(?P<indent> *)(?P<mark>[-*+]|\d{1,9}[.)])(?P<gap>[ \t]+|$)")
_QUOTE = re.compile(r" {0,3}((?:>[ \t]?)+)")
_DELIMITER = re.compile(r" {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")
_INDENTED: Final = 4


@dataclass(frozen=True, slots=True)
class _Line:
    """One line: its place without its end, what it says, and how far that is indented."""

    start: int
    text: str

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @property
    def is_blank(self) -> bool:
        return not self.text.strip()

    @property
    def indent(self) -> int:
        expanded = self.text.expandtabs(4)
        return len(expanded) - len(expanded.lstrip(" "))


def markdown_blocks(text: str) -> tuple[Block, ...]:
    """Find the parts of a Markdown text, in order."""
    return tuple(_Scan([*_lines(text)]).blocks())


def _lines(text: str) -> Iterator[_Line]:
    for found in _LINE.finditer(text):
        if found.end() > found.start():
            yield _Line(found.start(), found.group().rstrip("\r\n"))


class _Scan:
    """Goes over the lines once; every rule looks at the line it stands on and takes as many as are its own."""

    def __init__(self, lines: list[_Line]) -> None:
        self._lines = lines
        self._at = 0

    def blocks(self) -> Iterator[Block]:
        """Give the blocks from the first line to the last."""
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if line.is_blank:
                self._at += 1
            elif _opens_fence(line.text) and line.indent < _INDENTED:
                yield self._block(BlockKind.CODE, self._fence_end(self._at, 0))
            elif line.indent >= _INDENTED:
                yield self._block(BlockKind.CODE, self._indented_end())
            elif heading := _HEADING.match(line.text):
                title = _without_closing(line.text[heading.end() :].strip())
                yield self._block(BlockKind.HEADING, self._at + 1, len(heading.group(1)), title)
            elif _RULE.match(line.text):
                yield self._block(BlockKind.PARAGRAPH, self._at + 1)
            elif _QUOTE.match(line.text):
                yield self._quote()
            elif _ITEM.match(line.text):
                yield self._list()
            elif self._is_table():
                yield self._table()
            else:
                yield self._paragraph()

    def _block(
        self,
        kind: BlockKind,
        end: int,
        level: int = 0,
        title: str = "",
        parts: tuple[tuple[int, int], ...] = (),
        heads: int = 0,
    ) -> Block:
        first, last = self._lines[self._at], self._lines[end - 1]
        start = first.start + len(first.text) - len(first.text.lstrip()) if kind is not BlockKind.CODE else first.start
        self._at = end
        if parts:
            parts = ((start, parts[0][1]), *parts[1:])
        return Block(
            kind, start, last.start + len(last.text.rstrip()), level, parts=parts, head_parts=heads, title=title
        )

    def _fence_end(self, at: int, indent: int) -> int:
        """Give the line after the fence that opens here; one that is never closed runs to the end."""
        opened = _FENCE.match(self._lines[at].text.expandtabs(4)[indent:].lstrip(" "))
        marks = opened.group("marks") if opened else "```"
        closing = re.compile(rf" *{re.escape(marks[0])}{{{len(marks)},}}[ \t]*$")
        for number in range(at + 1, len(self._lines)):
            line = self._lines[number]
            if closing.match(line.text) and line.indent - indent < _INDENTED:
                return number + 1
        return self._last_said(len(self._lines))

    def _last_said(self, end: int) -> int:
        while self._lines[end - 1].is_blank:
            end -= 1
        return end

    def _indented_end(self) -> int:
        at = self._at
        while at < len(self._lines) and (self._lines[at].is_blank or self._lines[at].indent >= _INDENTED):
            at += 1
        return self._last_said(at)

    def _quote(self) -> Block:
        at, level = self._at, 1
        while at < len(self._lines) and (found := _QUOTE.match(self._lines[at].text)):
            level = max(level, found.group(1).count(">"))
            at += 1
        return self._block(BlockKind.QUOTE, at, level)

    def _list(self) -> Block:
        """Take the items and what is indented under them; a blank line ends the list unless it goes on."""
        starts, at = [self._at], self._at + 1
        inner = _content_indent(self._lines[self._at])
        if _opens_fence(self._lines[self._at].text[inner:]):
            at = self._fence_end(self._at, inner)
        while at < len(self._lines):
            line = self._lines[at]
            if line.is_blank:
                after = self._after_blank(at)
                if after is None or not (_goes_on(self._lines[after], inner)):
                    break
                at = after
                continue
            if line.indent >= min(inner, _INDENTED) and _opens_fence(line.text):
                at = self._fence_end(at, inner)
                continue
            if _ITEM.match(line.text) and line.indent < inner and not _RULE.match(line.text):
                starts.append(at)
                inner = _content_indent(line)
                if _opens_fence(line.text[inner:]):
                    at = self._fence_end(at, inner)
                    continue
            elif line.indent < inner and self._interrupts(line):
                break
            at += 1
        end = self._last_said(at)
        edges = [*starts, end]
        parts = tuple(
            (self._lines[first].start, self._lines[self._last_said(after) - 1].end) for first, after in pairwise(edges)
        )
        return self._block(BlockKind.LIST, end, parts=parts if len(parts) > 1 else ())

    def _after_blank(self, at: int) -> int | None:
        return next((number for number in range(at, len(self._lines)) if not self._lines[number].is_blank), None)

    def _interrupts(self, line: _Line) -> bool:
        """Say whether a line ends what runs before it without a blank line between."""
        return line.indent < _INDENTED and bool(
            _HEADING.match(line.text) or _opens_fence(line.text) or _RULE.match(line.text) or _QUOTE.match(line.text)
        )

    def _is_table(self) -> bool:
        if self._at + 1 >= len(self._lines) or "|" not in self._lines[self._at].text:
            return False
        under = self._lines[self._at + 1].text
        return bool(_DELIMITER.match(under)) and _columns(under) == _columns(self._lines[self._at].text)

    def _table(self) -> Block:
        at = self._at + 2
        while at < len(self._lines) and not self._lines[at].is_blank and not self._interrupts(self._lines[at]):
            at += 1
        head = (self._lines[self._at].start, self._lines[self._at + 1].end)
        rows = tuple((line.start, line.end) for line in self._lines[self._at + 2 : at])
        return self._block(BlockKind.TABLE, at, parts=(head, *rows) if rows else (), heads=1 if rows else 0)

    def _paragraph(self) -> Block:
        at = self._at + 1
        while at < len(self._lines) and not self._lines[at].is_blank:
            line = self._lines[at]
            if (underline := _UNDERLINE.match(line.text)) and line.indent < _INDENTED:
                title = " ".join(one.text.strip() for one in self._lines[self._at : at])
                return self._block(BlockKind.HEADING, at + 1, 1 if underline.group(1)[0] == "=" else 2, title)
            if self._interrupts(line) or _starts_list(line):
                break
            at += 1
        return self._block(BlockKind.PARAGRAPH, at)


def _without_closing(title: str) -> str:
    """Take off the signs that may close a heading: they stand apart from what it says."""
    kept = title.rstrip("#")
    return kept.rstrip() if not kept or kept[-1] in " \t" else title


def _opens_fence(text: str) -> bool:
    found = _FENCE.match(text)
    return found is not None and not (found.group("marks")[0] == "`" and "`" in found.group("rest"))


def _starts_list(line: _Line) -> bool:
    """Say whether a list may interrupt a paragraph here: only one that begins with text, and counts from 1."""
    found = _ITEM.match(line.text)
    return (
        found is not None
        and line.indent < _INDENTED
        and found.end() < len(line.text.rstrip())
        and (not found.group("mark")[0].isdigit() or found.group("mark")[:-1] == "1")
    )


def _content_indent(line: _Line) -> int:
    found = _ITEM.match(line.text)
    if found is None:
        return 0
    gap = len(found.group("gap"))
    return len(found.group("indent")) + len(found.group("mark")) + (gap if 1 <= gap <= _INDENTED else 1)


def _goes_on(line: _Line, inner: int) -> bool:
    """Say whether a line after a blank one is still of the list."""
    return line.indent >= inner or (_ITEM.match(line.text) is not None and not _RULE.match(line.text))


def _columns(row: str) -> int:
    inner = row.strip().removeprefix("|")
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
    return len(re.findall(r"(?<!\\)\|", inner)) + 1
