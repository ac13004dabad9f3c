"""Asks a store the probes of a golden set, as any caller would, and judges what comes. Nothing of the store changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from stemma.app.bundle import bundle
from stemma.app.evaluate_holdings import Holdings, stands_at
from stemma.app.evaluate_losses import Lost, losses_of
from stemma.app.models_memories import Memory
from stemma.app.models_recall import BundleItem, BundleRequest, BundleResult, Provenance
from stemma.app.runtime import Runtime
from stemma.core.golden.judged import Answer, Judged, judge
from stemma.core.golden.probe import Delivered, Probe, Saying
from stemma.core.score import ScoreKind
from stemma.records import Injection

Advance = Callable[[int, int], None]


def run_probes(
    runtime: Runtime,
    tenant: str,
    probes: Sequence[Probe],
    holdings: Holdings,
    *,
    at: datetime,
    advance: Advance | None = None,
) -> list[Judged]:
    """Build the bundle of every probe and judge it; a probe without a `now` is asked at `at`.

    `advance` is told (done, of).
    """
    judged = []
    for number, probe in enumerate(probes, start=1):
        judged.append(run_probe(runtime, tenant, probe, holdings, at=at))
        if advance is not None:
            advance(number, len(probes))
    return judged


def run_probe(runtime: Runtime, tenant: str, probe: Probe, holdings: Holdings, *, at: datetime) -> Judged:
    """Build one bundle and judge it; where an anchor did not come, say at which stage it was lost."""
    moment = probe.now or at
    earlier: set[str] = set()
    for query in probe.earlier:
        before = bundle(runtime, tenant, _request(probe, query, moment))
        earlier |= {item.id for section in before.sections for item in section.items}
    found = bundle(runtime, tenant, _request(probe, probe.query, moment))
    asked = _Asked(probe, holdings, moment, _unlike(runtime, tenant, found))
    answer = _answer(found, asked, earlier)
    judged = judge(probe, answer)
    if not judged.lost:
        return judged
    lost = losses_of(runtime, tenant, Lost(probe, found.trace_id, judged.lost, holdings))
    return judge(probe, replace(answer, reasons=tuple(lost)))


@dataclass(frozen=True, slots=True)
class _Asked:
    """A probe at its moment; `unlike` are the ids that came although nothing in them is like what was asked."""

    probe: Probe
    holdings: Holdings
    moment: datetime
    unlike: frozenset[str]


def _unlike(runtime: Runtime, tenant: str, found: BundleResult) -> frozenset[str]:
    """Read from the trace which candidates have no similarity at all: what relevance admits has some."""
    trace = runtime.traces.find(runtime.store, tenant, found.trace_id) if found.trace_id else None
    if trace is None:
        return frozenset()
    return frozenset(item.id for item in trace.items if dict(item.scores).get(ScoreKind.SIMILARITY.value) == 0)


def _request(probe: Probe, query: str, moment: datetime) -> BundleRequest:
    return BundleRequest(subject_id=probe.subject_id, query=query, budget_tokens=probe.budget_tokens, now=moment)


def _answer(found: BundleResult, asked: _Asked, earlier: Iterable[str]) -> Answer:
    lines = (_delivered(item, section.name, asked) for section in found.sections for item in section.items)
    return Answer(
        verdict=found.grounding.verdict,
        coverage=found.grounding.coverage,
        tokens=found.tokens,
        lines=tuple(lines),
        earlier=frozenset(earlier),
    )


def _delivered(item: BundleItem, section: str, asked: _Asked) -> Delivered:
    memory = asked.holdings.memories.get(item.id)
    said = [place for place in item.provenance if isinstance(place, Provenance)]
    spans = {} if memory is None else {(each.key, each.occurred_at): each.span for each in memory.episodes}
    sayings = []
    for place in said:
        span = spans.get((place.key, place.occurred_at))
        sayings.append(Saying(place.key) if span is None else Saying(place.key, span.start, span.end, span.message))
    return Delivered(
        id=item.id,
        section=section,
        text=item.text,
        sayings=tuple(sayings),
        kind=None if memory is None else memory.kind,
        rule=_rule(item.id, memory, asked),
        # A line on a conflict holds its sides' dates in its words; an item has its own.
        has_date=section == "conflicts" or item.date is not None,
        stands=memory is None or stands_at(memory, asked.moment),
        is_foreign=memory is not None and memory.subject_id != asked.probe.subject_id,
    )


def _rule(name: str, memory: Memory | None, asked: _Asked) -> str | None:
    """Say by which rule an item came, where that was not relevance."""
    if memory is not None and memory.injection == Injection.CORE:
        return "core"
    return "unlike" if name in asked.unlike else None
