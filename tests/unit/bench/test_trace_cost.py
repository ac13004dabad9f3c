"""What is pure in measuring traces and growth: the order of asking, the spread of a ratio, the rows that are filled."""

from __future__ import annotations

import random
from typing import Any

import pytest

from bench.copied_memories import centres, memory_rows
from bench.prove_5 import nameless
from bench.trace_cost import order, spread
from stemma.records import Status


def test_every_block_is_asked_in_each_way_and_no_way_goes_first_more_often() -> None:
    asked = order(("on", "off"), 4)
    assert asked == [(0, "on"), (0, "off"), (1, "off"), (1, "on"), (2, "on"), (2, "off"), (3, "off"), (3, "on")]


def test_the_spread_of_a_ratio_holds_it_and_narrows_with_more_requests() -> None:
    draw = random.Random(3)
    plain = [draw.uniform(0.9, 1.1) for _ in range(1_600)]
    slower = [each * 1.2 for each in plain]
    few, many = spread(slower[:100], plain[:100], 0.5, 1), spread(slower, plain, 0.5, 1)
    assert few[0] <= 1.2 <= few[1]
    # The same requests are drawn on both sides, so a constant share has no spread.
    assert many == [1.2, 1.2]
    shuffled = draw.sample(slower, len(slower))
    few, many = spread(shuffled[:100], plain[:100], 0.5, 1), spread(shuffled, plain, 0.5, 1)
    assert many[1] - many[0] < few[1] - few[0]


def test_every_tenth_filled_memory_is_superseded_by_the_one_after_it() -> None:
    rows = memory_rows("town", "ana", [f"text {number}" for number in range(20)])
    assert len({row.id for row in rows}) == 20
    ended = [number for number, row in enumerate(rows) if row.transitions[-1].status is Status.SUPERSEDED]
    assert ended == [0, 10]
    assert [rows[number].superseded_by for number in ended] == [rows[1].id, rows[11].id]
    assert rows[10].spells == ((None, rows[11].first_said_at),)
    assert rows[11].spells == ((None, None),)


def test_vectors_lie_as_near_to_one_another_as_those_of_real_texts() -> None:
    rows = centres(384, 5)
    near = rows[:200] @ rows[200:400].T
    assert float(near.mean()) == pytest.approx(0.735, abs=0.02)
    assert float((rows**2).sum(axis=1).max()) == pytest.approx(1, abs=1e-5)


def grown(*, stage: str | None, reasons: dict[str, int]) -> dict[str, Any]:
    """Give a report of two sizes whose recall falls, with one anchor lost."""
    sizes = [
        {"factor": 1.0, "anchor_recall": 1.0, "reasons": {}},
        {"factor": 3.0, "anchor_recall": 0.9, "reasons": reasons},
    ]
    return {"sizes": sizes, "anchors": [{"probe": "p1", "key": "k1", "lost_at": 3.0, "stage": stage}]}


def test_a_fall_of_recall_without_its_stage_is_named() -> None:
    assert nameless(grown(stage="budget", reasons={"budget: budget_exhausted": 1})) == []
    assert nameless(grown(stage=None, reasons={})) == [
        "growth: p1 k1 is lost at 3 times and no stage is named",
        "growth: recall falls at 3 times and no stage is named",
    ]
