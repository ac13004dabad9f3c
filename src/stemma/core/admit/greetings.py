"""Whether what is said to an assistant asks for anything: a greeting, thanks or a laugh alone does not."""

from __future__ import annotations

from typing import Final

from stemma.core.language_table import Language
from stemma.core.laughs import is_laugh
from stemma.core.rules import Rules
from stemma.core.sentences import phrase_at
from stemma.core.tokens import Token, TokenKind, tokenise

_SAYING_NOTHING: Final = ("openers", "closings", "trailers", "praise", "laughs")
_MOST_WORDS: Final = 8


def asks_nothing(query: str, rules: Rules) -> bool:
    """Say whether one of the known languages reads all of a short query as greeting, thanks, praise or laughter.

    An interjection is told by its words, not by its language: "danke" alone is too little to know that by.
    """
    words = [token for token in tokenise(query) if token.kind is not TokenKind.SIGN and token.raw.strip()]
    if not 0 < len(words) <= _MOST_WORDS or any(token.kind is not TokenKind.WORD for token in words):
        return False
    return any(_covers(words, language) for language in rules.languages.values())


def _covers(words: list[Token], language: Language) -> bool:
    at = 0
    while at < len(words):
        used = max(phrase_at(words, at, language.phrases[name]) for name in _SAYING_NOTHING)
        if not used and not is_laugh(words[at].text):
            return False
        at += used or 1
    return True
