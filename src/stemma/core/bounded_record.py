"""The record of bounded memories: what `bounded` found as transitions, spells, decisions and conflicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from stemma.core.bounded import Bound, Held
from stemma.core.events import (
    AFFIRMED,
    COVERED,
    DENIED,
    ENDED,
    LOWER_AUTHORITY,
    RULING,
    UNCORROBORATED,
    Beat,
    Opened,
    Settlement,
)
from stemma.core.order import order
from stemma.core.spans import BEGINNING, Span
from stemma.core.standing import Rule
from stemma.records import Act, Polarity, Policy, Status
from stemma.state import Point, Transition

Spell = tuple[datetime | None, datetime | None]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one bounded memory: its record, the decision that `item` brought about, and its open conflict.

    `said` is its own first statement.
    """

    memory: str
    said: Point
    transitions: tuple[Transition, ...]
    spells: tuple[Spell, ...] = ()
    item: Point | Settlement | None = None
    beat: Beat | None = None
    opened: tuple[Opened, ...] = ()


def outcome_of(
    held: Held, rule: Rule, settlements: Mapping[str, Settlement], opened: tuple[Opened, ...] = ()
) -> Outcome:
    """Say when a memory with an ending window stood, and what took its place where that was never.

    `opened` are the conflicts it is in while it stands.
    """
    bound = held.bound
    if held.by is None:
        return replace(_in_force(bound, held.parts), opened=opened)
    if held.by.last > bound.last:
        return _covered(bound, held.by, settlements)
    return _weaker(bound, held.by, rule)


def never(bound: Bound) -> Outcome:
    """Record a memory that was ended before its window began."""
    return _in_force(bound, ())


def _in_force(bound: Bound, parts: Sequence[Span]) -> Outcome:
    start = _open(bound.span[0])
    stood = (Transition(start, Status.ACTIVE),) if parts else ()
    spells = tuple((_open(begin), end) for begin, end in parts)
    if bound.closed is None:
        return Outcome(bound.memory, bound.points[0], stood, spells)
    closed = bound.closed
    reason, by = ENDED, None
    if closed.act is Act.SAY:
        reason = DENIED if closed.polarity is Polarity.NEGATED else AFFIRMED
        by = closed.memory_id
    at = bound.span[1] if parts else start
    over = Transition(at, Status.SUPERSEDED, reason, by)
    beat = Beat(reason, by, bound.memory, (closed.key,))
    return Outcome(bound.memory, bound.points[0], (*stood, over), spells, closed, beat)


def _covered(bound: Bound, by: Bound, settlements: Mapping[str, Settlement]) -> Outcome:
    """Record a memory whose whole window later ones hold: from when they said so, and not before."""
    item: Point | Settlement | None = next((point for point in by.points if order(point) > bound.last), None)
    rule = COVERED if bound.name[1] is by.name[1] else DENIED if by.name[1] is Polarity.NEGATED else AFFIRMED
    if item is None:
        item, rule = settlements[by.chosen], RULING
    at = item.at if isinstance(item, Settlement) else item.time
    start, end = bound.span
    over = Transition(at if at > start else _open(start), Status.SUPERSEDED, rule, by.memory)
    beat = Beat(rule, by.memory, bound.memory)
    if at <= start:
        return Outcome(bound.memory, bound.points[0], (over,), (), item, beat)
    stood = Transition(_open(start), Status.ACTIVE)
    return Outcome(bound.memory, bound.points[0], (stood, over), ((_open(start), min(at, end)),), item, beat)


def _weaker(bound: Bound, by: Bound, rule: Rule) -> Outcome:
    """Record a memory that an earlier, stronger one kept from ever holding."""
    start = _open(bound.span[0])
    item = bound.points[0]
    if rule.policy is Policy.AUTHORITY:
        reason = Policy.AUTHORITY.value
        over = Transition(start, Status.SUPERSEDED, reason, by.memory)
        return Outcome(bound.memory, item, (over,), (), item, Beat(reason, by.memory, bound.memory))
    reason = LOWER_AUTHORITY if bound.rank < by.rank else UNCORROBORATED
    held = Transition(start, Status.QUARANTINED, reason, by.memory)
    opened = (Opened(by.memory, bound.memory, reason),)
    return Outcome(bound.memory, item, (held,), (), item, Beat(reason, by.memory, bound.memory), opened)


def _open(moment: datetime) -> datetime | None:
    return None if moment == BEGINNING else moment
