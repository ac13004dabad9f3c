"""Values that only a frame as a whole shows: rates (`per minute`), how many times, none, one written as an article."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from stemma.core.sections import Phrase, list_of, phrase_of, table_of, word_of
from stemma.core.tokens import Token, TokenKind, value_token
from stemma.core.units import NUMBER, Unit, Units, plain, quantity
from stemma.core.written_numbers import DATE, TIME
from stemma.errors import InvalidLanguage

# The amount of what is said of all there are: it contests none of it, and no other number.
EVERY = "all"
RATE, TIMES, WEEKDAY, STOREY = "rate", "times", "weekday", "storey"
# So many words stand between a verb and the storey: "is on the".
_MOST_LEADS = 3
_UNITS_OF_TIME = ("second", "minute", "hour", "day", "week", "month", "year")
Phrases = Mapping[str, tuple[Phrase, ...]]


@dataclass(frozen=True, slots=True, eq=False)
class LateWords:
    """The words by which a language says a rate, a count of times, none, one, and what leads a date or time."""

    per: Phrases
    per_after_value: Phrases
    rates: dict[Phrase, str]
    often: dict[str, Decimal]
    times: frozenset[str]
    none: frozenset[str]
    all: frozenset[str]
    articles: frozenset[str]
    partitives: frozenset[str]
    limiters: Phrases
    moment_leads: frozenset[str]
    date_leads: frozenset[str]
    ordinals: dict[str, str]
    storeys: frozenset[str]
    unit_names: Mapping[str, str]
    units: Units


def parse_late(mapping: Mapping[str, Any], unit_names: Mapping[str, str], units: Units, code: str) -> LateWords:
    """Validate and fold the section on rates and counts, or raise InvalidLanguage naming the field."""
    section = table_of(mapping, "late", code)

    def words(name: str) -> frozenset[str]:
        return frozenset(map(word_of, list_of(section, name, f"{code}.late")))

    try:
        often = {word_of(word): Decimal(str(n)) for word, n in table_of(section, "often", f"{code}.late").items()}
    except InvalidOperation as error:
        raise InvalidLanguage(f"{code}.late.often must map words to numbers", field=f"{code}.late.often") from error
    rates = {
        phrase_of(phrase): unit
        for unit, listed in table_of(section, "rates", f"{code}.late").items()
        for phrase in listed
    }
    return LateWords(
        per=_phrases(list_of(section, "per", code)),
        per_after_value=_phrases(list_of(section, "per_after_value", code)),
        rates=rates,
        often=often,
        times=words("times"),
        none=words("none"),
        all=words("all"),
        articles=words("articles"),
        partitives=words("partitives"),
        limiters=_phrases(list_of(section, "limiters", code)),
        moment_leads=words("moment_leads"),
        date_leads=words("date_leads"),
        ordinals={
            word_of(word): number
            for number, listed in table_of(section, "ordinals", f"{code}.late").items()
            for word in str(listed).split()
        },
        storeys=words("storeys"),
        unit_names=unit_names,
        units=units,
    )


def with_late_values(tokens: Sequence[Token], late: LateWords) -> list[Token]:
    """Type what the frame as a whole shows to be a value, and leave out what only joins a value to its noun."""
    found: list[Token] = []
    at, had_value = 0, False
    while at < len(tokens):
        taken = _late_at(tokens, at, found[-1:], had_value, late)
        token, used = (tokens[at], 1) if taken is None else taken
        if token is not None:
            found.append(token)
            had_value = had_value or token.kind is TokenKind.VALUE
        at += used
    return _with_one(found, late)


def with_storey(tokens: Sequence[Token], joints: tuple[frozenset[str], ...], late: LateWords) -> Sequence[Token]:
    """Read which storey something is on as a value, where no other value is told: "our office is on the third floor".

    `joints` are the words that say where something is.
    """
    if not any(token.text in late.storeys for token in tokens) or any(
        token.kind is TokenKind.VALUE for token in tokens
    ):
        return tokens
    for at, token in enumerate(tokens[1:-1], start=1):
        if token.text in late.ordinals and tokens[at + 1].text in late.storeys:
            before = tokens[max(0, at - _MOST_LEADS) : at]
            is_placed = any(each.text in words for each in before for words in joints)
            if is_placed:
                return [*tokens[:at], value_token(tokens, at, 1, STOREY, late.ordinals[token.text]), *tokens[at + 1 :]]
    return tokens


def limits_value(tokens: Sequence[Token], at: int, late: LateWords) -> bool:
    """Say whether a word only limits the value behind it: `only 3`, `nur noch einmal`."""
    for begin in range(max(0, at - 2), at + 1):
        for phrase in late.limiters.get(tokens[begin].text, ()):
            end = begin + len(phrase)
            is_here = begin <= at < end < len(tokens) and tokens[end].kind is TokenKind.VALUE
            if is_here and tuple(each.text for each in tokens[begin:end]) == phrase:
                return True
    return False


def with_all(tokens: Sequence[Token], late: LateWords) -> Sequence[Token]:
    """Read a statement of all there are, or of none, as one of an amount: "all our vans", "nenhum contrato"."""
    amount = EVERY if tokens and tokens[0].text in late.all else "0" if tokens and tokens[0].text in late.none else ""
    is_amount = amount and len(tokens) > 2 and tokens[0].kind is tokens[1].kind is TokenKind.WORD
    return [value_token(tokens, 0, 1, NUMBER, amount), *tokens[1:]] if is_amount else tokens


def _late_at(
    tokens: Sequence[Token], at: int, last: Sequence[Token], had_value: bool, late: LateWords
) -> tuple[Token | None, int] | None:
    token = tokens[at]
    follower = tokens[at + 1] if at + 1 < len(tokens) else None
    if token.kind is TokenKind.VALUE:
        if token.type == NUMBER and follower is not None and follower.text in late.times:
            return value_token(tokens, at, 2, TIMES, token.canonical), 2
        return None
    if token.kind is not TokenKind.WORD:
        return None
    if token.text in late.often:
        return value_token(tokens, at, 1, TIMES, plain(late.often[token.text])), 1
    if (rate := _rate(tokens, at, had_value, late)) is not None:
        return rate
    if last and last[0].kind is TokenKind.VALUE and token.text in late.partitives and follower is not None:
        return None, 1
    leads = 0
    while at + leads < len(tokens) and tokens[at + leads].text in late.moment_leads:
        leads += 1
    if leads and at + leads < len(tokens) and tokens[at + leads].type in (DATE, TIME, WEEKDAY):
        return None, leads
    if token.text in late.none and follower is not None and follower.kind is TokenKind.WORD:
        return value_token(tokens, at, 1, NUMBER, "0"), 1
    return None


def _rate(tokens: Sequence[Token], at: int, had_value: bool, late: LateWords) -> tuple[Token, int] | None:
    """Read `per minute`, `im Monat`, `a day` behind an amount, `monthly` behind an amount."""
    for phrase, unit in late.rates.items():
        if (had_value or len(phrase) > 1) and tuple(each.text for each in tokens[at : at + len(phrase)]) == phrase:
            return value_token(tokens, at, len(phrase), RATE, unit), len(phrase)
    for table, is_open in ((late.per, True), (late.per_after_value, had_value)):
        for phrase in table.get(tokens[at].text, ()) if is_open else ():
            size = len(phrase)
            if tuple(each.text for each in tokens[at : at + size]) != phrase:
                continue
            unit_of_time = _time_unit(tokens, at + size, late)
            is_ordinal = not had_value and unit_of_time is not None and unit_of_time.name == "second"
            if unit_of_time is not None and not is_ordinal:
                return value_token(tokens, at, size + 1, RATE, unit_of_time.name), size + 1
    is_behind = had_value and tokens[at - 1].kind is TokenKind.VALUE
    if is_behind and (unit_of_time := _time_unit(tokens, at, late)) is not None:
        return value_token(tokens, at, 1, RATE, unit_of_time.name), 1
    return None


def _time_unit(tokens: Sequence[Token], at: int, late: LateWords) -> Unit | None:
    if at >= len(tokens) or tokens[at].kind is not TokenKind.WORD:
        return None
    if at + 1 < len(tokens) and tokens[at + 1].kind in (TokenKind.VALUE, TokenKind.NAME):
        # "im Jahr 2020" is no rate.
        return None
    name = late.unit_names.get(tokens[at].text)
    return late.units.by_name[name] if name in _UNITS_OF_TIME else None


def _unit_of_one(tokens: Sequence[Token], at: int, late: LateWords, has_rate: bool) -> Unit | None:
    """Give the unit that an article counts one of: any unit of time, and beside a rate any other ("a litre a day")."""
    unit = _time_unit(tokens, at, late)
    if unit is not None or not has_rate or at >= len(tokens) or tokens[at].kind is not TokenKind.WORD:
        return unit
    name = late.unit_names.get(tokens[at].text)
    return late.units.by_name[name] if name else None


def _with_one(tokens: list[Token], late: LateWords) -> list[Token]:
    """Read an article as one: before a unit of time ("a year"), and before what a rate counts ("a coffee a day")."""
    articles = late.articles
    if not any(token.text in articles for token in tokens):
        return tokens
    counts = any(token.type in (NUMBER, TIMES) or token.kind is TokenKind.NUMBER for token in tokens)
    has_rate = any(token.type == RATE for token in tokens)
    amounts = any(token.kind is TokenKind.VALUE and token.type != RATE for token in tokens)
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        is_article = token.kind is TokenKind.WORD and token.text in articles
        if is_article and at + 1 < len(tokens) and tokens[at + 1].text in late.times:
            found.append(value_token(tokens, at, 2, TIMES, "1"))
            at += 2
            continue
        unit = _unit_of_one(tokens, at + 1, late, has_rate) if is_article else None
        if unit is not None:
            found.append(value_token(tokens, at, 2, *quantity(Decimal(1), unit)))
            amounts = True
            at += 3 if at + 3 < len(tokens) and tokens[at + 2].text in late.partitives else 2
            continue
        if is_article and has_rate and not counts and not amounts and at + 1 < len(tokens):
            token, amounts = value_token(tokens, at, 1, NUMBER, "1"), True
        found.append(token)
        at += 1
    return found


def _phrases(listed: Sequence[str]) -> Phrases:
    found: dict[str, list[Phrase]] = {}
    for phrase in sorted(map(phrase_of, listed), key=len, reverse=True):
        found.setdefault(phrase[0], []).append(phrase)
    return {first: tuple(each) for first, each in found.items()}
