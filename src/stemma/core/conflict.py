"""The ruling on statements without a claim key (design: D-24): pair by pair inside one block, points in the one order.

Which frames share a block is `frames`', who conflicts with whom `sides`', dates are `history`'s.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice, takewhile

from stemma.core import frame_settle
from stemma.core.events import (
    AFFIRMED,
    DENIED,
    ENDED,
    FLAG,
    LOWER_AUTHORITY,
    TIME_AHEAD,
    UNCORROBORATED,
    Beat,
    Closed,
    Event,
    Left,
    Opened,
    Settlement,
    Turn,
)
from stemma.core.sides import Block, Side, are_in_conflict, score, side_of, strongest
from stemma.records import Act, Polarity, Policy, Status
from stemma.state import Point


def begin(block: Block, ahead: Iterable[Point]) -> tuple[Event, ...]:
    """Hold the memories that rest on marked stamps alone while a sound one is in conflict with them (D-9)."""
    for point in ahead:
        side = block.ahead.setdefault(point.memory_id, side_of(point))
        side.rank = max(side.rank, point.authority)
        side.held = TIME_AHEAD
    return tuple(Turn(memory, Status.QUARANTINED, TIME_AHEAD) for memory in block.ahead)


def step(block: Block, item: Point | Settlement) -> tuple[Event, ...]:
    """Take one point or ruling, move the sides it concerns, and say what became of whom."""
    if isinstance(item, Settlement):
        return tuple(frame_settle.settle(block, item))
    match item.act:
        case Act.SAY:
            return tuple(_say(block, item))
        case Act.END:
            return tuple(_end(block, item))
        case Act.WRONG | Act.WRONG_LAST:
            return ()


def finish(block: Block) -> tuple[Event, ...]:
    """Open the conflicts of what is still held for its stamp."""
    return tuple(event for side in block.ahead.values() for event in frame_settle.ahead_conflict(block, side))


def _say(block: Block, point: Point) -> Iterator[Event]:
    side = block.side(point)
    stands = side.memory in block.standing
    match block.rule.policy:
        case Policy.KEEP_ALL:
            yield from _enter(block, side, point)
        case Policy.FLAG:
            first = None if stands else next(block.rivals(side, block.standing), None)
            yield from _enter(block, side, point)
            if first is not None:
                yield Opened(first.memory, side.memory, FLAG)
        case Policy.CORROBORATED if stands:
            # What stands, said again, clears its challengers (D-15).
            block.challenges.pop(side.memory, None)
            side.rank = max(side.rank, point.authority)
        case Policy.CORROBORATED:
            yield from _challenge(block, side, point)
        case Policy.LATEST | Policy.AUTHORITY:
            yield from _contest(block, side, point)


def _contest(block: Block, side: Side, point: Point) -> Iterator[Event]:
    """Let what is later and no weaker win; from below the rank it is held, or loses at once under `authority`."""
    _raise_rank(block, side, point)
    rivals = [*block.rivals(side, block.standing), *block.rivals(side, block.held)]
    stronger = [other for other in rivals if other.rank > side.rank]
    for loser in [other for other in rivals if other.rank <= point.authority]:
        yield from _fall(block, loser, side)
    if not stronger:
        yield from _enter(block, side, point)
    elif block.rule.policy is Policy.LATEST:
        yield from _hold(block, side, LOWER_AUTHORITY, stronger)
    else:
        winner = strongest(stronger)
        beat = _beat(block, Policy.AUTHORITY.value, winner, side)
        yield Turn(side.memory, Status.SUPERSEDED, Policy.AUTHORITY.value, winner.memory, beat)


def _challenge(block: Block, side: Side, point: Point) -> Iterator[Event]:
    """Count distinct origins against each that stands in conflict, since that was last said (R-36)."""
    _raise_rank(block, side, point)
    left: list[Side] = []
    reason = LOWER_AUTHORITY
    for other in list(block.rivals(side, block.standing)):
        if point.authority < other.rank:
            left.append(other)
            continue
        reason = UNCORROBORATED
        origins = block.challenges.setdefault(other.memory, {}).setdefault(side.memory, {})
        origins.setdefault(point.origin, point.key)
        if len(origins) >= block.rule.corroboration:
            yield from _fall(block, other, side, tuple(dict.fromkeys(origins.values())))
        else:
            left.append(other)
    if left:
        yield from _hold(block, side, reason, left)
        return
    for other in [other for other in block.rivals(side, block.held) if other.rank <= point.authority]:
        yield from _fall(block, other, side)
    yield from _enter(block, side, point)
    for other in [other for other in block.rivals(side, block.held) if other.against is None]:
        # It is stronger, held for want of witnesses, and what it contested has ended.
        yield from _hold(block, other, UNCORROBORATED, [side])


def _raise_rank(block: Block, side: Side, point: Point) -> None:
    """Take the greatest authority of this spell (D-14): one that is over counts no more."""
    known = block.in_effect(side.memory) is not None
    side.rank = max(side.rank, point.authority) if known else point.authority


def _enter(block: Block, side: Side, point: Point) -> Iterator[Event]:
    _raise_rank(block, side, point)
    block.enter(side)
    yield Turn(side.memory, Status.ACTIVE)


def _hold(block: Block, side: Side, reason: str, stronger: list[Side]) -> Iterator[Event]:
    winner = strongest(stronger)
    if block.in_effect(side.memory) is None or (side.held == LOWER_AUTHORITY != reason):
        block.enter(side, reason, winner.memory)
        yield Closed(side.memory)
        yield Turn(side.memory, Status.QUARANTINED, reason, winner.memory, _beat(block, reason, winner, side))
        yield Opened(winner.memory, side.memory, reason)
    elif side.held is not None and side.against is None:
        side.against = winner.memory
        yield Opened(winner.memory, side.memory, side.held)


def _fall(block: Block, loser: Side, winner: Side, keys: tuple[str, ...] = ()) -> Iterator[Event]:
    name = block.rule.policy.value
    if loser.polarity is not winner.polarity:
        name = DENIED if winner.polarity is Polarity.NEGATED else AFFIRMED
    beat = _beat(block, name, winner, loser, keys)
    yield Closed(loser.memory)
    yield Turn(loser.memory, Status.SUPERSEDED, name, winner.memory, beat)
    block.leave(loser)


def _end(block: Block, point: Point) -> Iterator[Event]:
    """Close the memory that an end names, if it stands or is held at no higher rank; nothing comes back (D-18)."""
    side = block.in_effect(point.memory_id) or block.ahead.get(point.memory_id)
    if side is None or point.authority < side.rank:
        return
    turn = Turn(side.memory, Status.SUPERSEDED, ENDED, None, Beat(ENDED, None, side.memory, (point.key,)))
    if block.ahead.pop(side.memory, None) is not None:
        yield from (Closed(side.memory), turn)
        return
    gone = _left(block, side) if block.rule.policy is Policy.FLAG else Closed(side.memory)
    block.leave(side)
    for challengers in block.challenges.values():
        # What has ended and is said again begins anew: who said it before has taken it back.
        challengers.pop(side.memory, None)
    yield from (gone, turn)


def _left(block: Block, gone: Side) -> Left:
    """Say that a side goes, and who of the rest contests whom; the first of them is the heir of one that was first."""
    met = list(islice(_met(block, gone), 2))
    heir = met[1] if len(met) == 2 and met[0] is gone else None

    def contest(one: Point, other: Point) -> bool:
        sides = block.standing.get(one.memory_id), block.standing.get(other.memory_id)
        return sides[0] is not None and sides[1] is not None and block.contest(sides[0], sides[1])

    def first(one: Point) -> str | None:
        side = block.standing.get(one.memory_id)
        if side is None:
            return None
        before = takewhile(lambda other: other is not side, block.standing.values())
        return next((other.memory for other in before if block.contest(side, other)), None)

    return Left(gone.memory, heir.memory if heir else None, contest, first)


def _met(block: Block, side: Side) -> Iterator[Side]:
    """Walk over a side and all that stand in conflict with it, ruled together or not, in order of entry."""
    standing = block.standing.values()
    return (other for other in standing if other is side or are_in_conflict(side, other, block.rule))


def _beat(block: Block, rule: str, winner: Side, loser: Side, keys: tuple[str, ...] = ()) -> Beat:
    return Beat(rule, winner.memory, loser.memory, keys, score(winner, loser), block.rule.threshold)
