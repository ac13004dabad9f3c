"""The subject that a server of tools may be kept to: how it is named on a command line and in an address."""

from __future__ import annotations

from typing import Final

from stemma.errors import InvalidInput
from stemma.text import check_name

_LIMIT: Final = 256


def subject_named(name: str) -> str:
    """Return the subject in NFC; one that got lost on its way (blank, `*`) is refused and never means every one."""
    subject = check_name(name, field="subject", limit=_LIMIT)
    if not subject.strip() or subject == "*":
        raise InvalidInput(f"subject: {name!r} names no subject", field="subject")
    return subject
