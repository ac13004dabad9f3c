"""Chance from a seed, the same on every machine and version: SHA-256 of the seed and a counter."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import TypeVar

Item = TypeVar("Item")
_BYTES = 8


class Draw:
    """Draws numbers one after another; two with the same seed draw the same."""

    def __init__(self, *seed: object) -> None:
        """Start from a seed of any parts."""
        self._seed = repr(seed).encode()
        self._counter = 0
        self._left: list[int] = []

    def below(self, bound: int) -> int:
        """Draw an integer from 0 to `bound` - 1, evenly but for one part in 2^40 of any bound in use here."""
        if not self._left:
            digest = sha256(self._seed + self._counter.to_bytes(_BYTES, "big")).digest()
            self._counter += 1
            self._left = [int.from_bytes(digest[at : at + _BYTES], "big") for at in range(0, len(digest), _BYTES)]
        return self._left.pop() % bound

    def one(self, items: Sequence[Item]) -> Item:
        """Draw one of some items."""
        return items[self.below(len(items))]

    def is_under(self, share: float) -> bool:
        """Draw whether something of that share happens."""
        return self.below(1_000_000) < share * 1_000_000
