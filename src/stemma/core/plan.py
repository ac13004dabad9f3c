"""The difference between what is derived and what is stored: the writes, their counts, the change of the state's hash.

Counts describe this difference alone; they depend on how the log was cut and stand in no hash (design: D-27).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar

from stemma.core import canon
from stemma.records import Status
from stemma.state import Conflict, Decision, Evidence, MemoryRow, UnitState

T = TypeVar("T", Decision, Conflict)

_NOTHING = UnitState()
_EvidenceName = tuple[str, str, str, int, datetime, datetime, str]


@dataclass(frozen=True, slots=True)
class Counts:
    """What a difference did, by memories: those absent before, those said again, and where the rest now end."""

    created: int = 0
    restated: int = 0
    superseded: int = 0
    retracted: int = 0
    reinstated: int = 0
    quarantined: int = 0
    vanished: int = 0
    conflicts_opened: int = 0


@dataclass(frozen=True, slots=True)
class Plan:
    """The writes of one compile. What is put carries the digest of its canonical form.

    A decision whose evidence changed is both gone and put: undo before putting, so that the journal keeps both.
    `hashes_added` and `hashes_removed` go to `canon.shifted`.
    """

    rows_put: tuple[tuple[MemoryRow, bytes], ...] = ()
    rows_gone: tuple[str, ...] = ()
    evidence_put: tuple[Evidence, ...] = ()
    evidence_gone: tuple[Evidence, ...] = ()
    decisions_put: tuple[tuple[Decision, bytes], ...] = ()
    decisions_gone: tuple[str, ...] = ()
    conflicts_put: tuple[tuple[Conflict, bytes], ...] = ()
    conflicts_gone: tuple[str, ...] = ()
    notes_put: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    hashes_added: tuple[bytes, ...] = ()
    hashes_removed: tuple[bytes, ...] = ()
    counts: Counts = Counts()

    @property
    def is_empty(self) -> bool:
        """Say whether there is nothing to write."""
        return self == Plan()


@dataclass(slots=True)
class _Parts:
    """The parts of some units' states, by their names."""

    rows: dict[str, MemoryRow] = field(default_factory=dict)
    evidence: dict[str, list[Evidence]] = field(default_factory=dict)
    decisions: dict[str, Decision] = field(default_factory=dict)
    conflicts: dict[str, Conflict] = field(default_factory=dict)

    def digest(self, row: MemoryRow) -> bytes:
        """Give the digest of one row with its evidence."""
        return canon.digest(canon.row_bytes(row, self.evidence.get(row.id, ())))


def difference(wanted: Mapping[str, UnitState], stored: Mapping[str, UnitState]) -> Plan:
    """Plan the writes that turn what is stored for some units into what is wanted; a unit absent yields nothing.

    Applied, a second difference of the same is empty.
    """
    units = sorted({*wanted, *stored})
    new = _parts(wanted.get(unit, _NOTHING) for unit in units)
    old = _parts(stored.get(unit, _NOTHING) for unit in units)
    changed = [row for row in new.rows.values() if _differs(row, new, old)]
    rows_put = tuple((row, new.digest(row)) for row in changed)
    replaced = [old.rows[row.id] for row in changed if row.id in old.rows]
    gone = [row for memory, row in old.rows.items() if memory not in new.rows]
    decisions = _changed(new.decisions, old.decisions)
    conflicts = _changed(new.conflicts, old.conflicts)
    decisions_put = tuple((each, canon.digest(canon.decision_bytes(each))) for each in decisions[0])
    conflicts_put = tuple((each, canon.digest(canon.conflict_bytes(each))) for each in conflicts[0])
    evidence_put, evidence_gone = _evidence(new, old)
    removed = [old.digest(row) for row in (*replaced, *gone)]
    removed += [canon.digest(canon.decision_bytes(each)) for each in decisions[1]]
    removed += [canon.digest(canon.conflict_bytes(each)) for each in conflicts[1]]
    return Plan(
        rows_put=rows_put,
        rows_gone=tuple(row.id for row in gone),
        evidence_put=evidence_put,
        evidence_gone=evidence_gone,
        decisions_put=decisions_put,
        decisions_gone=tuple(each.id for each in decisions[1]),
        conflicts_put=conflicts_put,
        conflicts_gone=tuple(each.id for each in conflicts[1] if each.id not in new.conflicts),
        notes_put=_notes(units, wanted, stored),
        hashes_added=tuple(digest for _, digest in (*rows_put, *decisions_put, *conflicts_put)),
        hashes_removed=tuple(removed),
        counts=_counts(new, old),
    )


