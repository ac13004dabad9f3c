"""Typed values in a token list: amounts, money, dates, versions; what is a value and what an identity (SPEC R-35)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from functools import lru_cache

from stemma.core.claims import VALUE_SEPARATOR
from stemma.core.language_table import Language
from stemma.core.numerals import Numerals
from stemma.core.tokens import Token, TokenKind
from stemma.core.units import CENT, MONEY, NUMBER, money, plain, quantity

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
DATE, TIME, VERSION, WEEKDAY = "date", "time", "version", "weekday"
# Type of a number that names something; its digits stand in the frame as an identity.
IDENTITY = "identity"

_ISO = re.compile(r"\d{4}-\d\d-\d\d([Tt].*)?")
_CLOCK = re.compile(r"(\d{1,2}):(\d\d)(?::(\d\d))?\s?(?:([ap])\.?m\.?)?", re.IGNORECASE)
_VERSION = re.compile(r"v\d[\w.+-]*|\d+\.\d+\.\d+[\w.+-]*", re.IGNORECASE)
_NUMERIC_DATE = re.compile(r"(\d{1,2})[./](\d{1,2})[./](\d{4})")
_AMOUNT = re.compile(r"([-−+]?)(US\$|R\$|[$€£¥₹])?\s?(\d[\d.,\u00a0\u202f'’]*)\s?(\D*)", re.DOTALL)
_MOST_DIGITS = 40


def read_values(tokens: Sequence[Token], language: Language) -> list[Token]:
    """Join and type the tokens that are values: `30 days`, `3 May 2026`, `two`, `$5`; the rest stays as it is."""
    found: list[Token] = []
    at = 0
    starters = language.numerals.starters
    for place, token in enumerate(tokens):
        if place < at:
            continue
        if token.kind is TokenKind.NUMBER or token.text in starters or (len(token.raw) == 1 and token.raw.isupper()):
            token, used = _value_at(tokens, place, found, language)
            at = place + used
        found.append(token)
    return found


def canonical_of(tokens: Sequence[Token]) -> str:
    """Give the canonical text of a whole value: typed values joined, else the folded words joined by blanks."""
    real = [token for token in tokens if token.kind not in (TokenKind.SIGN, TokenKind.BREAK)]
    if real and all(token.kind is TokenKind.VALUE for token in real):
        return VALUE_SEPARATOR.join(token.canonical for token in real)
    return " ".join(token.canonical or bare_name(token.text) for token in real)


def bare_name(text: str) -> str:
    """Give a name without the quotation or code marks around it."""
    return text.strip('`"“”«»„ ') or text


def _value_at(tokens: Sequence[Token], at: int, before: Sequence[Token], language: Language) -> tuple[Token, int]:
    """Give the token that begins here and the number of tokens it takes."""
    token = tokens[at]
    if token.kind is TokenKind.NUMBER:
        return _number_at(tokens, at, before, language)
    if token.kind is TokenKind.WORD:
        numerals = language.numerals
        word = token.text
        if word in numerals.months and (found := _month_at(tokens, at, before, language)) is not None:
            return found
        if word in numerals.weekdays:
            return _join(tokens, at, 1, WEEKDAY, WEEKDAYS[numerals.weekdays[word] - 1]), 1
        if word in numerals.numbers and (found := _words_at(tokens, at, before, language)) is not None:
            return found
        if len(token.raw) == 1 and token.is_capitalised and before and word not in language.words["me"]:
            # "Server A": a letter that names, not an article.
            return token._replace(kind=TokenKind.NAME, type=IDENTITY), 1
    return token, 1


def _number_at(tokens: Sequence[Token], at: int, before: Sequence[Token], language: Language) -> tuple[Token, int]:
    token = tokens[at]
    numerals = language.numerals
    if numerals.space_groups and (grouped := _spaced(tokens, at)) is not None:
        joined, used = _number_at([grouped, *tokens[at + 2 :]], 0, before, language)
        return joined, used + 1
    type_, canonical, amount, rest = _read(token.raw, numerals.decimal, numerals.month_first)
    if type_:
        return _join(tokens, at, 1, type_, canonical), 1
    if amount is None:
        return token._replace(kind=TokenKind.WORD), 1
    if rest in numerals.ordinals and rest:
        found = _date_from_day(tokens, at, amount, numerals)
        return found if found is not None else (token._replace(kind=TokenKind.WORD), 1)
    if rest:
        return _with_sign(tokens, at, amount, rest, language)
    return _bare(tokens, at, amount, before, language)


def _spaced(tokens: Sequence[Token], at: int) -> Token | None:
    """Join `1 234,50`, grouped by a common blank, into one number."""
    first, second = tokens[at], tokens[at + 1] if at + 1 < len(tokens) else None
    if second is None or second.start != first.end + 1 or not re.fullmatch(r"[1-9]\d{0,2}", first.raw):
        return None
    if second.kind is not TokenKind.NUMBER or not re.fullmatch(r"\d{3}(?:,\d+)?(?:\s?[%€$£])?", second.raw):
        return None
    raw = first.raw + second.raw
    return first._replace(text=raw, raw=raw, end=second.end)


@lru_cache(maxsize=4096)
def _read(raw: str, decimal: str, month_first: bool) -> tuple[str, str, Decimal | None, str]:
    """Read a written number: (type, canonical, -, -) if it is complete, else ("", "", amount, what is attached)."""
    if match := _ISO.fullmatch(raw):
        return (DATE, raw[:10] if match[1] is None else raw.upper(), None, "") if _exists(raw[:10]) else (
            "", "", None, "")  # fmt: skip
    if match := _CLOCK.fullmatch(raw):
        return TIME, _clock(int(match[1]), int(match[2]), (match[4] or "").lower()), None, ""
    if match := _NUMERIC_DATE.fullmatch(raw):
        return DATE, _numeric_date(match, month_first), None, ""
    if _VERSION.fullmatch(raw):
        return VERSION, raw.lower().removeprefix("v"), None, ""
    match = _AMOUNT.fullmatch(raw)
    if match is None or len(raw) > _MOST_DIGITS:
        return "", "", None, ""
    amount = _decimal(match[3], decimal)
    if amount is None:
        return VERSION, raw.lower(), None, ""
    amount = -amount if match[1] in ("-", "−") else amount
    return "", "", amount, f"{match[2] or ''}{match[4]}"


def _decimal(digits: str, decimal: str) -> Decimal | None:
    """Read grouped digits by the language's decimal mark; None where the grouping makes no sense."""
    digits = re.sub("[\u00a0\u202f'’]", "", digits).rstrip(".,")
    marks = [mark for mark in digits if mark in ".,"]
    if not marks:
        return Decimal(digits)
    last = marks[-1]
    whole, _, tail = digits.rpartition(last)
    if len(set(marks)) == 2:
        return Decimal(whole.replace(".", "").replace(",", "") + "." + tail)
    groups = digits.split(last)
    is_grouped = all(len(group) == 3 for group in groups[1:]) and 1 <= len(groups[0]) <= 3 and groups[0] != "0"
    if is_grouped and (len(marks) > 1 or last != decimal):
        return Decimal("".join(groups))
    return Decimal(f"{whole}.{tail}") if len(marks) == 1 else None


