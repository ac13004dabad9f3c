"""Files of named queries: what is read, and what is refused."""

from __future__ import annotations

import pytest

from stemma.store import queries


def test_a_file_is_split_at_its_names() -> None:
    """HOUSE_STYLE SQL: comments in whole lines go, text and placeholders stay."""
    text = "-- Of what this file is.\n\n-- name: first\n-- Why 100%.\nSELECT 1\n  -- inside\n  AS one;\n\n"
    text += "-- name: second\nSELECT %(x)s"
    assert queries.parse(text, "a.sql") == {"first": "SELECT 1\n  AS one", "second": "SELECT %(x)s"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("SELECT 1;", "a.sql:1: SQL before the first"),
        ("-- name: a\nSELECT 1;\n-- name: a\nSELECT 2;", "a.sql:3: 'a' is not a name, or stands twice"),
        ("-- name: A-b\nSELECT 1;", "a.sql:1: 'A-b' is not a name"),
        ("-- name: a\n-- only this\n", "a.sql: 'a' is empty"),
    ],
)
def test_a_faulty_file_is_named_with_its_line(text: str, said: str) -> None:
    """HOUSE_STYLE SQL: at the first look, not when the query is run."""
    with pytest.raises(ValueError, match=said):
        queries.parse(text, "a.sql")


def test_the_packages_queries_are_all_readable() -> None:
    """HOUSE_STYLE SQL: every file of store/sql, no name twice; an unknown one is an error."""
    found = queries.load()
    assert {"ping", "open_transaction", "applied_migrations"} <= set(found.names())
    assert all(found[name] for name in found.names())
    with pytest.raises(LookupError, match="no query is named 'pong'"):
        found["pong"]
