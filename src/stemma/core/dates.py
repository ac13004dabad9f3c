"""Dates as index terms: of the moment a text was said, and of a question that names a date.

Expressions relative to now ("last week") are not resolved here; they add under .01 to ranking.
"""

import re
from collections.abc import Iterator
from datetime import date, datetime
from functools import lru_cache

from stemma.core.folding import fold
from stemma.text import utc

# The prefix holds a colon, which no word does, so a date never meets a word.
_PREFIX = "date:"
_MONTHS = {
    1: "january jan januar jänner janvier janv enero ene gennaio gen janeiro января январь يناير जनवरी",
    2: "february feb februar février févr febrero febbraio fevereiro fev февраля февраль فبراير फरवरी फ़रवरी",
    3: "march mar märz mars marzo março марта март مارس मार्च",
    4: "april apr avril abril abr aprile апреля апрель أبريل ابريل अप्रैल",
    5: "may mai mayo maggio maio мая май مايو मई",
    6: "june jun juni juin junio giugno junho июня июнь يونيو जून",
    7: "july jul juli juillet julio luglio julho июля июль يوليو जुलाई",
    8: "august aug août agosto августа август أغسطس अगस्त",
    9: "september sep sept septembre septiembre settembre setembro сентября сентябрь سبتمبر सितंबर सितम्बर",
    10: "october oct oktober okt octobre octubre ottobre outubro октября октябрь أكتوبر अक्टूबर",
    11: "november nov novembre noviembre novembro ноября ноябрь نوفمبر नवंबर नवम्बर",
    12: "december dec dezember dez décembre déc diciembre dic dicembre dezembro декабря декабрь ديسمبر दिसंबर दिसम्बर",
}
_SHARED_NAMES = frozenset({"may", "march", "mars", "mayo"})
_LEAST_LETTERS_ALONE = 4
_YEAR = r"(?P<y>(?:1[89]|20|21)\d\d)"
_DAY = r"(?P<d>[0-3]?\d)(?:st|nd|rd|th|er|º|ª|\.)?"
_LINK = r"[\s,]*(?:of|de|del|di|d'|года)?[\s,]*"


def date_terms(moment: datetime) -> list[str]:
    """Give the terms of a moment's day in UTC: day, month with year, month, year."""
    day = utc(moment).date()
    return [_day(day), *_month_of_year(day.year, day.month), _year(day.year)]


def date_terms_of_query(text: str) -> list[str]:
    """Give the terms of every date that a question names: day, month with year, month or year alone; none without one.

    A date with slashes and two readings (03/04/2026) gives the terms of both; with dots the day leads. A month without
    a year counts by its full name only, and not where that is another word as well (may, march).
    """
    rest = fold(text)
    found: dict[str, None] = {}
    for pattern in _patterns():
        for match in pattern.finditer(rest):
            found.update(dict.fromkeys(_terms_of(match)))
        rest = pattern.sub(" ", rest)
    return list(found)


def _terms_of(match: re.Match[str]) -> Iterator[str]:
    parts = match.groupdict()
    if "alone" in parts:
        yield _month(_month_numbers()[parts["alone"]])
        return
    year = int(parts["y"])
    if "a" in parts:
        readings = [(int(parts["a"]), int(parts["b"])), (int(parts["b"]), int(parts["a"]))]
        readings = readings[:1] if parts["separator"] == "." else readings
    elif "m" in parts:
        named = parts["m"]
        readings = [(int(parts.get("d") or 0), int(named) if named.isdecimal() else _month_numbers()[named])]
    else:
        readings = []
    for day, month in readings:
        if not 1 <= month <= 12:
            continue
        if "d" in parts or "a" in parts:
            whole = _valid_day(year, month, day)
            if whole is None:
                continue
            yield _day(whole)
        yield from _month_of_year(year, month)
    yield _year(year)


def _valid_day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


@lru_cache(maxsize=1)
def _patterns() -> tuple[re.Pattern[str], ...]:
    # Longest first: otherwise "av" would end where "avril" goes on. What one pattern takes, the next no longer sees.
    names = sorted(_month_numbers(), key=len, reverse=True)
    month = f"(?P<m>{'|'.join(map(re.escape, names))})(?!\\w)\\.?"
    alone = "|".join(re.escape(n) for n in names if len(n) >= _LEAST_LETTERS_ALONE and n not in _SHARED_NAMES)
    return tuple(
        re.compile(pattern)
        for pattern in (
            rf"(?<!\d){_YEAR}[-/.](?P<m>[01]?\d)[-/.](?P<d>[0-3]?\d)(?!\d)",
            rf"(?<!\d){_YEAR}\s*[年년]\s*(?P<m>[01]?\d)\s*[月월]\s*(?P<d>[0-3]?\d)\s*[日일]",
            rf"(?<!\d){_YEAR}\s*[年년]\s*(?P<m>[01]?\d)\s*[月월]",
            rf"(?<![\d.])(?P<a>[0-3]?\d)(?P<separator>[/.-])(?P<b>[0-3]?\d)(?P=separator){_YEAR}(?!\d)",
            rf"(?<!\d){_DAY}{_LINK}(?<!\w){month}{_LINK}{_YEAR}(?!\d)",
            rf"(?<!\w){month}[\s,]*{_DAY}{_LINK}{_YEAR}(?!\d)",
            rf"(?<!\d){_YEAR}[-/](?P<m>[01]\d)(?![\d/-])",
            rf"(?<!\w){month}{_LINK}{_YEAR}(?!\d)",
            rf"(?<![\w.,$€£]){_YEAR}(?![\w%]|[.,]\d)",
            rf"(?<!\d){_YEAR}(?=[年년])",
            rf"(?<!\w)(?P<alone>{alone})(?!\w)",
        )
    )


@lru_cache(maxsize=1)
def _month_numbers() -> dict[str, int]:
    return {fold(name): number for number, names in _MONTHS.items() for name in names.split()}


def _day(day: date) -> str:
    return f"{_PREFIX}{day.isoformat()}"


def _month_of_year(year: int, month: int) -> tuple[str, str]:
    return f"{_PREFIX}{year:04}-{month:02}", _month(month)


def _month(month: int) -> str:
    return f"{_PREFIX}-{month:02}"


def _year(year: int) -> str:
    return f"{_PREFIX}{year:04}"
