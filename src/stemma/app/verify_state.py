"""The half of the check that looks at what is derived: points, rows, evidence, rulings, hash, memory index."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from stemma.app import index_texts
from stemma.app.derivation import point_name
from stemma.app.verify_log import Found, Whole
from stemma.core import canon
from stemma.core.derive import derive, points_of_log
from stemma.state import Evidence, MemoryRow, Point, UnitState
from stemma.store import memories, scan
from stemma.store import points as stored_points
from stemma.store.transaction import Transaction

_NOTHING = UnitState()
_Named = Mapping[str, object]


def check(t: Transaction, whole: Whole, found: Found) -> None:
    """Add the faults of one subject's derived data; what still waits for a compile is compared with nothing."""
    subject = whole.log.subject
    stored = memories.of_units(t, subject, memories.units_of_subject(t, subject))
    rows = [row for state in stored.values() for row in state.rows]
    found.memories = len(rows)
    _check_sum(t, whole, found)
    if found.uncompiled or whole.head["extractor"] != whole.extractor.version:
        return
    points = points_of_log(whole.log, whole.registry)
    found.faults += _points(t, subject, points)
    wanted = derive(points, whole.log.acts, whole.registry, subject=subject)
    found.faults += _units(wanted, stored)
    if bytes(whole.head["state_hash"]) != canon.state_hash(wanted.values()):
        found.faults.append(("state_hash_differs", subject))
    found.faults += _columns(t, subject, stored)
    found.faults += _index(t, whole, [row for state in wanted.values() for row in state.rows])


def _check_sum(t: Transaction, whole: Whole, found: Found) -> None:
    """The subject's hash is the sum of its rows' own, whether or not these are right."""
    total = canon.shifted(canon.EMPTY, (digest for *_, digest in memories.row_hashes(t, whole.log.subject)), ())
    if total != bytes(whole.head["state_hash"]):
        found.faults.append(("state_hash_is_no_sum", whole.log.subject))


def _points(t: Transaction, subject: str, points: Iterable[Point]) -> Iterable[tuple[str, str]]:
    wanted = {point_name(point): point for point in points}
    stored = stored_points.of_subject(t, subject)
    return _compare("point", wanted, stored)


def _units(wanted: Mapping[str, UnitState], stored: Mapping[str, UnitState]) -> Iterable[tuple[str, str]]:
    for unit in sorted(wanted.keys() | stored.keys()):
        new, old = wanted.get(unit, _NOTHING), stored.get(unit, _NOTHING)
        if new == old:
            continue
        yield from _compare("memory", {each.id: each for each in new.rows}, {each.id: each for each in old.rows})
        yield from _compare("evidence", _evidence(new), _evidence(old))
        for part, these, those in (
            ("decision", new.decisions, old.decisions),
            ("conflict", new.conflicts, old.conflicts),
        ):
            yield from _compare(part, {each.id: each for each in these}, {each.id: each for each in those})
        if new.notes != old.notes:
            yield "note_differs", unit


def _evidence(state: UnitState) -> dict[str, Evidence]:
    return {f"{each.memory_id}/{memories.evidence_id(each)}": each for each in state.evidence}


def _compare(part: str, wanted: _Named, stored: _Named) -> Iterable[tuple[str, str]]:
    for name in sorted(wanted.keys() | stored.keys()):
        if name not in stored:
            yield f"{part}_missing", name
        elif name not in wanted:
            yield f"{part}_not_derived", name
        elif wanted[name] != stored[name]:
            yield f"{part}_differs", name


def _columns(t: Transaction, subject: str, stored: Mapping[str, UnitState]) -> Iterable[tuple[str, str]]:
    rows: list[tuple[MemoryRow, bytes]] = []
    for state in stored.values():
        for row in state.rows:
            said = [each for each in state.evidence if each.memory_id == row.id]
            rows.append((row, canon.digest(canon.row_bytes(row, said))))
    return [("memory_columns_differ", name) for name in scan.memory_columns(t, subject, rows)]


def _index(t: Transaction, whole: Whole, rows: Iterable[MemoryRow]) -> Iterable[tuple[str, str]]:
    wanted = [item for row in rows for item in index_texts.lexical_rows(t.tenant, row)]
    names = {(item.item_kind, item.item_id) for item in wanted}
    stored = scan.lexical_names(t, whole.log.subject)
    known = names | {(item.item_kind, item.item_id) for item in whole.episode_items}
    yield from (("lexical_missing", "/".join(name)) for name in sorted(names - stored))
    yield from (("lexical_not_derived", "/".join(name)) for name in sorted(stored - known))
    yield from (("lexical_differs", "/".join(name)) for name in scan.lexical_columns(t, whole.log.subject, wanted))
