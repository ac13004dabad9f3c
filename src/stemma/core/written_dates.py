"""Dates among tokens: `3 May 2026`, `14.3.`, `am dritten Mai`, `10月25日`. Knows months and links, no windows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal

from stemma.core.language_table import Language
from stemma.core.numerals import Numerals
from stemma.core.tokens import Token, TokenKind, value_token, word_at
from stemma.core.written_numbers import DATE, exists, read_written

_DAY_AND_MONTH = re.compile(r"(\d{1,2})[./](\d{1,2})")


def month_at(tokens: Sequence[Token], at: int, before: Sequence[Token], language: Language) -> tuple[Token, int] | None:
    """Read `May 3, 2026`, `May 2026`, and `May` alone after a preposition."""
    numerals = language.numerals
    month = numerals.months[tokens[at].text]
    if language.capitals and language.code == "en" and not tokens[at].is_capitalised:
        return None
    follower = tokens[at + 1] if at + 1 < len(tokens) else None
    if follower is not None and follower.kind is TokenKind.NUMBER:
        _, _, amount, rest = read_written(follower.raw, numerals.decimal, numerals.month_first)
        if amount is not None and (not rest or rest in numerals.ordinals) and amount == int(amount):
            if 1 <= amount <= 31:
                year, used = _year_after(tokens, at + 2, numerals)
                return _dated(tokens, at, 2 + used, year, month, int(amount))
            if 1000 <= amount <= 2999:
                return value_token(tokens, at, 2, DATE, f"{int(amount):04}-{month:02}"), 2
    year, used = _year_after(tokens, at + 1, numerals)
    if year is not None:
        return value_token(tokens, at, 1 + used, DATE, f"{year:04}-{month:02}"), 1 + used
    if before and (before[-1].text in language.words["prepositions"]):
        return value_token(tokens, at, 1, DATE, f"--{month:02}"), 1
    return None


def date_from_day(
    tokens: Sequence[Token], at: int, amount: Decimal, numerals: Numerals, used: int = 1
) -> tuple[Token, int] | None:
    """Read `3 May`, `3. Mai 2026`, `3 de mayo de 2026`, the day being read already from `used` tokens."""
    if not 1 <= amount <= 31 or amount != int(amount):
        return None
    following = at + used
    while following < len(tokens) and following <= at + used + 1 and tokens[following].text in numerals.date_links:
        following += 1
    month = numerals.months.get(word_at(tokens, following))
    if month is None:
        return None
    year, more = _year_after(tokens, following + 1, numerals)
    return _dated(tokens, at, following + 1 + more - at, year, month, int(amount))


def date_in_figures(tokens: Sequence[Token], at: int, before: Sequence[Token], language: Language) -> Token | None:
    """Read `14.3.` behind a word that leads a date, in a language that marks decimals with a comma."""
    numerals = language.numerals
    match = _DAY_AND_MONTH.fullmatch(tokens[at].raw)
    if match is None or numerals.month_first or not before:
        return None
    day, month = int(match[1]), int(match[2])
    is_led = before[-1].text in language.late.date_leads
    if "." in match[0] and (numerals.decimal != "," or not is_led):
        return None
    if not is_led or not exists(f"2024-{month:02}-{day:02}"):
        return None
    return value_token(tokens, at, 1, DATE, f"--{month:02}-{day:02}")


def is_year(token: Token, before: Sequence[Token], language: Language) -> bool:
    """Say whether a bare number behind a preposition is a year."""
    return (
        re.fullmatch(r"(?:1[89]|20|21)\d\d", token.text) is not None
        and bool(before)
        and before[-1].text in language.words["prepositions"]
    )


def _year_after(tokens: Sequence[Token], at: int, numerals: Numerals) -> tuple[int | None, int]:
    """Read a year that may stand behind a comma or a link word."""
    start = at
    while at < len(tokens) and at < start + 2 and (tokens[at].text in numerals.date_links or tokens[at].text == ","):
        at += 1
    if at < len(tokens) and tokens[at].kind is TokenKind.NUMBER and re.fullmatch(r"[12]\d{3}", tokens[at].text):
        return int(tokens[at].text), at + 1 - start
    return None, 0


def _dated(
    tokens: Sequence[Token], at: int, used: int, year: int | None, month: int, day: int
) -> tuple[Token, int] | None:
    if not exists(f"{year or 2024:04}-{month:02}-{day:02}"):
        return None
    canonical = f"--{month:02}-{day:02}" if year is None else f"{year:04}-{month:02}-{day:02}"
    return value_token(tokens, at, used, DATE, canonical), used
