"""How the cost of a derivation grows: near-linear in the log, also where all of it is one unit."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

import pytest

from stemma.core.derive import derive, state
from stemma.records import Act, Frame, Policy
from stemma.state import Point
from tests.unit.core.stories import Story, day, sentence

SMALL, LARGE = 1_000, 4_000
# Four times the points: linear is 4, quadratic 16. Between them stands what sorting and a noisy machine add.
MOST = 9.0
TRIES = 4


def seconds(points: Sequence[Point], story: Story) -> float:
    """Give the CPU seconds of one derivation."""
    start = time.process_time()
    derive(points, (), story.registry(), subject="s")
    return time.process_time() - start


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
    """R-30: 4,000 values of one key or frame take about four times as long as 1,000, under every policy."""
    story = Story(policy).say(1, "lisbon")
    few, lots = (many(count, framed=framed, ending=ending) for count in (SMALL, LARGE))
    small = min(seconds(few, story) for _ in range(TRIES))
    # What else the machine does only adds: the least counts, and the first that is in proportion settles it.
    tried = (seconds(lots, story) for _ in range(TRIES))
    assert any(large < MOST * small for large in tried), f"not within {MOST} times {small:.3f} s"


def test_unrelated_statements_cost_in_proportion() -> None:
    """R-30: as many frames as statements, none of which meets another."""
    spent = []
    for count in (SMALL, LARGE):
        story = Story()
        for at in range(count):
            story.say(at, sentence(f"Word{at} limit <n>", [("number", "5")]))
        log, registry = story.log(), story.registry()
        start = time.process_time()
        state(log, registry)
        spent.append(time.process_time() - start)
    assert spent[1] < MOST * spent[0]
