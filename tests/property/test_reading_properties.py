"""What is read of a state at a moment: in force or not, what overlays what; and that a chain loses nothing."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stemma.core.fuse import Fusion, Hit, Query
from stemma.core.overlays import overlays_first
from stemma.core.score import Scale
from stemma.core.stages import chain
from stemma.core.status import NOT_YET, in_force, overlaid, status_at
from stemma.core.trace import Ask, Item, run
from stemma.records import Status
from stemma.state import MemoryRow
from tests.property.compiled import whole
from tests.property.histories import INSTANTS, T, day, history, registry

RULES = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
MOMENTS = st.integers(-1, 2 * len(INSTANTS)).map(lambda half: day(half / 2))


@st.composite
def row_sets(draw: st.DrawFn) -> list[MemoryRow]:
    """Draw the rows of a history, windows and scopes among them."""

    def pick(options: Sequence[T]) -> T:
        return draw(st.sampled_from(options))

    records = history(pick, draw(st.integers(2, 9)), draw(st.integers(0, 2)))
    return sorted(whole(records, registry())[0].rows.values(), key=lambda row: row.id)


@RULES
@given(row_sets(), MOMENTS)
def test_what_is_in_force_stands_and_its_window_holds(rows: list[MemoryRow], now: datetime) -> None:
    """R-44, D-3, D-17: spells, transitions and windows never contradict one another, at any moment."""
    for row in rows:
        status, reason, _ = status_at(row, now)
        if in_force(row, now):
            assert status is Status.ACTIVE and reason != NOT_YET
            assert row.valid_to is None or now < row.valid_to
            assert row.valid_to is None or row.valid_from is None or row.valid_from <= now


@RULES
@given(row_sets(), MOMENTS, st.randoms(use_true_random=False))
def test_the_narrowest_stands_first_and_nothing_else_is_read(
    rows: list[MemoryRow], now: datetime, generator: random.Random
) -> None:
    """D-17 (overlay order): a scope before none, then the shorter window, then what has no end; in any order given."""
    shuffled = generator.sample(rows, len(rows))
    read = overlaid(shuffled, now)
    assert read == overlaid(rows, now)
    assert {row.id for row in read} == {row.id for row in rows if in_force(row, now)}
    widths = [_width(row) for row in read]
    assert widths == sorted(widths)


@RULES
@given(row_sets(), st.randoms(use_true_random=False))
def test_overlays_change_places_among_items_of_one_claim_key_alone(
    rows: list[MemoryRow], generator: random.Random
) -> None:
    """R-36, D-17: Berlin this week before Lisbon, wherever score had put them; every other item keeps its place."""
    items = [Item(row.id, Hit(row.id), memory=row) for row in generator.sample(rows, len(rows))]
    ordered = overlays_first(items)
    assert Counter(item.id for item in ordered) == Counter(item.id for item in items)
    keys = [(item.memory.voice, item.memory.claim_key) for item in items if item.memory]
    assert keys == [(item.memory.voice, item.memory.claim_key) for item in ordered if item.memory]
    for key in set(keys):
        if key[1] is None:
            assert [i.id for i in items if _key(i) == key] == [i.id for i in ordered if _key(i) == key]
        else:
            widths = [_width(item.memory) for item in ordered if item.memory and _key(item) == key]
            assert widths == sorted(widths)


@RULES
@given(row_sets(), MOMENTS, st.integers(0, 5), st.booleans(), st.data())
def test_every_item_leaves_the_chain_or_has_one_fate_in_it(
    rows: list[MemoryRow], now: datetime, k: int, for_prompt: bool, drawn: st.DataObject
) -> None:
    """R-10, R-11, R-42: in = out + dropped + merged, by name: nothing is lost and nothing appears."""
    found = st.none() | st.floats(0, 30)
    items = [Item(row.id, Hit(row.id, drawn.draw(found)), memory=row) for row in rows]
    ask = Ask(Query(20.0), frozenset(), now, k, for_prompt=for_prompt)
    left, records = run(chain(Fusion(), Scale(0.0, 1.0)), items, ask)
    fates = [fate.id for record in records for fate in record.fates]
    assert Counter([item.id for item in left] + fates) == Counter(item.id for item in items)
    assert len(left) <= k
    for record in records:
        assert record.entered == record.left + record.merged + record.dropped
        assert all(fate.into is None or fate.into in {item.id for item in items} for fate in record.fates)


def _key(item: Item) -> tuple[str, str | None]:
    assert item.memory is not None
    return item.memory.voice, item.memory.claim_key


def _width(row: MemoryRow) -> tuple[bool, float]:
    if row.valid_to is None:
        return not row.scope, float("inf")
    # "Until Friday" begins when it was first spoken of.
    begins = row.valid_from or row.first_said_at
    return not row.scope, max(0.0, (row.valid_to - begins).total_seconds())
