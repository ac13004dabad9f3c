"""Holds the checkout's SQL to the rules of the house."""

from __future__ import annotations

from tests.house import statements
from tests.house.tree import CHECKOUT, judge


def test_sql_stands_in_sql_files() -> None:
    judge(statements.sql_stands_in_sql_files(CHECKOUT))


def test_sql_is_never_put_together() -> None:
    judge(statements.sql_is_never_put_together(CHECKOUT))


def test_queries_have_names_of_their_own() -> None:
    judge(statements.queries_have_names_of_their_own(CHECKOUT))


def test_queries_name_the_tenant() -> None:
    judge(statements.queries_name_the_tenant(CHECKOUT))


def test_keys_start_with_the_tenant() -> None:
    judge(statements.keys_start_with_the_tenant(CHECKOUT))


def test_migrations_are_numbered() -> None:
    judge(statements.migrations_are_numbered(CHECKOUT))


def test_migrations_stay_as_they_landed() -> None:
    judge(statements.migrations_stay_as_they_landed(CHECKOUT))
