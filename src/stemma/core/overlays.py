"""What holds for a while stands before what it overlays: Berlin this week before Lisbon (design: D-17)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from stemma.core.status import narrowness
from stemma.core.trace import Item


def overlays_first(items: Sequence[Item]) -> list[Item]:
    """Put the narrowest window first among items of one claim key; nothing else changes its place."""
    ordered = list(items)
    places: dict[tuple[str, str], list[int]] = {}
    for place, item in enumerate(ordered):
        if item.memory is not None and item.memory.claim_key is not None:
            places.setdefault((item.memory.voice, item.memory.claim_key), []).append(place)
    for shared in places.values():
        members = sorted((ordered[place] for place in shared), key=_narrowness)
        for place, member in zip(shared, members, strict=True):
            ordered[place] = member
    return ordered


def _narrowness(item: Item) -> tuple[bool, timedelta]:
    return narrowness(item.memory) if item.memory is not None else (True, timedelta.max)
