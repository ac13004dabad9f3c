"""Which figures a text holds, in whatever notation (R-63: numbers contain what they are cited for)."""

from __future__ import annotations

import pytest

from stemma.app.registry_files import load_rules
from stemma.core.figures import figures, held, stands


def gone(said: str, there: str) -> list[str]:
    """List the figures of one text that another does not hold."""
    rules = load_rules()
    where = held(there, rules)
    return [one.written for one in figures(said, rules) if not stands(one, where)]


@pytest.mark.parametrize(
    ("said", "there"),
    [
        ("It costs 1,000 euros.", "Es kostet 1.000 Euro im Jahr"),
        ("It costs 1000 euros.", "the price is 1,000 €"),
        ("It costs $5.", "5 USD"),
        ("Ten percent is kept.", "a share of 10 %"),
        ("It is 3.5 %.", "3,5 % der Kosten sind es"),
        ("It is due on 3 May 2026.", "due: 2026-05-03"),
        ("It was in 2026.", "signed on 3 May 2026"),
        ("It was in May 2026.", "signed on 3 May 2026"),
        ("The 2026 rates.", "since 3 May 2026"),
        ("It takes 30 days.", "Window in days | 30"),
        ("It takes 30 days.", "kept for **30** days"),
        ("It takes 10 to 20 days.", "within 10-20 days"),
        ("30 Tage.", "30 days"),
        ("日志保留30天。", "日志保留30天以上"),
        ("12 months.", "1 year"),
        ("1.5 million users.", "1,500,000 users"),
        ("Two pumps run.", "There are 2 pumps"),
        ("Use v2.3.1.", "version 2.3.1 is out"),
        ("See ERR-4711.", "the code ERR-4711 means"),
        ("See https://a.example/x.", "at https://a.example/x there is"),
        ('The banner says "500 requests".', "500 requests a day"),
        ("The banner says 500 requests.", 'It says "500 requests"'),
        ("It is on the 3rd floor.", "on the 3rd floor"),
        ("It is one of them.", "several"),
        ("Nothing in figures.", ""),
    ],
)
def test_a_figure_in_another_notation_stands(said: str, there: str) -> None:
    """R-63: 1,000 is 1000, ten percent is 10 %, a year stands in a date of it."""
    assert gone(said, there) == []


@pytest.mark.parametrize(
    ("said", "there", "missing"),
    [
        ("It takes 30 days.", "30 hours", ["30 days"]),
        ("It costs $5.", "5 EUR", ["$5"]),
        ("It is 5.", "3.5", ["5"]),
        ("It is 3.5.", "5", ["3.5"]),
        ("It is 100.", "1000", ["100"]),
        ("It is 20 °C.", "-20 °C", ["20 °C"]),
        ("Three pumps run.", "2 pumps", ["Three"]),
        ("ERR-7 30", "ERR-7 7", ["30"]),
        ("See invoice 4711.", "invoice 4712 is paid", ["4711"]),
        ("It is due on 3 May 2026.", "due on 3 May", ["3 May 2026"]),
        ("It is due on 3 May.", "due on 4 May 2026", ["3 May"]),
        ("See ERR-4712.", "ERR-4711", ["ERR-4712"]),
        ("See https://a.example/y.", "https://a.example/x", ["https://a.example/y"]),
        ("Write to x@evil.example.", "x@good.example", ["x@evil.example"]),
        ("It is ½.", "a half", ["½"]),
        ("Use 2.3.2.", "2.3.1", ["2.3.2"]),
        ("It is 90 or 91.", "90", ["91"]),
        ("日志保留90天。", "日志保留30天", ["90 天"]),
        ("It is 90.", "", ["90"]),
    ],
)
def test_a_figure_that_is_not_there_is_named(said: str, there: str, missing: list[str]) -> None:
    """R-63: another number, another unit, a date with a year that nobody gave."""
    assert gone(said, there) == missing
