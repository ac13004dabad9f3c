"""Why an anchor did not come: never ingested, not read as a memory, or dropped by a stage of the chain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from stemma.app.evaluate_holdings import Holdings, episode_of
from stemma.app.models_episodes import EpisodeDetail
from stemma.app.models_memories import Memory
from stemma.app.models_traces import WhyRequest
from stemma.app.runtime import Runtime
from stemma.app.trace_views import why
from stemma.core.golden.judged import Place
from stemma.core.golden.probe import Delivered, Evidence, Probe, Saying
from stemma.core.trace import STAGES

# Before the chain: the log has no such episode; its text made no memory; what was read of it is in no memory.
EVIDENCE: Final = "evidence"
EXTRACTION: Final = "extraction"
DERIVATION: Final = "derivation"
UNKNOWN: Final = ("unknown", "unknown")

Why = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Lost:
    """The anchors that did not come for a probe, with the trace of its bundle."""

    probe: Probe
    trace_id: str | None
    places: Sequence[Place]
    holdings: Holdings


def losses_of(runtime: Runtime, tenant: str, lost: Lost) -> list[tuple[str, str, str]]:
    """Say for each lost anchor (key, stage, reason); of several memories that would do, the one that came farthest."""
    found = []
    for place in lost.places:
        ways = [_of_evidence(runtime, tenant, lost, evidence) for evidence in place.anchor.any_of]
        stage, reason = max(ways, key=lambda way: _depth(way[0]))
        found.append((place.anchor.key, stage, reason))
    return found


def _depth(stage: str) -> int:
    order = (EVIDENCE, EXTRACTION, DERIVATION, *STAGES)
    return order.index(stage) if stage in order else -1


def _of_evidence(runtime: Runtime, tenant: str, lost: Lost, evidence: Evidence) -> Why:
    subject = lost.probe.subject_id
    resting = [each for each in lost.holdings.resting_on(subject, evidence.key) if _is_under(evidence, each)]
    if not resting:
        return _before_the_chain(runtime, tenant, lost, evidence)
    return max((_why(runtime, tenant, lost, each) for each in resting), key=lambda way: _depth(way[0]))


def _is_under(evidence: Evidence, memory: Memory) -> bool:
    sayings = tuple(Saying(each.key, each.span.start, each.span.end, each.span.message) for each in memory.episodes)
    return evidence.is_under(Delivered(memory.id, "memories", memory.text, sayings))


def _before_the_chain(runtime: Runtime, tenant: str, lost: Lost, evidence: Evidence) -> Why:
    return why_no_memory(episode_of(runtime, tenant, lost.holdings, lost.probe.subject_id, evidence.key))


def why_no_memory(episode: EpisodeDetail | None) -> Why:
    """Say why no memory rests on an episode: (stage, reason), by the first gate that refused something of it."""
    if episode is None:
        return EVIDENCE, "not_found"
    if episode.statements:
        return DERIVATION, "not_in_a_memory"
    refused = [gate.reason for gate in episode.gates if not gate.passed]
    return EXTRACTION, refused[0] if refused else "not_compiled"


def _why(runtime: Runtime, tenant: str, lost: Lost, memory: Memory) -> Why:
    if lost.trace_id is None:
        return UNKNOWN
    found = why(runtime, tenant, WhyRequest(trace_id=lost.trace_id, memory_id=memory.id))
    # It came, and no line of the text shows it as an item: it stands in a note.
    return found.stage, found.reason or found.fate
