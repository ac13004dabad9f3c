"""Where a page of a list ended, as the next request gives it back: opaque, of one list, and whole or refused."""

from __future__ import annotations

import base64
import hashlib
import json
from datetime import UTC, datetime
from typing import Final

from stemma.errors import InvalidCursor

# No secret: a cursor opens nothing. It tells one that was cut, mixed up or written by hand from one that was given.
_CHECK_BYTES: Final = 6
# Any such number fits the store's integers.
_MOST_DIGITS: Final = 9


def cursor_of(page_of: str, *parts: str) -> str:
    """Write where a page of a list ended; `page_of` names the list."""
    said = json.dumps(parts, ensure_ascii=False, separators=(",", ":")).encode()
    return base64.urlsafe_b64encode(_check(page_of, said) + said).decode().rstrip("=")


def cursor_parts(cursor: str, page_of: str, count: int) -> list[str]:
    """Read where a page of that list ended. Raises InvalidCursor for anything that `cursor_of` did not write for it."""
    try:
        found = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        check, said = found[:_CHECK_BYTES], found[_CHECK_BYTES:]
        parts = json.loads(said) if check == _check(page_of, said) else None
    except ValueError as error:
        raise _refusal() from error
    if not isinstance(parts, list) or len(parts) != count or not all(isinstance(each, str) for each in parts):
        raise _refusal()
    return parts


def name_after(cursor: str | None, page_of: str) -> str:
    """Read the name that the last page of a list in order of name ended with; the first page comes after no name."""
    return cursor_parts(cursor, page_of, 1)[0] if cursor else ""


def moment_in(part: str) -> datetime:
    """Read a part that is a time."""
    try:
        return datetime.fromisoformat(part).astimezone(UTC)
    except ValueError as error:
        raise _refusal() from error


def number_in(part: str) -> int:
    """Read a part that is a place, from 0 on."""
    if not (part.isascii() and part.isdigit() and len(part) <= _MOST_DIGITS):
        raise _refusal()
    return int(part)


def _check(page_of: str, said: bytes) -> bytes:
    return hashlib.sha256(page_of.encode() + b"\0" + said).digest()[:_CHECK_BYTES]


def _refusal() -> InvalidCursor:
    return InvalidCursor(
        "cursor is not one that a page of this list ended with; give next_cursor as it came", field="cursor"
    )
