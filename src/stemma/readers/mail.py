"""Reads e-mail: who wrote what to whom, the body with quoted replies marked, attachments by name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from email import message_from_bytes, policy
from email.errors import HeaderParseError
from email.header import decode_header
from email.message import Message
from typing import Final

from stemma.document_text import Attachment, BlockKind, RemovedKind
from stemma.errors import EncodingUndecided, NestingTooDeep, UnknownCharset, UnreadableDocument
from stemma.readers.encoding import decode
from stemma.readers.html import declared_charset, write_html
from stemma.readers.plain import paragraphs
from stemma.readers.writing import Writing, check_blocks

_LONGEST_HEADER: Final = 8_000
_SHOWN: Final = ("Subject", "From", "To", "Cc", "Date")
_QUOTED = re.compile(r"[ \t]?((?:>[ \t]?)+)")
# What programs write above the message that they quote, in the languages that we read.
_INTRODUCTION = re.compile(
    r"(?:On|Am|Le|El|Em|Il|Op) .{5,200}(?:wrote|schrieb|a écrit|escribió|escreveu|ha scritto|schreef).{0,60}:\s*$"
)
_ORIGINAL = re.compile(
    r"(?<!-)-{3,} ?(?:Original Message|Ursprüngliche Nachricht|Message d'origine|Mensaje original|"
    r"Forwarded message) ?-{3,}",
    re.I,
)
_HEADER = re.compile(
    rb"(?:from|to|subject|date|received|message-id|mime-version|return-path|content-type): ?\S", re.IGNORECASE
)
_FIELD = re.compile(rb"[!-9;-~]{1,80}:[ \t\S]")


def is_mail(content: bytes) -> bool:
    """Say whether a content begins with the headers of a message."""
    head = content[:8192].lstrip(b"\r\n")
    lines = re.split(rb"\r\n|\n|\r", head)
    known = 0
    for number, line in enumerate(lines):
        if not line:
            return known >= 2
        if _HEADER.match(line):
            known += 1
        elif not (_FIELD.match(line) or (line[:1] in b" \t" and number) or (not number and line.startswith(b"From "))):
            return False
    return known >= 2


def write_mail(content: bytes, writing: Writing) -> tuple[str | None, tuple[Attachment, ...]]:
    """Write a message; give its subject and what is attached."""
    try:
        message = message_from_bytes(content, policy=policy.compat32)
        if any(len(str(value)) > _LONGEST_HEADER for part in message.walk() for value in _typing(part)):
            raise UnreadableDocument(f"a part of the message has a type of over {_LONGEST_HEADER} characters")
        subject = _header(message, "Subject")
        shown = [f"{name}: {value}" for name in _SHOWN if (value := _header(message, name))]
        writing.add(BlockKind.PARAGRAPH, shown)
        attached: list[Attachment] = []
        for part in _parts(message, writing):
            if _is_attachment(part):
                attached.append(_attachment(part))
            else:
                _write_part(part, writing)
    except RecursionError as error:
        raise NestingTooDeep("the parts of the message are nested too deep") from error
    except (ValueError, TypeError, LookupError, AttributeError, HeaderParseError) as error:
        # The standard library's reader of messages lets these through on headers that no program writes.
        raise UnreadableDocument(f"the message cannot be read: {type(error).__name__}: {error}") from error
    names = [f"Attachment: {one.name} ({one.media_type}, {one.size} bytes)" for one in attached]
    writing.add(BlockKind.LIST, names)
    return subject or None, tuple(attached)


def _typing(part: Message) -> list[object]:
    return [value for name in ("Content-Type", "Content-Disposition") for value in part.get_all(name, [])]


def _header(message: Message, name: str) -> str:
    value = message.get(name)
    if value is None:
        return ""
    raw, said = str(value), list[str]()
    if len(raw) > _LONGEST_HEADER:
        # The library's search for encoded words takes the square of the length.
        return " ".join(raw.split())
    for piece, charset in decode_header(raw):
        if isinstance(piece, str):
            said.append(piece)
        else:
            said.append(_decoded(piece, charset))
    return " ".join("".join(said).split())


def _decoded(piece: bytes, charset: str | None) -> str:
    try:
        return decode(piece, given=None if charset in (None, "unknown-8bit") else charset).text
    except (EncodingUndecided, UnknownCharset):
        return piece.decode("ascii", errors="backslashreplace")


def _parts(message: Message, writing: Writing) -> Iterator[Message]:
    """Give the leaves in order; of alternatives the plain one, and the others are put down as left out."""
    waiting, count = [(message, 0)], 0
    while waiting:
        part, depth = waiting.pop()
        count += 1
        check_blocks(count, writing.limits)
        if depth > writing.limits.nesting:
            raise NestingTooDeep(f"the parts are nested over {writing.limits.nesting} deep, which is all that is read")
        payload = part.get_payload()
        if not isinstance(payload, list) or part.get_content_maintype() == "message":
            yield part
            continue
        inner = [one for one in payload if isinstance(one, Message)]
        if part.get_content_subtype() == "alternative" and len(inner) > 1:
            chosen = _chosen(inner)
            _leave_out([one for one in inner if one is not chosen], writing)
            inner = [chosen]
        waiting += [(one, depth + 1) for one in reversed(inner)]


def _chosen(inner: list[Message]) -> Message:
    plain = (one for one in inner if one.get_content_type() == "text/plain" and str(one.get_payload()).strip())
    return next(plain, inner[-1])


def _leave_out(others: list[Message], writing: Writing) -> None:
    for one in others:
        if one.get_content_maintype() == "text":
            writing.remove(RemovedKind.ALTERNATIVE, _text(one)[:100_000], one.get_content_type())


def _is_attachment(part: Message) -> bool:
    return (
        part.get_content_maintype() != "text"
        or part.get_content_disposition() == "attachment"
        or (part.get_filename() is not None and part.get_content_disposition() != "inline")
    )


def _attachment(part: Message) -> Attachment:
    payload = part.get_payload(decode=True)
    raw = payload if isinstance(payload, bytes) else str(part.get_payload()).encode("utf-8", "replace")
    name = " ".join(str(part.get_filename() or "").split()) or "unnamed"
    return Attachment(name[:500], part.get_content_type(), len(raw))


def _text(part: Message) -> str:
    payload = part.get_payload(decode=True)
    raw = payload if isinstance(payload, bytes) else b""
    charset = part.get_content_charset()
    declared = declared_charset(raw) if part.get_content_type() == "text/html" else None
    try:
        return decode(raw, given=charset, declared=declared).text
    except UnknownCharset:
        return decode(raw, declared=declared).text


def _write_part(part: Message, writing: Writing) -> None:
    text = _text(part)
    if part.get_content_type() == "text/html":
        write_html(text, writing)
    else:
        write_replies(text, writing)


def write_replies(text: str, writing: Writing) -> None:
    """Write a plain body: lines behind `>` and what stands under an "original message" are quotations."""
    text = text.replace("\r\n", "\n")
    is_original = False
    for block in paragraphs(text):
        gathered: list[str] = []
        level = -1
        for line in [*text[block.start : block.end].split("\n"), None]:
            depth = -1
            if line is not None:
                is_original = is_original or _ORIGINAL.search(line) is not None
                found = _QUOTED.match(line)
                depth = (
                    found.group(1).count(">") if found else int(is_original or _INTRODUCTION.match(line) is not None)
                )
            if depth != level and gathered:
                kind = BlockKind.QUOTE if level else BlockKind.PARAGRAPH
                writing.add(kind, ["\n".join(gathered)], level=level)
                gathered = []
            level = depth
            gathered += [] if line is None else [line]
