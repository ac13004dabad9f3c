"""Times and symbolic moments against the slow way: days searched one by one, months counted one by one."""

from __future__ import annotations

import calendar
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stemma.core.times import (
    TOLERANCE,
    absolute,
    check_window,
    holds_at,
    is_ahead,
    is_moment,
    parse_time,
    resolve,
)
from stemma.errors import InvalidInput, InvalidInterval, NaiveDatetime

MORE = settings(max_examples=200, deadline=None)
ZONES = st.sampled_from([UTC, timezone(timedelta(hours=14)), timezone(timedelta(hours=-11, minutes=-30))])
DAYS = st.dates(date(2019, 12, 1), date(2024, 4, 30))
SAID = st.builds(
    lambda day, hour, minute, zone: datetime(day.year, day.month, day.day, hour, minute, 7, tzinfo=zone),
    DAYS,
    st.sampled_from([0, 1, 12, 23]),
    st.sampled_from([0, 59]),
    ZONES,
)
ANY_TIME = st.builds(
    lambda day, clock, zone: datetime.combine(day, clock, tzinfo=zone),
    st.dates(date(2, 1, 1), date(9998, 12, 31)),
    st.times(),
    ZONES,
)


def start(day: date, said_at: datetime) -> datetime:
    """Give the start of a day in the zone of a saying."""
    return datetime(day.year, day.month, day.day, tzinfo=said_at.tzinfo)


def nearest(said_at: datetime, step: int, fits: Callable[[date], bool], *, first: int) -> date:
    """Search day by day from the saying's day."""
    day = said_at.date() + timedelta(days=first)
    while not fits(day):
        day += timedelta(days=step)
    return day


def is_date(month: int, number: int) -> Callable[[date], bool]:
    """Say whether a day is the one of its year that is meant: the last of the month where it has no such day."""
    return lambda day: day.month == month and day.day == min(number, calendar.monthrange(day.year, month)[1])


@MORE
@given(ANY_TIME)
def test_a_time_written_is_the_time_read_with_its_offset(moment: datetime) -> None:
    """R-22: to the microsecond."""
    read = parse_time(moment.isoformat())
    assert (read, read.utcoffset()) == (moment, moment.utcoffset())
    assert parse_time(f"  {moment.isoformat().replace('T', ' ')} ") == moment
    assert resolve(absolute(moment), datetime(2020, 1, 1, tzinfo=UTC)) == moment
    with pytest.raises(NaiveDatetime) as refused:
        parse_time(moment.replace(tzinfo=None).isoformat(), field="when")
    assert refused.value.field == "when"


@MORE
@given(SAID, st.text("0123456789", min_size=1, max_size=9))
def test_a_fraction_of_a_second_is_cut_after_six_places(said_at: datetime, digits: str) -> None:
    """R-22: nanoseconds are read, and what lies below a microsecond is left out."""
    whole = said_at.astimezone(UTC)
    micros = int(digits[:6].ljust(6, "0"))
    assert parse_time(f"{whole:%Y-%m-%dt%H:%M:%S}.{digits}z") == whole.replace(microsecond=micros)


@MORE
@given(SAID, st.integers(-10, 10), st.sampled_from([timedelta(0), timedelta(microseconds=1)]))
def test_a_stamp_is_ahead_by_more_than_the_tolerance_and_by_no_less(
    received: datetime, minutes: int, more: timedelta
) -> None:
    """R-22: five minutes and no more."""
    ahead = timedelta(minutes=minutes) + more
    assert (
        is_ahead((received + ahead).astimezone(UTC), received) == (ahead > TOLERANCE) == (ahead > timedelta(minutes=5))
    )


@MORE
@given(st.none() | st.integers(0, 4), st.none() | st.integers(0, 4), st.integers(0, 4), ZONES)
def test_a_window_holds_from_its_start_until_just_before_its_end(
    begin: int | None, end: int | None, now: int, zone: timezone
) -> None:
    """D-17: half open; an empty one holds nowhere, and one that runs back is refused by name."""

    def at(hour: int | None) -> datetime | None:
        return None if hour is None else datetime(2026, 1, 1, hour, tzinfo=UTC).astimezone(zone)

    moment = datetime(2026, 1, 1, now, tzinfo=UTC)
    assert holds_at(at(begin), at(end), moment) == ((begin is None or begin <= now) and (end is None or now < end))
    if begin is not None and end is not None and end < begin:
        with pytest.raises(InvalidInterval) as refused:
            check_window(at(begin), at(end), field="until")
        assert refused.value.field == "until"
        return
    empty = begin is not None and begin == end
    assert check_window(at(begin), at(end)) == ("empty_interval" if empty else None)


