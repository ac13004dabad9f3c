"""Frames of one block against plain rules (design: D-9, D-24): every policy that rules, marked stamps, the limit."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st

from stemma.core.derive import derive
from stemma.core.frames import BLOCK_LIMIT, are_neighbours, frame_point
from stemma.records import Frame, Polarity, Policy, Status
from stemma.state import Point, UnitState
from tests.property.histories import SUBJECT, registry
from tests.property.model import Line, are_near, frames, frames_corroborated
from tests.property.test_fold_properties import point

LOOSE = ("", "a", "ab", "abc")
SAID = {
    "value": st.sampled_from("pq"),
    "rank": st.sampled_from([10, 50, 90]),
    "origin": st.sampled_from("xyz"),
    "no": st.sampled_from([False, False, False, True]),
}
LINES = st.lists(
    st.builds(Line, **SAID, over=st.sampled_from([False] * 4 + [True]), loose=st.sampled_from(LOOSE)), max_size=9
)
NEVER_ENDED = st.lists(st.builds(Line, **SAID, loose=st.sampled_from(LOOSE)), max_size=8)
LETTERS = "abcdefgh"


def frame_of(loose: str) -> Frame:
    """Give a frame with one content word and some function words."""
    return Frame(words=("limit", *(f"<f>{letter}" for letter in loose), "<n>"), identities=(), types=("number",))


def framed(line: Line, at: int, policy: Policy) -> Point:
    """Make the point of one line in its own frame."""
    made = point(line, at, policy, frame_of(line.loose))
    return replace(made, unit=f"u{line.loose}", memory_id=f"{line.loose}/{made.memory_id}")


def states_of(points: Sequence[Point]) -> dict[str, UnitState]:
    """Derive some points."""
    return derive(points, (), registry(), subject=SUBJECT)


def ends(points: Sequence[Point]) -> dict[tuple[str, bool, str], str]:
    """Say where each memory stands in the end, by what it says and its frame."""
    rows = [row for state in states_of(points).values() for row in state.rows]
    return {
        (row.value, row.polarity is Polarity.NEGATED, row.unit[1:]): row.transitions[-1].status.value for row in rows
    }


@settings(max_examples=200, deadline=None)
@given(LINES)
def test_neighbouring_frames_are_ruled_pair_by_pair(lines: list[Line]) -> None:
    """R-35, D-24: across frames as within one, without closure: later, in direct conflict, no weaker."""
    assert ends([framed(line, at, Policy.LATEST) for at, line in enumerate(lines)]) == frames(lines)


@settings(max_examples=200, deadline=None)
@example([Line("q"), Line("p", origin="y"), Line("p", over=True), Line("p", origin="x")])
@given(LINES)
def test_frames_under_corroborated_count_origins_against_each_that_stands(lines: list[Line]) -> None:
    """R-36, D-13, D-24: n distinct origins since that one was last said; until then held."""
    found = ends([framed(line, at, Policy.CORROBORATED) for at, line in enumerate(lines)])
    assert found == frames_corroborated(lines)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(LOOSE), st.sampled_from("mn"), st.booleans()), min_size=2, max_size=2))
def test_neighbours_are_those_that_differ_in_function_words_and_values_alone(
    drawn: list[tuple[str, str, bool]],
) -> None:
    """R-35, D-24: one content, the overlap in whole numbers, a type in common."""
    points = [
        replace(
            point(Line("p"), 0, Policy.LATEST, frame_of(loose)),
            frame=Frame(
                ("limit", content, *(f"<f>{each}" for each in loose)), (), ("number",) if typed else ("money",)
            ),
        )
        for loose, content, typed in drawn
    ]
    one, other = (frame_point(each) for each in points)
    assert one is not None and other is not None
    (loose, content, typed), (other_loose, other_content, other_typed) = drawn
    alike = content == other_content and typed == other_typed
    assert are_neighbours(one, other, 0.6) == (alike and are_near(loose, other_loose, content=2))


@settings(max_examples=150, deadline=None)
@given(NEVER_ENDED, st.lists(st.booleans(), min_size=8, max_size=8), st.sampled_from(Policy), st.booleans())
def test_a_marked_stamp_is_held_where_a_sound_statement_contradicts_it(
    lines: list[Line], marks: list[bool], policy: Policy, by_frame: bool
) -> None:
    """R-22, D-9 (property 6): of claims and of frames under every policy; what is sound stands as it did."""
    make = framed if by_frame else point
    points = [
        replace(make(line, at, policy), sound=not marked)
        for at, (line, marked) in enumerate(zip(lines, marks, strict=False))
    ]
    sound = {row.id: row for state in states_of([p for p in points if p.sound]).values() for row in state.rows}
    found = states_of(points)
    conflicts = [each for state in found.values() for each in state.conflicts if each.closed_at is None]
    for row in (row for state in found.values() for row in state.rows):
        if row.id in sound:
            assert (row.transitions, row.last_said_at) == (sound[row.id].transitions, sound[row.id].last_said_at)
            continue
        against = {each.id for each in sound.values() if not by_frame or _contradict(row.id, each.id)}
        held = bool(against) and not (by_frame and policy is Policy.KEEP_ALL)
        last = row.transitions[-1]
        assert (last.reason == "time_ahead") == held, row.id
        if held:
            assert last.status is Status.QUARANTINED
            assert any(row.id in each.memory_ids and each.reason == "time_ahead" for each in conflicts)


def _contradict(one: str, other: str) -> bool:
    (loose, value, no), (other_loose, other_value, other_no) = one.split("/"), other.split("/")
    return are_near(loose, other_loose) and ((value != other_value) if no == other_no else value == other_value)


@settings(max_examples=150, deadline=None)
@example([Line("p", loose="a"), Line("p", loose="ab"), Line("q", loose="a"), Line("p", over=True, loose="a")])
@given(LINES)
def test_flagged_frames_all_stand_and_contest_while_they_contradict(lines: list[Line]) -> None:
    """R-36, D-13, D-18: under `flag` an end alone takes a statement away; a later contradiction is in a conflict."""
    found = states_of([framed(line, at, Policy.FLAG) for at, line in enumerate(lines)])
    stands: dict[str, int] = {}
    for line in lines:
        name = f"{line.loose}/{line.value}/{'negated' if line.no else 'affirmed'}"
        if not line.over:
            stands[name] = max(line.rank, stands.get(name, 0))
        elif line.rank >= stands.get(name, 101):
            del stands[name]
    rows = [row for state in found.values() for row in state.rows]
    assert {row.id for row in rows if row.transitions[-1].status is Status.ACTIVE} == set(stands)
    pairs = [each.memory_ids for state in found.values() for each in state.conflicts if each.closed_at is None]
    assert all(set(pair) <= set(stands) and _contradict(*pair) for pair in pairs)
    order = list(stands)
    contested = {name for at, name in enumerate(order) if any(_contradict(name, other) for other in order[:at])}
    assert contested <= {name for pair in pairs for name in pair}


# Without shrinking: each example derives 200 frames.
@settings(max_examples=6, deadline=None, phases=[Phase.explicit, Phase.generate])
@example(BLOCK_LIMIT, random.Random(1))
@example(BLOCK_LIMIT + 1, random.Random(1))
@given(st.integers(BLOCK_LIMIT - 1, BLOCK_LIMIT + 3), st.randoms(use_true_random=False))
def test_over_the_limit_no_frame_of_a_block_rules_on_another_whichever_came_first(
    count: int, generator: random.Random
) -> None:
    """D §9: a function of the set: over 200 frames nothing is ruled between them, and a note says so."""
    subsets = ["".join(each) for size in range(len(LETTERS) + 1) for each in combinations(LETTERS, size)]
    lines = [Line(value=str(at), loose=loose) for at, loose in enumerate(generator.sample(subsets, count))]
    again = replace(lines[0], value="again")
    points = [framed(line, at, Policy.LATEST) for at, line in enumerate([*lines, again])]
    generator.shuffle(points)
    found = states_of(points)
    decided = {(each.winner_id, each.loser_id) for state in found.values() for each in state.decisions}
    crowded = count > BLOCK_LIMIT
    assert {bool(state.notes) for state in found.values()} == {crowded}
    if crowded:
        # Within one frame the later still wins.
        assert decided == {(f"{again.loose}/again/affirmed", f"{again.loose}/0/affirmed")}
    else:
        assert len(decided) > count / 2
