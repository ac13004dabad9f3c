"""Holds the checkout to the floors of the house."""

from __future__ import annotations

from tests.house import floors
from tests.house.tree import CHECKOUT, judge


def test_imports_go_down() -> None:
    judge(floors.imports_go_down(CHECKOUT))


def test_only_the_store_speaks_to_a_database() -> None:
    judge(floors.only_the_store_speaks_to_a_database(CHECKOUT))


def test_imports_stand_at_the_top() -> None:
    judge(floors.imports_stand_at_the_top(CHECKOUT))


def test_imports_form_no_cycle() -> None:
    judge(floors.imports_form_no_cycle(CHECKOUT))


def test_pure_floors_touch_nothing() -> None:
    judge(floors.pure_floors_touch_nothing(CHECKOUT))


def test_only_config_reads_the_environment() -> None:
    judge(floors.only_config_reads_the_environment(CHECKOUT))
