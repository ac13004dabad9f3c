"""Numbers in words: `twenty-four`, `treinta y cinco`, `quatre-vingt-dix`. What follows them is `values`'."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from stemma.core.numerals import Numerals
from stemma.core.tokens import Token, TokenKind, word_at

_LARGE = 1000
_SCORE = 20


def number_words(tokens: Sequence[Token], at: int, numerals: Numerals) -> tuple[Decimal, int] | None:
    """Give the number whose words begin here and how many tokens they take, None where none begins."""
    total, part, last, here, used = Decimal(0), Decimal(0), Decimal(0), at, 0
    while here < len(tokens):
        word = word_at(tokens, here)
        scale, number = numerals.scales.get(word), numerals.numbers.get(word)
        if scale is not None and (used or number is not None):
            if scale >= _LARGE:
                total, part = total + (part if used else Decimal(1)) * scale, Decimal(0)
            else:
                # 320 in Chinese is 3·100 + 2·10: a scale multiplies what was read since the last one.
                part += (last or Decimal(1)) * scale - last
            last = Decimal(0)
        elif numerals.vigesimal and used and last == 4 and number == _SCORE:
            # quatre-vingts
            part, last = part + 76, Decimal(80)
        elif number is not None and (
            not used or (_fits(part, number, numerals) and not _is_unit(tokens, here, numerals))
        ):
            part, last = part + number, last + number
        else:
            here = _joiner(tokens, here, numerals) if used else len(tokens)
            number = numerals.numbers.get(word_at(tokens, here))
            is_score = numerals.vigesimal and last == 4 and number == _SCORE
            if number is None or not (is_score or _fits(part, number, numerals)):
                break
            continue
        here += 1
        used = here - at
    return (total + part, used) if used else None


def _is_unit(tokens: Sequence[Token], at: int, numerals: Numerals) -> bool:
    """Say whether a word that is a number as well stands as the unit: 일 of `삼십 일`, apart and at the end."""
    return tokens[at].text in numerals.units and tokens[at].start > tokens[at - 1].end


def _joiner(tokens: Sequence[Token], at: int, numerals: Numerals) -> int:
    """Step over a joiner or hyphen between two parts of one number; past the end where none stands here."""
    token = tokens[at]
    is_hyphen = token.kind is TokenKind.SIGN and token.raw in "-‐‑" and token.start == tokens[at - 1].end
    return at + 1 if is_hyphen or token.text in numerals.joiners else len(tokens)


def _fits(part: Decimal, number: Decimal, numerals: Numerals) -> bool:
    """Say whether a number can be added to a part: four to twenty, ten to sixty in French, not three to two."""
    if part == 0:
        return True
    whole = int(part)
    if numerals.units_first and whole < 10 and number in (20, 30, 40, 50, 60, 70, 80, 90):
        return True
    if numerals.vigesimal and whole % 100 in (60, 80):
        return 0 < number < 20
    free = next((size for size in (1_000_000, 1000, 100, 10) if whole % size == 0), 1)
    return 0 < number < free
