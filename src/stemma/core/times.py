"""Times and symbolic moments: strict RFC 3339, windows, and moments that a saying makes instants. Never a clock.

A moment is `anchor` or `anchor±N[unit]`; `core.phrases` finds them in words.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, timezone

from stemma.errors import InvalidInput, InvalidInterval, NaiveDatetime
from stemma.text import utc

TOLERANCE = timedelta(minutes=5)
EMPTY_INTERVAL = "empty_interval"
# A month or day named by "from" that began at most so long ago is the one that is meant; an older one comes again.
JUST_BEGUN = timedelta(days=92)

_RFC3339 = re.compile(r"(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)?", re.ASCII)
_MOMENT = re.compile(
    r"(?:abs:(?P<abs>[^ ]+?)|day:(?P<day>\d{4}-\d\d-\d\d)|month:(?P<month>\d{4}-\d\d)|year:(?P<year>\d{4})"
    r"|weekday:(?P<weekday>[1-7])(?P<wd_side>[<>=])|month:(?P<mm>\d\d)(?P<mm_side>[<>~=])"
    r"|date:(?P<md>\d\d-\d\d)(?P<md_side>[<>~=])|(?P<now>said|hour|day|week|month|year))"
    r"(?P<shift>[+-]\d{1,6}(?P<unit>[hdwmy])?)?",
    re.ASCII,
)
_AGAIN = re.compile(r"((?:weekday|month|date):[\d-]+)[>=]", re.ASCII)
_OWN_UNIT = {"said": "d", "hour": "h", "day": "d", "week": "w", "month": "m", "year": "y"}
_FIRST = datetime(1, 1, 2, tzinfo=UTC)
_LAST = datetime(9999, 12, 30, tzinfo=UTC)


def parse_time(text: str, *, field: str = "time") -> datetime:
    """Read an RFC 3339 time and keep its offset; raise NaiveDatetime without a zone, InvalidInput if it is none."""
    match = _RFC3339.fullmatch(text.strip())
    if match is None:
        raise InvalidInput(f"{field} {text!r} is no RFC 3339 time such as 2026-05-01T09:30:00Z", field=field)
    if match[8] is None:
        raise NaiveDatetime(f"{field} {text!r} has no zone; add one, for example Z", field=field)
    micros = int(((match[7] or ".0")[1:] + "000000")[:6])
    try:
        year, month, day, hour, minute, second = (int(match[at]) for at in range(1, 7))
        moment = datetime(year, month, day, hour, minute, second, micros, tzinfo=_zone(match[8]))
        utc(moment, field=field)
    except ValueError as error:
        raise InvalidInput(f"{field} {text!r} does not exist: {error}", field=field) from error
    return moment


def is_ahead(occurred_at: datetime, received_at: datetime, tolerance: timedelta = TOLERANCE) -> bool:
    """Say whether a stamp lies ahead of its receipt by more than the tolerance (SPEC R-22)."""
    return utc(occurred_at) - utc(received_at) > tolerance


def check_window(valid_from: datetime | None, valid_to: datetime | None, *, field: str = "valid_to") -> str | None:
    """Say `empty_interval` where a half-open window holds at no instant; raise InvalidInterval where it runs back."""
    if valid_from is None or valid_to is None:
        return None
    start, end = utc(valid_from, field=field), utc(valid_to, field=field)
    if end < start:
        raise InvalidInterval(
            f"{field} {valid_to.isoformat()} is before valid_from {valid_from.isoformat()}", field=field
        )
    return EMPTY_INTERVAL if start == end else None


def holds_at(valid_from: datetime | None, valid_to: datetime | None, now: datetime) -> bool:
    """Say whether the half-open window [valid_from, valid_to) holds at an instant."""
    return (valid_from is None or utc(valid_from) <= utc(now)) and (valid_to is None or utc(now) < utc(valid_to))


def absolute(moment: datetime) -> str:
    """Write an instant as a symbolic moment that no saying moves."""
    utc(moment)
    return f"abs:{moment.isoformat(timespec='microseconds')}"


def is_moment(moment: str) -> bool:
    """Say whether a text is a symbolic moment that `resolve` can read."""
    try:
        _resolved(moment, _FIRST.replace(year=2000))
    except InvalidInput:
        return False
    except OverflowError:
        # Far off is no slip: `resolve` stops at the edge of the calendar.
        return True
    return True


def backward(moment: str) -> str:
    """Let a moment that comes again be the last one before the saying: "lived there until May" is over."""
    return _AGAIN.sub(r"\1<", moment)


def resolve_end(moment: str, start: datetime | None, said_at: datetime) -> datetime:
    """Resolve the end of a window; one that comes again is the first after its start ("from Monday to Friday")."""
    end = resolve(moment, said_at)
    if start is None or end > start or _AGAIN.match(moment) is None:
        return end
    return resolve(moment, start.astimezone(said_at.tzinfo))


def resolve(moment: str, said_at: datetime) -> datetime:
    """Turn a symbolic moment into an instant (UTC), in the zone of the saying.

    Anchors: `abs:<RFC 3339>`; the start of `day:2026-05-01`, `month:2026-05`, `year:2026`; `said`; the start of the
    saying's `hour`, `day`, `week` (Monday), `month`, `year`; `weekday:5>` the next Friday after the saying's day, `<`
    the last one before it; `month:05>`, `date:05-01>` the next 1 May after the saying's day, `<` the last on or before
    it, `~` the last one if it began at most 92 days ago, else the next; `=` (of all three) the one under way, else the
    next. A shift counts in the anchor's unit or in a named one (h, d, w, m, y); what leaves the years 1 to 9999 stops
    at their edge.
    """
    utc(said_at, field="said_at")
    try:
        found = _resolved(moment, said_at)
        return utc(found)
    except (OverflowError, InvalidInput) as error:
        # A day that no calendar has is a slip, and not one that is far off.
        if isinstance(error, InvalidInput) and not is_moment(moment):
            raise
        return _FIRST if _runs_back(moment) else _LAST


def _runs_back(moment: str) -> bool:
    match = _MOMENT.fullmatch(moment)
    return match is not None and ((match["shift"] or "").startswith("-") or moment.endswith("<"))


def _resolved(moment: str, said_at: datetime) -> datetime:
    match = _MOMENT.fullmatch(moment)
    if match is None:
        raise InvalidInput(f"{moment!r} is no moment", field="moment")
    part = match.groupdict()
    start = _anchor(part, said_at)
    if (shift := part["shift"]) is None:
        return start
    unit = part["unit"] or _OWN_UNIT.get(part["now"] or "", "d")
    count = int(shift.rstrip("hdwmy"))
    return _shifted(start, count, unit)


def _anchor(part: dict[str, str | None], said_at: datetime) -> datetime:
    if (text := part["abs"]) is not None:
        return parse_time(text, field="moment")
    if (text := part["day"]) is not None:
        return _start(_date(text), said_at)
    if (text := part["month"]) is not None:
        return _start(_date(f"{text}-01"), said_at)
    if (text := part["year"]) is not None:
        return _start(_date(f"{text}-01-01"), said_at)
    if (text := part["weekday"]) is not None:
        return _start(_near_weekday(int(text), part["wd_side"] or ">", said_at.date()), said_at)
    if (text := part["mm"]) is not None:
        # A month is under way from its first day on.
        day = said_at.date().replace(day=1) if part["mm_side"] == "=" else said_at.date()
        return _start(_near_date(f"{text}-01", part["mm_side"] or "~", day), said_at)
    if (text := part["md"]) is not None:
        return _start(_near_date(text, part["md_side"] or "~", said_at.date()), said_at)
    day = said_at.date()
    match part["now"]:
        case "hour":
            return said_at.replace(minute=0, second=0, microsecond=0)
        case "day":
            return _start(day, said_at)
        case "week":
            return _start(day - timedelta(days=day.weekday()), said_at)
        case "month":
            return _start(day.replace(day=1), said_at)
        case "year":
            return _start(day.replace(month=1, day=1), said_at)
        case _:
            return said_at


def _start(day: date, said_at: datetime) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=said_at.tzinfo)


def _shifted(start: datetime, count: int, unit: str) -> datetime:
    match unit:
        case "h":
            return start + timedelta(hours=count)
        case "d":
            return start + timedelta(days=count)
        case "w":
            return start + timedelta(weeks=count)
        case "m":
            return _months_on(start, count)
        case _:
            return _months_on(start, 12 * count)


def _months_on(start: datetime, count: int) -> datetime:
    """Add calendar months; a day that the month does not have becomes its last."""
    year, month = divmod(start.year * 12 + start.month - 1 + count, 12)
    if not 1 <= year <= 9999:
        raise OverflowError("outside the years 1 to 9999")
    return start.replace(year=year, month=month + 1, day=min(start.day, _days_in(year, month + 1)))


def _days_in(year: int, month: int) -> int:
    following = date(year + month // 12, month % 12 + 1, 1) if (year, month) != (9999, 12) else None
    return 31 if following is None else (following - timedelta(days=1)).day


def _near_weekday(weekday: int, side: str, day: date) -> date:
    ahead = (weekday - day.isoweekday() - 1) % 7 + 1
    if side == "=" and ahead == 7:
        return day
    return day + timedelta(days=ahead if side != "<" else ahead - 7 if ahead != 7 else -7)


def _near_date(month_day: str, side: str, day: date) -> date:
    month, number = (int(part) for part in month_day.split("-"))
    candidates = [_existing(year, month, number) for year in range(day.year - 1, day.year + 2) if 1 <= year <= 9999]
    last = max((each for each in candidates if each <= day), default=candidates[0])
    following = min((each for each in candidates if each > day), default=candidates[-1])
    if side == "<" or (side == "~" and day - last <= JUST_BEGUN) or (side == "=" and last == day):
        return last
    return following


def _existing(year: int, month: int, number: int) -> date:
    if not 1 <= month <= 12 or not 1 <= number <= 31:
        raise InvalidInput(f"{month:02}-{number:02} is no day of a year", field="moment")
    return date(year, month, min(number, _days_in(year, month)))


def _date(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise InvalidInput(f"{text!r} is no date", field="moment") from error


def _zone(text: str) -> timezone:
    if text in "Zz":
        return UTC
    hours, minutes = int(text[1:3]), int(text[4:6])
    if hours > 23 or minutes > 59:
        raise ValueError(f"offset {text}")
    offset = timedelta(hours=hours, minutes=minutes)
    return timezone(-offset if text[0] == "-" else offset)