def _with_sign(tokens: Sequence[Token], at: int, amount: Decimal, rest: str, language: Language) -> tuple[Token, int]:
    """Read a number with something attached: a unit, a currency, a scale; else it is a word such as 3x."""
    numerals = language.numerals
    if rest in language.units.currency_of:
        scale, used = _scale(tokens, at + 1, numerals)
        return _join(tokens, at, 1 + used, *money(amount * scale, language.units.currency_of[rest])), 1 + used
    if rest in ("c", "¢", "ct"):
        return _join(tokens, at, 1, *money(amount, CENT)), 1
    if rest.lower() in ("k", "mio", "m", "bn") and not (rest == "m" and "m" in language.units.by_sign):
        zeros = {"k": 3, "mio": 6, "m": 6, "bn": 9}[rest.lower()]
        return _measured(tokens, at, 1, amount.scaleb(zeros), language)
    if rest.lower() in numerals.meridiem:
        return _join(tokens, at, 1, TIME, _clock(int(amount), 0, rest[0].lower())), 1
    unit = language.units.by_sign.get(rest)
    if unit is None:
        name = numerals.units.get(rest.lower())
        unit = language.units.by_name.get(name) if name else None
    if unit is None:
        return tokens[at]._replace(kind=TokenKind.WORD), 1
    return _join(tokens, at, 1, *quantity(amount, unit)), 1


