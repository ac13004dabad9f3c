"""Human rulings between statements without a claim key (design: D-20), and the conflicts of marked stamps (D-9)."""

from __future__ import annotations

from collections.abc import Iterator

from stemma.core.events import RULING, TIME_AHEAD, Beat, Closed, Event, Opened, Settlement, Turn
from stemma.core.sides import Block, Side
from stemma.records import Policy, Status
from stemma.state import Point


def settle(block: Block, settlement: Settlement) -> Iterator[Event]:
    """Let the chosen side stand alone among what it conflicts with, or the sides together, at the greatest rank."""
    for point in settlement.sides:
        if point.memory_id in block.ahead:
            yield from ahead_conflict(block, block.ahead[point.memory_id])
            yield Closed(point.memory_id, resolution=settlement.id)
    sides = [_chosen(block, point) for point in settlement.sides]
    beaten = _beaten(block, sides, settlement)
    ahead = _in_conflict(block, sides, block.ahead)
    rank = max((each.rank for each in (*beaten, *sides)), default=0)
    for side in ahead:
        yield from ahead_conflict(block, side)
    for other in (*ahead, *beaten):
        yield Closed(other.memory, resolution=settlement.id)
        beat = Beat(RULING, settlement.winner, other.memory)
        yield Turn(other.memory, Status.SUPERSEDED, RULING, settlement.winner, beat)
        if block.ahead.pop(other.memory, None) is None:
            block.leave(other)
    yield from _close_between(sides, settlement)
    block.challenges.clear()
    for side in sides:
        side.rank = rank
        side.settled = settlement.id if settlement.together else ""
        block.enter(side)
        yield Turn(side.memory, Status.ACTIVE, RULING)


def ahead_conflict(block: Block, side: Side) -> Iterator[Event]:
    """Open the conflict of a memory held for its stamp: with what stands against it, else what was said against it."""
    against = next(block.against(side, block.standing), None) or next(block.against(side, block.seen), None)
    yield Beat(TIME_AHEAD, against.memory if against else None, side.memory)
    if against is not None:
        yield Opened(against.memory, side.memory, TIME_AHEAD)


def _chosen(block: Block, point: Point) -> Side:
    known = block.ahead.pop(point.memory_id, None)
    return block.side(point) if known is None else block.seen.setdefault(point.memory_id, known)


def _beaten(block: Block, sides: list[Side], settlement: Settlement) -> list[Side]:
    """Return what a ruling puts down: all in conflict with its sides, of what policy lets stand the held alone."""
    names = {side.memory for side in sides}
    opposed = _in_conflict(block, sides, block.held)
    if not settlement.together or block.rule.policy not in (Policy.FLAG, Policy.KEEP_ALL):
        opposed += _in_conflict(block, sides, block.standing)
    named = [side for memory in sorted(settlement.losers) if (side := block.in_effect(memory)) is not None]
    found = {other.memory: other for other in (*opposed, *named)}
    return [other for memory, other in found.items() if memory not in names]


def _in_conflict(block: Block, sides: list[Side], among: dict[str, Side]) -> list[Side]:
    found = {other.memory: other for side in sides for other in block.against(side, among)}
    return list(found.values())


def _close_between(sides: list[Side], settlement: Settlement) -> Iterator[Event]:
    for place, side in enumerate(sides):
        for other in sides[place + 1 :]:
            yield Closed(side.memory, other.memory, settlement.id)
