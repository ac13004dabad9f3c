"""Why something is in an answer or not: the stage and reason that decided, and the smallest change that would have."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from stemma.core.stages import out_of_scope
from stemma.core.status import status_at
from stemma.core.trace import STAGES, Fate, Miss, Reason
from stemma.core.traced import MEMORY, Trace
from stemma.state import MemoryRow

KEPT, DROPPED, MERGED = "kept", "dropped", "merged"
AT_LEAST, AT_MOST, BELOW = "at_least", "at_most", "below"


@dataclass(frozen=True, slots=True)
class Change:
    """A setting that, from or under a value, would have kept an item; a number or a moment."""

    name: str
    bound: str
    value: float | datetime


@dataclass(frozen=True, slots=True)
class Judgement:
    """What became of one item. `because` and `by` are the ruling on a memory that does not stand and its cause."""

    type: str
    stage: str
    reason: Reason | None = None
    into: str | None = None
    rank: int | None = None
    detail: Miss | None = None
    change: Change | None = None
    because: str | None = None
    by: str | None = None
    recomputed: bool = False

    @property
    def fate(self) -> str:
        """Say whether it was kept, dropped, or merged into another."""
        if self.into is not None:
            return MERGED
        return KEPT if self.reason is None else DROPPED


def recorded_of(trace: Trace, name: str) -> Judgement | None:
    """Read what a trace says of an id; None where no stage of it names it.

    An episode or a document is judged by the part of it that came furthest.
    """
    types = {item.id: item.type for item in trace.items}
    parts = [item.id for item in trace.items if item.owner == name]
    if name not in types and parts:
        judged = [found for part in parts if (found := recorded_of(trace, part)) is not None]
        return max(judged, key=lambda each: (STAGES.index(each.stage), each.reason is None, -(each.rank or 0)))
    sections = {note.id: note.section for note in trace.notes}
    named = trace.fate_of(name)
    kind = types.get(name) or sections.get(name)
    if named is None:
        return None if kind is None else Judgement(kind, STAGES[-1], rank=trace.rank_of(name))
    stage, fate = named
    return Judgement(kind or MEMORY, stage, fate.reason, fate.into, None, fate.detail, change_of(trace, fate))


def change_of(trace: Trace, fate: Fate) -> Change | None:
    """Give the one number that would have kept an item; None where it is no matter of a number."""
    miss = fate.detail
    match fate.reason:
        case Reason.BUDGET_EXHAUSTED | Reason.ITEM_TOO_LARGE if trace.costs is not None:
            least = trace.costs.least_budget(fate.id, trace.request.budget_tokens or 0)
            return None if least is None else Change("budget_tokens", AT_LEAST, least)
        case Reason.K_REACHED if miss is not None:
            return Change("k", AT_LEAST, miss.value)
        case Reason.DOCUMENT_CAP if miss is not None:
            return Change(miss.measure, AT_LEAST, miss.value)
        case Reason.KIND_CAP | Reason.SESSION_CAP if miss is not None:
            return Change(fate.reason.value, AT_LEAST, miss.value)
        case Reason.BELOW_GATE if miss is not None:
            return Change("gate", BELOW, miss.value)
        case Reason.NOT_REQUESTED if miss is not None:
            return Change("asked_from", AT_MOST, miss.value)
        case Reason.COOLDOWN if miss is not None:
            return Change("cooldown", BELOW, miss.value)
    return None


def with_ruling(judged: Judgement, row: MemoryRow, now: datetime) -> Judgement:
    """Add what took a memory out of force, and the clock at which it stands."""
    if judged.stage != "scope" or judged.reason in (Reason.KIND_FILTER, Reason.NOT_YET_KNOWN, Reason.NOT_IN_SCOPE):
        return judged
    _, because, by = status_at(row, now)
    return replace(judged, because=because, by=by, change=_clock_at_which_it_stands(row, now))


def unseen_memory(trace: Trace, row: MemoryRow, *, known_at: datetime | None) -> Judgement:
    """Judge a memory that no stage names; `known_at` is when it was first derived, None where a past state has it."""
    request = trace.request
    now, kinds = request.now, frozenset(request.kinds) if request.kinds else None
    if row.subject_id != request.subject_id or (request.include and "memories" not in request.include):
        return Judgement(MEMORY, "scope", Reason.NOT_IN_SCOPE, recomputed=True)
    if known_at is not None and known_at > trace.at:
        return Judgement(MEMORY, "scope", Reason.NOT_YET_KNOWN, recomputed=True)
    reason = out_of_scope(row, now, kinds)
    if reason is not None:
        return with_ruling(Judgement(MEMORY, "scope", reason, recomputed=True), row, now)
    return Judgement(MEMORY, "candidates", Reason.NOT_FOUND, recomputed=True)


def unseen_part(kind: str, *, is_in_scope: bool, is_later: bool) -> Judgement:
    """Judge a passage or an episode that no stage names: not asked for, not there yet, or not found."""
    if not is_in_scope:
        return Judgement(kind, "scope", Reason.NOT_IN_SCOPE, recomputed=True)
    if is_later:
        return Judgement(kind, "scope", Reason.NOT_YET_KNOWN, recomputed=True)
    return Judgement(kind, "candidates", Reason.NOT_FOUND, recomputed=True)


def _clock_at_which_it_stands(row: MemoryRow, now: datetime) -> Change | None:
    begins = [start for start, _ in row.spells if start is not None and start > now]
    if begins:
        return Change("now", AT_LEAST, min(begins))
    ends = [end for _, end in row.spells if end is not None and end <= now]
    return Change("now", BELOW, max(ends)) if ends else None
