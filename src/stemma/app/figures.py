"""The use case of figures over time: counted from what is stored, one row a day (SPEC R-53)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime, time, timedelta

from stemma.app.models_figures import (
    DayFigures,
    Figures,
    FiguresRequest,
    FoundedFigure,
    GateFigure,
    HubFigure,
    KindShare,
)
from stemma.app.runtime import Runtime
from stemma.core import codec
from stemma.core.figures_over_time import (
    Founded,
    Given,
    Largest,
    forced_per_bundle,
    hubs,
    kinds_given,
    largest,
    passing,
    quarantine_share,
)
from stemma.errors import InvalidInput
from stemma.store import figures as stored
from stemma.store.figures import Span
from stemma.store.transaction import Transaction

# Of hubs, so many are named.
_MOST_HUBS = 50


@dataclass(frozen=True, slots=True)
class _Counted:
    """What was counted, by day."""

    founded: dict[date, list[Founded]]
    standing: dict[date, Counter[str]]
    judged: dict[date, Counter[tuple[str, bool]]]
    given: dict[date, list[Given]]
    kinds: dict[str, str]


def figures(runtime: Runtime, tenant: str, request: FiguresRequest) -> Figures:
    """Count day by day how memories were founded, judged and given, and name those that come whatever is asked."""
    now = runtime.now()
    days = [now.date() - timedelta(days=back) for back in reversed(range(request.days))]
    span = Span(_begin(days[0]), now, request.subject_id)
    # What waits to be written is counted as well.
    runtime.traces.write(runtime.store)
    counted = runtime.store.run(tenant, lambda t: _counted(t, span, days), read_only=True)
    given = [one for listed in counted.given.values() for one in listed]
    return Figures(
        subject_id=request.subject_id,
        days=tuple(_day(day, counted) for day in days),
        queries=len({(one.subject, one.query) for one in given}),
        hub_share=request.hub_share,
        hubs=tuple(HubFigure(**asdict(hub)) for hub in hubs(given, request.hub_share)[:_MOST_HUBS]),
    )


def _counted(t: Transaction, span: Span, days: Sequence[date]) -> _Counted:
    found = _Counted(defaultdict(list), defaultdict(Counter), defaultdict(Counter), defaultdict(list), {})
    for row in stored.founded(t, span):
        founded = Founded(row["day"], row["kind"], row["extractor"], row["n"], row["quarantined"])
        found.founded[founded.day].append(founded)
    ends = [(day, min(_begin(day + timedelta(days=1)), span.now)) for day in days]
    for day, kind, count in stored.standing(t, span, ends):
        found.standing[day][kind] = count
    for day, body in stored.extractions(t, span):
        found.judged[day].update(_judged(body))
    for one in stored.bundles(t, span):
        found.given[one.day].append(Given(one.day, one.subject, one.query, one.given, one.forced))
    found.kinds.update(stored.kinds(t, {name for day in found.given.values() for one in day for name in one.memories}))
    return found


def _begin(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


def _judged(body: str) -> Iterator[tuple[str, bool]]:
    try:
        found = codec.from_json(body)
    except InvalidInput:
        # `verify` names a body that cannot be read.
        return
    yield from ((record.gate, record.passed) for record in found.gates)


def _day(day: date, counted: _Counted) -> DayFigures:
    founded, given, judged = (
        counted.founded.get(day, []),
        counted.given.get(day, []),
        counted.judged.get(day, Counter()),
    )
    return DayFigures(
        day=day,
        memories=tuple(
            FoundedFigure(kind=one.kind, extractor=one.extractor, memories=one.memories, quarantined=one.quarantined)
            for one in founded
        ),
        judged=judged.total(),
        gates=tuple(GateFigure(gate=one.gate, refused=one.refused, pass_rate=one.rate) for one in passing(judged)),
        bundles=len(given),
        forced_items=sum(len(one.forced) for one in given),
        forced_per_bundle=forced_per_bundle(given),
        stored=_share(largest(counted.standing.get(day, Counter()))),
        injected=_share(largest(kinds_given(given, counted.kinds))),
        quarantine_share=quarantine_share(founded),
    )


def _share(found: Largest | None) -> KindShare | None:
    return None if found is None else KindShare(kind=found.kind, share=found.share)
