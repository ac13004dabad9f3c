"""The memory state as a function of the log (design: D-1 to D-29): points, acts and registry in, units out.

One function serves a whole subject and the few units that a compile touches: it is exact for any closed set of points.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from stemma.core import registry as registered
from stemma.core.corrections import may_be_aimed, resolve_wrong_last
from stemma.core.events import Settlement
from stemma.core.frames import BLOCK_LIMIT, block_of, frame_point
from stemma.core.keys import group_id
from stemma.core.marks import Marked, mark
from stemma.core.points import points_of
from stemma.core.ruled import Record, rule_block, rule_claim
from stemma.core.rulings import acts_of, silenced
from stemma.core.settlements import as_seen, rulings_in_effect, settlements_in
from stemma.core.sides import FrameRule
from stemma.core.standing import Rule
from stemma.core.third_values import third_values
from stemma.core.unit_state import unit_states
from stemma.records import DocumentState, Extraction, HumanAct, LogEpisode, Registry
from stemma.state import Point, UnitState


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """Everything of one subject that a derivation reads beside the registry.

    `extractions` by (episode key, content hash), all of one extractor version; `documents` by (corpus, external id).
    """

    tenant: str
    subject: str
    episodes: Sequence[LogEpisode]
    extractions: Mapping[tuple[str, str], Extraction]
    acts: Sequence[HumanAct] = ()
    documents: Mapping[tuple[str, str], DocumentState] = field(default_factory=dict)


def state(log: Log, registry: Registry) -> dict[str, UnitState]:
    """Derive the whole memory state of a subject, by unit."""
    return derive(points_of_log(log, registry), log.acts, registry, subject=log.subject)


def points_of_log(log: Log, registry: Registry) -> list[Point]:
    """Give every point of a log, corrections without an object aimed at what they name."""
    points = statements_of_log(log, registry)
    return [*points, *aimed(points)]


def statements_of_log(log: Log, registry: Registry) -> list[Point]:
    """Give every point of a log as it was said: corrections without an object name nothing yet."""
    groups: dict[str, list[LogEpisode]] = {}
    for episode in log.episodes:
        groups.setdefault(group_id(episode.key, episode.business_key), []).append(episode)
    points: list[Point] = []
    for group in groups.values():
        found = points_of(
            group, log.extractions, registry, tenant=log.tenant, subject=log.subject, documents=log.documents
        )
        points += silenced(found, log.acts)
    return points


def derive(
    points: Iterable[Point], acts: Iterable[HumanAct], registry: Registry, *, subject: str
) -> dict[str, UnitState]:
    """Derive the units of a closed set of points, in any order, with the acts that name them.

    Closed: every point of each block that is touched (`frames.index_tokens`), and of every unit that an act names
    together with one of them (`rulings.named_together`). Units without a statement yield nothing.
    """
    known = acts_of(acts)
    said = as_seen(list(points), known.settling)
    marked = mark([*said, *third_values(said, known.settling)], known)
    rulings = rulings_in_effect(marked, known)
    states: dict[str, UnitState] = {}
    for units in _blocks(marked).values():
        record = _rule(marked, units, settlements_in(rulings, units), registry)
        states |= unit_states(marked, units, record, known, registry, subject=subject)
    return {unit: states[unit] for unit in sorted(states) if states[unit] != UnitState()}


def aimed(points: Sequence[Point]) -> list[Point]:
    """Aim the corrections without an object among all points of their conversations; give the aimed forms alone."""
    unaimed = {point.conversation for point in points if may_be_aimed(point)}
    conversations: dict[str, list[Point]] = {name: [] for name in unaimed}
    for point in points if unaimed else ():
        if point.conversation in unaimed:
            conversations[point.conversation].append(point)
    return [point for name in sorted(conversations) for point in resolve_wrong_last(conversations[name])]


def _blocks(marked: Marked) -> dict[str, list[str]]:
    """Put units that may rule on one another together: frames by their block, a claim unit alone."""
    blocks: dict[str, list[str]] = {}
    for unit in sorted(marked.by_unit):
        framed = next((point for point in marked.by_unit[unit] if point.frame is not None), None)
        frame = frame_point(framed) if framed else None
        blocks.setdefault(block_of(frame) if frame else unit, []).append(unit)
    return blocks


def _rule(marked: Marked, units: Sequence[str], settlements: Sequence[Settlement], registry: Registry) -> Record:
    live = [point for unit in units for point in marked.by_unit[unit] if point.dead is None]
    if not live:
        return Record()
    claim_key = live[0].claim_key
    kind = min(point.kind for point in live)
    if claim_key is not None:
        entry = registry.claim_keys.get(claim_key)
        kind = entry.kind if entry is not None else kind
    policy = registered.policy_of(registry, claim_key, kind)
    needed = registered.corroboration_of(registry, claim_key, kind)
    if claim_key is not None:
        return rule_claim(live, settlements, Rule(policy, needed))
    crowded = len(units) > BLOCK_LIMIT
    record = rule_block(
        live, settlements, FrameRule(policy, needed, registered.overlap_of(registry, kind), across=not crowded)
    )
    if not crowded:
        return record
    note = f"too_many_neighbours: {len(units)} frames of one block, limit {BLOCK_LIMIT}; none rules on another"
    return replace(record, notes=(note,))
