"""Text and hash forms that every floor needs, from the standard library alone: checks at the door, derived ids."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable
from datetime import UTC, datetime
from urllib.parse import quote

from stemma.errors import ControlCharacter, InvalidInput, InvalidUnicode, NaiveDatetime, PayloadTooLarge

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_SURROGATE = re.compile("[\ud800-\udfff]")


def check(text: str, *, field: str, limit: int | None = None) -> str:
    """Return the text as it came, or raise by name: lone surrogate, control character, over `limit` characters."""
    if found := _SURROGATE.search(text):
        raise InvalidUnicode(f"{field} has a lone surrogate at character {found.start()}", field=field)
    if found := _CONTROL.search(text):
        raise ControlCharacter(
            f"{field} has the control character U+{ord(found.group()):04X} at character {found.start()}; remove it",
            field=field,
        )
    if limit is not None and len(text) > limit:
        raise PayloadTooLarge(f"{field} has {len(text)} characters; at most {limit} are accepted", field=field)
    return text


def check_name(text: str, *, field: str, limit: int) -> str:
    """Return a name or id in NFC, or raise as `check` does."""
    return unicodedata.normalize("NFC", check(text, field=field, limit=limit))


def canonical_text(text: str) -> str:
    """Return NFC with every line end folded to LF: the form that content hashes see."""
    return unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n"))


def join_key(parts: Iterable[str]) -> str:
    """Join key parts by `:`, each percent-encoded, so that no two lists of parts share a key."""
    return ":".join(quote(unicodedata.normalize("NFC", part), safe="") for part in parts)


def hash_parts(*parts: str | bytes) -> str:
    """Hash length-prefixed parts: SHA-256 in hex, so that no two lists of parts share an id."""
    digest = hashlib.sha256()
    for part in parts:
        raw = part.encode() if isinstance(part, str) else part
        digest.update(len(raw).to_bytes(8, "big"))
        digest.update(raw)
    return digest.hexdigest()


def episode_id(tenant: str, subject: str, key: str) -> str:
    """Name the one episode of a key, which is unique within its subject."""
    return hash_parts("episode", tenant, subject, key)


def utc(moment: datetime, *, field: str = "time") -> datetime:
    """Return the instant in UTC, or raise where it has no zone."""
    if moment.tzinfo is None:
        raise NaiveDatetime(f"{field} {moment.isoformat()} has no zone; add one, for example Z", field=field)
    try:
        return moment.astimezone(UTC)
    except OverflowError as error:
        raise InvalidInput(f"{field} {moment.isoformat()} is outside the years 1 to 9999", field=field) from error


def stamp(moment: datetime) -> str:
    """Write an instant in UTC with microseconds: one text for one instant, ordered as the instants are."""
    return utc(moment).isoformat(timespec="microseconds").replace("+00:00", "Z")
