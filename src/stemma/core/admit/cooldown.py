"""Cooldown: for how many bundles a memory that a conversation was given stays out of its prompts (SPEC R-43).

The table is that of the design study, section 5: none for the core list, 5 for what is sensitive, 3 for all else. A
memory that the query asks for comes whenever it does.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from stemma.records import Injection
from stemma.state import MemoryRow

USUAL, SENSITIVE = 3, 5
# The most that any kind has: what lies further back need not be known.
LONGEST: Final = max(USUAL, SENSITIVE)
_BY_KIND: Final[Mapping[str, int]] = {"health": SENSITIVE}


def cooldown_of(memory: MemoryRow) -> int:
    """Give the number of bundles after one that gave a memory in which it stays out; 0 for none."""
    if memory.injection == Injection.CORE.value:
        return 0
    usual = SENSITIVE if memory.injection == Injection.ON_REQUEST.value else USUAL
    return _BY_KIND.get(memory.kind, usual)


def bundles_ago(given: Sequence[Collection[str]]) -> dict[str, int]:
    """Say of each memory how many bundles ago it was last given, the last bundle being 1; the newest comes first."""
    found: dict[str, int] = {}
    for ago, memories in enumerate(given, start=1):
        for name in memories:
            found.setdefault(name, ago)
    return found
