"""The canonical form of what is derived and the hash of a state over it (design: D §6). Nothing of arrival is in it.

A state's hash is a sum, so that taking a row out is exact and a compile needs no other row than those it changes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from stemma.state import Conflict, Decision, Evidence, MemoryRow, Transition, UnitState
from stemma.text import stamp

EMPTY = bytes(32)
_MODULUS = 1 << 256

Plain = str | int | None | Sequence["Plain"] | Mapping[str, "Plain"]


def row_bytes(row: MemoryRow, evidence: Iterable[Evidence]) -> bytes:
    """Write a row with its evidence, in whatever order that is given: RFC 8785 JSON."""
    return _written(
        {
            "part": "memory",
            "id": row.id,
            "subject": row.subject_id,
            "unit": row.unit,
            "voice": row.voice,
            "kind": row.kind,
            "original_kind": row.original_kind,
            "claim_key": row.claim_key,
            "scope": row.scope,
            "value": row.value,
            "shown": row.shown,
            "polarity": row.polarity.value,
            "text": row.text,
            "injection": row.injection,
            "authority": row.authority,
            "importance": _number(row.importance),
            "confidence": _number(row.confidence),
            "first_said_at": stamp(row.first_said_at),
            "last_said_at": stamp(row.last_said_at),
            "times_said": row.times_said,
            "independent_origins": row.independent_origins,
            "valid_from": _stamped(row.valid_from),
            "valid_to": _stamped(row.valid_to),
            "transitions": [_transition(each) for each in row.transitions],
            "spells": [[_stamped(start), _stamped(end)] for start, end in row.spells],
            "superseded_by": row.superseded_by,
            "superseded_from": _stamped(row.superseded_from),
            "evidence": [_evidence(each) for each in sorted(evidence, key=_place)],
        }
    )


def decision_bytes(decision: Decision) -> bytes:
    """Write a decision: RFC 8785 JSON, without any column of the journal."""
    return _written(
        {
            "part": "decision",
            "id": decision.id,
            "unit": decision.unit,
            "rule": decision.rule,
            "winner_id": decision.winner_id,
            "loser_id": decision.loser_id,
            "at": stamp(decision.at),
            "winner_episodes": decision.winner_episodes,
            "loser_episodes": decision.loser_episodes,
            "score": _number(decision.score),
            "threshold": _number(decision.threshold),
        }
    )


def conflict_bytes(conflict: Conflict) -> bytes:
    """Write a conflict: RFC 8785 JSON."""
    return _written(
        {
            "part": "conflict",
            "id": conflict.id,
            "unit": conflict.unit,
            "reason": conflict.reason,
            "claim_key": conflict.claim_key,
            "memory_ids": conflict.memory_ids,
            "opened_by": conflict.opened_by,
            "opened_at": stamp(conflict.opened_at),
            "closed_at": _stamped(conflict.closed_at),
            "resolution": conflict.resolution,
        }
    )


def digest(canonical: bytes) -> bytes:
    """Give the summand of one part of a state: SHA-256."""
    return hashlib.sha256(canonical).digest()


def shifted(state_hash: bytes, added: Iterable[bytes], removed: Iterable[bytes]) -> bytes:
    """Add summands to a state's hash and take others out, modulo 2^256."""
    total = _int(state_hash) + sum(map(_int, added)) - sum(map(_int, removed))
    return (total % _MODULUS).to_bytes(len(EMPTY), "big")


def summands(state: UnitState) -> list[bytes]:
    """Give every summand of one unit's state."""
    evidence: dict[str, list[Evidence]] = {}
    for each in state.evidence:
        evidence.setdefault(each.memory_id, []).append(each)
    rows = [digest(row_bytes(row, evidence.get(row.id, ()))) for row in state.rows]
    decisions = [digest(decision_bytes(each)) for each in state.decisions]
    return [*rows, *decisions, *(digest(conflict_bytes(each)) for each in state.conflicts)]


def state_hash(states: Iterable[UnitState]) -> bytes:
    """Hash a whole state, 32 bytes; the order of its units does not matter."""
    return shifted(EMPTY, (each for state in states for each in summands(state)), ())


def _written(form: Mapping[str, Plain]) -> bytes:
    """Write RFC 8785 JSON: for ASCII names, texts and whole numbers that is what `json` writes, ten times as fast.

    Numbers with a fraction are texts in the forms above, since their notation is the one place where the two differ.
    """
    return json.dumps(form, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()


def _transition(turn: Transition) -> Plain:
    return [_stamped(turn.at), turn.status.value, turn.reason, turn.by]


def _evidence(evidence: Evidence) -> Plain:
    return {
        "key": evidence.key,
        "content_hash": evidence.content_hash,
        "place": evidence.place,
        "occurred_at": stamp(evidence.occurred_at),
        "time": stamp(evidence.time),
        "source": evidence.source,
        "speaker": evidence.speaker,
        "message": evidence.message,
        "span": [evidence.start, evidence.end],
        "role": evidence.role,
        "dead": evidence.dead,
    }


def _place(evidence: Evidence) -> tuple[str, str, int, datetime, datetime, str]:
    said = evidence.key, evidence.content_hash, evidence.place
    return *said, evidence.occurred_at, evidence.time, evidence.role


def _number(number: float | None) -> str | None:
    return None if number is None else repr(float(number))


def _stamped(moment: datetime | None) -> str | None:
    return None if moment is None else stamp(moment)


def _int(summand: bytes) -> int:
    return int.from_bytes(summand, "big")
