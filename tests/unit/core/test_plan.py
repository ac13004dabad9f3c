"""The difference between states: what is written, what is counted, what the hash becomes; and the canonical form."""

from __future__ import annotations

import json
from dataclasses import fields, replace

import pytest
import rfc8785

from stemma.core import canon
from stemma.core.plan import Counts, Plan, difference
from stemma.core.status import HELD_REASONS, in_force, overlaid, status_at
from stemma.records import Act, Polarity, Policy, Status
from stemma.state import Conflict, Decision, Evidence, MemoryRow, UnitState
from tests.unit.core.stories import Story, claim, day


def test_a_first_state_is_created_and_a_second_difference_is_empty() -> None:
    """R-2: compiled again, nothing is created, changed or superseded."""
    wanted = Story().say(1, "lisbon").say(5, "porto").states()
    plan = difference(wanted, {})
    assert plan.counts == Counts(created=2, superseded=1)
    assert (len(plan.rows_put), len(plan.evidence_put), len(plan.decisions_put)) == (2, 2, 1)
    assert difference(wanted, wanted) == Plan()
    assert difference(wanted, wanted).is_empty and not plan.is_empty


def test_what_was_stored_in_another_order_is_no_difference() -> None:
    """R-2: a store returns parts in its own order."""
    wanted = Story(Policy.FLAG).say(1, "lisbon").say(5, "porto").say(6, "lisbon").states()
    turned = {
        unit: UnitState(
            rows=each.rows[::-1],
            evidence=each.evidence[::-1],
            decisions=each.decisions[::-1],
            conflicts=each.conflicts[::-1],
        )
        for unit, each in wanted.items()
    }
    assert difference(wanted, turned).is_empty
    assert canon.state_hash(wanted.values()) == canon.state_hash(turned.values())


def test_said_again_is_restated_and_writes_its_row_and_its_evidence() -> None:
    """R-34 (D-27): present, and its evidence grew."""
    story = Story().say(1, "lisbon")
    before = story.states()
    plan = difference(story.say(5, "lisbon").states(), before)
    assert plan.counts == Counts(restated=1)
    assert (len(plan.rows_put), len(plan.evidence_put), plan.evidence_gone) == (1, 1, ())


def test_what_gives_way_is_superseded_and_what_comes_back_is_reinstated() -> None:
    """R-34a (D-27): by the state a row ends in, now and before."""
    story = Story().say(1, "lisbon")
    first = story.states()
    second = story.say(5, "porto").states()
    assert difference(second, first).counts == Counts(created=1, superseded=1)
    third = story.say(7, claim("porto", act=Act.WRONG)).states()
    assert difference(third, second).counts == Counts(retracted=1, reinstated=1)


def test_what_is_held_is_quarantined_and_its_conflict_opened() -> None:
    """R-36 (D-27): counts of a held value."""
    story = Story().say(1, "lisbon", source="src90")
    before = story.states()
    plan = difference(story.say(5, "porto", source="src10").states(), before)
    assert plan.counts == Counts(created=1, quarantined=1, conflicts_opened=1)


def test_late_evidence_undoes_a_decision_and_makes_two() -> None:
    """R-2 (D-28): A to C becomes A to B and B to C."""
    story = Story().say(1, "a").say(9, "c")
    before = story.states()
    plan = difference(story.say(5, "b").states(), before)
    assert len(plan.decisions_put) == 2
    assert len(plan.decisions_gone) == 1
    assert plan.counts == Counts(created=1, superseded=1)


def test_what_is_no_longer_derived_vanishes() -> None:
    """R-31 (D-2): the unit is absent from what is wanted."""
    stored = Story().say(1, "lisbon").states()
    plan = difference({}, stored)
    assert plan.counts == Counts(vanished=1)
    assert plan.rows_gone == (next(iter(stored.values())).rows[0].id,)
    assert len(plan.evidence_gone) == 1