def _bare(
    tokens: Sequence[Token], at: int, amount: Decimal, before: Sequence[Token], language: Language
) -> tuple[Token, int]:
    """Read a number with nothing attached by what follows and precedes it."""
    numerals = language.numerals
    if (found := _date_from_day(tokens, at, amount, numerals)) is not None:
        return found
    following = _word_after(tokens, at + 1)
    if following in numerals.meridiem:
        return _join(tokens, at, 2, TIME, _clock(int(amount), 0, following[0])), 2
    if following in numerals.clock and 0 <= amount < 25:
        return _join(tokens, at, 2, TIME, _clock(int(amount), 0, "")), 2
    scale, used = _scale(tokens, at + 1, numerals)
    measured, taken = _measured(tokens, at, 1 + used, amount * scale, language)
    if measured.type != NUMBER or used:
        return measured, taken
    if _is_year(tokens[at], before, language):
        return _join(tokens, at, 1, DATE, tokens[at].text), 1
    if _is_label(tokens, at, before, language):
        return tokens[at]._replace(kind=TokenKind.NAME, type=IDENTITY), 1
    if "." in tokens[at].raw and before and before[-1].kind is TokenKind.WORD and before[-1].is_capitalised:
        return _join(tokens, at, 1, VERSION, tokens[at].text), 1
    return measured, taken


def _measured(tokens: Sequence[Token], at: int, used: int, amount: Decimal, language: Language) -> tuple[Token, int]:
    """Take in a unit or currency that follows; without one it is a number."""
    numerals = language.numerals
    if at + used < len(tokens) and tokens[at + used].kind is TokenKind.WORD:
        follower = tokens[at + used]
        if follower.text in numerals.percent:
            return _join(tokens, at, used + 1, *quantity(amount, language.units.by_name["percent"])), used + 1
        if follower.text in numerals.cents:
            return _join(tokens, at, used + 1, *money(amount, CENT)), used + 1
        code = numerals.currencies.get(follower.text) or (
            language.units.currency_of.get(follower.raw) if follower.raw.isupper() else None
        )
        if code is not None:
            return _join(tokens, at, used + 1, *money(amount, code)), used + 1
        name = numerals.units.get(follower.text)
        unit = language.units.by_name.get(name) if name else language.units.by_sign.get(follower.raw)
        if unit is not None:
            return _join(tokens, at, used + 1, *quantity(amount, unit)), used + 1
    return _join(tokens, at, used, NUMBER, plain(amount)), used


def _words_at(
    tokens: Sequence[Token], at: int, before: Sequence[Token], language: Language
) -> tuple[Token, int] | None:
    """Read a number in words: `two`, `twenty one`, `a dozen`; `one` only where a noun follows it."""
    numerals = language.numerals
    if before and tokens[at].is_capitalised:
        return None
    amount = numerals.numbers[tokens[at].text]
    used = 1
    following = _word_after(tokens, at + 1)
    if 20 <= amount < 100 and amount % 10 == 0 and 1 <= numerals.numbers.get(following, Decimal(0)) < 10:
        amount += numerals.numbers[following]
        used = 2
    if amount == 1 and (not following or not _is_content(tokens[at + 1], language) or _is_pointed_at(before, language)):
        return None
    scale, more = _scale(tokens, at + used, numerals)
    return _measured(tokens, at, used + more, amount * scale, language)


def _is_pointed_at(before: Sequence[Token], language: Language) -> bool:
    return bool(before) and (before[-1].text in language.words["determiners"] or before[-1].text in ("no", "this"))


def _scale(tokens: Sequence[Token], at: int, numerals: Numerals) -> tuple[Decimal, int]:
    scale = numerals.scales.get(_word_after(tokens, at))
    return (Decimal(1), 0) if scale is None else (scale, 1)


def _month_at(
    tokens: Sequence[Token], at: int, before: Sequence[Token], language: Language
) -> tuple[Token, int] | None:
    """Read `May 3, 2026`, `May 2026`, and `May` alone after a preposition."""
    numerals = language.numerals
    month = numerals.months[tokens[at].text]
    if language.capitals and language.code == "en" and not tokens[at].is_capitalised:
        return None
    follower = tokens[at + 1] if at + 1 < len(tokens) else None
    if follower is not None and follower.kind is TokenKind.NUMBER:
        _, _, amount, rest = _read(follower.raw, numerals.decimal, numerals.month_first)
        if amount is not None and (not rest or rest in numerals.ordinals) and amount == int(amount):
            if 1 <= amount <= 31:
                year, used = _year_after(tokens, at + 2, numerals)
                return _dated(tokens, at, 2 + used, year, month, int(amount))
            if 1000 <= amount <= 2999:
                return _join(tokens, at, 2, DATE, f"{int(amount):04}-{month:02}"), 2
    year, used = _year_after(tokens, at + 1, numerals)
    if year is not None:
        return _join(tokens, at, 1 + used, DATE, f"{year:04}-{month:02}"), 1 + used
    if before and (before[-1].text in language.words["prepositions"]):
        return _join(tokens, at, 1, DATE, f"--{month:02}"), 1
    return None


