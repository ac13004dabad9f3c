"""One written number: an amount, a time of day, a date, a version; what is attached to it. Looks at no other token."""

from __future__ import annotations

import re
import unicodedata
from datetime import date
from decimal import Decimal
from functools import lru_cache

DATE, TIME, VERSION = "date", "time", "version"

_ISO = re.compile(r"\d{4}-\d\d-\d\d([Tt].*)?")
_CLOCK = re.compile(r"(\d{1,2}):(\d\d)(?::(\d\d))?\s?(?:([ap])\.?\s?m\.?)?", re.IGNORECASE)
_HOUR = re.compile(r"(\d{1,2})\s?([ap])\.\s?m\.?", re.IGNORECASE)
_H_CLOCK = re.compile(r"(\d{1,2})\s?h\s?(\d\d)")
_VERSION = re.compile(r"v\d[\w.+-]*|\d+\.\d+\.\d+[\w.+-]*", re.IGNORECASE)
_NUMERIC_DATE = re.compile(r"(\d{1,2})[./](\d{1,2})[./](\d{4})")
_AMOUNT = re.compile(r"([-−+]?)([A-Z]{1,2}\$|[$€£¥₹₽₩])?\s?(\d[\d.,\u00a0\u202f'’]*)\s?(\D*)", re.DOTALL)
_MOST_DIGITS = 40


@lru_cache(maxsize=4096)
def read_written(written: str, decimal: str, month_first: bool) -> tuple[str, str, Decimal | None, str]:
    """Read a written number: (type, canonical, -, -) if it is complete, else ("", "", amount, what is attached)."""
    raw = western(written)
    if match := _ISO.fullmatch(raw):
        return (DATE, raw[:10] if match[1] is None else raw.upper(), None, "") if exists(raw[:10]) else (
            "", "", None, "")  # fmt: skip
    if match := _CLOCK.fullmatch(raw):
        return TIME, clock_text(int(match[1]), int(match[2]), (match[4] or "").lower()), None, ""
    if match := _HOUR.fullmatch(raw):
        return TIME, clock_text(int(match[1]), 0, match[2].lower()), None, ""
    if (match := _H_CLOCK.fullmatch(raw)) and int(match[1]) < 25 and int(match[2]) < 60:
        return TIME, clock_text(int(match[1]), int(match[2]), ""), None, ""
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


def western(text: str) -> str:
    """Write the decimal digits of any script, and the marks among Arabic ones, as ASCII."""
    if text.isascii():
        return text
    marked = text.replace("٫", ".").replace("٬", ",")
    return "".join(str(unicodedata.decimal(char)) if char.isdecimal() else char for char in marked)


def clock_text(hour: int, minute: int, half: str) -> str:
    """Give the canonical text of a time of day; `half` is a (before noon), p (after it) or empty."""
    if half == "p" and hour < 12:
        hour += 12
    elif half == "a" and hour == 12:
        hour = 0
    return f"{hour:02}:{minute:02}"


def exists(text: str) -> bool:
    """Say whether an ISO date is one of the calendar."""
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


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
    # In India groups of two stand before the last one: 1,20,000.
    is_indian = len(groups) > 2 and len(groups[-1]) == 3 and all(1 <= len(group) <= 2 for group in groups[:-1])
    if (is_grouped and (len(marks) > 1 or last != decimal)) or (is_indian and last != decimal):
        return Decimal("".join(groups))
    return Decimal(f"{whole}.{tail}") if len(marks) == 1 else None


def _numeric_date(match: re.Match[str], month_first: bool) -> str:
    first, second, year = int(match[1]), int(match[2]), int(match[3])
    # Written both ways in English: only a number over 12 says which one is the day.
    if month_first and first <= 12 and second <= 12 and first != second and "/" in match[0]:
        return match[0]
    day, month = (second, first) if month_first and second > 12 else (first, second)
    canonical = f"{year:04}-{month:02}-{day:02}"
    return canonical if exists(canonical) else match[0]
