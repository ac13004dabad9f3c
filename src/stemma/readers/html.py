"""Reads HTML as a reader sees it: what is hidden, commented or scripted is kept apart as evidence."""

from __future__ import annotations

import re
from typing import Any, Final

from stemma.document_text import BlockKind, RemovedKind
from stemma.errors import NestingTooDeep
from stemma.readers.html_hidden import hidden_by, hidden_by_rules
from stemma.readers.limits import Limits
from stemma.readers.writing import Writing

_META = re.compile(rb"<meta[^>]{0,500}?charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE)
_PROLOG = re.compile(rb"^\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([\w.:-]{1,40})")
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)")
_SPACE = re.compile(r"[ \t\r\n\f\v]+")
_BREAKS = re.compile(r" *\n[ \n]*")
_HEADINGS: Final = {f"h{level}": level for level in range(1, 7)}
_BLOCKS: Final = frozenset(
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure "
    "footer form h1 h2 h3 h4 h5 h6 header hr html legend li main menu nav ol optgroup option p pre search section "
    "select summary table tbody td tfoot th thead tr ul".split()
)
_LISTS: Final = frozenset({"ul", "ol", "dl", "menu", "dir"})
_DROPPED: Final = {"script": "script", "style": "style", "head": "", "iframe": "iframe", "object": "", "svg": "",
                   "annotation": "", "annotation-xml": "", "rp": ""}  # fmt: skip
# Elements that never hold another of their kind: an unclosed one is no depth.
_FLAT: Final = frozenset(
    "area base br col embed hr img input link meta source track wbr p li td th tr dt dd option optgroup tbody thead "
    "tfoot param colgroup rt rp html head body".split()
)
# The parser's own time grows with the square of the depth; the walk then holds the page to the exact limit.
_ROUGH_NESTING: Final = 4


def declared_charset(content: bytes) -> str | None:
    """Find the encoding that a page states of itself in its first bytes."""
    found = _PROLOG.search(content[:1024]) or _META.search(content[:4096])
    return found.group(1).decode("ascii") if found else None


def write_html(source: str, writing: Writing) -> str | None:
    """Write a page's blocks and give its title, if it has one."""
    _check_depth(source, writing.limits)
    from selectolax.lexbor import LexborHTMLParser

    tree = LexborHTMLParser(source)
    sheets = [node.text(deep=True) for node in tree.css("style")]
    page = _Page(writing, hidden_by_rules(tree, sheets))
    page.walk(tree.root)
    titles = [_SPACE.sub(" ", node.text(deep=True)).strip() for node in tree.css("head > title")[:1]]
    return next((title for title in titles if title), None)


def _check_depth(source: str, limits: Limits) -> None:
    depth, most = 0, limits.nesting * _ROUGH_NESTING
    for found in _TAG.finditer(source):
        closes, tag = found.groups()
        if tag.lower() in _FLAT:
            continue
        depth = max(0, depth - 1) if closes else depth + 1
        if depth > most:
            raise _too_deep(limits)


def _too_deep(limits: Limits) -> NestingTooDeep:
    return NestingTooDeep(f"the elements are nested over {limits.nesting} deep, which is all that is read")


