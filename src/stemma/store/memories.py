"""Writing and reading what is derived: rows with evidence, decisions, conflicts. What to write is `core/plan`'s."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeVar

from stemma.record_json import decode, encode
from stemma.records import Status
from stemma.state import Conflict, Decision, Evidence, MemoryRow, UnitState
from stemma.store.transaction import Row, Transaction
from stemma.text import hash_parts, stamp

T = TypeVar("T", Decision, Conflict)
Hashed = tuple[bytes, ...]


def evidence_id(evidence: Evidence) -> str:
    """Name an evidence row by its statement and its instant."""
    said = (stamp(evidence.occurred_at), stamp(evidence.time))
    return hash_parts(evidence.key, evidence.content_hash, str(evidence.place), *said, evidence.role)


def value_hash(value: str) -> bytes:
    """Return what a typed fact is looked up by."""
    return hashlib.sha256(value.encode()).digest()


def of_units(t: Transaction, subject: str, units: Sequence[str]) -> dict[str, UnitState]:
    """Return what is stored for some units; a unit with nothing stored has no entry."""
    scope = {"subject_id": subject, "units": list(units)}
    rows: dict[str, list[MemoryRow]] = {}
    for row in t.all("memories_of_units", scope):
        rows.setdefault(row["unit"], []).append(decode(MemoryRow, row["body"]))
    ids_of = {unit: [each.id for each in listed] for unit, listed in rows.items()}
    evidence = evidence_of(t, [each for listed in ids_of.values() for each in listed])
    decisions = _by_unit(Decision, t.all("decisions_of_units", scope))
    conflicts = _by_unit(Conflict, t.all("conflicts_of_units", scope))
    notes: dict[str, list[str]] = {}
    for row in t.all("notes_of_units", scope):
        notes.setdefault(row["unit"], []).append(row["note"])
    return {
        unit: UnitState(
            rows=tuple(sorted(rows.get(unit, ()), key=lambda each: each.id)),
            evidence=tuple(said for each in sorted(ids_of.get(unit, ())) for said in evidence.get(each, ())),
            decisions=tuple(sorted(decisions.get(unit, ()), key=lambda each: each.id)),
            conflicts=tuple(sorted(conflicts.get(unit, ()), key=lambda each: each.id)),
            notes=tuple(notes.get(unit, ())),
        )
        for unit in rows.keys() | decisions.keys() | conflicts.keys() | notes.keys()
    }


def _by_unit(kind: type[T], rows: Iterable[Row]) -> dict[str, list[T]]:
    found: dict[str, list[T]] = {}
    for row in rows:
        found.setdefault(row["unit"], []).append(decode(kind, row["body"]))
    return found


def evidence_of(t: Transaction, memory_ids: Sequence[str]) -> dict[str, list[Evidence]]:
    """Return the evidence of memories, by memory, in canonical order: by statement and saying."""
    found: dict[str, list[Evidence]] = {}
    for row in t.all("evidence_of_memories", {"memory_ids": list(memory_ids)}):
        found.setdefault(row["memory_id"], []).append(decode(Evidence, row["body"]))
    for listed in found.values():
        listed.sort(key=lambda each: (each.key, each.content_hash, each.place, each.occurred_at))
    return found


def put(t: Transaction, subject: str, rows: Sequence[tuple[MemoryRow, bytes]], *, at: datetime, extractor: str) -> None:
    """Store rows, each with the hash of its canonical form, over what stood there."""
    if not rows:
        return
    t.execute(
        "put_memories",
        {
            "subject_id": subject,
            **columns(rows),
            "bodies": [encode(each) for each, _ in rows],
            "at": at,
            "extractor": extractor,
        },
    )


def columns(rows: Sequence[tuple[MemoryRow, bytes]]) -> dict[str, list[Any]]:
    """Give the columns of rows, which are copies of what each row says, so that a query can filter on them."""
    listed = [row for row, _ in rows]
    return {
        "ids": [each.id for each in listed],
        "units": [each.unit for each in listed],
        "kinds": [each.kind for each in listed],
        "claim_keys": [each.claim_key for each in listed],
        "value_hashes": [value_hash(each.value) for each in listed],
        "spells": [multirange(each.spells) for each in listed],
        "valids": [_range(each.valid_from if each.valid_to else None, each.valid_to) for each in listed],
        "last_said_ats": [each.last_said_at for each in listed],
        "statuses": [each.transitions[-1].status.value if each.transitions else Status.ACTIVE.value for each in listed],
        "turned_ats": [each.transitions[-1].at if each.transitions else None for each in listed],
        "row_hashes": [digest for _, digest in rows],
    }


def undo(t: Transaction, subject: str, ids: Iterable[str], at: datetime) -> None:
    """Move rows that are no longer derived to the journal."""
    t.execute("undo_memories", {"subject_id": subject, "ids": list(ids), "at": at})


def put_evidence(t: Transaction, rows: Sequence[Evidence], said_in: Sequence[str]) -> None:
    """Store evidence rows, each with the id of the episode (or the act) that it stands in."""
    if rows:
        t.execute(
            "put_evidence",
            {
                "memory_ids": [each.memory_id for each in rows],
                "evidence_ids": [evidence_id(each) for each in rows],
                "episode_ids": list(said_in),
                "bodies": [encode(each) for each in rows],
            },
        )


def delete_evidence(t: Transaction, rows: Sequence[Evidence]) -> None:
    """Delete evidence rows that are no longer derived."""
    if rows:
        pairs = {"memory_ids": [each.memory_id for each in rows], "evidence_ids": [evidence_id(each) for each in rows]}
        t.execute("delete_evidence", pairs)


def put_decisions(
    t: Transaction, subject: str, rows: Sequence[tuple[Decision, bytes]], *, at: datetime, extractor: str
) -> None:
    """Store decisions that were not derived before; `at` is when."""
    if not rows:
        return
    listed = [row for row, _ in rows]
    t.execute(
        "put_decisions",
        {
            "subject_id": subject,
            "ids": [each.id for each in listed],
            "units": [each.unit for each in listed],
            "winner_ids": [each.winner_id for each in listed],
            "loser_ids": [each.loser_id for each in listed],
            "bodies": [encode(each) for each in listed],
            "row_hashes": [digest for _, digest in rows],
            "at": at,
            "extractor": extractor,
        },
    )


def undo_decisions(t: Transaction, subject: str, ids: Iterable[str], at: datetime) -> None:
    """Say in the journal when decisions stopped being derived."""
    t.execute("undo_decisions", {"subject_id": subject, "ids": list(ids), "at": at})


def put_conflicts(t: Transaction, subject: str, rows: Sequence[tuple[Conflict, bytes]]) -> None:
    """Store conflicts, over what stood there."""
    if not rows:
        return
    listed = [row for row, _ in rows]
    t.execute(
        "put_conflicts",
        {
            "subject_id": subject,
            "ids": [each.id for each in listed],
            "units": [each.unit for each in listed],
            "bodies": [encode(each) for each in listed],
            "row_hashes": [digest for _, digest in rows],
            "opened_ats": [each.opened_at for each in listed],
            "closed_ats": [each.closed_at for each in listed],
        },
    )


def undo_conflicts(t: Transaction, subject: str, ids: Iterable[str], at: datetime) -> None:
    """Say in the journal when conflicts stopped being derived."""
    t.execute("undo_conflicts", {"subject_id": subject, "ids": list(ids), "at": at})


def put_notes(t: Transaction, subject: str, notes: Mapping[str, Sequence[str]]) -> None:
    """Replace the notes of units."""
    t.execute("delete_notes", {"subject_id": subject, "units": list(notes)})
    pairs = [(unit, note) for unit, listed in notes.items() for note in listed]
    columns = {"units": [unit for unit, _ in pairs], "notes": [note for _, note in pairs]}
    t.execute("put_notes", {"subject_id": subject, **columns})


def set_state(t: Transaction, subject: str, state_hash: bytes, extractor: str) -> None:
    """Keep the subject's hash and the extractor version that its state was derived with."""
    t.execute("set_subject_state", {"subject_id": subject, "state_hash": state_hash, "extractor": extractor})


