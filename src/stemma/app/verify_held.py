"""What is stored of a subject's derived state, as far as it can be read, and whether its columns are true copies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar

from stemma.app.derivation import block, point_name
from stemma.app.verify_faults import Found, columns
from stemma.core import canon
from stemma.core.acts import said_in
from stemma.core.claims import memory_id
from stemma.errors import StemmaError
from stemma.state import Conflict, Decision, Evidence, MemoryRow, Point, UnitState
from stemma.store import scan
from stemma.store.memories import evidence_id
from stemma.store.transaction import Row, Transaction
from stemma.text import stamp

T = TypeVar("T")
_NO_HASH = b""


@dataclass(slots=True)
class Held:
    """The derived rows of a subject by the names they are stored under; `unreadable` lists names by part.

    `journal` are rows that are no longer derived, `undone` the (id, when decided) of decisions that no longer stand.
    `rows` are the stored columns of each part.
    """

    points: dict[str, Point] = field(default_factory=dict)
    memories: dict[str, MemoryRow] = field(default_factory=dict)
    journal: dict[str, MemoryRow] = field(default_factory=dict)
    evidence: dict[tuple[str, str], Evidence] = field(default_factory=dict)
    decisions: dict[str, Decision] = field(default_factory=dict)
    undone: dict[tuple[str, datetime], Decision] = field(default_factory=dict)
    conflicts: dict[str, Conflict] = field(default_factory=dict)
    closed: dict[str, Conflict] = field(default_factory=dict)
    notes: dict[str, list[str]] = field(default_factory=dict)
    rows: dict[str, dict[Any, Row]] = field(default_factory=dict)
    unreadable: dict[str, list[Any]] = field(default_factory=dict)

    def units(self) -> dict[str, UnitState]:
        """Give what is held by unit."""
        parts: dict[str, dict[str, list[Any]]] = {}
        unit_of = {name: row.unit for name, row in self.memories.items()}
        listed: list[tuple[str, str, Iterable[Any]]] = [
            *((row.unit, "rows", [row]) for _, row in sorted(self.memories.items())),
            *((unit_of[owner], "evidence", [said]) for (owner, _), said in self.evidence.items() if owner in unit_of),
            *((row.unit, "decisions", [row]) for _, row in sorted(self.decisions.items())),
            *((row.unit, "conflicts", [row]) for _, row in sorted(self.conflicts.items())),
            *((unit, "notes", notes) for unit, notes in self.notes.items()),
        ]
        for unit, part, members in listed:
            parts.setdefault(unit, {}).setdefault(part, []).extend(members)
        return {unit: UnitState(**{part: tuple(members) for part, members in of.items()}) for unit, of in parts.items()}


def read(t: Transaction, subject: str) -> Held:
    """Read all that is stored of a subject's derived state."""
    held = Held()
    held.points = _read(t, held, "points", subject, Point, lambda row: row["point_id"])
    rows = _read(t, held, "memories", subject, MemoryRow, lambda row: row["id"])
    derived = {name for name, row in held.rows["memories"].items() if row["derived"]}
    held.memories = {name: row for name, row in rows.items() if name in derived}
    held.journal = {name: row for name, row in rows.items() if name not in derived}
    held.evidence = _read(t, held, "evidence", subject, Evidence, lambda row: (row["memory_id"], row["evidence_id"]))
    decided = _read(t, held, "decisions", subject, Decision, lambda row: (row["id"], row["decided_at"]))
    stands = {name for name, row in held.rows["decisions"].items() if row["undone_at"] is None}
    held.decisions = {name[0]: each for name, each in decided.items() if name in stands}
    held.undone = {name: each for name, each in decided.items() if name not in stands}
    conflicts = _read(t, held, "conflicts", subject, Conflict, lambda row: row["id"])
    is_open = {name for name, row in held.rows["conflicts"].items() if row["derived"]}
    held.conflicts = {name: each for name, each in conflicts.items() if name in is_open}
    held.closed = {name: each for name, each in conflicts.items() if name not in is_open}
    for row in scan.rows(t, "notes", subject):
        held.notes.setdefault(row["unit"], []).append(row["note"])
    return held


def _read(t: Transaction, held: Held, part: str, subject: str, kind: type[T], name_of: Any) -> dict[Any, T]:
    held.rows[part] = {name_of(row): row for row in scan.rows(t, part, subject)}
    read = {name: scan.read(kind, row["body"]) for name, row in held.rows[part].items()}
    whole = {name: record for name, record in read.items() if record is not None and _is_whole(record)}
    held.unreadable[part] = sorted(held.rows[part].keys() - whole.keys())
    return whole


def _is_whole(record: Any) -> bool:
    """Say whether a record that was read has a canonical form: every time with its zone, every field of its type."""
    try:
        match record:
            case Point():
                point_name(record), block(record)
            case MemoryRow():
                canon.row_bytes(record, ())
            case Evidence():
                evidence_id(record)
            case Decision():
                canon.decision_bytes(record)
            case Conflict():
                canon.conflict_bytes(record)
    except (StemmaError, ValueError, TypeError, AttributeError):
        return False
    return True


