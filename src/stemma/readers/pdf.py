"""Reads PDF by PDFium, whose text comes in the order of reading, right-to-left scripts included; page by page."""

from __future__ import annotations

import re
from threading import Lock
from typing import Any, Final

from stemma.document_text import BlockKind
from stemma.errors import DocumentEncrypted, DocumentTooLarge, UnreadableDocument
from stemma.readers.plain import paragraphs
from stemma.readers.writing import Writing

# PDFium keeps its state for the whole process and must not be entered twice at once.
_ONE_AT_A_TIME: Final = Lock()
_PASSWORD: Final = 4
# Letters that Hebrew writes at the end of a word alone: at the beginning of words they show a text that runs backwards.
_FINAL_FIRST = re.compile(r"\b[ךםןףץ][א-ת]+\b")
_FINAL_LAST = re.compile(r"\b[א-ת]+[ךםןףץ]\b")
_UNMAPPED = re.compile("[\ufffd\ue000-\uf8ff\x01-\x08\x0e-\x1f]")
_HYPHEN = re.compile("(?:\ufffe|\u00ad)\r?\n?")
_MANY_UNMAPPED: Final = 20


def write_pdf(content: bytes, writing: Writing) -> tuple[str | None, int]:
    """Write the pages' text; give the title and the number of pages."""
    import pypdfium2

    with _ONE_AT_A_TIME:
        try:
            opened = pypdfium2.PdfDocument(content)
        except pypdfium2.PdfiumError as error:
            if getattr(error, "err_code", None) == _PASSWORD:
                raise DocumentEncrypted("the PDF needs a password; remove it and send the file again") from error
            raise UnreadableDocument(f"the PDF cannot be opened: {error}") from error
        try:
            pages = len(opened)
            if pages > writing.limits.pages:
                raise DocumentTooLarge(f"the PDF has {pages} pages; at most {writing.limits.pages} are read")
            without = [number for number in range(1, pages + 1) if not _write_page(opened, number, writing)]
            title = _title(opened, writing)
        except pypdfium2.PdfiumError as error:
            raise UnreadableDocument(f"the PDF cannot be read: {error}") from error
        finally:
            opened.close()
    if len(without) == pages:
        raise UnreadableDocument(f"none of the {pages} pages holds text; scanned pages need a text layer")
    if without:
        writing.warn("pages_without_text", f"no text on pages {', '.join(map(str, without[:50]))}")
    return title, pages


def _title(opened: Any, writing: Writing) -> str | None:
    try:
        return str(opened.get_metadata_value("Title")).strip() or None
    except UnicodeDecodeError:
        # Half a UTF-16 pair in a damaged file; its pages are read all the same.
        writing.warn("title_unreadable", "the file's title is no text")
        return None


def _write_page(opened: Any, number: int, writing: Writing) -> bool:
    page = opened[number - 1]
    try:
        inner = page.get_textpage()
        try:
            text = _HYPHEN.sub("", inner.get_text_range(errors="replace"))
        finally:
            inner.close()
    finally:
        page.close()
    for block in paragraphs(text):
        writing.add(BlockKind.PARAGRAPH, [text[block.start : block.end]], page=number)
    return bool(text.strip())


def doubts(text: str) -> list[tuple[str, str]]:
    """Name what makes a PDF's text unfit to be served: words that run backwards, glyphs without a letter."""
    found = []
    backwards, forwards = len(_FINAL_FIRST.findall(text)), len(_FINAL_LAST.findall(text))
    if backwards > forwards:
        found.append(
            ("text_order_suspect", f"{backwards} Hebrew words begin with a final letter, {forwards} end in one")
        )
    unmapped = len(_UNMAPPED.findall(text))
    if unmapped * _MANY_UNMAPPED > len(text):
        found.append(("text_unmapped", f"{unmapped} of {len(text)} characters have no letter in the file's own fonts"))
    return found
