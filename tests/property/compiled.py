"""An incremental compile in memory: what a store would hold, moved by plans alone, to be held against the whole."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from stemma.core import canon, plan
from stemma.core.corrections import resolve_wrong_last
from stemma.core.derive import derive, state
from stemma.core.frames import tokens_of
from stemma.core.keys import group_id
from stemma.core.points import points_of
from stemma.core.rulings import named_together, silenced
from stemma.records import HumanAct, Registry
from stemma.state import Conflict, Decision, Evidence, MemoryRow, Point, UnitState
from tests.property.histories import KEYS, SUBJECT, TENANT, Document, Reader, Record, Said, log_of


@dataclass
class Dump:
    """Everything derived, flat: what two states are compared by."""

    rows: dict[str, MemoryRow] = field(default_factory=dict)
    evidence: dict[tuple[object, ...], Evidence] = field(default_factory=dict)
    decisions: dict[str, Decision] = field(default_factory=dict)
    conflicts: dict[str, Conflict] = field(default_factory=dict)
    notes: dict[str, tuple[str, ...]] = field(default_factory=dict)


def dump_of(states: Mapping[str, UnitState]) -> Dump:
    """Flatten a state."""
    dump = Dump()
    for unit, each in states.items():
        dump.rows |= {row.id: row for row in each.rows}
        dump.evidence |= {evidence_name(one): one for one in each.evidence}
        dump.decisions |= {one.id: one for one in each.decisions}
        dump.conflicts |= {one.id: one for one in each.conflicts}
        if each.notes:
            dump.notes[unit] = each.notes
    return dump


def evidence_name(one: Evidence) -> tuple[object, ...]:
    """Name an evidence row as a store does."""
    return one.memory_id, one.key, one.content_hash, one.place, one.occurred_at, one.time, one.role


def whole(records: Iterable[Record], registry: Registry, reader: Reader | None = None) -> tuple[Dump, bytes]:
    """Derive a whole log at once: the state and its hash."""
    states = state(log_of(records, reader), registry)
    return dump_of(states), canon.state_hash(states.values())


class Compiled:
    """A subject that is compiled step by step, from what changed alone."""

    def __init__(self, registry: Registry) -> None:
        """Begin with an empty log."""
        self.registry = registry
        self.records: frozenset[Record] = frozenset()
        self.dump = Dump()
        self.hash = canon.EMPTY
        self._reader: Reader | None = None
        self._points: dict[str, tuple[Point, ...]] = {}
        self._aimed: dict[str, tuple[Point, ...]] = {}

    def move_to(self, records: Iterable[Record]) -> plan.Plan:
        """Compile after the log has become another set of records; return the plan that was applied."""
        new = frozenset(records)
        changed = new ^ self.records
        self.records = new
        return self._compile(changed)

    def read_by(self, reader: Reader | None) -> plan.Plan:
        """Compile after another extractor version has read everything; return the plan that was applied."""
        self._reader = reader
        return self._compile(self.records)

    def _compile(self, changed: frozenset[Record]) -> plan.Plan:
        """Derive what some records touch and apply the difference."""
        new = self.records
        moved = self._replace_points(changed)
        touched = {point.unit for point in moved}
        acts = [each for each in new if isinstance(each, HumanAct)]
        named = [each for each in (*acts, *changed) if isinstance(each, HumanAct)]
        for act in changed:
            if isinstance(act, HumanAct):
                touched |= {memory.unit for memory in act.memories}
        units = self._closed(touched, tokens_of(moved), named)
        points = [point for point in self._all_points() if point.unit in units]
        known = [act for act in acts if any(memory.unit in units for memory in act.memories)]
        wanted = derive(points, known, self.registry, subject=SUBJECT)
        done = plan.difference(wanted, self._stored(units))
        assert set(wanted) <= units
        self._apply(done)
        return done

    def _replace_points(self, changed: Iterable[Record]) -> set[Point]:
        """Withdraw the points of touched groups, put the new ones, and return those that went or came."""
        log = log_of(self.records, self._reader)
        groups = {_group_of(key) for record in changed for key in _keys_of(record)}
        before: set[Point] = set()
        after: set[Point] = set()
        for group in groups:
            before |= set(self._points.pop(group, ()))
            members = [episode for episode in log.episodes if _group_of(episode.key) == group]
            found = points_of(
                members, log.extractions, self.registry, tenant=TENANT, subject=SUBJECT, documents=log.documents
            )
            self._points[group] = silenced(found, log.acts)
            after |= set(self._points[group])
        for conversation in {point.conversation for point in before | after}:
            before |= set(self._aimed.pop(conversation, ()))
            said = [point for group in self._points.values() for point in group if point.conversation == conversation]
            self._aimed[conversation] = resolve_wrong_last(said)
            after |= set(self._aimed[conversation])
        return {point for point in before ^ after if point.unit}

    def _all_points(self) -> list[Point]:
        return [point for listed in (*self._points.values(), *self._aimed.values()) for point in listed]

    def _closed(self, touched: set[str], tokens: set[str], acts: Iterable[HumanAct]) -> set[str]:
        """Add the units of the same blocks and those that an act names together, until nothing is new."""
        by_unit: dict[str, list[Point]] = {}
        for point in self._all_points():
            by_unit.setdefault(point.unit, []).append(point)
        postings = {unit: tokens_of(points) for unit, points in by_unit.items()}
        units = set(touched)
        size = -1
        while size != len(units):
            size = len(units)
            tokens = tokens.union(*(postings.get(unit, ()) for unit in units))
            units |= {unit for unit, listed in postings.items() if listed & tokens}
            units = named_together(units, acts)
        return units

    def _stored(self, units: set[str]) -> dict[str, UnitState]:
        return {
            unit: UnitState(
                rows=tuple(row for row in self.dump.rows.values() if row.unit == unit),
                evidence=tuple(
                    one for one in self.dump.evidence.values() if self.dump.rows[one.memory_id].unit == unit
                ),
                decisions=tuple(one for one in self.dump.decisions.values() if one.unit == unit),
                conflicts=tuple(one for one in self.dump.conflicts.values() if one.unit == unit),
                notes=self.dump.notes.get(unit, ()),
            )
            for unit in units
        }

    def _apply(self, done: plan.Plan) -> None:
        dump = self.dump
        for one in done.evidence_gone:
            del dump.evidence[evidence_name(one)]
        for memory in done.rows_gone:
            del dump.rows[memory]
        for name in done.decisions_gone:
            del dump.decisions[name]
        for name in done.conflicts_gone:
            del dump.conflicts[name]
        dump.rows |= {row.id: row for row, _ in done.rows_put}
        dump.evidence |= {evidence_name(one): one for one in done.evidence_put}
        dump.decisions |= {one.id: one for one, _ in done.decisions_put}
        dump.conflicts |= {one.id: one for one, _ in done.conflicts_put}
        dump.notes = {unit: notes for unit, notes in (dump.notes | dict(done.notes_put)).items() if notes}
        self.hash = canon.shifted(self.hash, done.hashes_added, done.hashes_removed)


def _keys_of(record: Record) -> set[str]:
    match record:
        case Said():
            return {record.key}
        case Document():
            return {key for key, form in KEYS.items() if form.document}
        case HumanAct():
            return {saying.key for memory in record.memories for saying in memory.sayings}


def _group_of(key: str) -> str:
    return group_id(key, KEYS[key].business)
