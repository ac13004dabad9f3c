"""For whom a request is done, and what it may do. How a door comes by one is `key_door`'s."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from stemma import text
from stemma.errors import InvalidInput
from stemma.key_errors import ScopeMissing


class Scope(StrEnum):
    """What a key must be allowed to do. None contains another."""

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"


EVERYTHING: Final = frozenset(Scope)
TENANT_LIMIT: Final = 256


@dataclass(frozen=True, slots=True)
class Caller:
    """One tenant's caller; `by` is the name of its key, nothing where it works without one."""

    tenant: str
    scopes: frozenset[Scope]
    by: str | None = None

    def require(self, scope: Scope) -> None:
        """Refuse what the key is not allowed. Raises ScopeMissing."""
        if scope not in self.scopes:
            raise ScopeMissing(f"this asks for the scope {scope}, which the key {self.by!r} does not have")


def tenant_named(name: str) -> str:
    """Return a tenant's name in NFC; one that got lost on its way (blank, `*`) is refused and never means another."""
    found = text.check_name(name, field="tenant", limit=TENANT_LIMIT)
    if not found.strip() or found == "*":
        raise InvalidInput(f"tenant: {name!r} names no tenant", field="tenant")
    return found
