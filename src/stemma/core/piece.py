"""A reading with its language, as the forms and the checks of their values see it, and where signs stand in it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from stemma.core.language_table import Language
from stemma.core.reading import Reading
from stemma.core.tokens import Token, TokenKind

# Signs that stand inside a noun phrase or beside a value and end neither.
_HARMLESS = "-'\"`)+%*_’&"


@dataclass(frozen=True)
class Piece:
    """A reading with its language, and where signs stand in it."""

    reading: Reading
    language: Language

    @property
    def tokens(self) -> tuple[Token, ...]:
        """Give the tokens left for the forms."""
        return self.reading.tokens

    @cached_property
    def sign_ends(self) -> frozenset[int]:
        """Give the ends of the tokens that a sign follows in the clause as written."""
        kept = {token.end for token in self.reading.tokens}
        ends: set[int] = set()
        last = 0
        for token in self.reading.says:
            if token.kind is TokenKind.SIGN and token.raw not in _HARMLESS:
                # What was taken out before the sign ("any more,") ends nothing: the word before it does.
                ends.add(last)
            elif token.end in kept:
                last = token.end
        return frozenset(ends - {0})
