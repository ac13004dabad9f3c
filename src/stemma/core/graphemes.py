"""Where a text may be cut without cutting what a reader sees as one character (UAX 29)."""

from __future__ import annotations

from typing import Final

import regex

# A cluster longer than any real one ("stream-safe", UAX 15, allows 30 marks) is cut like other text.
LONGEST: Final = 64
# What can join two code points into one cluster; a text without any of it may be cut anywhere.
_JOINS = regex.compile(
    r"\r\n|[\p{Grapheme_Extend}\p{M}\u200c\u200d\p{Emoji_Modifier}\p{Regional_Indicator}\u0e33\u0eb3"
    r"\p{Grapheme_Cluster_Break=Prepend}\p{Grapheme_Cluster_Break=V}\p{Grapheme_Cluster_Break=T}]"
)
_CLUSTER = regex.compile(r"\X")


class Graphemes:
    """The places of one text at which it must not be cut."""

    def __init__(self, text: str) -> None:
        """Find them; a text of plain characters costs one search."""
        self._inside: frozenset[int] = frozenset()
        if _JOINS.search(text) is not None:
            self._inside = frozenset(
                at
                for found in _CLUSTER.finditer(text)
                if 1 < found.end() - found.start() <= LONGEST
                for at in range(found.start() + 1, found.end())
            )

    def allows(self, at: int) -> bool:
        """Say whether the text may be cut before the code point at this place."""
        return at not in self._inside

    def before(self, at: int) -> int:
        """Give the last place at or before this one where the text may be cut."""
        while at in self._inside:
            at -= 1
        return at

    def after(self, at: int) -> int:
        """Give the first place at or after this one where the text may be cut."""
        while at in self._inside:
            at += 1
        return at
