"""The tier of statements that end (design: D-17): where two with other values overlap, one holds. Folds nothing.

A window never touches what has none: it overlays it, which is a matter of reading.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from stemma.core.events import Settlement
from stemma.core.order import PointOrder, order
from stemma.core.spans import BEGINNING, Span, Spans, joined, without
from stemma.core.standing import Name, Rule, are_opposed, name_of
from stemma.records import Act, Polarity, Policy
from stemma.state import Point

_ALONE = Policy.LATEST


@dataclass(frozen=True, slots=True)
class Bound:
    """One memory with an ending window, its points in order, and its strength where windows overlap.

    `closed` is what ended or denied it before its window did. `chosen` is the ruling that raised it, `settled` the one
    that let it hold beside others.
    """

    memory: str
    name: Name
    points: tuple[Point, ...]
    span: Span
    rank: int
    last: PointOrder
    closed: Point | None = None
    chosen: str = ""
    settled: str = ""

    @property
    def origins(self) -> int:
        """Count the distinct origins that say it."""
        return len({point.origin for point in self.points})


@dataclass(frozen=True, slots=True)
class Held:
    """When a bounded memory is in force, and where that is never, the one that holds in its place."""

    bound: Bound
    parts: tuple[Span, ...]
    by: Bound | None = None


def bounds_of(
    points: Sequence[Point], closing: Iterable[Point], settlements: Iterable[Settlement], rule: Rule
) -> list[Bound]:
    """Gather bounded points into memories, end those that were ended or denied, and apply the rulings on them.

    `closing` are the unit's ends and open statements, in order.
    """
    found: dict[str, list[Point]] = {}
    for point in points:
        found.setdefault(point.memory_id, []).append(point)
    bounds = [_bound(listed) for listed in found.values()]
    closers: dict[Name, list[Point]] = {}
    for point in closing:
        if (name := _closes(point, rule)) is not None:
            closers.setdefault(name, []).append(point)
    bounds = [_closed(bound, closers.get(bound.name, ())) for bound in bounds]
    for settlement in settlements:
        bounds = _settled(bounds, settlement)
    return bounds


def hold(bounds: Sequence[Bound], rule: Rule) -> list[Held]:
    """Say when each is in force: at any instant the strongest of those that cannot hold together."""
    ranked = _strongest_first([bound for bound in bounds if bound.span[0] < bound.span[1]], rule)
    if rule.policy is Policy.FLAG:
        return _without_chosen(ranked)
    alone = rule.policy is not Policy.KEEP_ALL
    cover = _Cover()
    held: list[Held] = []
    for bound in ranked:
        if alone and bound.name[1] is Polarity.AFFIRMED:
            held.append(cover.take(bound))
        else:
            held.append(Held(bound, (bound.span,)))
    return _without_contrary(held)


def flagged(bounds: Iterable[Bound]) -> dict[str, str]:
    """Give for a memory the first said before it that overlaps it and cannot hold with it, unless it was ruled on."""
    pairs: dict[str, str] = {}
    said: list[Bound] = []
    anything = Spans()
    for bound in sorted(bounds, key=lambda each: order(each.points[0])):
        if bound.span[0] >= bound.span[1]:
            continue
        if anything.within(bound.span):
            first = next((other for other in said if _overlap_opposed(other, bound)), None)
            if first is not None and not _is_ruled(first, bound):
                pairs[bound.memory] = first.memory
        said.append(bound)
        anything.add(bound.span)
    return pairs


class _Cover:
    """Which memory holds at each instant, while memories come strongest first."""

    def __init__(self) -> None:
        self._covered = Spans()
        self._own: dict[str, Spans] = {}
        self._owners: list[tuple[datetime, datetime, str]] = []
        self._bounds: dict[str, Bound] = {}

    def take(self, bound: Bound) -> Held:
        """Give a memory what nothing stronger with another value holds."""
        gaps = self._covered.outside(bound.span)
        own = self._own.setdefault(bound.settled or bound.name[0], Spans())
        parts = joined([*gaps, *own.within(bound.span)])
        self._bounds[bound.memory] = bound
        for start, end in gaps:
            insort(self._owners, (start, end, bound.memory))
            own.add((start, end))
        self._covered.add(bound.span)
        return Held(bound, tuple(parts), None if parts else self._owner_at(bound.span[0]))

    def _owner_at(self, instant: datetime) -> Bound:
        place = bisect_right(self._owners, instant, key=lambda owner: owner[0]) - 1
        return self._bounds[self._owners[place][2]]


def _bound(points: list[Point]) -> Bound:
    points.sort(key=order)
    first = points[0]
    return Bound(
        memory=first.memory_id,
        name=name_of(first),
        points=tuple(points),
        span=(first.valid_from or BEGINNING, first.valid_to or BEGINNING),
        rank=max(point.authority for point in points),
        last=order(points[-1]),
    )


def _closes(point: Point, rule: Rule) -> Name | None:
    """Name what a point closes: an end its own value, a statement its contrary where the policy lets it rule alone."""
    value, polarity = name_of(point)
    if point.act is Act.END:
        return value, polarity
    if point.act is not Act.SAY or rule.policy in (Policy.FLAG, Policy.CORROBORATED):
        return None
    return value, Polarity.NEGATED if polarity is Polarity.AFFIRMED else Polarity.AFFIRMED


def _closed(bound: Bound, closers: Sequence[Point]) -> Bound:
    start, end = bound.span
    later = (point for point in closers if order(point) > bound.last and point.authority >= bound.rank)
    first = next(later, None)
    if first is None or first.time >= end:
        return bound
    return replace(bound, span=(start, max(start, first.time)), closed=first)


def _settled(bounds: list[Bound], settlement: Settlement) -> list[Bound]:
    """Raise the chosen side over what it cannot hold with, up to the time of the ruling; or let the sides hold both."""
    sides = {side.memory_id for side in settlement.sides}
    ruling: PointOrder = (True, settlement.at, settlement.at, "", "", 0)
    named = [bound for bound in bounds if bound.memory in sides]
    if not named:
        return bounds
    if settlement.together:
        return [
            replace(each, settled=settlement.id) if each in named and each.last < ruling else each for each in bounds
        ]
    opposed = [bound.rank for bound in bounds if bound.last < ruling and _overlap_opposed(bound, named[0])]
    raised = replace(
        named[0], rank=max([named[0].rank, *opposed]), last=max(named[0].last, ruling), chosen=settlement.id
    )
    return [raised if each is named[0] else each for each in bounds]


def _strongest_first(bounds: list[Bound], rule: Rule) -> list[Bound]:
    """Order by rank, then the later first; under `corroborated` a later one needs its origins to go before."""
    bounds.sort(key=lambda bound: bound.last, reverse=True)
    if rule.policy is Policy.CORROBORATED:
        sure = {bound.memory for bound in bounds if bound.origins >= rule.corroboration or bound.chosen}
        unsure = [bound for bound in reversed(bounds) if bound.memory not in sure]
        bounds = [*(bound for bound in bounds if bound.memory in sure), *unsure]
    return sorted(bounds, key=lambda bound: -bound.rank)


def _is_ruled(one: Bound, other: Bound) -> bool:
    """Say whether a person chose one of two, and the other has not been said since."""
    return any(chosen.chosen and other.last < chosen.last for chosen, other in ((one, other), (other, one)))


def _without_chosen(bounds: Sequence[Bound]) -> list[Held]:
    """Let all stand beside one another, save where a person chose one and the other has not been said since."""
    chosen = [bound for bound in bounds if bound.chosen]
    held: list[Held] = []
    for bound in bounds:
        over = [each for each in chosen if each.last > bound.last and _overlap_opposed(each, bound)]
        parts = tuple(without(bound.span, joined(each.span for each in over)))
        held.append(Held(bound, parts, None if parts else over[0]))
    return held


def _without_contrary(held: list[Held]) -> list[Held]:
    """Take from each what a stronger denial of its value, or affirmation of what it denies, holds."""
    stronger: dict[Name, list[Bound]] = {}
    left: list[Held] = []
    for each in held:
        value, polarity = each.bound.name
        contrary = Polarity.NEGATED if polarity is Polarity.AFFIRMED else Polarity.AFFIRMED
        against = [other for other in stronger.get((value, contrary), ()) if _overlap_opposed(other, each.bound)]
        stronger.setdefault(each.bound.name, []).append(each.bound)
        if not against or not each.parts:
            left.append(each)
            continue
        holes = joined(other.span for other in against)
        parts = tuple(span for part in each.parts for span in without(part, holes))
        left.append(replace(each, parts=parts, by=None if parts else against[0]))
    return left


def _overlap_opposed(one: Bound, other: Bound) -> bool:
    if one.settled and one.settled == other.settled:
        return False
    apart = one.span[1] <= other.span[0] or other.span[1] <= one.span[0]
    return not apart and are_opposed(one.name, other.name, _ALONE)
