"""What a person ruled, between values of a claim key and between frames (design: D-20): properties of any history."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from stemma.core.derive import derive
from stemma.core.status import in_force
from stemma.records import ActKind, Frame, HumanAct, NamedMemory, Polarity, Policy
from stemma.state import MemoryRow, Point
from tests.property.histories import SUBJECT, day, registry
from tests.property.model import Line
from tests.property.test_fold_properties import point

FRAME = Frame(words=("limit", "<n>"), identities=(), types=("number",))
SAID = st.builds(Line, value=st.sampled_from("abc"), rank=st.sampled_from([10, 50, 90]), origin=st.sampled_from("xyz"))
LINES = st.lists(SAID, min_size=2, max_size=8)
FRAMES = st.sampled_from([None, FRAME])
RULES = settings(max_examples=120, deadline=None)


def points_of(lines: Sequence[Line], policy: Policy, frame: Frame | None) -> list[Point]:
    """Say each line on its own day."""
    return [point(line, at, policy, frame) for at, line in enumerate(lines)]


def ruling(kind: ActKind, at: float, *sides: Point) -> HumanAct:
    """Rule for the first side, or for all of them."""
    memories = tuple(
        NamedMemory(
            unit=side.unit,
            memory_id=side.memory_id,
            kind=side.kind,
            text=side.text,
            value=side.value,
            polarity=side.polarity,
            claim_key=side.claim_key,
        )
        for side in sides
    )
    return HumanAct(
        id=f"act {kind} {at}", kind=kind, subject_id=SUBJECT, at=day(at), memories=memories, recorded_at=day(9)
    )


def rows(points: Sequence[Point], *acts: HumanAct) -> dict[str, MemoryRow]:
    """Derive, and give the rows by what they say."""
    states = derive(points, acts, registry(), subject=SUBJECT)
    return {row.value: row for state in states.values() for row in state.rows}


def standing(found: dict[str, MemoryRow], moment: float) -> set[str]:
    """Give the values that stand at a moment."""
    return {value for value, row in found.items() if in_force(row, day(moment))}


@st.composite
def ruled(draw: st.DrawFn) -> tuple[list[Point], int, Point, Point]:
    """Draw what was said, the last day of it, after which somebody rules, the chosen side and one that loses."""
    lines, policy, frame = draw(LINES), draw(st.sampled_from(Policy)), draw(FRAMES)
    points = points_of(lines, policy, frame)
    chosen = draw(st.sampled_from(points))
    others = [each for each in points if each.memory_id != chosen.memory_id]
    assume(others)
    return points, len(points) - 1, chosen, draw(st.sampled_from(others))


def late(points: Sequence[Point], line: Line, before: int) -> Point:
    """Say a line on a day that is over, under a key of its own."""
    policy, frame = Policy(points[0].kind), points[0].frame
    said = point(line, 0, policy, frame)
    return replace(said, key="late", time=day(before - 0.5), occurred_at=day(before - 0.5))


@RULES
@given(ruled(), SAID, st.data())
def test_a_choice_leaves_one_value_whatever_was_said_by_then(
    drawn: tuple[list[Point], int, Point, Point], line: Line, more: st.DataObject
) -> None:
    """R-37 (D-20): the chosen side alone stands, and what was said earlier and comes late is settled too."""
    points, last, chosen, other = drawn
    act = ruling(ActKind.CHOOSE, last + 0.5, chosen, other)
    newcomer = late(points, line, more.draw(st.integers(1, last)))
    for told in (points, [*points, newcomer]):
        assert standing(rows(told, act), last + 0.75) == {chosen.value}


@RULES
@given(ruled(), SAID, st.data())
def test_a_third_value_stands_alone_and_is_a_row(
    drawn: tuple[list[Point], int, Point, Point], line: Line, more: st.DataObject
) -> None:
    """R-37 (D-20): likewise where a person words the value."""
    points, last, *sides = drawn
    third = replace(sides[0], value="vienna", memory_id="vienna/affirmed", polarity=Polarity.AFFIRMED)
    act = replace(ruling(ActKind.THIRD_VALUE, last + 0.5, third, *sides), argument="it is vienna")
    newcomer = late(points, line, more.draw(st.integers(1, last)))
    for told in (points, [*points, newcomer]):
        found = rows(told, act)
        assert standing(found, last + 0.75) == {"vienna"}
        assert found["vienna"].text == "it is vienna"


@RULES
@given(ruled(), SAID, st.data())
def test_both_stand_together_and_what_comes_late_beside_them_changes_nothing(
    drawn: tuple[list[Point], int, Point, Point], line: Line, more: st.DataObject
) -> None:
    """R-37 (D-20)."""
    points, last, *sides = drawn
    act = ruling(ActKind.KEEP_BOTH, last + 0.5, *sides)
    names = {side.value for side in sides}
    before = standing(rows(points, act), last + 0.75)
    assert names <= before
    newcomer = late(points, line, more.draw(st.integers(1, last)))
    after = standing(rows([*points, newcomer], act), last + 0.75)
    assert names <= after
    if points[0].kind not in (Policy.KEEP_ALL, Policy.FLAG):
        assert after - before <= names


@RULES
@given(ruled(), st.sampled_from([ActKind.CHOOSE, ActKind.KEEP_BOTH]))
def test_a_ruling_on_what_nobody_says_has_no_effect(
    drawn: tuple[list[Point], int, Point, Point], kind: ActKind
) -> None:
    """D-20: a ruling one of whose sides does not exist, or was erased, has no effect."""
    points, last, chosen, _ = drawn
    unsaid = replace(chosen, value="vienna", memory_id="vienna/affirmed")
    assert rows(points, ruling(kind, last + 0.5, chosen, unsaid)) == rows(points)


@RULES
@given(ruled(), SAID)
def test_what_is_said_after_a_ruling_goes_by_policy_against_the_ruled_value(
    drawn: tuple[list[Point], int, Point, Point], line: Line
) -> None:
    """R-37 (D-20): with the ruled value standing at the greatest rank so far: from the top it takes over."""
    points, last, chosen, other = drawn
    assume(line.value != chosen.value)
    policy = Policy(chosen.kind)
    said = point(line, last + 1, policy, chosen.frame)
    found = rows([*points, said], ruling(ActKind.CHOOSE, last + 0.5, chosen, other))
    stands = standing(found, last + 1.5)
    if policy in (Policy.FLAG, Policy.KEEP_ALL):
        assert stands == {chosen.value, line.value}
    elif policy is Policy.CORROBORATED:
        assert stands == {chosen.value}, "a ruling clears the challengers, and one origin alone is no majority"
    elif line.rank == 90:
        assert stands == {line.value}
    elif line.rank < chosen.authority:
        assert stands == {chosen.value}
    else:
        assert len(stands) == 1
