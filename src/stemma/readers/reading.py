"""The door of the readers: decides what a content is and gives it to the reader of its kind."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from stemma.document_text import Attachment, Block, ReadDocument, ReadStatus
from stemma.errors import DocumentTooLarge, MediaTypeUnsupported
from stemma.readers.csv_table import csv_table
from stemma.readers.docx import write_docx
from stemma.readers.encoding import decode
from stemma.readers.html import declared_charset, write_html
from stemma.readers.json_text import write_json, write_json_lines
from stemma.readers.kinds import CSV, DOCX, HTML, JSON, JSON_LINES, MAIL, MARKDOWN, PDF, TEXT, Kind, kind_of
from stemma.readers.limits import Limits
from stemma.readers.mail import write_mail
from stemma.readers.markdown import markdown_blocks
from stemma.readers.pdf import doubts, write_pdf
from stemma.readers.plain import paragraphs
from stemma.readers.writing import Writing, check_blocks, check_size
from stemma.text import check

_ANY: Final = Limits()


@dataclass
class _Read:
    """What one reader found besides the blocks that it wrote."""

    title: str | None = None
    charset: str | None = None
    encoding_by: str | None = None
    pages: int | None = None
    attachments: tuple[Attachment, ...] = ()
    text: str | None = None
    blocks: tuple[Block, ...] = ()
    columns: tuple[str, ...] = ()


def read(
    content: bytes,
    *,
    media_type: str | None = None,
    name: str | None = None,
    charset: str | None = None,
    limits: Limits = _ANY,
    admit_hidden: bool = False,
) -> ReadDocument:
    """Turn a file's content into text, or raise by name why it cannot be.

    The type is decided by the content, then `media_type` (whose charset parameter counts), then the ending of `name`;
    the encoding by a byte-order mark, then `charset`, then what the content declares, then strict UTF-8, then a
    detector that has to be sure. Hidden text is kept apart unless `admit_hidden`, which marks its blocks.
    """
    if len(content) > limits.content_bytes:
        raise DocumentTooLarge(f"the document has {len(content)} bytes; at most {limits.content_bytes} are read")
    kind = kind_of(content, media_type, name)
    if kind.media_type not in (PDF, DOCX, MAIL) and len(content) > limits.markup_bytes:
        raise DocumentTooLarge(f"the text has {len(content)} bytes; at most {limits.markup_bytes} are read")
    writing = Writing(limits, admit_hidden)
    found = _read_as(kind, content, charset or _charset_of(media_type), writing)
    if kind.differs:
        writing.warn("type_differs", f"the content is {kind.media_type}, although it was called {kind.differs}")
    return _document(kind, found, writing)


def read_text(text: str, media_type: str = TEXT, *, limits: Limits = _ANY) -> ReadDocument:
    """Read a text that was given as such; it is kept as sent, save that a form feed or vertical tab is a line end."""
    check_size(len(text), limits)
    if media_type not in (TEXT, MARKDOWN):
        raise MediaTypeUnsupported(f"a text is {TEXT} or {MARKDOWN}, not {media_type!r}; send other files as bytes")
    kept = _checked(text)
    return ReadDocument(text=kept, blocks=_blocks(kept, media_type, limits), media_type=media_type)


def _read_as(kind: Kind, content: bytes, charset: str | None, writing: Writing) -> _Read:
    match kind.media_type:
        case "application/pdf":
            title, pages = write_pdf(content, writing)
            return _Read(title, pages=pages)
        case "message/rfc822":
            title, attachments = write_mail(content, writing)
            return _Read(title, attachments=attachments)
    if kind.media_type == DOCX:
        return _Read(write_docx(content, writing))
    declared = declared_charset(content) if kind.media_type == HTML else None
    decoded = decode(content, given=charset, declared=declared)
    check_size(len(decoded.text), writing.limits)
    found = _Read(charset=decoded.charset, encoding_by=decoded.decided_by)
    if kind.media_type == HTML:
        found.title = write_html(decoded.text, writing)
    elif kind.media_type == JSON:
        found.title = write_json(decoded.text, writing)
    elif kind.media_type == JSON_LINES:
        write_json_lines(decoded.text, writing)
    else:
        found.text = _checked(decoded.text)
        if kind.media_type == CSV:
            found.blocks, found.columns = csv_table(found.text, writing.limits)
        else:
            found.blocks = _blocks(found.text, kind.media_type, writing.limits)
    return found


def _document(kind: Kind, found: _Read, writing: Writing) -> ReadDocument:
    text = writing.text() if found.text is None else found.text
    doubtful = doubts(text) if kind.media_type == PDF else []
    for code, detail in doubtful:
        writing.warn(code, detail)
    encoding = f" encoding:{found.encoding_by}" if found.encoding_by else ""
    return ReadDocument(
        text=text,
        blocks=tuple(writing.blocks) if found.text is None else found.blocks,
        media_type=kind.media_type,
        charset=found.charset,
        decided_by=f"type:{kind.decided_by}{encoding}",
        title=found.title,
        removed=tuple(writing.removed),
        warnings=tuple(writing.warnings),
        status=ReadStatus.DOUBTFUL if doubtful else ReadStatus.READY,
        columns=found.columns,
        attachments=found.attachments,
        pages=found.pages,
    )


def _blocks(text: str, media_type: str, limits: Limits) -> tuple[Block, ...]:
    check_blocks(text.count("\n") + text.count("\r"), limits)
    return markdown_blocks(text) if media_type == MARKDOWN else paragraphs(text)


def _checked(text: str) -> str:
    return check(text.replace("\f", "\n").replace("\v", "\n"), field="text")


def _charset_of(media_type: str | None) -> str | None:
    parameters: Iterable[str] = (media_type or "").split(";")[1:]
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "charset":
            return value.strip().strip("\"'") or None
    return None
