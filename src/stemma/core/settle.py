"""The step of a human ruling in the fold (design: D-20). It settles what was said up to its own time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from stemma.core.events import RULING, TIME_AHEAD, Beat, Closed, Event, Opened, Settlement, Turn
from stemma.core.standing import Hold, Name, Stand, State, are_opposed, name_of, with_stand, without_stands
from stemma.records import Policy, Status
from stemma.state import Point

# A person who picks one value says that it is the only one, whatever the policy would have let stand.
_ALONE = Policy.LATEST


def settle(state: State, settlement: Settlement, policy: Policy) -> tuple[State, tuple[Event, ...]]:
    """Make the chosen side the only standing value, or the sides stand together, at the greatest rank so far.

    Challengers and what was held are cleared. Beside several sides stands only what the policy lets stand with them.
    """
    sides = settlement.sides
    names = {name_of(side) for side in sides}
    rank = _greatest_rank(state, sides)
    losers = _standing_losers(state, settlement, policy)
    held = [hold for hold in state.held.values() if _is_cleared(hold, settlement, names)]
    ahead = [hold for hold in state.ahead.values() if _is_cleared(hold, settlement, names)]
    beaten: list[Stand | Hold] = [*losers, *held, *ahead]
    events = [*_ahead_conflicts(state, settlement, ahead), *_resolved(settlement, beaten)]
    for loser in beaten:
        if loser.name not in names:
            beat = Beat(RULING, settlement.winner, loser.memory)
            events.append(Turn(loser.memory, Status.SUPERSEDED, RULING, settlement.winner, beat))
    after = without_stands(state, losers)
    for side in sides:
        stood = after.of(side.polarity).get(side.value)
        after = with_stand(after, Stand(side.memory_id, name_of(side), rank))
        if stood is None:
            events.append(Turn(side.memory_id, Status.ACTIVE, RULING))
    left = _left(state.held, beaten), _left(state.ahead, beaten)
    settled = {side.memory_id: settlement.id for side in sides} if settlement.together else {}
    after = replace(after, held=left[0], ahead=left[1], challengers={}, settled={**state.settled, **settled})
    return after, tuple(events)


def _left(held: Mapping[Name, Hold], beaten: list[Stand | Hold]) -> dict[Name, Hold]:
    names = {each.name for each in beaten}
    gone = {each.memory for each in beaten}
    return {
        name: hold._replace(against=None) if hold.against in gone else hold
        for name, hold in held.items()
        if name not in names
    }


def _greatest_rank(state: State, sides: tuple[Point, ...]) -> int:
    names = {name_of(side) for side in sides}
    ranks = [each.rank for each in state.everyone() if _concerns(each.name, names)]
    return max([*ranks, *(side.authority for side in sides)], default=0)


def _concerns(name: Name, sides: set[Name]) -> bool:
    return name in sides or any(are_opposed(name, side, _ALONE) for side in sides)


def _is_cleared(hold: Hold, settlement: Settlement, sides: set[Name]) -> bool:
    return hold.memory in settlement.losers or _concerns(hold.name, sides)


def _standing_losers(state: State, settlement: Settlement, policy: Policy) -> list[Stand]:
    """Return what stands and is named as settled, or cannot stand beside the sides.

    Under `flag` all stand beside one another, and what was not ruled on stays in its conflicts.
    """
    alone = policy if settlement.together else _ALONE
    names = [name_of(side) for side in settlement.sides] if alone is not Policy.FLAG else []
    return [
        stand
        for stand in (*state.standing.values(), *state.denied.values())
        if stand.memory in settlement.losers
        or (stand.name not in names and any(are_opposed(stand.name, name, alone) for name in names))
    ]


def _ahead_conflicts(state: State, settlement: Settlement, ahead: Iterable[Hold]) -> Iterator[Event]:
    """Open the conflicts of marked stamps, which are otherwise opened at the end, so that the ruling resolves them."""
    first = next(iter(state.standing.values()), None)
    stands = first.memory if first else settlement.winner
    for hold in ahead:
        against = stands if hold.memory != stands else None
        yield Beat(TIME_AHEAD, against, hold.memory)
        if against is not None:
            yield Opened(against, hold.memory, TIME_AHEAD)


def _resolved(settlement: Settlement, losers: list[Stand | Hold]) -> Iterator[Event]:
    for loser in losers:
        yield Closed(loser.memory, resolution=settlement.id)
    for place, side in enumerate(settlement.sides):
        for other in settlement.sides[place + 1 :]:
            yield Closed(side.memory_id, other.memory_id, settlement.id)
