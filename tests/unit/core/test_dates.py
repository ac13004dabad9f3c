"""Dates as index terms (design study on retrieval, "Dates")."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from stemma.core.analyse import date_terms, date_terms_of_query, terms
from stemma.errors import NaiveDatetime

FULL = ["date:2023-05-07", "date:2023-05", "date:-05", "date:2023"]


def test_a_moment_gives_day_month_and_year_in_utc() -> None:
    """R-41, F26: the day is the instant's, whatever offset it was written with."""
    assert date_terms(datetime(2023, 5, 7, 12, tzinfo=UTC)) == FULL
    assert date_terms(datetime(2023, 5, 8, 1, tzinfo=timezone(timedelta(hours=3)))) == FULL


def test_a_moment_without_a_zone_is_refused() -> None:
    """R-22, F26."""
    with pytest.raises(NaiveDatetime):
        date_terms(datetime(2023, 5, 7))  # noqa: DTZ001


@pytest.mark.parametrize(
    "text",
    [
        "What happened on 7 May 2023?",
        "What happened on May 7th, 2023?",
        "on the 7th of May, 2023",
        "am 7. Mai 2023",
        "le 7 mai 2023",
        "el 7 de mayo de 2023",
        "il 7 maggio 2023",
        "7 de maio de 2023",
        "7 мая 2023 года",
        "7 مايو 2023",
        "७ मई २०२३",
        "2023年5月7日",
        "2023-05-07",
        "7.5.2023",
    ],
)
def test_a_full_date_is_read_in_every_language(text: str) -> None:
    """R-41."""
    assert date_terms_of_query(text) == FULL


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("in May 2023", ["date:2023-05", "date:-05", "date:2023"]),
        ("in 2022", ["date:2022"]),
        ("camping in June", ["date:-06"]),
        ("May I march to the beach?", []),
        ("31/12/2023", ["date:2023-12-31", "date:2023-12", "date:-12", "date:2023"]),
        ("30 Feb 2023", ["date:2023"]),
        ("it costs $2023 or 2023% of v2023.1", []),
        ("12345 and 20230507", []),
        ("", []),
    ],
)
def test_a_part_of_a_date_gives_its_part_and_a_plain_number_nothing(text: str, expected: list[str]) -> None:
    """R-41."""
    assert date_terms_of_query(text) == expected


def test_slashes_are_read_both_ways() -> None:
    """R-41: neither reading is the world's."""
    assert {"date:2026-04-03", "date:2026-03-04"} <= set(date_terms_of_query("03/04/2026"))


def test_a_date_never_meets_a_word() -> None:
    """R-41: date terms live beside the words in one space of hashes."""
    assert not set(terms("date:2023-05-07 date 2023", "en")) & set(FULL)
