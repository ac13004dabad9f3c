"""The fold and the sweep against plain dictionaries, and the fold against folding again from a change."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from stemma.core.derive import derive
from stemma.core.fold import Item, Step, step
from stemma.core.standing import Rule, State
from stemma.records import Act, Frame, Polarity, Policy, SaidBy
from stemma.state import Point
from tests.property.histories import SUBJECT, day, registry
from tests.property.model import Line, claims, frames

LINES = st.lists(
    st.builds(
        Line,
        value=st.sampled_from("abc"),
        rank=st.sampled_from([10, 50, 90]),
        origin=st.sampled_from("xyz"),
        no=st.sampled_from([False, False, False, True]),
        over=st.sampled_from([False, False, False, False, True]),
    ),
    max_size=10,
)


def point(line: Line, at: int, policy: Policy, frame: Frame | None = None) -> Point:
    """Make the point of one line, said on its own day."""
    polarity = Polarity.NEGATED if line.no else Polarity.AFFIRMED
    return Point(
        unit="u",
        memory_id=f"{line.value}/{polarity}",
        act=Act.END if line.over else Act.SAY,
        time=day(at),
        occurred_at=day(at),
        sound=True,
        key=f"k{at:02}",
        content_hash="h",
        place=0,
        group=f"k{at:02}",
        conversation="c",
        origin=line.origin,
        source="s",
        speaker=None,
        said_by=SaidBy.USER,
        authority=line.rank,
        voice="own",
        kind=policy.value,
        claim_key=None if frame else f"k_{policy.value}",
        value=line.value,
        shown=line.value,
        polarity=polarity,
        text=line.value,
        start=0,
        end=1,
        frame=frame,
    )


def ends(points: Sequence[Point]) -> dict[tuple[str, bool], str]:
    """Derive some points and say where each memory stands in the end."""
    states = derive(points, (), registry(), subject=SUBJECT)
    rows = [row for state in states.values() for row in state.rows]
    return {(row.value, row.polarity is Polarity.NEGATED): row.transitions[-1].status.value for row in rows}


@settings(max_examples=150, deadline=None)
@given(LINES, st.sampled_from(Policy))
def test_a_claim_key_is_ruled_as_the_dictionary_rules(lines: list[Line], policy: Policy) -> None:
    """R-36: all five policies, ends and denials, with ranks and origins (D-13 to D-18)."""
    assert ends([point(line, at, policy) for at, line in enumerate(lines)]) == claims(lines, policy.value)


@settings(max_examples=150, deadline=None)
@given(LINES)
def test_a_frame_is_ruled_pair_by_pair(lines: list[Line]) -> None:
    """R-35: what is later, in direct conflict and no weaker supersedes; a weaker newcomer is held (D-24)."""
    frame = Frame(words=("limit", "<n>"), identities=(), types=("number",))
    found = ends([point(line, at, Policy.LATEST, frame) for at, line in enumerate(lines)])
    assert {(*name, ""): status for name, status in found.items()} == frames(lines)


@settings(max_examples=100, deadline=None)
@given(LINES, st.sampled_from(Policy), st.data())
def test_folding_again_from_a_change_is_folding_it_all(lines: list[Line], policy: Policy, drawn: st.DataObject) -> None:
    """R-2: a step depends on the state before it and on nothing else, so a fold may stop where it is what it was."""
    points = [point(line, at, policy) for at, line in enumerate(lines)]
    if not points:
        return
    place = drawn.draw(st.integers(0, len(points) - 1))
    shorter = [*points[:place], *points[place + 1 :]]
    rule = Rule(policy, 2)
    assert _refold(shorter, points, place, _fold(shorter, rule), rule) == _fold(points, rule)
    assert _refold(points, shorter, place, _fold(points, rule), rule) == _fold(shorter, rule)


def _fold(items: Sequence[Item], rule: Rule) -> list[Step]:
    steps: list[Step] = []
    for item in items:
        steps.append(step(steps[-1][0] if steps else State(), item, rule))
    return steps


def _refold(old_items: Sequence[Item], items: Sequence[Item], place: int, old: list[Step], rule: Rule) -> list[Step]:
    """Fold from a place on, where one item was put in or taken out, until the state is the one it was there before."""
    shift = len(items) - len(old_items)
    steps = old[:place]
    for at in range(place, len(items)):
        before = at - shift
        state = steps[-1][0] if steps else State()
        if before >= 1 and at > place - (shift < 0) and _is_same(state, old[before - 1][0]):
            return [*steps, *old[before:]]
        steps.append(step(state, items[at], rule))
    return steps


def _is_same(one: State, other: State) -> bool:
    return one == other and all(
        list(a) == list(b)
        for a, b in (
            (one.standing, other.standing),
            (one.denied, other.denied),
            (one.held, other.held),
            (one.challengers, other.challengers),
        )
    )
