"""Dates among tokens: `3 May 2026`, `14.3.`, `am dritten Mai`, `10月25日`. Knows months and links, no windows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal

from stemma.core.language_table import Language
from stemma.core.number_words import number_words
from stemma.core.numerals import Numerals
from stemma.core.tokens import Token, TokenKind, value_token, word_at
from stemma.core.written_numbers import DATE, exists, read_written, western

# The signs of a date in the languages that write Chinese characters or Hangul.
_YEAR_SIGNS, _MONTH_SIGNS, _DAY_SIGNS = frozenset("年년"), frozenset("月월"), frozenset("日号號일")
# A month and a day, "--08-03", or more.
_DAY_TEXT = 7
_FIRST_YEAR, _LAST_YEAR, _MONTHS = 1000, 2999, 12
_MONTH_AND_YEAR = re.compile(r"(0?[1-9]|1[0-2])/((?:1[89]|20)\d\d)")
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
    if (day := _number(tokens, at + 1, numerals)) is not None:
        end = at + 1 + day[1]
        if word_at(tokens, end) in _DAY_SIGNS:
            return _dated(tokens, at, end + 1 - at, None, month, int(day[0]))
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


def date_by_signs(
    tokens: Sequence[Token], at: int, amount: Decimal, numerals: Numerals, used: int = 1
) -> tuple[Token, int] | None:
    """Read `5月3日`, `六月三号`, with `2026年` before them: the first number read already from `used` tokens."""
    year: int | None = None
    here = at + used
    if word_at(tokens, here) in _YEAR_SIGNS and _FIRST_YEAR <= amount <= _LAST_YEAR:
        year = int(amount)
        month_read = _number(tokens, here + 1, numerals)
        if month_read is None:
            return None
        amount, here = month_read[0], here + 1 + month_read[1]
    if word_at(tokens, here) not in _MONTH_SIGNS or amount != int(amount) or not 1 <= amount <= _MONTHS:
        return None
    day = _number(tokens, here + 1, numerals)
    if day is None or word_at(tokens, here + 1 + day[1]) not in _DAY_SIGNS:
        return None
    return _dated(tokens, at, here + 2 + day[1] - at, year, int(amount), int(day[0]))


def day_behind(tokens: Sequence[Token], at: int, amount: Decimal, before: Sequence[Token]) -> tuple[Token, int] | None:
    """Read the second day of a span that leaves its month out: `7일` behind `8월 3일부터`."""
    if len(before) < 2 or before[-2].type != DATE or before[-1].kind is TokenKind.VALUE or amount != int(amount):
        return None
    first = re.fullmatch(r"(.*-)\d\d", before[-2].canonical)
    if first is None or len(before[-2].canonical) < _DAY_TEXT or word_at(tokens, at + 1) not in _DAY_SIGNS:
        return None
    return value_token(tokens, at, 2, DATE, f"{first[1]}{int(amount):02}"), 2


def _number(tokens: Sequence[Token], at: int, numerals: Numerals) -> tuple[Decimal, int] | None:
    """Give a small whole number in figures or words, and how many tokens it takes."""
    if at >= len(tokens):
        return None
    raw = western(tokens[at].raw)
    return (Decimal(raw), 1) if re.fullmatch(r"\d{1,2}", raw) else number_words(tokens, at, numerals)


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


def month_in_figures(tokens: Sequence[Token], at: int) -> Token | None:
    """Read `04/2020`: a month and its year."""
    written = tokens[at : at + 3]
    if len(written) < 3 or written[1].raw != "/" or written[2].start != written[0].end + 1:
        return None
    match = _MONTH_AND_YEAR.fullmatch(f"{written[0].raw}/{written[2].raw}")
    return None if match is None else value_token(tokens, at, 3, DATE, f"{match[2]}-{int(match[1]):02}")


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