def of(units: Mapping[str, UnitState], points: Mapping[str, Point]) -> Held:
    """Give what should be held: derived units and points, by the names they are stored under."""
    held = Held(points=dict(points))
    for unit, state in units.items():
        held.memories |= {each.id: each for each in state.rows}
        held.evidence |= {(each.memory_id, evidence_id(each)): each for each in state.evidence}
        held.decisions |= {each.id: each for each in state.decisions}
        held.conflicts |= {each.id: each for each in state.conflicts}
        if state.notes:
            held.notes[unit] = list(state.notes)
    return held


def check_columns(t: Transaction, subject: str, held: Held, wanted: Held, found: Found) -> None:
    """Name stored rows whose columns are no true copies: of the derived row, or of what the row itself says."""
    _check_points(held, wanted, found)
    said: dict[str, list[Evidence]] = {}
    for (owner, _), each in wanted.evidence.items():
        said.setdefault(owner, []).append(each)
    rows = {**held.memories, **wanted.memories}
    # A row that stands under another's id is no copy of that one.
    own = [(row, said.get(name, ())) for name, row in sorted(rows.items()) if name == row.id]
    listed = [(row, canon.digest(canon.row_bytes(row, evidence))) for row, evidence in own]
    listed += [(row, _NO_HASH) for name, row in sorted(held.journal.items()) if name == row.id]
    told = "a column is not what its row says"
    for name in scan.memory_columns(t, subject, listed):
        if name in wanted.memories or name in held.journal:
            found.add("memory_columns_differ", name, told)
    for pair in sorted(held.evidence.keys() & wanted.evidence.keys()):
        each = wanted.evidence[pair]
        stands_in = said_in(t.tenant, subject, each.key, each.content_hash)
        _tell(found, "evidence", "/".join(pair), {"episode": (stands_in, held.rows["evidence"][pair]["episode_id"])})
    for decided, ruled in held.undone.items():
        row = held.rows["decisions"][decided]
        if canon.digest(canon.decision_bytes(ruled)) != bytes(row["row_hash"]):
            found.add("journal_differs", decided[0], f"this decision, undone at {stamp(row['undone_at'])}, was altered")
    _check_rulings(held, wanted, found)


def _check_points(held: Held, wanted: Held, found: Found) -> None:
    for name in sorted(held.points.keys() & wanted.points.keys()):
        row, point = held.rows["points"][name], wanted.points[name]
        pairs = {
            "group": (point.group, row["group_id"]),
            "unit": (point.unit, row["unit"]),
            "block": (block(point), row["block"]),
            "conversation": (point.conversation, row["conversation"]),
            "act": (point.act.value, row["act"]),
        }
        _tell(found, "point", name, pairs)


def _check_rulings(held: Held, wanted: Held, found: Found) -> None:
    stored = {name: row for (name, _), row in held.rows["decisions"].items() if row["undone_at"] is None}
    for name in sorted(held.decisions.keys() & wanted.decisions.keys()):
        row, ruled = stored[name], wanted.decisions[name]
        pairs = {
            "unit": (ruled.unit, row["unit"]),
            "winner": (ruled.winner_id, row["winner_id"]),
            "loser": (ruled.loser_id, row["loser_id"]),
            "hash": (canon.digest(canon.decision_bytes(ruled)), bytes(row["row_hash"])),
        }
        _tell(found, "decision", name, pairs)
    for name in sorted(held.conflicts.keys() & wanted.conflicts.keys()):
        row, each = held.rows["conflicts"][name], wanted.conflicts[name]
        closing: dict[str, tuple[object, object]] = {
            "unit": (each.unit, row["unit"]),
            "opened_at": (each.opened_at, row["opened_at"]),
            "closed_at": (each.closed_at, row["closed_at"]),
            "hash": (canon.digest(canon.conflict_bytes(each)), bytes(row["row_hash"])),
        }
        _tell(found, "conflict", name, closing)
    for name, each in held.closed.items():
        if canon.digest(canon.conflict_bytes(each)) != bytes(held.rows["conflicts"][name]["row_hash"]):
            found.add("journal_differs", name, "this conflict, which is no longer derived, was altered")


def check_readable(held: Held, found: Found) -> None:
    """Name the rows that cannot be read."""
    for part, singular in (
        ("points", "point"),
        ("memories", "memory"),
        ("evidence", "evidence"),
        ("decisions", "decision"),
        ("conflicts", "conflict"),
    ):
        for name in held.unreadable[part]:
            shown = name[0] if part == "decisions" else "/".join(name) if part == "evidence" else name
            found.add(f"{singular}_unreadable", shown, f"this {singular} cannot be read")


def is_kept_as(tenant: str, name: str, row: MemoryRow) -> bool:
    """Say whether a memory is stored under the hash of what it says; one that was never derived is under another."""
    window = ""
    if row.valid_to is not None:
        window = f"{stamp(row.valid_from) if row.valid_from else ''}/{stamp(row.valid_to)}"
    return name == row.id == memory_id(tenant, row.subject_id, row.unit, row.value, row.polarity, window)


def _tell(found: Found, part: str, name: str, pairs: Mapping[str, tuple[object, object]]) -> None:
    told = columns(pairs)
    if told is not None:
        found.add(f"{part}_columns_differ", name, told)