def _date_from_day(tokens: Sequence[Token], at: int, amount: Decimal, numerals: Numerals) -> tuple[Token, int] | None:
    """Read `3 May`, `3. Mai 2026`, `3 de mayo de 2026`, the day being read already."""
    if not 1 <= amount <= 31 or amount != int(amount):
        return None
    following = at + 1
    while following < len(tokens) and following <= at + 2 and tokens[following].text in numerals.date_links:
        following += 1
    month = numerals.months.get(_word_after(tokens, following))
    if month is None:
        return None
    year, used = _year_after(tokens, following + 1, numerals)
    return _dated(tokens, at, following + 1 + used - at, year, month, int(amount))


def _year_after(tokens: Sequence[Token], at: int, numerals: Numerals) -> tuple[int | None, int]:
    """Read a year that may stand behind a comma or a link word."""
    start = at
    while at < len(tokens) and at < start + 2 and (tokens[at].text in numerals.date_links or tokens[at].text == ","):
        at += 1
    if at < len(tokens) and tokens[at].kind is TokenKind.NUMBER and re.fullmatch(r"[12]\d{3}", tokens[at].raw):
        return int(tokens[at].raw), at + 1 - start
    return None, 0


def _dated(
    tokens: Sequence[Token], at: int, used: int, year: int | None, month: int, day: int
) -> tuple[Token, int] | None:
    if not _exists(f"{year or 2024:04}-{month:02}-{day:02}"):
        return None
    canonical = f"--{month:02}-{day:02}" if year is None else f"{year:04}-{month:02}-{day:02}"
    return _join(tokens, at, used, DATE, canonical), used


def _is_year(token: Token, before: Sequence[Token], language: Language) -> bool:
    return (
        re.fullmatch(r"(?:1[89]|20|21)\d\d", token.raw) is not None
        and bool(before)
        and before[-1].text in language.words["prepositions"]
    )


def _is_label(tokens: Sequence[Token], at: int, before: Sequence[Token], language: Language) -> bool:
    """Say whether a bare whole number names what the noun before it says: invoice 1001, shed 3 (SPEC R-35)."""
    if not before or not tokens[at].raw.isdecimal():
        return False
    if len(before) > 1 and before[-2].text in language.words["ditransitive"]:
        return False
    if before[-1].text in language.words["labels"]:
        return True
    if not _is_content(before[-1], language):
        return False
    is_counted = at + 1 < len(tokens) and _is_content(tokens[at + 1], language)
    # Where nouns are capitalised, a small letter before the number is no noun that it could label.
    return not is_counted and (language.capitals or before[-1].is_capitalised)


def _is_content(token: Token, language: Language) -> bool:
    """Say whether a token may be a noun: a word that no closed class and no list of verbs holds."""
    if token.kind is TokenKind.NAME:
        return True
    return (
        token.kind is TokenKind.WORD
        and token.text not in language.closed
        and token.text not in language.third
        and not (token.text in language.verbs and token.text not in language.words["noun_verbs"])
    )


def _word_after(tokens: Sequence[Token], at: int) -> str:
    return tokens[at].text if at < len(tokens) and tokens[at].kind is TokenKind.WORD else ""


def _join(tokens: Sequence[Token], at: int, used: int, type_: str, canonical: str) -> Token:
    first, last = tokens[at], tokens[at + used - 1]
    raw = first.raw if used == 1 else " ".join(token.raw for token in tokens[at : at + used])
    return Token(TokenKind.VALUE, first.text, first.start, last.end, raw, type_, canonical)


def _clock(hour: int, minute: int, half: str) -> str:
    if half == "p" and hour < 12:
        hour += 12
    elif half == "a" and hour == 12:
        hour = 0
    return f"{hour:02}:{minute:02}"


def _numeric_date(match: re.Match[str], month_first: bool) -> str:
    first, second, year = int(match[1]), int(match[2]), int(match[3])
    # Written both ways in English: only a number over 12 says which one is the day.
    if month_first and first <= 12 and second <= 12 and first != second and "/" in match[0]:
        return match[0]
    day, month = (second, first) if month_first and second > 12 else (first, second)
    canonical = f"{year:04}-{month:02}-{day:02}"
    return canonical if _exists(canonical) else match[0]


def _exists(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


__all__ = ["DATE", "IDENTITY", "MONEY", "NUMBER", "TIME", "VERSION", "WEEKDAY", "canonical_of", "read_values"]