class _Page:
    """Walks one page and gathers running text until an element ends it."""

    def __init__(self, writing: Writing, hidden: dict[int, str]) -> None:
        self._writing, self._hidden = writing, hidden
        self._running: list[str] = []
        self._open: list[str] = []
        self._items: list[str] | None = None
        self._rows: list[str] | None = None
        self._cells: list[str] = []
        self._heads = 0
        self._has_head = False
        self._admitted: list[str] = []

    def walk(self, root: Any) -> None:
        """Visit every node in the order of reading, without recursion."""
        node = root
        while node is not None:
            if self._enter(node) and node.child is not None:
                node = node.child
                continue
            while node is not None and node.next is None:
                node = node.parent
                if node is not None:
                    self._leave(node)
            node = node.next if node is not None else None
        self._flush()

    def _enter(self, node: Any) -> bool:
        """Take a node in and say whether to go down into it; an element without children is left at once."""
        tag = node.tag
        if tag == "-text":
            self._say(node.text_content or "")
        elif tag == "-comment":
            self._writing.remove(RemovedKind.COMMENT, node.comment_content or "", "comment")
        elif tag in _DROPPED:
            if _DROPPED[tag]:
                self._writing.remove(RemovedKind.CODE, node.text(deep=True), tag)
            return False
        elif (reason := hidden_by(tag, node.attributes) or self._hidden.get(node.mem_id)) is not None:
            self._hide(node, reason)
        elif tag == "br":
            self._running.append("\n")
        elif tag == "img":
            self._say(f" {node.attributes.get('alt') or ''} ")
        else:
            return self._begin(node, tag)
        return False

    def _begin(self, node: Any, tag: str) -> bool:
        if len(self._open) > self._writing.limits.nesting:
            raise _too_deep(self._writing.limits)
        if tag in _BLOCKS:
            self._flush()
            if tag in _LISTS and self._items is None and self._rows is None:
                self._items = []
            elif tag == "table" and self._rows is None and self._items is None and not _is_layout(node):
                self._rows, self._heads = [], 0
            elif tag == "tr":
                self._cells, self._has_head = [], False
            elif tag in ("td", "th") and self._rows is not None:
                self._cells.append("")
                self._has_head = self._has_head or tag == "th"
            elif tag == "li":
                self._running.append("- ")
        self._open.append(tag)
        if node.child is None:
            self._leave(node)
            return False
        return True

    def _leave(self, node: Any) -> None:
        tag = node.tag
        if not self._open or tag != self._open[-1]:
            return  # the document itself, which was never entered as an element
        if tag in _BLOCKS:
            self._flush()
        self._open.pop()
        if tag == "tr" and self._rows is not None and any(self._cells):
            self._heads += self._has_head and self._heads == len(self._rows) == 0
            self._rows.append(" | ".join(self._cells))
            self._cells = []
        elif tag == "table" and self._rows is not None and "table" not in self._open:
            self._writing.add(BlockKind.TABLE, self._rows, head_parts=self._heads)
            self._rows = None
            self._admit()
        elif tag in _LISTS and self._items is not None and not _LISTS & set(self._open):
            self._writing.add(BlockKind.LIST, self._items)
            self._items = None
            self._admit()

    def _say(self, text: str) -> None:
        self._running.append(text if "pre" in self._open else _SPACE.sub(" ", text))

    def _flush(self) -> None:
        """End the running text and put it where it belongs: a cell, an item, or a block of its own."""
        text, self._running = "".join(self._running), []
        if "pre" not in self._open:
            text = _BREAKS.sub("\n", _SPACE.sub(lambda found: "\n" if "\n" in found.group() else " ", text)).strip()
        if not text.strip() or text == "-":
            return
        if self._rows is not None and self._cells:
            one_line = _SPACE.sub(" ", text)
            self._cells[-1] = f"{self._cells[-1]} {one_line}".strip()
        elif self._items is not None:
            self._items.append(text)
        else:
            self._add(text)

    def _add(self, text: str) -> None:
        heading = next((_HEADINGS[tag] for tag in self._open if tag in _HEADINGS), 0)
        quotes = self._open.count("blockquote")
        if heading:
            self._writing.add(BlockKind.HEADING, [_SPACE.sub(" ", text)], level=heading)
        elif "pre" in self._open:
            self._writing.add(BlockKind.CODE, [text])
        elif quotes:
            self._writing.add(BlockKind.QUOTE, [text], level=quotes)
        else:
            self._writing.add(BlockKind.PARAGRAPH, [text])

    def _hide(self, node: Any, reason: str) -> None:
        text = _SPACE.sub(" ", node.text(deep=True, separator=" ")).strip()
        if not self._writing.admit_hidden:
            self._writing.remove(RemovedKind.HIDDEN, text, reason)
        elif self._rows is None and self._items is None:
            self._flush()
            self._writing.add(BlockKind.PARAGRAPH, [text], hidden=True)
        else:
            # Text inside a list or a table stands after it: a block is hidden as a whole or not at all.
            self._admitted.append(text)

    def _admit(self) -> None:
        for text in self._admitted:
            self._writing.add(BlockKind.PARAGRAPH, [text], hidden=True)
        self._admitted = []


def _is_layout(node: Any) -> bool:
    """Say whether a table only places things on the page: it holds headings or tables."""
    return node.css_first("tr table, tr h1, tr h2, tr h3, tr h4, tr h5, tr h6") is not None
