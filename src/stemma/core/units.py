"""Units, currencies and the canonical text of an amount. Words of a language for them stand with the language."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from stemma.errors import InvalidLanguage

# How much of a common measure the bases of one type are, near enough to tell whether two amounts may be one.
_ABOUT = {
    "length": {"m": "1", "mile": "1609.344", "foot": "0.3048"},
    "mass": {"g": "1", "lb": "453.59237"},
    "volume": {"l": "1", "gal": "3.785"},
    "duration": {"ms": "1", "day": "86400000", "month": "2629800000"},
    "size": {"B": "1", "kB": "1000", "KiB": "1024", "MB": "1000000", "GB": "1000000000", "TB": "1000000000000"},
    "temperature": {"°C": "1", "°F": "0"},
}
_MEASURES = {base: (type_, Decimal(much)) for type_, bases in _ABOUT.items() for base, much in bases.items()}
_NEAR = Decimal("0.03")
_CLOCK = re.compile(r"(\d\d):(\d\d)")
_HALF_DAY = 12
_FAHRENHEIT, _ZERO, _NINTHS, _FIFTHS = "°F", 32, 9, 5

MONEY = "money"
NUMBER = "number"
CENT = "cent"
PENCE = "pence"


@dataclass(frozen=True, slots=True)
class Unit:
    """One unit: amounts of equal `base` compare by number once multiplied by `factor`."""

    name: str
    type: str
    base: str
    factor: Decimal


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """All units by name and by sign, and currencies by sign and code. Signs keep their case: `m` is not `M`."""

    by_name: dict[str, Unit]
    by_sign: dict[str, Unit]
    currency_of: dict[str, str]


def parse_units(mapping: Mapping[str, object]) -> Units:
    """Validate the table of units and currencies, or raise InvalidLanguage naming the field."""
    by_name: dict[str, Unit] = {}
    by_sign: dict[str, Unit] = {}
    for name, fields in _section(mapping, "units").items():
        where = f"units.{name}"
        if not isinstance(fields, Mapping) or set(fields) != {"type", "base", "factor", "signs"}:
            raise InvalidLanguage(f"{where} needs type, base, factor and signs", field=where)
        by_name[name] = Unit(name, str(fields["type"]), str(fields["base"]), _factor(fields["factor"], where))
        by_sign.update(dict.fromkeys(_texts(fields["signs"], where), by_name[name]))
    currency_of: dict[str, str] = {}
    for code, signs in _section(mapping, "currencies").items():
        currency_of[code] = code
        currency_of.update(dict.fromkeys(_texts(signs, f"currencies.{code}"), code))
    return Units(by_name, by_sign, currency_of)


def plain(amount: Decimal) -> str:
    """Write a number without exponent and trailing zeros: 2.90 and 2.9 are one text."""
    text = f"{amount:f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def quantity(amount: Decimal, unit: Unit) -> tuple[str, str]:
    """Give type and canonical text of an amount in its unit's base; whole degrees Celsius for Fahrenheit."""
    if unit.base == _FAHRENHEIT and (amount - _ZERO) * _FIFTHS % _NINTHS == 0:
        return unit.type, f"{plain((amount - _ZERO) * _FIFTHS / _NINTHS)} °C"
    gap = "" if unit.base == "%" else " "
    return unit.type, f"{plain(amount * unit.factor)}{gap}{unit.base}"


def about_equal(ones: Sequence[str], others: Sequence[str]) -> bool:
    """Say whether canonical values may be one: 8 km for 5 miles, a month for 30 days, 4:30 for 16:30."""
    return len(ones) == len(others) and all(
        one == other or _is_about(one, other) for one, other in zip(ones, others, strict=True)
    )


def _is_about(one: str, other: str) -> bool:
    if (clock := _CLOCK.fullmatch(one)) and (second_clock := _CLOCK.fullmatch(other)):
        # "Half past four" says no half of the day; whole hours are told with it where it matters: "6 am".
        is_half_day = abs(int(clock[1]) - int(second_clock[1])) == _HALF_DAY
        return is_half_day and clock[2] == second_clock[2] != "00"
    (amount, base), (second, other_base) = _parted(one), _parted(other)
    measure, other_measure = _MEASURES.get(base), _MEASURES.get(other_base)
    if base == other_base or amount is None or second is None or measure is None or other_measure is None:
        return False
    (type_, much), (other_type, other_much) = measure, other_measure
    first, last = amount * much, second * other_much
    if type_ == "temperature":
        first, last = _celsius(amount, base), _celsius(second, other_base)
    return type_ == other_type and abs(first - last) <= _NEAR * max(abs(first), abs(last))


def _celsius(amount: Decimal, base: str) -> Decimal:
    return (amount - _ZERO) * _FIFTHS / _NINTHS if base == _FAHRENHEIT else amount


def _parted(canonical: str) -> tuple[Decimal | None, str]:
    amount, _, base = canonical.partition(" ")
    try:
        return Decimal(amount), base
    except InvalidOperation:
        return None, ""


def money(amount: Decimal, code: str) -> tuple[str, str]:
    """Give type and canonical text of an amount of money; cents without a currency stay cents."""
    return MONEY, f"{plain(amount)} {code}"


def _section(mapping: Mapping[str, object], name: str) -> Mapping[str, object]:
    section = mapping.get(name, {})
    if not isinstance(section, Mapping):
        raise InvalidLanguage(f"{name} must be a table", field=name)
    return section


def _texts(value: object, where: str) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise InvalidLanguage(f"{where} must be a list of texts", field=where)
    return value


def _factor(value: object, where: str) -> Decimal:
    try:
        return Decimal(str(value))
    except InvalidOperation as error:
        raise InvalidLanguage(f"{where}.factor is {value!r}; a number", field=f"{where}.factor") from error
