"""What a check of a store looks at in its server. What is amiss about it is `app/`'s to say."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from stemma.store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class ServerFacts:
    """The server's version and clock, the database's name and bytes, pgvector's version, and what our role may do.

    `unusable` are tables that the role may not read and write, `foreign` those that it could not migrate.
    """

    version: str
    name: str
    now: datetime
    bytes: int
    vector: str | None
    takes_no_writes: bool
    may_create: bool
    unusable: tuple[str, ...]
    foreign: tuple[str, ...]


def facts(t: Transaction) -> ServerFacts:
    """Look at the server; `now` is its clock at this very moment."""
    closed = t.all("tables_out_of_reach")
    vector = t.maybe("vector_version")
    row = t.one("server_facts")
    return ServerFacts(
        version=row["version"],
        name=row["name"],
        now=row["now"],
        bytes=row["bytes"],
        vector=None if vector is None else str(vector["extversion"]),
        takes_no_writes=row["takes_no_writes"],
        may_create=row["may_create"],
        unusable=tuple(each["name"] for each in closed if not each["usable"]),
        foreign=tuple(each["name"] for each in closed if each["usable"]),
    )
