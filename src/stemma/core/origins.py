"""Which documents share an origin (R-65): copies, near copies and declared derivatives, whatever came first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from stemma.document_records import Head
from stemma.text import hash_parts

IDENTICAL: Final = "identical"
NEAR: Final = "near"
DERIVED: Final = "derived"


def text_node(revision: str) -> str:
    """Name a text as an end of links. Copies meet in their texts, so that none hangs on another's staying."""
    return hash_parts("text", revision)


@dataclass(frozen=True, slots=True)
class Link:
    """A document and what it shares an origin with: a text, its own or a near one, or what it is derived from.

    The other end of a derivation need not be there.
    """

    document_id: str
    other_id: str
    reason: str


def reached(start: Iterable[str], links: Iterable[Link]) -> set[str]:
    """Give every document that is linked to one of `start`, by however many steps, these included."""
    near: dict[str, set[str]] = {}
    for link in links:
        near.setdefault(link.document_id, set()).add(link.other_id)
        near.setdefault(link.other_id, set()).add(link.document_id)
    found: set[str] = set()
    waiting = list(start)
    while waiting:
        one = waiting.pop()
        if one not in found:
            found.add(one)
            waiting += near.get(one, ())
    return found


def origins(heads: Mapping[str, Head], links: Iterable[Link]) -> dict[str, str]:
    """Give the origin of each document: of those linked to it that are there, the one that all descend from.

    That is one without a declared ancestor before one with, then the one first heard of, then the smaller id: a
    function of the documents alone, so that no order of arrival changes it. A document that is gone is its own origin.
    """
    listed = list(links)
    derived = {link.document_id for link in listed if link.reason == DERIVED}
    found: dict[str, str] = {}
    for name in sorted(heads):
        if name in found:
            continue
        group = reached([name], listed) | {name}
        there = [heads[each] for each in group if each in heads and heads[each].revision is not None]
        root = min(
            there, key=lambda head: (head.document_id in derived, head.recorded_at, head.document_id), default=None
        )
        for each in group & heads.keys():
            is_there = heads[each].revision is not None and root is not None
            found[each] = root.document_id if is_there and root is not None else each
    return found
