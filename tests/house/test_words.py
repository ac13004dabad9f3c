"""Holds the names that the checkout gives to the words of the specification."""

from __future__ import annotations

from tests.house import words
from tests.house.tree import CHECKOUT, judge


def test_names_use_our_words() -> None:
    judge(words.names_use_our_words(CHECKOUT))


def test_columns_use_our_words() -> None:
    judge(words.columns_use_our_words(CHECKOUT))


def test_classes_are_named_for_what_they_are() -> None:
    judge(words.classes_are_named_for_what_they_are(CHECKOUT))


def test_modules_are_named_for_an_idea() -> None:
    judge(words.modules_are_named_for_an_idea(CHECKOUT))
