"""A text as tokens with code-point spans: words, raw numbers, names in one piece, signs, line ends. No language."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple

from stemma.core.folding import fold
from stemma.core.scripts import mark_class


class TokenKind(IntEnum):
    """What a token is, before a language has read it."""

    WORD = 1
    NUMBER = 2
    VALUE = 3
    NAME = 4
    SIGN = 5
    BREAK = 6


class Token(NamedTuple):
    """One token; `text` is folded, `raw` the exact slice. A VALUE carries its type and canonical form."""

    kind: TokenKind
    text: str
    start: int
    end: int
    raw: str
    type: str = ""
    canonical: str = ""

    @property
    def is_capitalised(self) -> bool:
        """Say whether the token begins with a capital."""
        return self.raw[:1].isupper()


_EXTENSIONS = (
    "py|js|ts|tsx|md|toml|json|jsonl|yaml|yml|txt|sql|sh|rs|go|c|h|cpp|java|kt|html|css|csv|pdf|docx|xml|ini|cfg|lock|"
    "com|org|net|io|dev|eu|de|fr|es|pt|uk"
)


def tokenise(text: str) -> list[Token]:
    """Cut a text into tokens, in order; blanks vanish, a line end is a token."""
    found: list[Token] = []
    for match in _pattern().finditer(text):
        group = match.lastgroup or "sign"
        raw = match[group]
        end = match.end()
        found.append(Token(_KINDS[group], _folded(raw), end - len(raw), end, raw))
    return found


_KINDS = {
    "break": TokenKind.BREAK,
    "name": TokenKind.NAME,
    "number": TokenKind.NUMBER,
    "word": TokenKind.WORD,
    "plain": TokenKind.WORD,
    "sign": TokenKind.SIGN,
}


def value_token(tokens: Sequence[Token], at: int, used: int, type_: str, canonical: str) -> Token:
    """Join tokens into one value of a type."""
    first, last = tokens[at], tokens[at + used - 1]
    raw = first.raw if used == 1 else " ".join(token.raw for token in tokens[at : at + used])
    return Token(TokenKind.VALUE, first.text, first.start, last.end, raw, type_, canonical)


def word_at(tokens: Sequence[Token], at: int) -> str:
    """Give the folded word that stands at a place, "" where there is none."""
    return tokens[at].text if at < len(tokens) and tokens[at].kind is TokenKind.WORD else ""


@lru_cache(maxsize=16384)
def _folded(raw: str) -> str:
    return fold(raw)


@lru_cache(maxsize=1)
def _pattern() -> re.Pattern[str]:
    inside = rf"[\w{mark_class()}]"
    return re.compile(
        rf"""
        [^\S\r\n]*(?:
        # Most words are plain; what could begin a longer piece is left to the alternatives below.
        (?P<plain>[A-Za-z]+(?:'[a-z]+)?(?=[ ]|[,.;:!?]?(?:\s|\Z)))
      | (?P<break>\r\n?|\n)
      | (?P<name>
            https?://[^\s<>()"]*[^\s<>()".,;:!?]
          | [\w.+-]{{1,64}}@[\w-]+(?:\.[\w-]+)+
          | `[^`\n]+`
          | "[^"\n]{{1,80}}" | “[^”\n]{{1,80}}” | «[^»\n]{{1,80}}» | „[^“”\n]{{1,80}}[“”]
          | (?<![\w/])(?:~|\.{{1,2}})?/[\w.-]*\w(?:/[\w.-]*\w)*/?
          | (?<![\w/.])[\w-]+(?:[./][\w-]+)*\.(?:{_EXTENSIONS})(?![\w])
          | \#\d+(?!\w)
          | \#[0-9A-Fa-f]{{3,8}}(?!\w)
          | (?<!\w)[A-Z][A-Z0-9]+-\d+(?![\w-])
          | (?<![\w-])[0-9a-f]{{8}}-[0-9a-f]{{4}}-[0-9a-f]{{4}}-[0-9a-f]{{4}}-[0-9a-f]{{12}}(?!\w)
          | (?<!\w)(?=[0-9a-f]*[a-f])(?=[a-f]*\d)[0-9a-f]{{7,40}}(?!\w)
        )
      | (?P<number>
            \d{{4}}-\d\d-\d\d(?:[Tt]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:[Zz]|[+-]\d\d:\d\d)?)?(?!\w)
          | \d{{1,2}}[./]\d{{1,2}}[./]\d{{4}}(?!\w)
          | \d{{1,2}}:\d\d(?::\d\d)?(?:\s?[ap]\.?\s?m\.?(?!\w))?
          | \d{{1,2}}\s?[ap]\.\s?m\.(?!\w)
          | (?<![\w.,:])\d{{1,2}}\s?h\s?[0-5]\d(?![\w:])
          | (?<!\w)v?\d+\.\d+\.\d+(?:[-.+]?[\w]+)*
          | (?<!\w)v\d+(?:\.\d+)*(?!\w)
          | (?:(?<![\w.)%])[-−+])?(?:(?<!\w)[A-Z]{{1,2}}\$\s?|[$€£¥₹₽₩]\s?)?
            (?:\d{{1,3}}(?:[\u00a0\u202f'’]\d{{3}})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,]\d+)*)
            (?:\s?[%‰¢€£¥₹₽₩]|\$(?!\w)|\s?°[CF]?(?!\w)|[^\W\d_µ]{{1,4}}(?!\w)|µs(?!\w)|(?!\w))
        )
      | (?P<word>[^\W_]{inside}*(?:['’ʼ][^\W\d_]{inside}*)*['’]?(?<![_]))
      | (?P<sign>[^\s])
        )
        """,
        re.VERBOSE,
    )
