"""Holds what is handed out to its rules: locks, wheel, scripts."""

from __future__ import annotations

from tests.house import delivery
from tests.house.tree import CHECKOUT, judge


def test_locks_name_no_registry() -> None:
    judge(delivery.locks_name_no_registry(CHECKOUT))


def test_locks_pin_and_hash_every_package() -> None:
    judge(delivery.locks_pin_and_hash_every_package(CHECKOUT))


def test_the_wheel_holds_every_file_of_the_package() -> None:
    judge(delivery.the_wheel_holds_every_file_of_the_package(CHECKOUT))


def test_scripts_stop_at_the_first_fault() -> None:
    judge(delivery.scripts_stop_at_the_first_fault(CHECKOUT))