def test_the_hash_moves_with_the_plan() -> None:
    """R-2 (D §6): added and removed summands turn the old hash into the new one, and back to nothing."""
    story = Story().say(1, "lisbon").say(2, "porto")
    first = story.states()
    second = story.say(3, "rome").states()
    start = canon.state_hash(first.values())
    plan = difference(second, first)
    moved = canon.shifted(start, plan.hashes_added, plan.hashes_removed)
    assert moved == canon.state_hash(second.values()) != start
    assert (
        canon.shifted(moved, difference({}, second).hashes_added, difference({}, second).hashes_removed) == canon.EMPTY
    )


def test_notes_are_written_where_they_change() -> None:
    """D §9: a block that is not ruled on says so."""
    plan = difference({"u": UnitState(notes=("crowded",))}, {})
    assert plan.notes_put == {"u": ("crowded",)}
    assert difference({}, {"u": UnitState(notes=("crowded",))}).notes_put == {"u": ()}


def samples() -> tuple[MemoryRow, tuple[Evidence, ...], Decision, Conflict]:
    """Give one of everything that is hashed."""
    story = Story(Policy.FLAG).say(1, claim("lis\u2028bon", importance=0.1)).say(2, "porto").say(3, "porto")
    (state,) = story.states().values()
    decision = Story().say(1, "lisbon").say(2, "porto").decisions()[0]
    row = next(each for each in state.rows if each.value != "porto")
    return row, tuple(one for one in state.evidence if one.memory_id == row.id), decision, state.conflicts[0]


def test_the_canonical_form_is_rfc_8785() -> None:
    """R-2: what is written is what the reference writes for the same document."""
    row, evidence, decision, conflict = samples()
    for written in (canon.row_bytes(row, evidence), canon.decision_bytes(decision), canon.conflict_bytes(conflict)):
        assert written == rfc8785.dumps(json.loads(written))


# A value that no sample has, by the type that a field is declared with.
OTHER: dict[str, object] = {
    "str": "other",
    "str | None": "other",
    "int": 77,
    "int | None": 77,
    "float": 0.77,
    "float | None": 0.77,
    "datetime": day(77),
    "datetime | None": day(77),
    "Polarity": Polarity.NEGATED,
    "tuple[str, ...]": ("other",),
    "tuple[Transition, ...]": (),
    "tuple[tuple[datetime | None, datetime | None], ...]": ((day(77), None),),
}


@pytest.mark.parametrize("part", ["row", "evidence", "decision", "conflict"])
def test_every_field_is_in_the_hash(part: str) -> None:
    """R-2: no field of what is derived can change unseen."""
    row, evidence, decision, conflict = samples()
    record = {"row": row, "evidence": evidence[0], "decision": decision, "conflict": conflict}[part]
    for field in fields(record):
        changed = replace(record, **{field.name: OTHER[str(field.type)]})
        if part == "evidence" and field.name == "memory_id":
            continue
        assert _digest(part, changed, row, evidence) != _digest(part, record, row, evidence), field.name


def _digest(part: str, record: object, row: MemoryRow, evidence: tuple[Evidence, ...]) -> bytes:
    match record:
        case MemoryRow():
            return canon.digest(canon.row_bytes(record, evidence))
        case Evidence():
            return canon.digest(canon.row_bytes(row, [record]))
        case Decision():
            return canon.digest(canon.decision_bytes(record))
        case Conflict():
            return canon.digest(canon.conflict_bytes(record))
    raise AssertionError(part)


def test_a_status_is_read_from_the_transitions() -> None:
    """R-44 (D-3): half-open spans, the first reaching back; before what is to come it is `not_yet`."""
    rows = Story().say(1, "lisbon").say(5, "porto").rows()
    assert status_at(rows["lisbon"], day(-9)) == (Status.ACTIVE, None, None)
    assert status_at(rows["lisbon"], day(5)) == (Status.SUPERSEDED, "latest", rows["porto"].id)
    assert status_at(rows["porto"], day(4)) == (Status.ACTIVE, "not_yet", None)
    assert [in_force(rows["porto"], day(at)) for at in (4.9, 5, 50)] == [False, True, True]
    assert [row.value for row in overlaid(rows.values(), day(5))] == ["porto"]
    assert {"lower_authority", "uncorroborated", "time_ahead"} == HELD_REASONS
