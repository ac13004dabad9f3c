"""Near copies: a signature of a text, how alike two signatures say the texts are, and the keys that find candidates.

The signature is the bottom-k sketch of Broder's resemblance (k smallest hashes of the texts' word shingles).
"""

from __future__ import annotations

import hashlib
import heapq
from typing import Final

from stemma.core.analyse import fold, words

# Four words in a row: rewording any of them changes four of a text's shingles, so one changed word in a hundred leaves
# 0.92, and two texts on one subject by different hands share next to none.
SHINGLE_WORDS: Final = 4
# Kept hashes; a text with fewer shingles is compared exactly, a longer one with a standard error of at most 0.045.
KEPT: Final = 128
# Smallest hashes that serve as keys. Texts at the threshold share none with a probability below 10**-9.
KEYS: Final = 12
# From here on two documents are near copies of each other.
NEAR_COPY: Final = 0.8
_BYTES: Final = 8


def signature(text: str) -> bytes:
    """Give the signature of a text: equal for texts of equal words in equal order, empty for one without words."""
    found = list(_units(text))
    size = min(SHINGLE_WORDS, len(found))
    if not size:
        return b""
    shingles = {"\0".join(found[at : at + size]) for at in range(len(found) - size + 1)}
    hashes = (hashlib.blake2b(one.encode(), digest_size=_BYTES).digest() for one in shingles)
    return b"".join(heapq.nsmallest(KEPT, hashes))


def likeness(one: bytes, other: bytes) -> float:
    """Estimate the share of shingles that two texts have in common, 0 to 1; exact for texts of few shingles."""
    left, right = set(_hashes(one)), set(_hashes(other))
    smallest = heapq.nsmallest(KEPT, left | right)
    return sum(found in left and found in right for found in smallest) / len(smallest) if smallest else 0.0


def bands(signed: bytes) -> tuple[int, ...]:
    """Give the keys under which near copies meet, as signed 64-bit integers; texts that share one are candidates."""
    return tuple(int.from_bytes(found, "big", signed=True) for found in _hashes(signed)[:KEYS])


def _hashes(signed: bytes) -> list[bytes]:
    return [signed[at : at + _BYTES] for at in range(0, len(signed), _BYTES)]


def _units(text: str) -> list[str]:
    """List folded words; a run of a script without spaces gives its characters."""
    found: list[str] = []
    for word in words(text):
        folded = fold(word.text)
        found.extend(folded if word.is_unspaced else [folded])
    return found
