"""What a subject holds at a moment, counted by what becomes of it before anything is looked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from stemma.core.stages import out_of_scope
from stemma.core.trace import Fate, Reason
from stemma.core.traced import LISTED, Held
from stemma.record_json import decode
from stemma.state import MemoryRow
from stemma.store import traces
from stemma.store.transaction import Transaction

_ELIGIBLE: Final = "eligible"
_TURNING: Final = "turning"


def held(t: Transaction, subject: str, now: datetime, *, kinds: Sequence[str] | None, with_episodes: bool) -> Held:
    """Count what the store holds of a subject at `now`; episodes only where they are asked for."""
    counts, first = traces.held(t, subject, now, kinds=kinds, listed=LISTED)
    total = sum(counts.values()) + (traces.count_episodes(t, subject) if with_episodes else 0)
    dropped = Counter({name: count for name, count in counts.items() if name not in (_ELIGIBLE, _TURNING)})
    reasons = dict(first)
    if _TURNING in counts:
        asked = None if kinds is None else frozenset(kinds)
        for row in traces.turning(t, subject, now):
            reason = out_of_scope(decode(MemoryRow, row["body"]), now, asked) or Reason.NOT_IN_FORCE
            dropped[reason.value] += 1
            if row["id"] in reasons:
                reasons[row["id"]] = reason.value
    return Held(total, dict(dropped), tuple(Fate(name, Reason(reason)) for name, reason in reasons.items()))


def held_in_past(rows: Sequence[MemoryRow], now: datetime, *, kinds: Sequence[str] | None, episodes: int) -> Held:
    """Count what a past state held, read at `now`."""
    asked = None if kinds is None else frozenset(kinds)
    judged = [(row.id, out_of_scope(row, now, asked)) for row in sorted(rows, key=lambda row: row.id)]
    fates = [Fate(name, reason) for name, reason in judged if reason is not None]
    counts = Counter(fate.reason.value for fate in fates)
    return Held(len(rows) + episodes, dict(counts), tuple(fates[:LISTED]))
