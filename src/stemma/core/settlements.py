"""Which human rulings take effect, and who speaks for their sides (design: D-20). What they do is `settle`'s."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from stemma.core.events import Settlement
from stemma.core.marks import Marked
from stemma.core.order import order
from stemma.core.rulings import Acts, Said, said_of
from stemma.core.times import TOLERANCE
from stemma.records import Act, ActKind, HumanAct
from stemma.state import Point


@dataclass(frozen=True, slots=True)
class Ruling:
    """A human ruling whose sides all exist: the statement that speaks for each winner, the losers' ids, the units."""

    act: HumanAct
    winners: tuple[Point, ...]
    losers: frozenset[str]
    units: frozenset[str]


def as_seen(points: Sequence[Point], settling: Iterable[HumanAct]) -> Sequence[Point]:
    """Date a saying that a ruling saw and listed at that ruling where its clock ran ahead of it, within the tolerance.

    A person rules on what is before them: else the saying would contest a ruling made in sight of it (as D-21 for
    forgetting).
    """
    seen: dict[tuple[str, Said], datetime] = {}
    for act in settling:
        for memory in act.memories:
            for saying in memory.sayings:
                if act.at < saying.occurred_at <= act.at + TOLERANCE:
                    name = memory.memory_id, (saying.key, saying.content_hash, saying.occurred_at)
                    seen[name] = min(act.at, seen.get(name, act.at))
    if not seen:
        return points
    return [_dated(point, seen.get((point.memory_id, said_of(point)))) for point in points]


def rulings_in_effect(marked: Marked, acts: Acts) -> list[Ruling]:
    """Keep the rulings whose sides all exist, those that are to stand with a live statement; in order."""
    if not acts.settling:
        return []
    named = {memory.memory_id for act in acts.settling for memory in act.memories}
    existing: set[str] = set()
    live: dict[str, list[Point]] = {}
    for listed in marked.by_unit.values():
        for point in listed:
            if point.act is Act.SAY and point.memory_id in named:
                existing.add(point.memory_id)
                if point.dead is None:
                    live.setdefault(point.memory_id, []).append(point)
    found: list[Ruling] = []
    for act in acts.settling:
        ids = [memory.memory_id for memory in act.memories]
        winners = ids if act.kind is ActKind.KEEP_BOTH else ids[:1]
        losers = frozenset(ids) - frozenset(winners)
        if winners and losers <= existing and all(memory in live for memory in winners):
            sides = tuple(_speaker(live[memory], act.at) for memory in winners)
            units = {memory.unit for memory in act.memories} | {point.unit for point in sides}
            found.append(Ruling(act, sides, losers, frozenset(units)))
    return found


def settlements_in(rulings: Iterable[Ruling], units: Sequence[str]) -> list[Settlement]:
    """Give the rulings that concern some units, as the fold takes them."""
    here = set(units)
    return [
        Settlement(
            id=ruling.act.id,
            at=ruling.act.at,
            winner=ruling.winners[0].memory_id,
            sides=tuple(point for point in ruling.winners if point.unit in here),
            together=ruling.act.kind is ActKind.KEEP_BOTH,
            losers=ruling.losers,
        )
        for ruling in rulings
        if not here.isdisjoint(ruling.units)
    ]


def _dated(point: Point, ruled_at: datetime | None) -> Point:
    if ruled_at is None or not point.sound or point.time != point.occurred_at:
        return point
    return replace(point, time=ruled_at)


def _speaker(points: Sequence[Point], ruled_at: datetime) -> Point:
    """Give the strongest statement of a side up to the ruling; what is said later lends it no rank. Else the first."""
    until = [point for point in points if not point.sound or point.time <= ruled_at]
    if until:
        return max(until, key=lambda point: (point.authority, order(point)))
    return min(points, key=order)
