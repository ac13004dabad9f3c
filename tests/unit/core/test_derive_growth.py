"""How the cost of a derivation grows: near-linear in the log, also where all of it is one unit."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from types import FrameType
from typing import Any

import pytest

from stemma.core.derive import derive, state
from stemma.records import Act, Frame, Policy
from stemma.state import Point
from tests.unit.core.stories import Story, day, sentence

SMALL, LARGE = 100, 400
# Four times the points: linear is 4, quadratic 16. Between them stands what sorting adds.
MOST = 4.5


def steps(work: Callable[[], object]) -> int:
    """Count the lines of Python that some work runs: the same on every machine, however busy."""
    count = 0

    def trace(_frame: FrameType, event: str, _arg: Any) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def many(count: int, *, framed: bool, ending: bool) -> list[Point]:
    """Make one hot unit: so many values, one a day; in every second place an end, where asked."""
    (base,) = Story().say(1, "lisbon").points()
    if framed:
        frame = Frame(words=("limit", "<n>"), identities=(), types=("number",))
        base = replace(base, claim_key=None, frame=frame, kind="fact")
    made = []
    for at in range(count):
        value = str(at // 2 if ending else at)
        act = Act.END if ending and at % 2 else Act.SAY
        made.append(
            replace(
                base,
                value=value,
                memory_id=f"m{value}",
                act=act,
                key=f"k{at:06}",
                time=day(at),
                occurred_at=day(at),
                origin=f"o{at % 7}",
            )
        )
    return made


@pytest.mark.parametrize("policy", Policy)
@pytest.mark.parametrize("framed", [False, True], ids=["claim", "frame"])
@pytest.mark.parametrize("ending", [False, True], ids=["said", "ended"])
def test_a_hot_unit_costs_in_proportion(policy: Policy, framed: bool, ending: bool) -> None:
    """R-30: four times the values of one key or frame take about four times the steps, under every policy."""
    story = Story(policy).say(1, "lisbon")
    registry = story.registry()
    few, lots = (many(count, framed=framed, ending=ending) for count in (SMALL, LARGE))
    spent = [steps(lambda points=points: derive(points, (), registry, subject="s")) for points in (few, lots)]  # type: ignore[misc]
    assert spent[1] < MOST * spent[0]


def test_unrelated_statements_cost_in_proportion() -> None:
    """R-30: as many frames as statements, none of which meets another."""
    spent = []
    for count in (SMALL, LARGE):
        story = Story()
        for at in range(count):
            story.say(at, sentence(f"Word{at} limit <n>", [("number", "5")]))
        log, registry = story.log(), story.registry()
        spent.append(steps(lambda log=log, registry=registry: state(log, registry)))  # type: ignore[misc]
    assert spent[1] < MOST * spent[0]
