"""Holds the checkout to the house's ways of writing."""

from __future__ import annotations

from tests.house import manners
from tests.house.tree import CHECKOUT, judge


def test_modules_say_what_belongs_in_them() -> None:
    judge(manners.modules_say_what_belongs_in_them(CHECKOUT))


def test_public_functions_say_what_they_do() -> None:
    judge(manners.public_functions_say_what_they_do(CHECKOUT))


def test_broad_handlers_raise() -> None:
    judge(manners.broad_handlers_raise(CHECKOUT))


def test_output_goes_through_the_doors() -> None:
    judge(manners.output_goes_through_the_doors(CHECKOUT))


def test_comments_keep_to_the_point() -> None:
    judge(manners.comments_keep_to_the_point(CHECKOUT))


def test_importing_does_no_work() -> None:
    judge(manners.importing_does_no_work(CHECKOUT))


def test_ground_records_are_frozen() -> None:
    judge(manners.ground_records_are_frozen(CHECKOUT))


def test_tests_use_real_parts() -> None:
    judge(manners.tests_use_real_parts(CHECKOUT))
