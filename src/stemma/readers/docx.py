"""Reads DOCX: the text that a reader sees; hidden text, deletions, comments and margins are kept apart as evidence."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final
from xml.parsers import expat

from stemma.document_text import BlockKind, RemovedKind
from stemma.errors import NestingTooDeep, UnreadableDocument
from stemma.readers.archive import Archive
from stemma.readers.limits import Limits
from stemma.readers.writing import Writing

MAIN: Final = "word/document.xml"
_NAMESPACE: Final = "}"
_HEADING_NAME = re.compile(r"heading (\d)$")
_OFF: Final = frozenset({"0", "false", "off", "none"})

Start = Callable[[str, dict[str, str]], None]
End = Callable[[str], None]


def write_docx(content: bytes, writing: Writing) -> str | None:
    """Write the document's blocks and give the title that its properties state."""
    archive = Archive(content, writing.limits)
    main = archive.read(MAIN)
    if main is None:
        raise UnreadableDocument(f"the archive has no {MAIN}")
    styles = _styles(archive.read("word/styles.xml"), writing.limits)
    _Body(writing, styles).read(main)
    for name in ("word/footnotes.xml", "word/endnotes.xml"):
        if (notes := archive.read(name)) is not None:
            _Body(writing, styles).read(notes)
    for name in sorted(archive.names()):
        if re.fullmatch(r"word/comments\d*\.xml", name):
            _set_apart(archive.read(name), writing, RemovedKind.COMMENT, "comment")
        elif re.fullmatch(r"word/(?:header|footer)\d*\.xml", name):
            _set_apart(
                archive.read(name), writing, RemovedKind.MARGIN, name.removeprefix("word/").rstrip(".xml0123456789")
            )
    return _title(archive.read("docProps/core.xml"), writing.limits)


