"""Holds the checkout to the sizes of the house."""

from __future__ import annotations

from tests.house import sizes
from tests.house.tree import CHECKOUT, judge


def test_files_are_short() -> None:
    judge(sizes.files_are_short(CHECKOUT))


def test_classes_are_short() -> None:
    judge(sizes.classes_are_short(CHECKOUT))


def test_functions_are_short() -> None:
    judge(sizes.functions_are_short(CHECKOUT))


def test_functions_take_few_parameters() -> None:
    judge(sizes.functions_take_few_parameters(CHECKOUT))


def test_functions_nest_little() -> None:
    judge(sizes.functions_nest_little(CHECKOUT))