@MORE
@given(SAID, st.integers(1, 7))
def test_a_weekday_is_the_nearest_after_or_before_the_day_of_saying(said_at: datetime, weekday: int) -> None:
    """D-10: never the day of saying itself."""
    after = nearest(said_at, 1, lambda day: day.isoweekday() == weekday, first=1)
    before = nearest(said_at, -1, lambda day: day.isoweekday() == weekday, first=-1)
    assert resolve(f"weekday:{weekday}>", said_at) == start(after, said_at)
    assert resolve(f"weekday:{weekday}<", said_at) == start(before, said_at)


@MORE
@given(SAID, st.integers(1, 12), st.sampled_from([1, 15, 28, 29, 30, 31]))
def test_a_day_of_the_year_is_the_next_the_last_or_the_one_just_begun(said_at: datetime, month: int, day: int) -> None:
    """D-10: `>` after the day of saying, `<` on or before it, `~` the last where it began at most 92 days ago."""
    following = nearest(said_at, 1, is_date(month, day), first=1)
    last = nearest(said_at, -1, is_date(month, day), first=0)
    meant = last if (said_at.date() - last).days <= 92 else following
    for side, wanted in ((">", following), ("<", last), ("~", meant)):
        assert resolve(f"date:{month:02}-{day:02}{side}", said_at) == start(wanted, said_at)
        if day == 1:
            assert resolve(f"month:{month:02}{side}", said_at) == start(wanted, said_at)


@MORE
@given(SAID, st.integers(-40, 40))
def test_a_shift_counts_in_the_anchors_unit_or_in_the_one_it_names(said_at: datetime, count: int) -> None:
    """D-10: hours, days and weeks by the clock; months and years by the calendar, a missing day being the last."""
    day = said_at.date()
    whole = start(day, said_at)
    monday = nearest(said_at, -1, lambda each: each.weekday() == 0, first=0)
    shift = f"{count:+}"
    assert resolve(f"said{shift}", said_at) == said_at + timedelta(days=count)
    assert resolve(f"hour{shift}", said_at) == said_at.replace(minute=0, second=0) + timedelta(hours=count)
    assert resolve(f"day{shift}", said_at) == whole + timedelta(days=count)
    assert resolve(f"day{shift}w", said_at) == whole + timedelta(weeks=count)
    assert resolve(f"day{shift}h", said_at) == whole + timedelta(hours=count)
    assert resolve(f"week{shift}", said_at) == start(monday, said_at) + timedelta(weeks=count)
    assert resolve(f"day{shift}m", said_at) == start(months_on(day, count), said_at)
    assert resolve(f"month{shift}", said_at) == start(months_on(day.replace(day=1), count), said_at)
    assert resolve(f"year{shift}", said_at) == start(months_on(day.replace(month=1, day=1), 12 * count), said_at)
    assert resolve(f"day:{day}{shift}y", said_at) == start(months_on(day, 12 * count), said_at)
    assert resolve(f"day:{day}{shift}", said_at) == whole + timedelta(days=count)
    assert resolve(f"month:{day:%Y-%m}", said_at) == start(day.replace(day=1), said_at)
    assert resolve(f"year:{day:%Y}", said_at) == start(day.replace(month=1, day=1), said_at)


def months_on(day: date, count: int) -> date:
    """Count calendar months one by one."""
    year, month = day.year, day.month
    for _ in range(abs(count)):
        month += 1 if count > 0 else -1
        if month in (0, 13):
            year, month = (year - 1, 12) if month == 0 else (year + 1, 1)
    return date(year, month, min(day.day, calendar.monthrange(year, month)[1]))


@MORE
@given(SAID, st.integers(100_000, 999_999), st.sampled_from("dwmy"))
def test_what_leaves_the_calendar_stops_at_its_edge(said_at: datetime, count: int, unit: str) -> None:
    """D-10: years 1 to 9999; a far moment is no error."""
    far = count * {"d": 1, "w": 7, "m": 30, "y": 365}[unit] > 3_000_000
    if far:
        assert resolve(f"day+{count}{unit}", said_at) == datetime(9999, 12, 30, tzinfo=UTC)
        assert resolve(f"day-{count}{unit}", said_at) == datetime(1, 1, 2, tzinfo=UTC)
    else:
        assert resolve(f"day-{count}{unit}", said_at) < said_at < resolve(f"day+{count}{unit}", said_at)


@MORE
@given(st.text(st.sampled_from("day:wek+-1205<>~ "), max_size=8), SAID)
def test_what_is_no_moment_is_refused_by_name_and_what_is_one_is_read(text: str, said_at: datetime) -> None:
    """R-11: an extractor's slip is an error that a caller can catch, of one class."""
    if is_moment(text):
        assert resolve(text, said_at).utcoffset() == timedelta(0)
        return
    try:
        resolve(text, said_at)
    except InvalidInput as error:
        assert error.field is not None