def parse(content: bytes, limits: Limits, start: Start, end: End, say: Callable[[str], None]) -> None:
    """Go through an XML file without building it; a document type, and so any entity of its own, is refused."""
    parser = expat.ParserCreate(namespace_separator=_NAMESPACE)
    parser.buffer_text = True
    depth = 0

    def opened(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > limits.nesting:
            raise NestingTooDeep(f"the elements are nested over {limits.nesting} deep, which is all that is read")
        start(_local(tag), {_local(name): value for name, value in attributes.items()})

    def closed(tag: str) -> None:
        nonlocal depth
        depth -= 1
        end(_local(tag))

    def typed(*_: object) -> None:
        raise UnreadableDocument("an XML file in the archive has a document type, which no document needs")

    parser.StartElementHandler, parser.EndElementHandler = opened, closed
    parser.CharacterDataHandler, parser.StartDoctypeDeclHandler = say, typed
    try:
        parser.Parse(content, True)
    except (expat.ExpatError, ValueError, LookupError) as error:
        raise UnreadableDocument(f"an XML file in the archive is broken: {error}") from error


def _local(name: str) -> str:
    return name.rpartition(_NAMESPACE)[2]


def _styles(content: bytes | None, limits: Limits) -> dict[str, int]:
    """Map the ids of heading styles to their levels."""
    levels: dict[str, int] = {}
    current = [""]

    def start(tag: str, attributes: dict[str, str]) -> None:
        value = attributes.get("val", "")
        if tag == "style":
            current[0] = attributes.get("styleId", "")
        elif tag == "name" and (found := _HEADING_NAME.match(value.lower())):
            levels[current[0]] = int(found.group(1))
        elif tag == "name" and value.lower() == "title":
            levels[current[0]] = 1
        elif tag == "outlineLvl" and value.isdigit() and int(value) < 9 and current[0]:
            levels.setdefault(current[0], int(value) + 1)

    if content is not None:
        parse(content, limits, start, lambda tag: None, lambda text: None)
    return levels


def _title(content: bytes | None, limits: Limits) -> str | None:
    inside, said = [False], list[str]()

    def start(tag: str, attributes: dict[str, str]) -> None:
        inside[0] = tag == "title"

    if content is not None:
        parse(
            content,
            limits,
            start,
            lambda tag: inside.__setitem__(0, False),
            lambda text: said.append(text) if inside[0] else None,
        )
    return "".join(said).strip() or None


def _set_apart(content: bytes | None, writing: Writing, kind: RemovedKind, reason: str) -> None:
    if content is None:
        return
    apart = Writing(writing.limits)
    _Body(apart, {}).read(content)
    for block in apart.blocks:
        writing.remove(kind, apart.text()[block.start : block.end], reason)


class _Body:
    """Follows the elements of one part of the document and writes its paragraphs, lists and tables."""

    def __init__(self, writing: Writing, styles: dict[str, int]) -> None:
        self._writing, self._styles = writing, styles
        self._open: list[str] = []
        self._said: list[str] = []
        self._hidden: list[str] = []
        self._deleted: list[str] = []
        self._style = ""
        self._is_item = self._is_vanished = False
        self._items: list[str] = []
        self._rows: list[str] = []
        self._cells: list[str] = []
        self._heads = 0

    def read(self, content: bytes) -> None:
        """Write everything that one XML file holds."""
        parse(content, self._writing.limits, self._start, self._end, self._say)
        self._end_list()

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._open.append(tag)
        value = attributes.get("val", "")
        if tag == "p" and "p" not in self._open[:-1]:
            self._style, self._is_item = "", False
        elif tag == "pStyle":
            self._style = value
        elif tag == "numPr":
            self._is_item = True
        elif tag == "r":
            self._is_vanished = False
        elif tag in ("vanish", "webHidden") and "rPr" in self._open and "pPr" not in self._open:
            self._is_vanished = value.lower() not in _OFF
        elif tag in ("br", "cr") and "r" in self._open:
            self._said.append("\n")
        elif tag == "tab" and "r" in self._open:
            self._said.append("\t")
        elif tag == "tbl" and self._open.count("tbl") == 1:
            self._end_list()
            self._rows, self._heads = [], 0
        elif tag == "tr" and self._open.count("tbl") == 1:
            self._cells = []
        elif tag == "tc" and self._open.count("tbl") == 1:
            self._cells.append("")
        elif tag == "tblHeader" and value.lower() not in _OFF:
            self._heads = max(self._heads, 1 if not self._rows else 0)

    def _say(self, text: str) -> None:
        inner = self._open[-1] if self._open else ""
        if inner == "delText" or "del" in self._open:
            self._deleted.append(text)
        elif inner == "t":
            (self._hidden if self._is_vanished else self._said).append(text)

    def _end(self, tag: str) -> None:
        self._open.pop()
        if tag == "p" and "p" not in self._open:
            self._end_paragraph()
        elif tag == "tr" and self._open.count("tbl") == 1 and any(self._cells):
            self._rows.append(" | ".join(self._cells))
        elif tag == "tbl" and "tbl" not in self._open:
            self._writing.add(BlockKind.TABLE, self._rows, head_parts=self._heads)
            self._rows, self._cells = [], []

    def _end_paragraph(self) -> None:
        text, self._said = "".join(self._said).strip(), []
        if "tbl" in self._open:
            if self._cells:
                self._cells[-1] = " ".join(f"{self._cells[-1]} {text}".split())
        elif self._is_item and text:
            self._items.append(f"- {text}")
        elif text:
            self._end_list()
            level = self._styles.get(self._style, 0)
            self._writing.add(BlockKind.HEADING if level else BlockKind.PARAGRAPH, [text], level=level)
        self._set_aside()

    def _set_aside(self) -> None:
        hidden, self._hidden = "".join(self._hidden), []
        if hidden and self._writing.admit_hidden and "tbl" not in self._open and not self._items:
            self._writing.add(BlockKind.PARAGRAPH, [hidden], hidden=True)
        else:
            self._writing.remove(RemovedKind.HIDDEN, hidden, "vanish")
        deleted, self._deleted = "".join(self._deleted), []
        self._writing.remove(RemovedKind.DELETED, deleted, "tracked deletion")

    def _end_list(self) -> None:
        self._writing.add(BlockKind.LIST, self._items)
        self._items = []
