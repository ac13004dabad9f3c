"""Where a derived row stands at a moment: functions of state and `now`. Nothing here is stored or rules (D-3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from stemma.core.events import LOWER_AUTHORITY, TIME_AHEAD, UNCORROBORATED
from stemma.records import Status
from stemma.state import MemoryRow

# Why a quarantined row is held by the derivation, which also lifts it (D-16); any other reason is a judgement on it.
HELD_REASONS = frozenset({LOWER_AUTHORITY, UNCORROBORATED, TIME_AHEAD})
NOT_YET = "not_yet"

_EVER = timedelta.max


def status_at(row: MemoryRow, now: datetime) -> tuple[Status, str | None, str | None]:
    """Say where a row stands at a moment: status, reason, and the memory that brought it about.

    A row whose first transition is still to come is accepted and `not_yet` in force.
    """
    found: tuple[Status, str | None, str | None] = (Status.ACTIVE, NOT_YET, None)
    for turn in row.transitions:
        if turn.at is not None and turn.at > now:
            break
        found = turn.status, turn.reason, turn.by
    return found


def in_force(row: MemoryRow, now: datetime) -> bool:
    """Say whether a row stands and holds at a moment; spells and windows are half open."""
    return any((start is None or start <= now) and (end is None or now < end) for start, end in row.spells)


def narrowness(row: MemoryRow) -> tuple[bool, timedelta]:
    """Give the rank of a row as an overlay: a scope before none, then the shorter window (D-17).

    A window without a beginning ("until Friday") begins, for this, when it was first spoken of.
    """
    if row.valid_to is None:
        return not row.scope, _EVER
    return not row.scope, row.valid_to - min(row.valid_from or row.first_said_at, row.valid_to)


def overlaid(rows: Iterable[MemoryRow], now: datetime) -> Sequence[MemoryRow]:
    """Return the rows in force at a moment, the narrowest first."""
    return sorted((row for row in rows if in_force(row, now)), key=lambda row: (*narrowness(row), row.id))
