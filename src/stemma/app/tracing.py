"""A request's trace as it is made: the stages' records beside what the request was. Keeping it is `traces`' matter."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Final

from stemma.app.models_recall import BundleRequest, IndexState, RecallRequest
from stemma.app.runtime import Runtime
from stemma.app.search import Pool
from stemma.core.budget import Costs, Fitted
from stemma.core.calibration import Calibration
from stemma.core.render import HEADINGS, Line
from stemma.core.trace import STAGES, Item, StageRecord, recorded
from stemma.core.traced import (
    Held,
    Note,
    Trace,
    TracedItems,
    TracedRequest,
    TracedResult,
    joined,
    passed,
    traced_items,
)
from stemma.record_json import encode
from stemma.text import hash_parts

# Those that an answer without a text goes through unchanged.
_OF_TEXT: Final = STAGES[STAGES.index("grounding") :]
# They say something of items and are none.
_NOTES: Final = frozenset({"disagreements", "conflicts"})
_OF_CHAIN: Final = STAGES[STAGES.index("fusion") : STAGES.index("grounding")]


def new_trace_id() -> str:
    """Draw the id of a trace."""
    return secrets.token_hex(16)


@dataclass(slots=True)
class Draft:
    """What a request leaves behind for its trace, as it stands in memory; `traced` makes the record of it.

    `chain` are the records of the memories' stages, `documents` those of the passages', from `candidates` on; `text`
    are those of `grounding`, `budget` and `render` where a text was built. `seen` are the chain's items, each as it was
    last.
    """

    id: str
    at: datetime
    request: RecallRequest | BundleRequest
    now: datetime
    asked_ms: float
    index_state: IndexState
    found: Pool | None = None
    chain: Sequence[StageRecord] = ()
    seen: Sequence[Sequence[Item]] = ()
    documents: Sequence[StageRecord] = ()
    passages: TracedItems = field(default_factory=TracedItems)
    text: Sequence[StageRecord] = ()
    notes: Sequence[Note] = ()
    costs: Costs | None = None
    result: TracedResult = field(default_factory=TracedResult)
    calibration: Calibration | None = None
    tokenizer: str | None = None

    @property
    def overridden(self) -> tuple[str, ...]:
        """Name the clocks that were set by hand; such a request leaves nothing in the store."""
        return tuple(name for name in ("now", "as_of") if getattr(self.request, name) is not None)


def keep(runtime: Runtime, tenant: str, draft: Draft) -> None:
    """Make a draft into a trace and leave it; one of a request whose clocks were set by hand is never stored.

    The store is the same after such a request as before it (R-44), so its trace lives as long as this process.
    """
    runtime.traces.note(tenant, draft.id, partial(traced, draft), stored=not draft.overridden)
    runtime.traces.write_when_many(runtime.store)
    if runtime.observers.are_there:
        runtime.observers.staged(_stages(draft, [*draft.found.items] if draft.found else []))


def traced(draft: Draft) -> Trace:
    """Make the record of a request."""
    known = [*draft.found.items] if draft.found else []
    stages = _stages(draft, known)
    seen = set(stages[2].items)
    return Trace(
        id=draft.id,
        at=draft.at,
        request=_asked(draft),
        stages=tuple(stages),
        items=traced_items((known, *draft.seen), seen).followed_by(draft.passages),
        index_state=draft.index_state.model_dump(),
        notes=tuple(draft.notes),
        costs=draft.costs,
        result=draft.result,
    )


def _stages(draft: Draft, known: Sequence[Item]) -> list[StageRecord]:
    held = draft.found.held if draft.found else Held()
    scope_ms, candidates_ms = draft.found.took_ms if draft.found else (0.0, 0.0)
    stages = [
        StageRecord("request", held.total, held.total, ms=draft.asked_ms),
        StageRecord("scope", held.total, held.eligible, (), held.listed, dict(held.counts), scope_ms),
        *_looked_up(draft, known, candidates_ms),
    ]
    return [*stages, *(draft.text or passed(stages[-1:], _OF_TEXT))]


def _looked_up(draft: Draft, known: Sequence[Item], ms: float) -> list[StageRecord]:
    """Give the stages from the candidates to what was chosen, of memories and of documents together."""
    # What the chain's own sieve drops was counted at `scope` with all else that is of another kind.
    gone = {fate.id for record in draft.chain if record.name == "scope" for fate in record.fates}
    found = [item.id for item in known if item.id not in gone]
    own = [recorded("candidates", len(found), found, ms=ms), *(each for each in draft.chain if each.name != "scope")]
    if not draft.chain:
        own += passed(own, _OF_CHAIN)
    if not draft.documents:
        return own
    return [joined(one, other) for one, other in zip(own, draft.documents, strict=True)]


def _asked(draft: Draft) -> TracedRequest:
    asked = draft.request
    recalled = asked if isinstance(asked, RecallRequest) else None
    bundled = asked if isinstance(asked, BundleRequest) else None
    return TracedRequest(
        operation="recall" if recalled else "bundle",
        query_sha256=hashlib.sha256(asked.query.encode()).hexdigest(),
        query_chars=len(asked.query),
        now=draft.now,
        subject_id=asked.subject_id,
        corpora=tuple(bundled.corpora or ()) if bundled else (),
        include=tuple(recalled.include) if recalled else (),
        kinds=tuple(recalled.kinds or ()) if recalled else (),
        k=recalled.k if recalled else None,
        half_life_days=recalled.half_life_days if recalled else None,
        session_id=asked.session_id,
        budget_tokens=bundled.budget_tokens if bundled else None,
        as_of=asked.as_of,
        overridden=draft.overridden,
        versions={
            "embedder": draft.index_state.embedder,
            "extractor": draft.found.extractor if draft.found else None,
            "tokenizer": draft.tokenizer,
            "config": hash_parts(encode(draft.calibration)),
        },
    )


def text_stages(lines: Sequence[Line], fitted: Fitted, took_ms: tuple[float, float]) -> list[StageRecord]:
    """Give the stages of a text's items from `grounding` on; `took_ms` is how long fitting and writing it took."""
    items = [line.id for line in lines if line.section not in _NOTES]
    own = set(items)
    kept = [line.id for line in fitted.kept if line.id in own]
    # Items stand in their sections, so the order of the text is that of the sections.
    shown = [line.id for name in HEADINGS for line in fitted.kept if line.section == name and line.id in own]
    return [
        recorded("grounding", len(items), items),
        recorded("budget", len(items), kept, [fate for fate in fitted.fates if fate.id in own], ms=took_ms[0]),
        recorded("render", len(kept), shown, ms=took_ms[1]),
    ]


def notes_of(lines: Sequence[Line], fitted: Fitted) -> list[Note]:
    """Give the lines that are about items, with what became of them."""
    fates = {fate.id: fate for fate in fitted.fates}
    return [Note(line.id, line.section, fates.get(line.id)) for line in lines if line.section in _NOTES]
