"""What a subject holds at a moment, counted by what becomes of it before anything is looked for."""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
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
# So many subjects are remembered, with at most `LISTED` ids each.
_MOST_SUBJECTS: Final = 256


@dataclass(frozen=True, slots=True)
class _Counted:
    """What a subject held from `since` until before `until`, as long as its stamp is the same."""

    stamp: str
    since: datetime
    until: datetime | None
    held: Held

    def holds(self, stamp: str | None, now: datetime) -> bool:
        """Say whether it is what would be counted now."""
        return stamp == self.stamp and self.since <= now and (self.until is None or now < self.until)


class Scopes:
    """What subjects hold, counted once for as long as nothing changes. Safe to use from several threads."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._counted: OrderedDict[tuple[str, str], _Counted] = OrderedDict()

    def held(
        self, t: Transaction, subject: str, now: datetime, *, kinds: Sequence[str] | None, with_episodes: bool
    ) -> Held:
        """Count what the store holds of a subject at `now`; episodes only where they are asked for."""
        found = self._memories(t, subject, now) if kinds is None else _counted(t, subject, now, kinds)
        return replace(found, total=found.total + traces.count_episodes(t, subject)) if with_episodes else found

    def _memories(self, t: Transaction, subject: str, now: datetime) -> Held:
        name = t.tenant, subject
        stamp = traces.stamp(t, subject)
        with self._guard:
            known = self._counted.get(name)
            if known is not None and known.holds(stamp, now):
                self._counted.move_to_end(name)
                return known.held
        found = _counted(t, subject, now, None)
        if stamp is not None:
            counted = _Counted(stamp, now, traces.next_turn(t, subject, now), found)
            with self._guard:
                self._counted[name] = counted
                while len(self._counted) > _MOST_SUBJECTS:
                    self._counted.popitem(last=False)
        return found


def _counted(t: Transaction, subject: str, now: datetime, kinds: Sequence[str] | None) -> Held:
    counts, first = traces.held(t, subject, now, kinds=kinds, listed=LISTED)
    dropped = Counter({name: count for name, count in counts.items() if name not in (_ELIGIBLE, _TURNING)})
    reasons = dict(first)
    if _TURNING in counts:
        asked = None if kinds is None else frozenset(kinds)
        for row in traces.turning(t, subject, now):
            reason = out_of_scope(decode(MemoryRow, row["body"]), now, asked) or Reason.NOT_IN_FORCE
            dropped[reason.value] += 1
            if row["id"] in reasons:
                reasons[row["id"]] = reason.value
    fates = tuple(Fate(name, Reason(reason)) for name, reason in reasons.items())
    return Held(sum(counts.values()), dict(dropped), fates)


def held_in_past(rows: Sequence[MemoryRow], now: datetime, *, kinds: Sequence[str] | None, episodes: int) -> Held:
    """Count what a past state held, read at `now`."""
    asked = None if kinds is None else frozenset(kinds)
    judged = [(row.id, out_of_scope(row, now, asked)) for row in sorted(rows, key=lambda row: row.id)]
    fates = [Fate(name, reason) for name, reason in judged if reason is not None]
    counts = Counter(fate.reason.value for fate in fates)
    return Held(len(rows) + episodes, dict(counts), tuple(fates[:LISTED]))
