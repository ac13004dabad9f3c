"""Decides what a content is: what it shows by itself goes before what its sender says, and that before its name."""

from __future__ import annotations

import re
import zipfile
from dataclasses import dataclass
from io import BytesIO
from pathlib import PurePath
from typing import Final

from stemma.errors import MediaTypeUnsupported, UnreadableDocument
from stemma.readers.docx import MAIN
from stemma.readers.mail import is_mail

TEXT: Final = "text/plain"
MARKDOWN: Final = "text/markdown"
HTML: Final = "text/html"
CSV: Final = "text/csv"
JSON: Final = "application/json"
JSON_LINES: Final = "application/jsonl"
MAIL: Final = "message/rfc822"
PDF: Final = "application/pdf"
DOCX: Final = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"

# Kinds that their own first bytes show: whoever claims one of these has to bring them.
_BINARY: Final = frozenset({PDF, DOCX})
_ALIASES: Final = {
    "text/x-markdown": MARKDOWN, "application/xhtml+xml": HTML, "application/csv": CSV, "text/json": JSON,
    "text/tab-separated-values": CSV, "application/x-ndjson": JSON_LINES, "application/ndjson": JSON_LINES,
    "application/jsonlines": JSON_LINES, "application/x-pdf": PDF,
}  # fmt: skip
_KNOWN: Final = frozenset({TEXT, MARKDOWN, HTML, CSV, JSON, JSON_LINES, MAIL, PDF, DOCX})
_BY_NAME: Final = {
    ".txt": TEXT, ".text": TEXT, ".md": MARKDOWN, ".markdown": MARKDOWN, ".html": HTML, ".htm": HTML, ".xhtml": HTML,
    ".csv": CSV, ".tsv": CSV, ".json": JSON, ".jsonl": JSON_LINES, ".ndjson": JSON_LINES, ".eml": MAIL, ".pdf": PDF,
    ".docx": DOCX,
}  # fmt: skip
_FOREIGN: Final = (
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Office file (.doc, .xls, .ppt)"), (b"{\\rtf", "RTF"),
    (b"\x1f\x8b", "gzip"), (b"\x89PNG", "a PNG picture"), (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"), (b"7z\xbc\xaf", "a 7z archive"), (b"Rar!", "a RAR archive"), (b"BZh", "bzip2"),
    (b"\x7fELF", "a program"), (b"MZ\x90", "a program"), (b"%!PS", "PostScript"), (b"\xfd7zXZ", "xz"),
    (b"(\xb5/\xfd", "zstd"),
    (b"SQLite format 3", "a SQLite database"), (b"ID3", "sound"),
    (b"RIFF", "sound or film"), (b"OggS", "sound or film"),
)  # fmt: skip
_HTML_START = re.compile(
    rb"\s*(?:<\?xml[^>]{0,200}\?>\s*)?(?:(?><!--.{0,2000}?-->)\s*+)*+<(?:!doctype\s+html|html)\b", re.I | re.S
)
_BOMS: Final = (b"\xef\xbb\xbf",)


@dataclass(frozen=True, slots=True)
class Kind:
    """A media type, how it was decided (`content`, `declared`, `name`, `default`), and what else it was called."""

    media_type: str
    decided_by: str
    differs: str | None = None


def kind_of(content: bytes, media_type: str | None, name: str | None) -> Kind:
    """Decide the kind, or raise MediaTypeUnsupported for one that is not read, UnreadableDocument for a false claim."""
    declared = _declared(media_type)
    named = _BY_NAME.get(PurePath(name).suffix.lower()) if name else None
    claimed = declared or named
    shown = _shown(content)
    if shown is None and claimed not in (MARKDOWN, CSV, JSON, JSON_LINES, HTML) and is_mail(content):
        shown = MAIL
    if shown is not None:
        return Kind(shown, "content", None if claimed in (None, shown) else claimed)
    if claimed in _BINARY:
        raise UnreadableDocument(f"the content is not {claimed}, whose first bytes it lacks")
    if declared is not None:
        return Kind(declared, "declared")
    if named is not None:
        return Kind(named, "name")
    return Kind(TEXT, "default")


def _declared(media_type: str | None) -> str | None:
    if media_type is None:
        return None
    plain = media_type.partition(";")[0].strip().lower()
    plain = _ALIASES.get(plain, plain)
    if plain in ("application/octet-stream", "binary/octet-stream", ""):
        return None
    if plain not in _KNOWN:
        raise MediaTypeUnsupported(f"{media_type!r} is not read; {', '.join(sorted(_KNOWN))} are")
    return plain


def _shown(content: bytes) -> str | None:
    """Name the kind that the content shows by itself, or None where any text could stand there."""
    start = content[:8192]
    for mark in _BOMS:
        start = start.removeprefix(mark)
    if b"%PDF-" in content[:1024]:
        return PDF
    if content.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _zip_kind(content)
    for magic, what in _FOREIGN:
        if content.startswith(magic):
            raise MediaTypeUnsupported(f"the content is {what}, which is not read")
    return HTML if _HTML_START.match(start) else None


def _zip_kind(content: bytes) -> str:
    try:
        names = zipfile.ZipFile(BytesIO(content)).namelist()
    except (zipfile.BadZipFile, zipfile.LargeZipFile, ValueError, OSError, NotImplementedError) as error:
        raise UnreadableDocument(f"the content begins as a zip archive and is none: {error}") from error
    if MAIN in names:
        return DOCX
    raise MediaTypeUnsupported("the content is a zip archive and no DOCX; send the files in it one by one")
