"""The door of the readers: decides what a content is and gives it to the reader of its kind."""

from __future__ import annotations

from typing import Final

from stemma.document_text import ReadDocument
from stemma.errors import DocumentTooLarge, EncodingUndecided, MediaTypeUnsupported
from stemma.readers.limits import Limits
from stemma.readers.plain import paragraphs
from stemma.text import check

TEXT: Final = "text/plain"
MARKDOWN: Final = "text/markdown"
_ANY: Final = Limits()


def read(
    content: bytes,
    *,
    media_type: str | None = None,
    name: str | None = None,
    charset: str | None = None,
    limits: Limits = _ANY,
    admit_hidden: bool = False,
) -> ReadDocument:
    """Turn a file's content into text, or raise by name why it cannot be."""
    if len(content) > limits.content_bytes:
        raise DocumentTooLarge(f"the document has {len(content)} bytes; at most {limits.content_bytes} are read")
    try:
        text = content.decode(charset or "utf-8-sig")
    except UnicodeDecodeError as error:
        raise EncodingUndecided(f"byte {error.start} is not {charset or 'UTF-8'}", offset=error.start) from error
    return read_text(text, media_type or TEXT)


def read_text(text: str, media_type: str = TEXT, *, limits: Limits = _ANY) -> ReadDocument:
    """Read a text that was given as such; it is kept as sent, save that a form feed or vertical tab is a line end."""
    if len(text) > limits.text_characters:
        raise DocumentTooLarge(f"the text has {len(text)} characters; at most {limits.text_characters} are read")
    if media_type not in (TEXT, MARKDOWN):
        raise MediaTypeUnsupported(f"a text is {TEXT} or {MARKDOWN}, not {media_type!r}; send other files as bytes")
    kept = check(text.replace("\f", "\n").replace("\v", "\n"), field="text")
    return ReadDocument(text=kept, blocks=paragraphs(kept), media_type=media_type)
