"""Typed values in a token list: amounts, money, dates, versions; what is a value and what an identity (SPEC R-35)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal

from stemma.core.claims import VALUE_SEPARATOR
from stemma.core.clock_words import clock_at
from stemma.core.day_ranges import with_day_ranges
from stemma.core.language_table import Language
from stemma.core.number_words import number_words
from stemma.core.numerals import Numerals
from stemma.core.releases import RELEASED
from stemma.core.tokens import Token, TokenKind, value_token, word_at
from stemma.core.units import CENT, MONEY, NUMBER, PENCE, money, plain, quantity
from stemma.core.written_dates import (
    date_by_signs,
    date_from_day,
    date_in_figures,
    day_behind,
    is_year,
    month_at,
    month_in_figures,
)
from stemma.core.written_numbers import DATE, TIME, VERSION, clock_text, read_written

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
WEEKDAY = "weekday"
# Type of a number that names something; its digits stand in the frame as an identity.
IDENTITY = "identity"
# What says only that a number follows, alone or with a point behind it.
_NUMBER_MARKS = frozenset({"nr", "nº", "n°", "№", "núm", "nro"})
_SHORT_MARKS = frozenset({"no", "n", "num"})
_AFTER_MARK = frozenset(".°º")
# Two numbers joined by a dash are one name where one of them has so many digits: 2024-118, but not 9-17.
_LEAST_NAMING = 3


def read_values(tokens: Sequence[Token], language: Language) -> list[Token]:
    """Join and type the tokens that are values: `30 days`, `3 May 2026`, `two`, `$5`; the rest stays as it is."""
    found: list[Token] = []
    at = 0
    tokens = with_day_ranges(tokens, language.numerals)
    starters = language.numerals.starters | language.clock.starters
    for place, token in enumerate(tokens):
        if place < at:
            continue
        if token.kind is TokenKind.NUMBER or token.text in starters or (token.raw.isupper() and len(token.raw) <= 3):
            token, used = _value_at(tokens, place, found, language)
            at = place + used
            if token.type == IDENTITY:
                token, at = _whole_number(tokens, token, at, language)
                del found[len(found) - _number_mark(found) :]
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
    numerals, clock = language.numerals, language.clock
    word = token.text if token.kind is TokenKind.WORD else ""
    if word in numerals.months and (found := month_at(tokens, at, before, language)) is not None:
        return found
    if word in numerals.percent_leads and (found := _after_percent(tokens, at, language)) is not None:
        return found
    if token.text.isdecimal() and (found := date_from_day(tokens, at, Decimal(token.text), numerals)) is not None:
        # "De 3 a 7 de agosto": a day before a month is no hour.
        return found
    if not word or word in numerals.numbers or word in clock.starters or word in numerals.hour_names:
        found = clock_at(tokens, at, before, clock, numerals, language.closed)
        if found is not None and not _is_amount(tokens, at, before, found[1], language):
            return found
    if token.kind is TokenKind.NUMBER:
        return _number_at(tokens, at, before, language)
    if word in numerals.weekdays:
        return value_token(tokens, at, 1, WEEKDAY, WEEKDAYS[numerals.weekdays[word] - 1]), 1
    if word in numerals.days and (found := date_from_day(tokens, at, numerals.days[word], numerals)) is not None:
        return found
    if word in numerals.numbers and (found := _in_words(tokens, at, before, language)) is not None:
        return found
    if word and token.raw.isupper() and (found := _after_currency(tokens, at, language)) is not None:
        return found
    if word and len(token.raw) == 1 and token.is_capitalised and before and word not in language.words["me"]:
        # "Server A": a letter that names, not an article.
        return token._replace(kind=TokenKind.NAME, type=IDENTITY), 1
    return token, 1


def _is_amount(tokens: Sequence[Token], at: int, before: Sequence[Token], used: int, language: Language) -> bool:
    """Say whether hours are a span and no time of day, `3 horas`, or the number is of what follows: `morgens 10 mg`."""
    last = tokens[at + used - 1].text
    if at + used < len(tokens) and tokens[at + used].raw in language.units.by_sign and last.isdecimal() and used == 2:
        return True
    if used != 2 or last not in language.clock.hours or last not in language.numerals.units:
        return False
    lead = before[-1].text if before else ""
    return lead not in language.clock.hour_leads and (lead,) not in language.clock.leads


def _after_currency(tokens: Sequence[Token], at: int, language: Language) -> tuple[Token, int] | None:
    """Read an amount behind the code of its currency: `EUR 850`."""
    code = language.units.currency_of.get(tokens[at].raw)
    if code is None or at + 1 >= len(tokens) or tokens[at + 1].kind is not TokenKind.NUMBER:
        return None
    numerals = language.numerals
    _, _, amount, rest = read_written(tokens[at + 1].raw, numerals.decimal, numerals.month_first)
    return None if amount is None or rest else (value_token(tokens, at, 2, *money(amount, code)), 2)


def _number_at(tokens: Sequence[Token], at: int, before: Sequence[Token], language: Language) -> tuple[Token, int]:
    token = tokens[at]
    numerals = language.numerals
    if numerals.space_groups and (grouped := _spaced(tokens, at)) is not None:
        joined, used = _number_at([grouped, *tokens[at + 2 :]], 0, before, language)
        return joined, used + 1
    type_, canonical, amount, rest = read_written(token.raw, numerals.decimal, numerals.month_first)
    if type_:
        return value_token(tokens, at, 1, type_, canonical), 1
    if (dated := date_in_figures(tokens, at, before, language)) is not None:
        return dated, 1
    if (month := month_in_figures(tokens, at)) is not None:
        return month, 3
    if amount is None:
        return token._replace(kind=TokenKind.WORD), 1
    if rest in numerals.ordinals and rest:
        found = date_from_day(tokens, at, amount, numerals)
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


def _with_sign(tokens: Sequence[Token], at: int, amount: Decimal, rest: str, language: Language) -> tuple[Token, int]:
    """Read a number with something attached: a unit, a currency, a scale; else it is a word such as 3x."""
    numerals = language.numerals
    if rest in language.units.currency_of:
        amount, used = _scaled(tokens, at + 1, amount, numerals)
        return value_token(tokens, at, 1 + used, *money(amount, language.units.currency_of[rest])), 1 + used
    if rest in ("c", "¢", "ct"):
        return value_token(tokens, at, 1, *money(amount, CENT)), 1
    if rest == "p" and numerals.has_pence:
        return value_token(tokens, at, 1, *money(amount, PENCE)), 1
    if rest.lower() in ("k", "mio", "m", "bn") and not (rest == "m" and "m" in language.units.by_sign):
        zeros = {"k": 3, "mio": 6, "m": 6, "bn": 9}[rest.lower()]
        return _measured(tokens, at, 1, amount.scaleb(zeros), language)
    if rest.lower() in numerals.meridiem:
        return value_token(tokens, at, 1, TIME, clock_text(int(amount), 0, rest[0].lower())), 1
    unit = language.units.by_sign.get(rest)
    if unit is None:
        name = numerals.units.get(rest.lower())
        unit = language.units.by_name.get(name) if name else None
    if unit is None:
        return tokens[at]._replace(kind=TokenKind.WORD), 1
    return value_token(tokens, at, 1, *quantity(amount, unit)), 1


def _bare(
    tokens: Sequence[Token], at: int, amount: Decimal, before: Sequence[Token], language: Language
) -> tuple[Token, int]:
    """Read a number with nothing attached by what follows and precedes it."""
    numerals = language.numerals
    if (found := date_from_day(tokens, at, amount, numerals)) is not None:
        return found
    if (found := date_by_signs(tokens, at, amount, numerals)) is not None:
        return found
    if (found := day_behind(tokens, at, amount, before)) is not None:
        return found
    following = word_at(tokens, at + 1)
    if following in numerals.meridiem:
        return value_token(tokens, at, 2, TIME, clock_text(int(amount), 0, following[0])), 2
    if following in numerals.label_units and not before and at + 2 < len(tokens):
        # `3号仓库` names a store; behind anything else 号 is a day of the month.
        return tokens[at]._replace(kind=TokenKind.NAME, type=IDENTITY), 1
    amount, used = _scaled(tokens, at + 1, amount, numerals)
    measured, taken = _measured(tokens, at, 1 + used, amount, language)
    if measured.type != NUMBER or used:
        return measured, taken
    if is_year(tokens[at], before, language):
        return value_token(tokens, at, 1, DATE, tokens[at].text), 1
    if _is_release(tokens, at, before, language):
        return value_token(tokens, at, 1, VERSION, tokens[at].text), 1
    if _is_label(tokens, at, before, language):
        return tokens[at]._replace(kind=TokenKind.NAME, type=IDENTITY), 1
    if "." in tokens[at].raw and before and before[-1].kind is TokenKind.WORD and before[-1].is_capitalised:
        return value_token(tokens, at, 1, VERSION, tokens[at].text), 1
    return measured, taken


def _measured(tokens: Sequence[Token], at: int, used: int, amount: Decimal, language: Language) -> tuple[Token, int]:
    """Take in a unit or currency that follows; without one it is a number."""
    numerals = language.numerals
    if at + used < len(tokens) and tokens[at + used].kind is TokenKind.WORD:
        follower = tokens[at + used]
        if per := _percent_sign(tokens, at + used, numerals):
            return value_token(tokens, at, used + per, *quantity(amount, language.units.by_name["percent"])), used + per
        if follower.text in numerals.cents:
            return value_token(tokens, at, used + 1, *money(amount, CENT)), used + 1
        pair = f"{follower.text} {word_at(tokens, at + used + 1)}"
        if (code := numerals.currencies.get(pair)) is not None:
            # "18 US dollars" and "18 dollars" are one amount.
            return value_token(tokens, at, used + 2, *money(amount, code)), used + 2
        code = numerals.currencies.get(follower.text) or (
            language.units.currency_of.get(follower.raw) if follower.raw.isupper() else None
        )
        if code is not None:
            return value_token(tokens, at, used + 1, *money(amount, code)), used + 1
        name = numerals.units.get(follower.text)
        unit = language.units.by_name.get(name) if name else language.units.by_sign.get(follower.raw)
        if unit is not None:
            return value_token(tokens, at, used + 1, *quantity(amount, unit)), used + 1
    return value_token(tokens, at, used, NUMBER, plain(amount)), used


def _percent_sign(tokens: Sequence[Token], at: int, numerals: Numerals) -> int:
    """Give how many tokens say percent here: `Prozent`, `pour cent`."""
    words = tuple(token.text for token in tokens[at : at + 2])
    return next((size for size in (2, 1) if words[:size] in numerals.percent and len(words) >= size), 0)


def _after_percent(tokens: Sequence[Token], at: int, language: Language) -> tuple[Token, int] | None:
    """Read a percentage that says so before its amount: `百分之二十`."""
    words = number_words(tokens, at + 1, language.numerals)
    if at + 1 < len(tokens) and tokens[at + 1].kind is TokenKind.NUMBER:
        _, _, amount, rest = read_written(tokens[at + 1].raw, language.numerals.decimal, False)
        words = (amount, 1) if amount is not None and not rest else None
    if words is None:
        return None
    amount, used = words
    return value_token(tokens, at, used + 1, *quantity(amount, language.units.by_name["percent"])), used + 1


def _in_words(
    tokens: Sequence[Token], at: int, before: Sequence[Token], language: Language
) -> tuple[Token, int] | None:
    """Read a number in words: `two`, `twenty one`, `a dozen`; `one` only where a noun follows it."""
    numerals = language.numerals
    if before and tokens[at].is_capitalised:
        return None
    read = number_words(tokens, at, numerals)
    if read is None:
        return None
    amount, used = read
    if (found := date_from_day(tokens, at, amount, numerals, used)) is not None:
        return found
    if (found := date_by_signs(tokens, at, amount, numerals, used)) is not None:
        return found
    is_content = at + used < len(tokens) and _is_content(tokens[at + used], language)
    if amount == 1 and used == 1 and (not is_content or _is_pointed_at(before, language)):
        return None
    if used == 1 and tokens[at].text in numerals.counting_only and not _is_counter(tokens, at + 1, language):
        return None
    return _measured(tokens, at, used, amount, language)


def _is_counter(tokens: Sequence[Token], at: int, language: Language) -> bool:
    """Say whether a word follows that makes a single sign of number a number: `三` alone is part of a name."""
    word, numerals = word_at(tokens, at), language.numerals
    return word in numerals.counters or word in numerals.units or word in numerals.currencies


def _is_pointed_at(before: Sequence[Token], language: Language) -> bool:
    return bool(before) and (before[-1].text in language.words["determiners"] or before[-1].text in ("no", "this"))


def _scaled(tokens: Sequence[Token], at: int, amount: Decimal, numerals: Numerals) -> tuple[Decimal, int]:
    """Give an amount with the scales behind it, and how many tokens they take: `3 million`, `8万5千`, `3万5000`."""
    total, part, here = Decimal(0), amount, at
    while (scale := numerals.scales.get(word_at(tokens, here))) is not None:
        total = total + part * scale if part else total * scale
        part, here = Decimal(0), here + 1
        follower = tokens[here] if here < len(tokens) else None
        if follower is None or not re.fullmatch(r"[1-9]\d*", follower.text) or Decimal(follower.text) >= scale:
            break
        if follower.start > tokens[here - 1].end and word_at(tokens, here + 1) not in numerals.scales:
            break
        part, here = Decimal(follower.text), here + 1
    return total + part, here - at


def _is_release(tokens: Sequence[Token], at: int, before: Sequence[Token], language: Language) -> bool:
    """Say whether a number says which release of a product is meant, where the statement is not of that release."""
    if len(before) < 2 or before[-1].text not in RELEASED:
        return False
    return at + 1 == len(tokens) or not _is_content(tokens[at + 1], language)


def _whole_number(tokens: Sequence[Token], token: Token, at: int, language: Language) -> tuple[Token, int]:
    """Take the parts behind a dash into a number that names: invoice 2024-118."""
    while at + 1 < len(tokens) and tokens[at].raw in ("-", "‐", "‑", "/") and tokens[at].start == token.end:
        part = tokens[at + 1]
        is_long = max(len(part.raw), len(token.raw)) >= _LEAST_NAMING
        if part.start != tokens[at].end or not part.raw.isdecimal() or not is_long:
            break
        raw = f"{token.raw}-{part.raw}"
        token, at = token._replace(text=raw, raw=raw, end=part.end), at + 2
    return token, at


def _number_mark(before: Sequence[Token]) -> int:
    """Give how many of the last tokens say only that a number follows: `Nr.`, `no.`, `n°`, `№`."""
    signs = next((at for at, token in enumerate(reversed(before)) if token.raw not in _AFTER_MARK), len(before))
    if signs > 2 or signs == len(before):
        return 0
    word = before[-1 - signs].raw.lower()
    return 1 + signs if word in _NUMBER_MARKS or (signs and word in _SHORT_MARKS) else 0


def _is_label(tokens: Sequence[Token], at: int, before: Sequence[Token], language: Language) -> bool:
    """Say whether a bare whole number names what the noun before it says: invoice 1001, shed 3 (SPEC R-35)."""
    if marked := _number_mark(before):
        before = before[: len(before) - marked]
        is_noun = bool(before) and (before[-1].text in language.words["labels"] or _is_content(before[-1], language))
        return is_noun and tokens[at].text.isdecimal()
    if not before or not tokens[at].text.isdecimal():
        return False
    if len(before) > 1 and before[-2].text in language.words["ditransitive"]:
        return False
    if before[-1].text in language.words["labels"]:
        return True
    if not _is_content(before[-1], language):
        return False
    follower = word_at(tokens, at + 1)
    if follower in language.comparing.label_followers and before[-1].text not in language.comparing.speaking:
        # Without capitals and articles: `发票1001已经付清`, `송장 501은`.
        return True
    if language.names_by_article and len(before) == 2 and before[0].text in language.words["determiners"]:
        # "El bus 12 pasa": an article, its noun and a number begin the sentence with what they name.
        return True
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


__all__ = ["DATE", "IDENTITY", "MONEY", "NUMBER", "TIME", "VERSION", "WEEKDAY", "canonical_of", "read_values"]
