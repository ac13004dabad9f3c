"""The use cases of looking at traces: one whole, one item of it, two beside each other. Texts are looked up now."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from stemma.app import models_traces as wire
from stemma.app.runtime import Runtime
from stemma.app.trace_judging import Stored, judge, past_of_trace, stored
from stemma.core.score import Score, ScoreKind
from stemma.core.trace import Fate, Miss, StageRecord
from stemma.core.traced import LISTED, Kept, Note, Trace, TracedItem
from stemma.core.why import Judgement
from stemma.errors import NotFound
from stemma.record_json import plain


def get_trace(runtime: Runtime, tenant: str, request: wire.TraceById) -> wire.TraceView:
    """Show how an answer came about. Raises NotFound for a trace that is not this tenant's, or not kept any more."""
    return shown(runtime, tenant, _trace(runtime, tenant, request.trace_id, "trace_id"))


def why(runtime: Runtime, tenant: str, request: wire.WhyRequest) -> wire.WhyView:
    """Say what decided on one item, whether a stage saw it or not. Raises NotFound for an id that nothing has."""
    trace, name = _trace(runtime, tenant, request.trace_id, "trace_id"), request.memory_id
    there = runtime.store.run(tenant, lambda t: stored(t, [name]), read_only=True)
    judged = judge(trace, name, there, past_of_trace(runtime, tenant, trace))
    if judged is None:
        raise NotFound(f"there is no memory, passage or episode {name!r}", field="memory_id")
    change = None if judged.change is None else wire.Change.model_validate(asdict(judged.change))
    return wire.WhyView(
        trace_id=trace.id,
        id=name,
        text=there.text_of(name),
        change=change,
        detail=_miss(judged.detail),
        because=judged.because,
        by=judged.by,
        into=judged.into,
        recomputed=judged.recomputed,
        type=judged.type,
        **_fate(judged),
    )


def diff_traces(runtime: Runtime, tenant: str, request: wire.DiffRequest) -> wire.TraceDiff:
    """Say what differs between two answers: what they were asked with, and whose fate or rank changed."""
    before = _trace(runtime, tenant, request.trace_id, "trace_id")
    after = _trace(runtime, tenant, request.other, "other")
    names = list(dict.fromkeys(name for trace in (before, after) for name in trace.names))
    there = runtime.store.run(tenant, lambda t: stored(t, names), read_only=True)
    pasts = [past_of_trace(runtime, tenant, trace) for trace in (before, after)]
    changed = []
    for name in names:
        one, other = (judge(trace, name, there, past) for trace, past in zip((before, after), pasts, strict=True))
        views = [None if each is None else wire.FateView(**_fate(each)) for each in (one, other)]
        if views[0] != views[1]:
            kind = next(each.type for each in (one, other) if each is not None)
            text = there.text_of(name)
            changed.append(wire.ChangedItem(id=name, type=kind, text=text, before=views[0], after=views[1]))
    return wire.TraceDiff(
        trace_id=before.id, other=after.id, asked=_asked_otherwise(before, after), items=tuple(changed)
    )


def shown(runtime: Runtime, tenant: str, trace: Trace) -> wire.TraceView:
    """Show a trace with the texts that its candidates have now."""
    there = runtime.store.run(tenant, lambda t: stored(t, [one.id for one in trace.items]), read_only=True)
    asked = trace.request
    return wire.TraceView(
        trace_id=trace.id,
        recorded_at=trace.at,
        request=wire.AskedView.model_validate(
            {
                **{
                    name: getattr(asked, name)
                    for name in wire.AskedView.model_fields
                    if name not in ("query", "versions")
                },
                "query": {"sha256": asked.query_sha256, "chars": asked.query_chars},
                "versions": dict(asked.versions),
            }
        ),
        stages=tuple(_stage(record) for record in trace.stages),
        candidates=tuple(_candidate(item, there) for item in trace.items),
        notes=tuple(_note(note) for note in trace.notes),
        result=wire.ResultView.model_validate(plain(trace.result)),
        index_state=dict(trace.index_state),
    )


def _trace(runtime: Runtime, tenant: str, trace_id: str, field: str) -> Trace:
    found = runtime.traces.find(runtime.store, tenant, trace_id)
    if found is None:
        raise NotFound(
            f"there is no trace {trace_id!r}; traces are kept for a while and go with what is erased", field=field
        )
    return found


def _stage(record: StageRecord) -> wire.StageView:
    dropped = [fate for fate in record.fates if fate.into is None]
    return wire.StageView(
        name=record.name,
        entered=record.entered,
        left=record.left,
        merged=record.merged,
        items=record.items,
        dropped_count=record.dropped,
        dropped_by_reason=dict(sorted(record.counts.items())),
        dropped=tuple(_dropped(fate) for fate in dropped[:LISTED]),
        merges=tuple(_merges(record.fates)),
        ms=round(record.ms, 3),
    )


def _dropped(fate: Fate) -> wire.DroppedItem:
    return wire.DroppedItem(id=fate.id, reason=fate.reason.value, detail=_miss(fate.detail))


def _merges(fates: Iterable[Fate]) -> Iterable[wire.MergedItem]:
    return (
        wire.MergedItem(id=fate.id, into=fate.into, reason=fate.reason.value) for fate in fates if fate.into is not None
    )


def _miss(miss: Miss | None) -> wire.TracedMiss | None:
    if miss is None:
        return None
    return wire.TracedMiss(measure=miss.measure, value=miss.value, needed=miss.needed, short_by=miss.short_by)


def _candidate(item: TracedItem, there: Stored) -> wire.CandidateView:
    scores = tuple(_score(each) for each in item.scores)
    named = {"id": item.id, "type": item.type, "owner": item.owner, "text": there.text_of(item.id)}
    return wire.CandidateView.model_validate({**named, "scores": scores, "forced": item.forced})


def _score(kept: Kept) -> wire.ScoreView:
    score = Score(ScoreKind(kept[0]), kept[1])
    return wire.ScoreView(kind=kept[0], value=score.value, direction=score.direction.value, range=score.range)


def _note(note: Note) -> wire.NoteView:
    fate = note.fate
    return wire.NoteView(
        id=note.id,
        section=note.section,
        kept=fate is None,
        reason=None if fate is None else fate.reason.value,
        detail=None if fate is None else _miss(fate.detail),
    )


def _fate(judged: Judgement) -> dict[str, Any]:
    reason = None if judged.reason is None else judged.reason.value
    return {"fate": judged.fate, "stage": judged.stage, "reason": reason, "rank": judged.rank}


def _asked_otherwise(before: Trace, after: Trace) -> tuple[str, ...]:
    """Name what the two requests were asked with otherwise: fields, versions, and the state of the index."""
    one, other = plain(before.request), plain(after.request)
    versions = one.pop("versions"), other.pop("versions")
    if "now" not in {*before.request.overridden, *after.request.overridden}:
        # The clock goes on by itself; only one that was set by hand was asked for.
        del one["now"]
    fields = [name for name in one if one[name] != other[name]]
    fields += [name for name in versions[0] if versions[0][name] != versions[1].get(name)]
    return (*fields, *(["index_state"] if before.index_state != after.index_state else []))
