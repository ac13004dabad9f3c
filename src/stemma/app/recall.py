"""The use case of recall: candidates, the chain of stages, the wire form. Building a prompt is `bundle`'s."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from stemma.app import memory_view as view
from stemma.app import models_recall as wire
from stemma.app import sessions
from stemma.app.models_memories import Span
from stemma.app.past_search import pool_as_of
from stemma.app.runtime import Runtime, require_kinds
from stemma.app.search import Asked, Pool, pool
from stemma.app.took import clock_ms
from stemma.app.trace_views import shown
from stemma.app.tracing import Draft, keep, new_trace_id, traced
from stemma.app.turn_search import turns_wanted
from stemma.core.admit.rules import CORE
from stemma.core.stages import chain
from stemma.core.trace import Ask, Item, run
from stemma.core.traced import EPISODE, MEMORY
from stemma.store.transaction import Transaction

_KINDS = {"memories": MEMORY, "episodes": EPISODE}


def recall(runtime: Runtime, tenant: str, request: wire.RecallRequest) -> wire.RecallResult:
    """Find what answers a query among what is known of one subject, best first."""
    began = clock_ms()
    require_kinds(runtime, request.kinds or ())
    sessions.require_open(runtime, tenant, request.session_id)
    now = request.now or runtime.now()
    asked_ms = clock_ms() - began
    found = find(runtime, tenant, request, now)
    ask = Ask(
        query=found.query,
        terms=found.terms,
        now=now,
        k=request.k,
        kinds=frozenset(request.kinds) if request.kinds else None,
        half_life_days=request.half_life_days,
        half_lives=found.half_lives,
        question=found.question,
        core=frozenset(found.core),
    )
    seen: list[Sequence[Item]] = []
    stages = chain(runtime.calibration.fusion, runtime.calibration.scale)
    items, records = run(stages, found.items, ask, clock_ms, seen)
    draft = Draft(
        id=new_trace_id(),
        at=runtime.now(),
        request=request,
        now=now,
        asked_ms=asked_ms,
        index_state=found.index_state,
        found=found,
        chain=records,
        seen=seen,
        calibration=runtime.calibration,
    )
    keep(runtime, tenant, draft)
    answer = runtime.store.run(tenant, lambda t: _answer(t, items, found, request, draft), read_only=True)
    if not draft.overridden:
        runtime.uses.note(tenant, [item.id for item in items if item.memory is not None], runtime.now())
    if request.explain:
        return answer.model_copy(update={"trace": shown(runtime, tenant, traced(draft))})
    return answer


def find(runtime: Runtime, tenant: str, request: wire.RecallRequest, now: datetime) -> Pool:
    """Find the candidates of a recall, as of an earlier moment where one is named."""
    asked = Asked(
        query=request.query,
        now=now,
        item_kinds=[_KINDS[each] for each in request.include],
        memory_kinds=request.kinds,
        turns=turns_wanted(request.k),
    )
    if request.as_of is None:
        return pool(runtime, tenant, request.subject_id, asked)
    return pool_as_of(runtime, tenant, request.subject_id, asked, request.as_of)


def _answer(
    t: Transaction, items: Sequence[Item], found: Pool, request: wire.RecallRequest, draft: Draft
) -> wire.RecallResult:
    rows = [found.rows[item.id] for item in items if item.memory is not None]
    evidence = found.past.evidence if found.past else None
    memories = {each.id: each for each in view.memories(t, rows, draft.now, evidence)}
    answered: list[wire.RecallItem | wire.RecallEpisodeItem] = []
    for item in items:
        scores: dict[str, Any] = _scores(item, explain=request.explain) | {"forced": item.rule == CORE}
        if item.memory is not None:
            answered.append(wire.RecallItem(memory=memories[item.id], **scores))
        elif item.excerpt is not None:
            answered.append(wire.RecallEpisodeItem(episode=excerpt(item), **scores))
    return wire.RecallResult(
        items=tuple(answered),
        uncompiled=found.uncompiled,
        index_state=found.index_state,
        support=_support(found),
        trace_id=draft.id,
    )


def _support(found: Pool) -> wire.RecallSupport | None:
    judged = found.support
    if judged is None:
        return None
    signals = wire.SupportSignals(**asdict(judged.signals))
    return wire.RecallSupport(
        value=round(judged.value, 3), enough=judged.is_enough, reasons=judged.reasons, signals=signals
    )


def _scores(item: Item, *, explain: bool) -> dict[str, Any]:
    parts = {"score": item.score, "similarity": item.similarity, "importance": item.importance, "recency": item.recency}
    scores: dict[str, Any] = {name: part.value if part else 0.0 for name, part in parts.items()}
    if explain:
        fused = item.fused.value if item.fused else None
        scores["explain"] = {"bm25": item.hit.bm25, "cosine": item.hit.cosine, "fused": fused}
        if item.turn is not None:
            scores["explain"] |= {"turn": {**asdict(item.turn.parts), "moved": item.moved}}
    return scores


def excerpt(item: Item) -> wire.RecalledEpisode:
    """Write an excerpt as it is answered."""
    said = item.excerpt
    if said is None:
        raise AssertionError(f"{item.id} is no excerpt")
    return wire.RecalledEpisode(
        episode_id=said.episode_id,
        key=said.key,
        span=Span(start=said.start, end=said.end, message=said.message),
        text=said.text,
        occurred_at=said.occurred_at,
        role=said.role,
    )
