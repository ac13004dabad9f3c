"""How a language writes numbers, dates, units and money in words, validated and folded. Reads no text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from stemma.core.sections import Phrase, list_of, phrase_of, table_of, word_of
from stemma.errors import InvalidLanguage


@dataclass(frozen=True, slots=True, eq=False)
class Numerals:
    """How a language writes numbers, dates and amounts in words.

    `percent` stands behind an amount, `percent_leads` before it; `ranges` are the words around the first of two days.
    """

    decimal: str
    space_groups: bool
    numbers: dict[str, Decimal]
    scales: dict[str, Decimal]
    months: dict[str, int]
    weekdays: dict[str, int]
    weekday_plurals: frozenset[str]
    units: dict[str, str]
    currencies: dict[str, str]
    cents: frozenset[str]
    percent: frozenset[Phrase]
    percent_leads: frozenset[str]
    clock: frozenset[str]
    meridiem: dict[str, int]
    ordinals: frozenset[str]
    date_links: frozenset[str]
    month_first: bool
    starters: frozenset[str]
    joiners: frozenset[str]
    units_first: bool
    vigesimal: bool
    days: dict[str, Decimal]
    hour_names: dict[str, int]
    label_units: frozenset[str]
    counters: frozenset[str]
    counting_only: frozenset[str]
    has_pence: bool
    ranges: tuple[Phrase, ...]


def parse_numerals(mapping: Mapping[str, Any], code: str) -> Numerals:
    """Validate and fold what a language file says of numbers, dates and amounts."""

    def names(section: str) -> dict[str, str]:
        return {word_of(word): name for name, listed in table_of(mapping, section, code).items() for word in listed}

    numbers = _amounts(mapping, "numbers", code) | _counted(mapping, "count_from_zero", code)
    months, days = _ordered(mapping, "months", code), _counted(mapping, "days_from_zero", code)
    hours = {word: int(hour) for word, hour in _counted(mapping, "hours_from_zero", code).items()}
    weekdays = _ordered(mapping, "weekdays", code)
    leads = frozenset(map(word_of, list_of(mapping, "percent_leads", code)))
    return Numerals(
        decimal=str(mapping.get("decimal", ".")),
        space_groups=bool(mapping.get("space_groups", False)),
        numbers=numbers,
        scales=_amounts(mapping, "scales", code),
        months=months,
        weekdays=weekdays,
        weekday_plurals=frozenset(map(word_of, list_of(mapping, "weekday_plurals", code))),
        units=names("units"),
        currencies=names("currencies"),
        cents=frozenset(map(word_of, list_of(mapping, "cents", code))),
        percent=frozenset(map(phrase_of, list_of(mapping, "percent", code))),
        percent_leads=leads,
        clock=frozenset(map(word_of, list_of(mapping, "clock", code))),
        meridiem={word_of(key): int(value) for key, value in table_of(mapping, "meridiem", code).items()},
        ordinals=frozenset(map(word_of, list_of(mapping, "ordinals", code))),
        date_links=frozenset(map(word_of, list_of(mapping, "date_links", code))),
        month_first=bool(mapping.get("month_first", False)),
        starters=frozenset((*numbers, *months, *weekdays, *days, *hours, *leads)),
        joiners=frozenset(map(word_of, list_of(mapping, "joiners", code))),
        units_first=bool(mapping.get("units_first", False)),
        vigesimal=bool(mapping.get("vigesimal", False)),
        days=days,
        hour_names=hours,
        label_units=frozenset(map(word_of, list_of(mapping, "label_units", code))),
        counters=frozenset(map(word_of, list_of(mapping, "counters", code))),
        counting_only=frozenset(map(word_of, list_of(mapping, "counting_only", code))),
        has_pence=bool(mapping.get("has_pence", False)),
        ranges=_pairs(mapping, "ranges", code),
    )


def _amounts(mapping: Mapping[str, Any], section: str, code: str) -> dict[str, Decimal]:
    try:
        return {word_of(word): Decimal(str(value)) for word, value in table_of(mapping, section, code).items()}
    except InvalidOperation as error:
        raise InvalidLanguage(f"{code}.{section} must map words to numbers", field=f"{code}.{section}") from error


def _pairs(mapping: Mapping[str, Any], section: str, code: str) -> tuple[Phrase, ...]:
    pairs = tuple(map(phrase_of, list_of(mapping, section, code)))
    if any(len(pair) < 2 for pair in pairs):
        raise InvalidLanguage(f"{code}.{section} must list two words or more", field=f"{code}.{section}")
    return pairs


def _counted(mapping: Mapping[str, Any], section: str, code: str) -> dict[str, Decimal]:
    """Number the words of a list from 0; each entry may hold several names separated by blanks, `-` holds none."""
    return {
        word_of(name): Decimal(number)
        for number, names in enumerate(list_of(mapping, section, code))
        for name in names.split()
        if name != "-"
    }


def _ordered(mapping: Mapping[str, Any], section: str, code: str) -> dict[str, int]:
    """Number the names of months or weekdays from 1; each line of the list may hold several names."""
    return {
        word_of(name): number
        for number, names in enumerate(list_of(mapping, section, code), start=1)
        for name in names.split()
    }
