"""Times of day in words: `quarter to ten`, `halb zehn`, `las tres de la tarde`. Dates are no part of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stemma.core.number_words import number_words
from stemma.core.numerals import Numerals
from stemma.core.sections import Phrase, list_of, phrase_of, table_of, word_of
from stemma.core.tokens import Token, TokenKind, value_token, word_at
from stemma.core.written_numbers import TIME, read_written
from stemma.errors import InvalidLanguage

PERIODS = ("am", "pm", "night", "noon")
_POINTED = re.compile(r"(\d{1,2})[.,:](\d\d)")
Table = dict[str, tuple[tuple[Phrase, int | str], ...]]


@dataclass(frozen=True, slots=True, eq=False)
class ClockWords:
    """How a language says a time of day: words before and after the hour, parts of the day, hours with a name."""

    before: Table
    after: Table
    periods: Table
    named: Table
    leads: frozenset[Phrase]
    hour_leads: frozenset[str]
    minutes: frozenset[str]
    later: frozenset[str]
    earlier: frozenset[str]
    hours: frozenset[str]
    starters: frozenset[str]


def parse_clock(mapping: Mapping[str, Any], code: str) -> ClockWords:
    """Validate and fold the section on times of day, or raise InvalidLanguage naming the field."""
    section = table_of(mapping, "clock_words", code)
    before, after = _minutes(section, "before", code), _minutes(section, "after", code)
    named = _table(section, "named", code, str)
    periods = _table(section, "periods", code, str)
    for listed in periods.values():
        for _, period in listed:
            if period not in PERIODS:
                raise InvalidLanguage(f"{code}.clock_words.periods has {period!r}", field=f"{code}.clock_words.periods")
    return ClockWords(
        before=before,
        after=after,
        periods=periods,
        named=named,
        leads=frozenset(map(phrase_of, list_of(section, "leads", code))),
        hour_leads=frozenset(map(word_of, list_of(section, "hour_leads", code))),
        minutes=frozenset(map(word_of, list_of(section, "minutes", code))),
        later=frozenset(map(word_of, list_of(section, "later", code))),
        earlier=frozenset(map(word_of, list_of(section, "earlier", code))),
        hours=frozenset(map(word_of, list_of(mapping, "clock", code))),
        starters=frozenset((*before, *periods, *named)),
    )


def clock_at(
    tokens: Sequence[Token],
    at: int,
    before: Sequence[Token],
    clock: ClockWords,
    numerals: Numerals,
    closed: frozenset[str],
) -> tuple[Token, int] | None:
    """Read the time of day that begins at a token, with the number of tokens it takes.

    `before` are the tokens read already, `closed` the words that no number counts.
    """
    if (hit := _match(tokens, at, clock.named)) is not None:
        return value_token(tokens, at, hit[1], TIME, str(hit[0])), hit[1]
    here, period, shift = at, "", 0
    if (hit := _match(tokens, here, clock.periods)) is not None:
        period, here = str(hit[0]), here + hit[1]
        here += word_at(tokens, here) in numerals.date_links
    is_said = False
    if (hit := _match(tokens, here, clock.before)) is not None:
        shift, here, is_said = int(hit[0]), here + hit[1], True
    found = _hour(tokens, here, numerals)
    if found is None:
        return None
    hour, minute, used, is_complete = found
    is_said = is_said or (tokens[here].text.endswith("h") and bool(before) and before[-1].text in clock.hour_leads)
    here += used
    if not is_complete and not is_said and word_at(tokens, here) in (clock.later | clock.earlier):
        # "ten past nine": what was read are the minutes.
        sign = 1 if word_at(tokens, here) in clock.later else -1
        if (turned := _hour(tokens, here + 1, numerals)) is None or turned[3]:
            return None
        shift, hour, here, is_said = sign * hour, turned[0], here + 1 + turned[2], True
    here, minute, shift, by_word = _behind(tokens, here, (minute, shift), clock, numerals)
    is_said = is_said or by_word
    hit = _match(tokens, here, clock.periods)
    if hit is not None and _hour(tokens, here + hit[1], numerals) is None:
        # In "bus 24 सुबह 6 बजे" the part of the day belongs to what follows it.
        period, here = str(hit[0]), here + hit[1]
    is_led = _is_led(before, clock) and (_stands_alone(tokens, here) or word_at(tokens, here) in closed)
    if not (is_said or period or is_complete or is_led) or hour > 24 or minute > 59:
        return None
    return value_token(tokens, at, here - at, TIME, _canonical(hour, minute + shift, period)), here - at


def _behind(
    tokens: Sequence[Token], here: int, at_first: tuple[int, int], clock: ClockWords, numerals: Numerals
) -> tuple[int, int, int, bool]:
    """Read what stands behind the hour: `Uhr 30`, `heures et demie`, `y media`, `点半`."""
    minute, shift = at_first
    is_said = False
    if word_at(tokens, here) in clock.hours:
        here, is_said = here + 1, True
        found = _hour(tokens, here, numerals, most=59)
        follows = word_at(tokens, here + found[2]) if found is not None else ""
        if found is not None and not found[3] and (follows in clock.minutes or _stands_alone(tokens, here + found[2])):
            here, minute = here + found[2] + (follows in clock.minutes), found[0]
    if (hit := _match(tokens, here, clock.after)) is not None:
        shift, here, is_said = int(hit[0]), here + hit[1], True
        here += word_at(tokens, here) in clock.hours
    return here, minute, shift, is_said


def _hour(tokens: Sequence[Token], at: int, numerals: Numerals, most: int = 24) -> tuple[int, int, int, bool] | None:
    """Read an hour in figures or words: (hour, minute, tokens, whether it is a whole time already)."""
    if at >= len(tokens):
        return None
    token = tokens[at]
    if token.kind is TokenKind.NUMBER:
        type_, canonical, amount, rest = read_written(token.raw, numerals.decimal, numerals.month_first)
        if type_ == TIME:
            return int(canonical[:2]), int(canonical[3:]), 1, True
        if (match := _POINTED.fullmatch(token.text)) and int(match[1]) < 25 and int(match[2]) < 60 and most == 24:
            # 14.30 is a time only where a word says so.
            return int(match[1]), int(match[2]), 1, False
        if amount is None or rest not in ("", "h") or amount != int(amount) or not 0 <= amount <= most:
            return None
        return int(amount), 0, 1, False
    if token.kind is TokenKind.VALUE and token.type == TIME:
        return int(token.canonical[:2]), int(token.canonical[3:]), 1, True
    ordinal = numerals.hour_names.get(token.text) if token.kind is TokenKind.WORD else None
    if ordinal is not None:
        return ordinal, 0, 1, False
    found = number_words(tokens, at, numerals) if token.kind is TokenKind.WORD else None
    if found is None or found[0] != int(found[0]) or not 0 <= found[0] <= most:
        return None
    return int(found[0]), 0, found[1], False


def _canonical(hour: int, minutes: int, period: str) -> str:
    if (period == "pm" and hour < 12) or (period == "night" and 6 <= hour < 12) or (period == "noon" and hour < 5):
        hour += 12
    elif period in ("am", "night") and hour == 12:
        hour = 0
    total = (hour * 60 + minutes) % (24 * 60)
    return f"{total // 60:02}:{total % 60:02}"


def _is_led(before: Sequence[Token], clock: ClockWords) -> bool:
    texts = tuple(token.text for token in before[-2:])
    return bool(texts) and (texts[-1:] in clock.leads or texts in clock.leads)


def _stands_alone(tokens: Sequence[Token], at: int) -> bool:
    """Say whether nothing stands here that a number could count."""
    return at >= len(tokens) or tokens[at].kind is not TokenKind.WORD


def _match(tokens: Sequence[Token], at: int, table: Table) -> tuple[int | str, int] | None:
    for phrase, meaning in table.get(tokens[at].text, ()) if at < len(tokens) else ():
        if tuple(token.text for token in tokens[at : at + len(phrase)]) == phrase:
            return meaning, len(phrase)
    return None


def _minutes(section: Mapping[str, Any], name: str, code: str) -> Table:
    return _table(section, name, code, int)


def _table(section: Mapping[str, Any], name: str, code: str, of: Callable[[Any], int | str]) -> Table:
    found: dict[str, list[tuple[Phrase, int | str]]] = {}
    for words, meaning in table_of(section, name, f"{code}.clock_words").items():
        phrase = phrase_of(words)
        found.setdefault(phrase[0], []).append((phrase, of(meaning)))
    return {first: tuple(sorted(listed, key=lambda each: -len(each[0]))) for first, listed in found.items()}
