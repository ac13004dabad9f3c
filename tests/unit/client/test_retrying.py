"""When a client tries again, and after what pause: the decision alone."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stemma.client.retrying import Retries, asked_seconds, pause_seconds
from stemma.errors import InvalidInput

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def test_the_pause_doubles_up_to_its_most_and_half_of_it_is_chance() -> None:
    """Issue 6: exponential backoff with jitter."""
    retries = Retries(times=6, total_seconds=100, first_seconds=1, most_seconds=5)

    def pauses(chance: float) -> list[float | None]:
        return [
            pause_seconds(retries, tried=tried, spent_seconds=0, asked_seconds=None, chance=chance)
            for tried in range(1, 8)
        ]

    assert pauses(0) == [0.5, 1, 2, 2.5, 2.5, 2.5, None]
    assert pauses(0.5) == [0.75, 1.5, 3, 3.75, 3.75, 3.75, None]


@given(
    tried=st.integers(1, 200),
    spent=st.floats(0, 40),
    asked=st.none() | st.floats(0, 40),
    chance=st.floats(0, 1, exclude_max=True),
)
def test_a_try_never_begins_too_late_nor_before_the_server_wants_it(
    tried: int, spent: float, asked: float | None, chance: float
) -> None:
    """Issue 6: bounded in number and total time, honouring Retry-After."""
    retries = Retries(times=100)
    pause = pause_seconds(retries, tried=tried, spent_seconds=spent, asked_seconds=asked, chance=chance)
    if pause is None:
        assert tried > 100 or spent + max(8.0, (asked or 0) + 0.25) > 30
    else:
        assert tried <= 100
        assert spent + pause <= 30
        assert pause >= (asked or 0)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("0", 0.0),
        (" 7 ", 7.0),
        ("Sun, 01 Mar 2026 12:00:09 GMT", 9.0),
        ("Sun, 01 Mar 2026 12:00:09 -0000", 9.0),
        ("Sun, 01 Mar 2026 11:00:00 GMT", 0.0),
        ("-1", None),
        ("1.5", None),
        ("soon", None),
        ("٧", None),
        ("Sun, 01 Mar 99999999999999999999 12:00:09 GMT", None),
        ("", None),
    ],
)
def test_retry_after_is_seconds_or_a_date(header: str, seconds: float | None) -> None:
    """Issue 6; RFC 9110: both forms; what is neither is as if it were not there."""
    assert asked_seconds({"retry-after": header}, NOW) == seconds


@pytest.mark.parametrize(
    "wrong", [{"times": -1}, {"times": 101}, {"total_seconds": -0.1}, {"first_seconds": float("nan")}]
)
def test_bounds_that_are_none_are_refused(wrong: dict[str, float]) -> None:
    """R-80: the field is named."""
    with pytest.raises(InvalidInput) as refused:
        Retries(**wrong)  # type: ignore[arg-type]
    assert [refused.value.field] == list(wrong)
