"""Strict times, half-open windows, and moments that a saying makes instants."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from stemma.core import times
from stemma.errors import InvalidInput, InvalidInterval, NaiveDatetime

# A Wednesday, said in a zone one hour ahead of UTC.
SAID = datetime(2026, 3, 11, 10, 30, tzinfo=timezone(timedelta(hours=1)))


def test_a_time_keeps_its_offset() -> None:
    """R-22 and case F26: 23:30 in the west is the next morning in UTC."""
    moment = times.parse_time("2026-03-01T23:30:00-08:00")
    assert moment.utcoffset() == timedelta(hours=-8)
    assert moment.astimezone(UTC) == datetime(2026, 3, 2, 7, 30, tzinfo=UTC)


def test_fractions_are_kept_to_the_microsecond() -> None:
    """R-22: one text, one instant."""
    assert times.parse_time("2026-03-01T00:00:00.123456789z").microsecond == 123456


def test_a_naive_time_is_refused_by_name() -> None:
    """R-22 and case F26 (E3)."""
    with pytest.raises(NaiveDatetime) as caught:
        times.parse_time("2026-03-02T05:00:00", field="occurred_at")
    assert (caught.value.code, caught.value.field) == ("naive_datetime", "occurred_at")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "yesterday",
        "2026-03-02",
        "2026-13-01T00:00:00Z",
        "2026-02-30T00:00:00Z",
        "2026-03-01T24:00:00Z",
        "2026-03-01T00:00:00+25:00",
        "2026-03-01T00:00:00+01:75",
        "0001-01-01T00:00:00+05:00",
        "٢٠٢٦-03-01T00:00:00Z",
    ],
)
def test_what_is_no_time_is_refused(text: str) -> None:
    """R-22: nothing is guessed; the refusal names the field and quotes the text."""
    with pytest.raises(InvalidInput) as refused:
        times.parse_time(text, field="occurred_at")
    assert refused.value.field == "occurred_at"
    assert str(refused.value).startswith("occurred_at ") and text in str(refused.value)


@pytest.mark.parametrize("offset", ["+24:00", "-24:00", "+25:30", "+01:60"])
def test_an_offset_of_a_day_or_of_60_minutes_is_refused_as_such(offset: str) -> None:
    """R-22: the refusal says which part of the time is wrong."""
    with pytest.raises(InvalidInput, match=f"offset .{offset[1:]}$"):
        times.parse_time(f"2026-03-01T00:00:00{offset}")
    assert times.parse_time("2026-03-01T00:00:00+23:59").utcoffset() == timedelta(hours=23, minutes=59)


@pytest.mark.parametrize(("ahead", "expected"), [(-1, False), (0, False), (300, False), (300.001, True), (9e6, True)])
def test_a_stamp_is_ahead_only_past_the_tolerance(ahead: float, expected: bool) -> None:
    """R-22, D-9: five minutes are tolerated."""
    received = datetime(2026, 3, 1, tzinfo=UTC)
    assert times.is_ahead(received + timedelta(seconds=ahead), received) is expected


def test_windows_are_half_open() -> None:
    """R-36 and case F23."""
    start, end = datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 2, 1, tzinfo=UTC)
    assert times.holds_at(start, end, start)
    assert not times.holds_at(start, end, end)
    assert times.holds_at(None, end, start - timedelta(days=999))
    assert times.holds_at(start, None, end + timedelta(days=999))
    assert times.check_window(start, end) is None
    assert times.check_window(None, end) is None


def test_an_empty_window_is_flagged_and_holds_nowhere() -> None:
    """Case F23: [2026-05-01, 2026-05-01)."""
    day = datetime(2026, 5, 1, tzinfo=UTC)
    assert times.check_window(day, day) == "empty_interval"
    assert not times.holds_at(day, day, day)


def test_a_backwards_window_is_refused() -> None:
    """Case F23: [2026-06-01, 2026-05-01)."""
    with pytest.raises(InvalidInterval):
        times.check_window(datetime(2026, 6, 1, tzinfo=UTC), datetime(2026, 5, 1, tzinfo=UTC))


@pytest.mark.parametrize(
    ("moment", "expected"),
    [
        ("said", "2026-03-11T10:30:00+01:00"),
        ("hour", "2026-03-11T10:00:00+01:00"),
        ("hour-2", "2026-03-11T08:00:00+01:00"),
        ("said+3h", "2026-03-11T13:30:00+01:00"),
        ("day", "2026-03-11T00:00:00+01:00"),
        ("day+1", "2026-03-12T00:00:00+01:00"),
        ("week", "2026-03-09T00:00:00+01:00"),
        ("week+1", "2026-03-16T00:00:00+01:00"),
        ("week+5d", "2026-03-14T00:00:00+01:00"),
        ("month", "2026-03-01T00:00:00+01:00"),
        ("month-1", "2026-02-01T00:00:00+01:00"),
        ("year+1", "2027-01-01T00:00:00+01:00"),
        ("said+14d", "2026-03-25T10:30:00+01:00"),
        ("said-24m", "2024-03-11T10:30:00+01:00"),
        ("weekday:5>", "2026-03-13T00:00:00+01:00"),
        ("weekday:3>", "2026-03-18T00:00:00+01:00"),
        ("weekday:3<", "2026-03-04T00:00:00+01:00"),
        ("weekday:1<", "2026-03-09T00:00:00+01:00"),
        ("weekday:5>+1d", "2026-03-14T00:00:00+01:00"),
        ("day:2026-05-01", "2026-05-01T00:00:00+01:00"),
        ("month:2026-05", "2026-05-01T00:00:00+01:00"),
        ("month:2026-05+1m", "2026-06-01T00:00:00+01:00"),
        ("year:2010", "2010-01-01T00:00:00+01:00"),
        ("month:05>", "2026-05-01T00:00:00+01:00"),
        ("month:05<", "2025-05-01T00:00:00+01:00"),
        ("month:05~", "2026-05-01T00:00:00+01:00"),
        ("month:02~", "2026-02-01T00:00:00+01:00"),
        ("date:03-11<", "2026-03-11T00:00:00+01:00"),
        ("date:03-11>", "2027-03-11T00:00:00+01:00"),
        ("date:02-29>", "2027-02-28T00:00:00+01:00"),
        ("abs:2026-05-01T09:00:00+02:00", "2026-05-01T09:00:00+02:00"),
        ("weekday:3=", "2026-03-11T00:00:00+01:00"),
        ("weekday:5=", "2026-03-13T00:00:00+01:00"),
        ("weekday:2=", "2026-03-17T00:00:00+01:00"),
        ("month:03=", "2026-03-01T00:00:00+01:00"),
        ("month:02=", "2027-02-01T00:00:00+01:00"),
        ("date:03-11=", "2026-03-11T00:00:00+01:00"),
        ("date:03-10=", "2027-03-10T00:00:00+01:00"),
        ("weekday:5>+1", "2026-03-14T00:00:00+01:00"),
        ("day:2026-05-01+1", "2026-05-02T00:00:00+01:00"),
        ("day:2026-05-01+1w", "2026-05-08T00:00:00+01:00"),
    ],
)
def test_moments_are_read_in_the_zone_of_the_saying(moment: str, expected: str) -> None:
    """R-35a: weeks run from Monday; nothing is anchored to the day of reading."""
    assert times.resolve(moment, SAID) == datetime.fromisoformat(expected)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("2026-03-10", "2026-05-01"),
        ("2026-06-10", "2026-05-01"),
        ("2026-07-31", "2026-05-01"),
        ("2026-08-15", "2027-05-01"),
    ],
)
def test_from_may_is_the_may_that_has_just_begun_or_the_next(said: str, expected: str) -> None:
    """R-35a: "from May", said in March, is the coming May; up to three months after its first day it is that one."""
    said_at = datetime.fromisoformat(f"{said}T12:00:00+00:00")
    assert times.resolve("month:05~", said_at) == datetime.fromisoformat(f"{expected}T00:00:00+00:00")


def test_the_same_instant_in_two_zones_has_two_weeks() -> None:
    """Sunday night in the west is Monday in the east: the week is that of the saying."""
    west = datetime(2026, 3, 8, 23, 0, tzinfo=timezone(timedelta(hours=-5)))
    east = west.astimezone(timezone(timedelta(hours=2)))
    assert times.resolve("week", west) == datetime(2026, 3, 2, tzinfo=west.tzinfo)
    assert times.resolve("week", east) == datetime(2026, 3, 9, tzinfo=east.tzinfo)


@pytest.mark.parametrize(
    "moment", ["", "soon", "week+", "weekday:8>", "weekday:5", "month:13~", "day:2026-02-30", "abs:x"]
)
def test_what_is_no_moment_is_known(moment: str) -> None:
    """A moment that cannot be read is never stored, and read by name only as a refusal."""
    assert not times.is_moment(moment)
    with pytest.raises(InvalidInput) as refused:
        times.resolve(moment, SAID)
    assert (refused.value.field, bool(str(refused.value))) == ("moment", True)


def test_a_shift_out_of_the_calendar_stops_at_its_edge() -> None:
    """R-11: no statement can stop a derivation."""
    assert times.resolve("year+999999", SAID).year == 9999
    assert times.resolve("year-999999", SAID).year == 1


@pytest.mark.parametrize("moment", ["day+9999y", "year-3000", "month+99999m"])
def test_a_moment_outside_the_calendar_is_one_all_the_same(moment: str) -> None:
    """R-11: "for 9000 years" must not park the whole episode: an extractor asks whether this is a moment."""
    assert times.is_moment(moment)
    assert times.resolve(moment, SAID).year in (1, 9999)


@pytest.mark.parametrize("moment", ["day:2026-02-30", "month:2026-13", "year:0000", "date:13-01>", "date:01-32<"])
def test_a_day_that_no_calendar_has_is_refused_and_not_far_off(moment: str) -> None:
    """D-10: a slip taken for the end of the calendar would be a statement that never comes to count."""
    assert not times.is_moment(moment)
    with pytest.raises(InvalidInput, match="is no d") as caught:
        times.resolve(moment, SAID)
    assert caught.value.field == "moment"


@pytest.mark.parametrize("moment", ["day", "date:02-29>", "month:01~", "weekday:7<", "year:2026+3m", "said", "hour-5"])
def test_what_is_a_moment_is_known(moment: str) -> None:
    """D-10."""
    assert times.is_moment(moment)


def test_the_year_has_no_day_32_and_no_thirteenth_month() -> None:
    """D-10: and 31 of a short month is its last day."""
    assert not times.is_moment("date:12-32<")
    assert times.is_moment("date:02-31<")


@pytest.mark.parametrize(
    ("said", "moment", "expected"),
    [
        ("0001-06-01", "date:05-05<", "0001-05-05"),
        ("0001-01-04", "date:05-05<", "0001-05-05"),
        ("0001-01-04", "date:05-05>", "0001-05-05"),
        ("0002-01-04", "date:05-05<", "0001-05-05"),
        ("0001-01-01", "weekday:1<", "0001-01-02"),
        ("9999-06-01", "date:05-05>", "9999-05-05"),
        ("9999-06-01", "date:07-05>", "9999-07-05"),
        ("9998-06-01", "date:05-05>", "9999-05-05"),
        ("9999-06-01", "month:07~", "9999-07-01"),
    ],
)
def test_at_the_edges_of_the_calendar_the_nearest_day_that_there_is(said: str, moment: str, expected: str) -> None:
    """D-10: no error in the first and the last year."""
    at = times.parse_time(f"{said}T12:00:00Z")
    assert times.resolve(moment, at) == times.parse_time(f"{expected}T00:00:00Z")


@pytest.mark.parametrize(
    ("moment", "expected"),
    [
        ("day:0002-03-05-12m", "0001-03-05"),
        ("day:9998-03-05+12m", "9999-03-05"),
        ("day:9999-03-05+12m", "9999-12-30"),
        ("day:0001-03-05-12m", "0001-01-02"),
    ],
)
def test_months_are_counted_to_the_first_and_the_last_year(moment: str, expected: str) -> None:
    """D-10: and past them the calendar stops a day before its end, so that any zone can show it."""
    at = times.parse_time("2026-03-11T12:00:00Z")
    assert times.resolve(moment, at) == times.parse_time(f"{expected}T00:00:00Z")


def test_92_days_ago_has_just_begun_and_93_have_not() -> None:
    """D-10: 31 May and 1 June after 28 February and 1 March."""
    assert times.resolve("date:03-01~", times.parse_time("2026-06-01T12:00:00Z")).year == 2026
    assert times.resolve("date:03-01~", times.parse_time("2026-06-02T12:00:00Z")).year == 2027


def test_a_refused_window_names_its_field_and_both_of_its_ends() -> None:
    """R-11: whoever sent it can see what is wrong."""
    late, early = datetime(2026, 5, 2, tzinfo=UTC), datetime(2026, 5, 1, tzinfo=UTC)
    with pytest.raises(InvalidInterval, match=r"until 2026-05-01.* is before valid_from 2026-05-02") as caught:
        times.check_window(late, early, field="until")
    assert caught.value.field == "until"
    with pytest.raises(InvalidInterval) as caught:
        times.check_window(late, early)
    assert caught.value.field == "valid_to"
    for naive, aware in ((late.replace(tzinfo=None), late), (early, early.replace(tzinfo=None))):
        with pytest.raises(NaiveDatetime) as refused:
            times.check_window(naive, aware, field="until")
        assert refused.value.field == "until"


def test_an_absolute_moment_is_the_instant_it_was_written_from() -> None:
    """R-22: structured windows go through the same moments."""
    assert times.resolve(times.absolute(SAID), datetime(2020, 1, 1, tzinfo=UTC)) == SAID


@pytest.mark.parametrize(
    ("moment", "over"),
    [
        ("month:05>", "month:05<"),
        ("date:05-01>", "date:05-01<"),
        ("weekday:5=+1d", "weekday:5<+1d"),
        ("month:05=", "month:05<"),
        ("month:05~", "month:05~"),
        ("day+1", "day+1"),
    ],
)
def test_what_is_over_ended_at_the_last_such_moment(moment: str, over: str) -> None:
    """D-10: "I lived there until May" ended with the May before the saying; what comes once stays as it is."""
    assert times.backward(moment) == over
    assert times.is_moment(over)


@pytest.mark.parametrize(
    ("begin", "moment", "expected"),
    [
        (None, "weekday:5>", "2026-03-13"),
        ("weekday:4>", "weekday:5>", "2026-03-13"),
        ("weekday:1>", "weekday:5>", "2026-03-20"),
        ("weekday:5>", "weekday:5>", "2026-03-20"),
        ("month:09>", "month:05>", "2027-05-01"),
        ("weekday:1>", "day:2026-03-01", "2026-03-01"),
        ("weekday:1>", "day", "2026-03-11"),
    ],
)
def test_an_end_that_comes_again_is_the_first_after_its_start(begin: str | None, moment: str, expected: str) -> None:
    """D-10: "from Monday to Friday", said on a Wednesday, ends that Friday, in the zone of the saying."""
    start = None if begin is None else times.resolve(begin, SAID)
    assert times.resolve_end(moment, start, SAID) == datetime.fromisoformat(f"{expected}T00:00:00+01:00")
