"""What a unit yields once it is ruled on: a row for each memory, evidence, decisions, conflicts. Rules on nothing."""

from __future__ import annotations

from collections.abc import Sequence

from stemma.core.events import Beat
from stemma.core.history import Spell, decision_of
from stemma.core.marks import RETRACTED, Marked
from stemma.core.order import order, said_order
from stemma.core.rows import evidence_of, row_of
from stemma.core.ruled import Record
from stemma.core.rulings import MERGED, QUARANTINED, Acts
from stemma.records import Act, Registry, Status
from stemma.state import Conflict, Decision, Evidence, MemoryRow, Point, Transition, UnitState


def unit_states(
    marked: Marked, units: Sequence[str], record: Record, acts: Acts, registry: Registry, *, subject: str
) -> dict[str, UnitState]:
    """Turn the record of a ruling into the states of the units it was made for."""
    decisions: dict[str, list[Decision]] = {unit: [] for unit in units}
    for decision in record.decisions:
        decisions[decision.unit].append(decision)
    conflicts: dict[str, list[Conflict]] = {unit: [] for unit in units}
    for conflict in record.conflicts:
        conflicts[conflict.unit].append(conflict)
    states: dict[str, UnitState] = {}
    for unit in units:
        rows: list[MemoryRow] = []
        evidence: list[Evidence] = []
        for memory, points in sorted(_by_memory(marked.by_unit[unit]).items()):
            says = [point for point in points if point.act is Act.SAY]
            if not says:
                continue
            if all(point.dead for point in says):
                transition, decision = _end_of_the_dead(says, marked, acts)
                how: tuple[tuple[Transition, ...], tuple[Spell, ...]] = ((transition,), ())
                decisions[unit].append(decision)
            else:
                how = record.memories[memory]
            rows.append(row_of(says, how, acts.shown.get(memory, ()), registry, subject=subject))
            evidence += evidence_of(points)
        states[unit] = UnitState(
            rows=tuple(rows),
            evidence=tuple(evidence),
            decisions=tuple(sorted(decisions[unit], key=lambda each: each.id)),
            conflicts=tuple(sorted(conflicts[unit], key=lambda each: each.id)),
            notes=record.notes,
        )
    return states


def _by_memory(points: Sequence[Point]) -> dict[str, list[Point]]:
    found: dict[str, list[Point]] = {}
    for point in points:
        found.setdefault(point.memory_id, []).append(point)
    return found


def _end_of_the_dead(says: Sequence[Point], marked: Marked, acts: Acts) -> tuple[Transition, Decision]:
    """Say where a memory without a live statement stands (D-12): quarantined if any is, else as its last one died."""
    quarantined = [point for point in says if point.dead == QUARANTINED]
    last = max(quarantined or says, key=lambda point: (order(point), point.dead or ""))
    if quarantined:
        reason = last.suspect or QUARANTINED
        beat = Beat(QUARANTINED, None, last.memory_id)
        return Transition(None, Status.QUARANTINED, reason), decision_of(last, beat, None, last)
    reason = last.dead or ""
    cause = marked.corrections.get(said_order(last)) if reason == RETRACTED else None
    winner = acts.merged[last.memory_id].memory_id if reason == MERGED else None
    beat = Beat(reason, winner, last.memory_id, (cause.key,) if cause else ())
    return Transition(None, Status.TOMBSTONED, reason, winner), decision_of(cause or last, beat, None, last)