def _parts(states: Iterable[UnitState]) -> _Parts:
    parts = _Parts()
    for state in states:
        parts.rows |= {row.id: row for row in state.rows}
        parts.decisions |= {each.id: each for each in state.decisions}
        parts.conflicts |= {each.id: each for each in state.conflicts}
        for each in sorted(state.evidence, key=_name):
            parts.evidence.setdefault(each.memory_id, []).append(each)
    return parts


def _differs(row: MemoryRow, new: _Parts, old: _Parts) -> bool:
    return row != old.rows.get(row.id) or new.evidence.get(row.id) != old.evidence.get(row.id)


def _changed(new: Mapping[str, T], old: Mapping[str, T]) -> tuple[list[T], list[T]]:
    """Give what is new or changed, and what of the old is gone or changed."""
    put = [each for name, each in new.items() if each != old.get(name)]
    gone = [each for name, each in old.items() if each != new.get(name)]
    return put, gone


def _evidence(new: _Parts, old: _Parts) -> tuple[tuple[Evidence, ...], tuple[Evidence, ...]]:
    wanted = {_name(each): each for listed in new.evidence.values() for each in listed}
    stored = {_name(each): each for listed in old.evidence.values() for each in listed}
    put = tuple(each for name, each in wanted.items() if each != stored.get(name))
    return put, tuple(each for name, each in stored.items() if name not in wanted)


def _name(each: Evidence) -> _EvidenceName:
    return each.memory_id, each.key, each.content_hash, each.place, each.occurred_at, each.time, each.role


def _notes(
    units: Iterable[str], wanted: Mapping[str, UnitState], stored: Mapping[str, UnitState]
) -> dict[str, tuple[str, ...]]:
    notes = {unit: (wanted.get(unit, _NOTHING).notes, stored.get(unit, _NOTHING).notes) for unit in units}
    return {unit: now for unit, (now, before) in notes.items() if now != before}


def _counts(new: _Parts, old: _Parts) -> Counts:
    ends = [(_end(row), _end(old.rows.get(memory)), memory in old.rows) for memory, row in new.rows.items()]
    opened = [name for name, each in new.conflicts.items() if each.closed_at is None and not _is_open(old, name)]
    return Counts(
        created=sum(not known for _, _, known in ends),
        restated=sum(_is_said_again(memory, new, old) for memory in new.rows if memory in old.rows),
        superseded=_arrived(Status.SUPERSEDED, ends),
        retracted=_arrived(Status.TOMBSTONED, ends),
        reinstated=sum(known and now is Status.ACTIVE is not before for now, before, known in ends),
        quarantined=_arrived(Status.QUARANTINED, ends),
        vanished=sum(memory not in new.rows for memory in old.rows),
        conflicts_opened=len(opened),
    )


def _end(row: MemoryRow | None) -> Status | None:
    """Give the status a row has once all its transitions have come."""
    return row.transitions[-1].status if row is not None else None


def _arrived(status: Status, ends: Iterable[tuple[Status | None, Status | None, bool]]) -> int:
    return sum(now is status is not before for now, before, _ in ends)


def _is_open(parts: _Parts, conflict: str) -> bool:
    known = parts.conflicts.get(conflict)
    return known is not None and known.closed_at is None


def _is_said_again(memory: str, new: _Parts, old: _Parts) -> bool:
    before = {_name(each) for each in old.evidence.get(memory, ())}
    said = (each for each in new.evidence.get(memory, ()) if each.role == "support" and each.dead is None)
    return any(_name(each) not in before for each in said)
