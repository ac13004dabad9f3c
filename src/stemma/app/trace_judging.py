"""What became of any id in a trace: what the trace says, else what is stored says. The rules are `core/why`'s."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from datetime import datetime

from stemma.app.past import Past, past_of
from stemma.app.runtime import Runtime
from stemma.core import why
from stemma.core.trace import Reason
from stemma.core.traced import EPISODE, MEMORY, PASSAGE, Trace
from stemma.core.why import Judgement
from stemma.record_json import decode
from stemma.state import MemoryRow
from stemma.store import traces
from stemma.store.transaction import Row, Transaction


@dataclass(frozen=True, slots=True)
class Stored:
    """What the store has now of the ids that are asked about, by id."""

    memories: dict[str, Row] = field(default_factory=dict)
    passages: dict[str, Row] = field(default_factory=dict)
    episodes: dict[str, Row] = field(default_factory=dict)

    def text_of(self, name: str) -> str | None:
        """Return the words of a memory or a passage; None where they are gone."""
        if name in self.memories:
            return decode(MemoryRow, self.memories[name]["body"]).text
        return self.passages[name]["text"] if name in self.passages else None


def stored(t: Transaction, names: Collection[str]) -> Stored:
    """Look ids up."""
    memories = traces.memories(t, names)
    left = [name for name in names if name not in memories]
    passages = traces.passages(t, left)
    return Stored(memories, passages, traces.episodes(t, [name for name in left if name not in passages]))


def past_of_trace(runtime: Runtime, tenant: str, trace: Trace) -> Past | None:
    """Derive what a request about an earlier moment was answered from; None for one about the present."""
    if trace.request.as_of is None or trace.request.subject_id is None:
        return None
    return past_of(runtime, tenant, trace.request.subject_id, trace.request.as_of)


def judge(trace: Trace, name: str, there: Stored, past: Past | None) -> Judgement | None:
    """Say what became of an id in an answer; None where neither the trace nor the store knows it."""
    judged = why.recorded_of(trace, name)
    row = there.memories.get(name)
    if judged is not None:
        said = past.rows.get(name) if past else None
        if row is not None and said is None:
            said = decode(MemoryRow, row["body"])
        return judged if said is None else why.with_ruling(judged, said, trace.request.now)
    if row is not None or (past is not None and name in past.rows):
        return _memory(trace, name, row, past)
    if name in there.passages:
        found = there.passages[name]
        return why.unseen_part(
            PASSAGE, is_in_scope=found["corpus"] in trace.request.corpora, is_later=found["revised_at"] > trace.at
        )
    if name in there.episodes:
        return _episode(trace, there.episodes[name])
    return None


def _memory(trace: Trace, name: str, row: Row | None, past: Past | None) -> Judgement:
    if past is not None:
        if name in past.rows:
            return why.unseen_memory(trace, past.rows[name], known_at=None)
        return Judgement(MEMORY, "scope", Reason.NOT_YET_KNOWN, recomputed=True)
    assert row is not None
    judged = why.unseen_memory(trace, decode(MemoryRow, row["body"]), known_at=row["derived_at"])
    was_undone = not row["derived"] and _is_before(row["undone_at"], trace.at)
    if was_undone and judged.reason not in (Reason.NOT_IN_SCOPE, Reason.NOT_YET_KNOWN):
        return replace(judged, stage="scope", reason=Reason.TOMBSTONED, change=None, because="not_derived", by=None)
    return judged


def _episode(trace: Trace, row: Row) -> Judgement:
    request = trace.request
    is_in_scope = row["subject_id"] == request.subject_id and EPISODE + "s" in request.include
    known_by = request.as_of or trace.at
    return why.unseen_part(EPISODE, is_in_scope=is_in_scope, is_later=row["recorded_at"] > known_by)


def _is_before(at: datetime | None, moment: datetime) -> bool:
    return at is None or at <= moment