def units_of_subject(t: Transaction, subject: str) -> list[str]:
    """Return every unit that has a point or anything derived."""
    return [row["unit"] for row in t.all("units_of_subject", {"subject_id": subject})]


def row_hashes(t: Transaction, subject: str) -> list[tuple[str, str, bytes]]:
    """Return (part, id, hash) of every stored summand of the subject's hash."""
    rows = t.all("row_hashes_of_subject", {"subject_id": subject})
    return [(row["part"], row["id"], bytes(row["row_hash"])) for row in rows]


def multirange(spells: Sequence[tuple[datetime | None, datetime | None]]) -> str:
    """Write spells as PostgreSQL reads a multirange."""
    return "{" + ",".join(_range(start, end) for start, end in spells) + "}"


def _range(start: datetime | None, end: datetime | None) -> str:
    if start and end and end < start:
        return "empty"
    return f"[{stamp(start) if start else ''},{stamp(end) if end else ''})"


def count_uses(t: Transaction, counts: Mapping[str, int], at: datetime) -> int:
    """Add to the use counters of memories and say of how many; one that is gone is passed over."""
    ordered = sorted(counts.items())
    columns = {"memory_ids": [name for name, _ in ordered], "times": [times for _, times in ordered]}
    return t.execute("count_uses", {**columns, "at": at})
