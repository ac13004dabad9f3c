"""Makes probes of an incident: one that must pass, and two neighbours that must stay silent. A person reads them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from stemma.app.evaluate_holdings import Holdings, holdings_of
from stemma.app.models_memories import Memory
from stemma.app.models_traces import AskedView, TraceById
from stemma.app.runtime import Runtime
from stemma.app.trace_views import get_trace
from stemma.core.analyse import language_of
from stemma.core.golden.neighbours import other_thing, talk
from stemma.core.golden.probe import ProbeClass
from stemma.errors import InvalidInput
from stemma.text import stamp

_SHORT: Final = 8
BUDGET: Final = 800


@dataclass(frozen=True, slots=True, kw_only=True)
class Incident:
    """A request that went wrong: its trace, its words, and what should have come and what not.

    `expected` and `unwanted` are memory ids or episode keys. The words are asked for because no trace holds them.
    """

    trace_id: str
    query: str
    expected: Sequence[str] = ()
    unwanted: Sequence[str] = ()


def probes_of_incident(runtime: Runtime, tenant: str, incident: Incident) -> list[dict[str, Any]]:
    """Write the three lines of a golden file for an incident.

    Raises NotFound for an unknown trace, InvalidInput for other words than the trace's, for a request without a
    subject, for evidence that is not the subject's, and where nothing is expected or unwanted.
    """
    asked = get_trace(runtime, tenant, TraceById(trace_id=incident.trace_id)).request
    if hashlib.sha256(incident.query.encode()).hexdigest() != asked.query.sha256:
        raise InvalidInput(
            f"the trace is of another query, of {asked.query.chars} characters; give its words as they were sent",
            field="query",
        )
    if asked.subject_id is None:
        raise InvalidInput("the request named no subject; a probe is about one", field="from_trace")
    if not incident.expected and not incident.unwanted:
        raise InvalidInput("say what should have come (--expect) or should not have (--unwanted)", field="expect")
    holdings = holdings_of(runtime, tenant, [asked.subject_id])
    expected = [_evidence(holdings, asked.subject_id, name) for name in incident.expected]
    unwanted = [_evidence(holdings, asked.subject_id, name) for name in incident.unwanted]
    name = f"incident-{incident.trace_id[:_SHORT]}"
    return [_main(name, asked, incident, expected, unwanted), *_neighbours(name, asked, incident)]


def _main(
    name: str, asked: AskedView, incident: Incident, expected: list[dict[str, Any]], unwanted: list[dict[str, Any]]
) -> dict[str, Any]:
    kind = ProbeClass.ANCHOR if expected else ProbeClass.ABSTAIN
    anchors = [{**each, "must_survive": True} for each in expected]
    return {
        **_plain(name, kind, asked, incident.query),
        "expect": {"anchors": anchors, "forbid": [{**each, "at_all": True} for each in unwanted]},
        "relevant": expected,
        "irrelevant": unwanted,
        "why": f"An incident: trace {incident.trace_id}.",
    }


def _neighbours(name: str, asked: AskedView, incident: Incident) -> list[dict[str, Any]]:
    first = other_thing(incident.query) or talk(incident.query)
    second = talk(incident.query)
    told = (("thing", first, "The same asked of what does not exist."), ("talk", second, "Talk that asks for nothing."))
    return [
        {
            **_plain(f"{name}-{suffix}", ProbeClass.NEGATIVE, asked, query),
            "expect": {"items_max": 0},
            "why": f"A neighbour of {name}. {why}",
        }
        for suffix, query, why in told
    ]


def _plain(name: str, kind: ProbeClass, asked: AskedView, query: str) -> dict[str, Any]:
    return {
        "id": name,
        "class": kind.value,
        "subject_id": asked.subject_id,
        "language": language_of(query),
        "query": query,
        "now": stamp(asked.now),
        "budget": asked.budget_tokens or BUDGET,
    }


def _evidence(holdings: Holdings, subject: str, name: str) -> dict[str, Any]:
    """Name a memory by its first saying: by the place in it where others rest on the same episode."""
    memory = holdings.memories.get(name)
    if memory is None:
        if (subject, name) not in holdings.episodes:
            raise InvalidInput(f"{name!r} is neither a memory of {subject} nor the key of an episode", field="expect")
        return {"key": name}
    saying = memory.episodes[0]
    if len(holdings.resting_on(subject, saying.key)) < 2:
        return {"key": saying.key}
    return {"key": saying.key, "span": _span(memory)}


def _span(memory: Memory) -> dict[str, Any]:
    span = memory.episodes[0].span
    place: dict[str, Any] = {"start": span.start, "end": span.end}
    return place if span.message is None else {**place, "message": span.message}
