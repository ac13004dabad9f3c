"""Faults of the mutation run: what is drawn, which lines notice it, and that planting one changes what is called."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import libcst as cst
import pytest

from bench.mutants import SAMPLE, Counted, drawn
from bench.planting import Fault, faults_in, file_of, plant
from stemma.core import keys


@pytest.fixture
def unharmed() -> Iterator[None]:
    """Put the function that a test changes back as it was."""
    kept = keys.key_of_request.__code__, keys.key_of_request.__defaults__, keys.key_of_request.__kwdefaults__
    yield
    keys.key_of_request.__code__, keys.key_of_request.__defaults__, keys.key_of_request.__kwdefaults__ = kept


def fault(function: str, changed: str) -> Fault:
    """Find the one fault of `keys` whose code holds a piece of text."""
    (found,) = [each for each in faults_in("keys") if each.function == function and changed in each.changed()]
    return found


def test_a_planted_fault_is_in_what_everybody_calls(unharmed: None) -> None:
    """Decision 0002: the function stays the same object, so that whoever imported it has the fault too."""
    function = keys.key_of_request
    assert (function("r", 1, 1), function("r", 1, 2)) == ("r", "r:1")
    planted = fault("key_of_request", "episodes != 1")
    plant(planted)
    assert (function("r", 1, 1), function("r", 1, 2)) == ("r:1", "r")
    assert planted.told().endswith('+ return idempotency_key if episodes != 1 else f"{idempotency_key}:{index}"')


def test_a_fault_is_noticed_on_the_lines_of_its_statement() -> None:
    """Decision 0002: a statement of several lines is reached by whoever runs one of them."""
    text = file_of("keys").read_text(encoding="utf-8").splitlines()
    for each in faults_in("keys"):
        written = [text[line - 1].strip() for line in sorted(each.lines)]
        whole = cst.Module([each.whole]).code
        assert any(line and line in whole for line in written), each.name


def test_each_module_is_sampled_by_the_seed_before_any_is_finished() -> None:
    """A run that is cut short has a random sample of every module."""
    plan, again = (drawn(["keys", "sides"], seed=3) for _ in range(2))
    assert [each.name for each in plan] == [each.name for each in again]
    sizes = Counter(each.module for each in plan)
    assert len({each.name for each in plan}) == len(plan)
    sampled = {module: min(SAMPLE, size) for module, size in sizes.items()}
    assert Counter(each.module for each in plan[: sum(sampled.values())]) == sampled
    listed = [each.name for each in faults_in("keys")]
    drawn_ones = [each.name for each in plan if each.module == "keys"]
    assert drawn_ones != listed
    assert sorted(drawn_ones) == sorted(listed)


def test_what_ran_is_told_apart_from_all_there_is() -> None:
    """The share is of those that ran, and what is no whole is called a sample."""
    counted = Counted(4)
    one, two, three = faults_in("keys")[:3]
    counted.count(one, 1)
    counted.count(two, -27)
    counted.count(three, 0)
    figures = counted.figures()
    assert (figures["all"], figures["ran"], figures["killed"], figures["survived"]) == (4, 3, 2, 1)
    assert (figures["share_killed"], figures["is_random_sample"]) == (0.6667, True)
    assert figures["survivors"] == [three.told()]
