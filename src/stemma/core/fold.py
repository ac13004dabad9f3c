"""The fold over the open tier of a unit with a claim key (design: D-13 to D-20): one step a point, five policies.

Knows no time: points come in the one order, and what a step reports is dated by `history`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

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
from stemma.core.settle import settle
from stemma.core.standing import (
    Hold,
    Name,
    Rule,
    Stand,
    State,
    are_opposed,
    name_of,
    rivals,
    unopposed,
    with_stand,
    without_stands,
)
from stemma.records import Act, Polarity, Policy, Status
from stemma.state import Point

Item = Point | Settlement
Step = tuple[State, tuple[Event, ...]]

NOBODY: Mapping[str, str] = {}


def beginning(ahead: Iterable[Point]) -> Step:
    """Give the state before the first sound point: memories that rest on marked stamps alone are held (D-9)."""
    held: dict[Name, Hold] = {}
    for point in ahead:
        known = held.get(name_of(point))
        rank = max(point.authority, known.rank if known else 0)
        held[name_of(point)] = Hold(point.memory_id, name_of(point), rank, TIME_AHEAD)
    turns = tuple(Turn(hold.memory, Status.QUARANTINED, TIME_AHEAD) for hold in held.values())
    return State(ahead=held), turns


def step(state: State, item: Item, rule: Rule) -> Step:
    """Take one point or ruling: the next state, and what became of whom."""
    if isinstance(item, Settlement):
        return settle(state, item, rule.policy)
    match item.act:
        case Act.SAY:
            return _say(state, item, rule)
        case Act.END:
            return _end(state, item, rule)
        case Act.WRONG | Act.WRONG_LAST:
            # It has retracted the points it names before the fold began; it says nothing of its own.
            return state, ()


def finish(state: State, said_last: Point) -> tuple[Event, ...]:
    """Open the conflicts of what is still held for its stamp: with the value that stands, else the one said last."""
    first = next(iter(state.standing.values()), None)
    stands = first.memory if first else said_last.memory_id
    events: list[Event] = []
    for hold in state.ahead.values():
        events += (Beat(TIME_AHEAD, stands, hold.memory), Opened(stands, hold.memory, TIME_AHEAD))
    return tuple(events)


def _say(state: State, point: Point, rule: Rule) -> Step:
    if (known := state.of(point.polarity).get(point.value)) is not None:
        return _restate(state, point, known, rule), ()
    against = rivals(state, name_of(point), rule.policy)
    if not against:
        return _enter(state, point, (), rule)
    if rule.policy is Policy.FLAG:
        entered, events = _enter(state, point, (), rule)
        return entered, (*events, *(Opened(stand.memory, point.memory_id, FLAG) for stand in against))
    strongest = max(against, key=lambda stand: stand.rank)
    if point.authority < strongest.rank:
        return _weaker(state, point, strongest, rule)
    if rule.policy is Policy.CORROBORATED:
        return _challenge(state, point, against, rule)
    return _enter(state, point, against, rule)


def _restate(state: State, point: Point, known: Stand, rule: Rule) -> State:
    """Raise the rank of the spell; under `corroborated` what stands, said again, clears its challengers (D-15)."""
    if point.authority > known.rank:
        state = with_stand(state, known._replace(rank=point.authority))
    if rule.policy is not Policy.CORROBORATED or not state.challengers:
        return state
    return replace(state, challengers=unopposed(state.challengers, known.name, rule.policy))


def _weaker(state: State, point: Point, strongest: Stand, rule: Rule) -> Step:
    """Take a value from below the rank: it loses at once under `authority`, else it is held."""
    if rule.policy is not Policy.AUTHORITY:
        return _hold(state, point, LOWER_AUTHORITY, strongest)
    beat = Beat(Policy.AUTHORITY.value, strongest.memory, point.memory_id)
    return state, (Turn(point.memory_id, Status.SUPERSEDED, Policy.AUTHORITY.value, strongest.memory, beat),)


def _hold(state: State, point: Point, reason: str, strongest: Stand) -> Step:
    """Hold a value against the strongest that stands; what is already held gains rank, and the better reason."""
    name = name_of(point)
    known = state.held.get(name)
    if known is None or (known.reason == LOWER_AUTHORITY != reason):
        rank = max(point.authority, known.rank if known else 0)
        held = Hold(point.memory_id, name, rank, reason, strongest.memory)
        beat = Beat(reason, strongest.memory, point.memory_id)
        events = (
            Closed(point.memory_id),
            Turn(point.memory_id, Status.QUARANTINED, reason, strongest.memory, beat),
            Opened(strongest.memory, point.memory_id, reason),
        )
        return replace(state, held={**state.held, name: held}), events
    again = known._replace(rank=max(known.rank, point.authority), against=known.against or strongest.memory)
    if again == known:
        return state, ()
    reopened = () if known.against else (Opened(strongest.memory, point.memory_id, known.reason),)
    return replace(state, held={**state.held, name: again}), reopened


def _challenge(state: State, point: Point, against: Sequence[Stand], rule: Rule) -> Step:
    """Count distinct origins since the standing value was last said; enough of them take over (R-36).

    Only sayings of no lower authority come here, so numbers alone cannot rewrite what is trusted (R-39).
    """
    name = name_of(point)
    origins = {point.origin: point.key, **state.challengers.get(name, {})}
    if len(origins) >= rule.corroboration:
        return _enter(state, point, against, rule, origins)
    strongest = max(against, key=lambda stand: stand.rank)
    challenged = replace(state, challengers={**state.challengers, name: origins})
    return _hold(challenged, point, UNCORROBORATED, strongest)


def _enter(
    state: State, point: Point, losers: Sequence[Stand], rule: Rule, origins: Mapping[str, str] = NOBODY
) -> Step:
    """Let a value stand in place of those it beats, and settle what was held meanwhile.

    `origins` are those that a challenger needed, each with the episode that spoke for it.
    """
    name = name_of(point)
    events: list[Event] = []
    for stand in losers:
        events += _fall(stand, point, rule, origins)
    known = state.held.get(name)
    events.append(Turn(point.memory_id, Status.ACTIVE))
    held: dict[Name, Hold] = {}
    gone = {stand.memory for stand in losers}
    for each in state.held.values():
        if each.name == name:
            continue
        kept, fallen = _hold_on(each, point, gone, rule)
        events += fallen
        if kept is not None:
            held[each.name] = kept
    rank = max(point.authority, known.rank if known else 0)
    entered = with_stand(without_stands(state, losers), Stand(point.memory_id, name, rank))
    if point.memory_id in state.settled:
        # It stands by its own saying now, beside nobody.
        settled = {memory: ruling for memory, ruling in state.settled.items() if memory != point.memory_id}
        entered = replace(entered, settled=settled)
    challengers = unopposed(state.challengers, name, rule.policy)
    challengers.pop(name, None)
    return replace(entered, held=held, challengers=challengers), tuple(events)


def _hold_on(hold: Hold, point: Point, gone: set[str], rule: Rule) -> tuple[Hold | None, list[Event]]:
    """Say what becomes of a held memory when another value comes to stand.

    One that this value opposes was said before it: it falls if it is no stronger, else it contests the new one.
    """
    if are_opposed(hold.name, name_of(point), rule.policy):
        if hold.rank <= point.authority:
            return None, _fall(hold, point, rule, NOBODY)
        if hold.against is None or hold.against in gone:
            return hold._replace(against=point.memory_id), [Opened(point.memory_id, hold.memory, hold.reason)]
    if hold.against in gone:
        return hold._replace(against=None), []
    return hold, []


def _fall(loser: Stand | Hold, point: Point, rule: Rule, origins: Mapping[str, str]) -> list[Event]:
    name, keys = rule.policy.value, tuple(dict.fromkeys(origins.values()))
    figures = (float(len(origins)), float(rule.corroboration)) if origins else (None, None)
    if loser.name[0] == point.value:
        name = DENIED if point.polarity is Polarity.NEGATED else AFFIRMED
    beat = Beat(name, point.memory_id, loser.memory, keys, *figures)
    return [Closed(loser.memory), Turn(loser.memory, Status.SUPERSEDED, name, point.memory_id, beat)]


def _end(state: State, point: Point, rule: Rule) -> Step:
    """Close the value that an end names, if it stands or is held at no higher rank; nothing comes back (D-18)."""
    name = name_of(point)
    stand: Stand | Hold | None = (
        state.of(point.polarity).get(point.value) or state.held.get(name) or state.ahead.get(name)
    )
    if stand is None or point.authority < stand.rank:
        return state, ()
    turn = Turn(stand.memory, Status.SUPERSEDED, ENDED, None, Beat(ENDED, None, stand.memory, (point.key,)))
    if isinstance(stand, Hold):
        held = {each: hold for each, hold in state.held.items() if each != name}
        ahead = {each: hold for each, hold in state.ahead.items() if each != name}
        challengers = {each: origins for each, origins in state.challengers.items() if each != name}
        return replace(state, held=held, ahead=ahead, challengers=challengers), (Closed(stand.memory), turn)
    held = {
        each: hold._replace(against=None) if hold.against == stand.memory else hold for each, hold in state.held.items()
    }
    left = replace(without_stands(state, (stand,)), held=held)
    # What has nothing left to challenge begins anew against whatever comes to stand.
    challengers = {each: origins for each, origins in left.challengers.items() if rivals(left, each, rule.policy)}
    left = replace(left, challengers=challengers)
    gone = _left(stand, state, left) if rule.policy is Policy.FLAG else Closed(stand.memory)
    return left, (gone, turn)


def _left(gone: Stand, before: State, state: State) -> Left:
    """Say that a value has gone, and who of the rest contests whom: what was ruled together stays so (D-20)."""
    was_first = next(iter(before.standing.values()), None) == gone
    heir = next(iter(state.standing.values()), None) if was_first else None

    def contest(one: Point, other: Point) -> bool:
        ruling = state.settled.get(one.memory_id)
        together = ruling is not None and ruling == state.settled.get(other.memory_id)
        return not together and are_opposed(name_of(one), name_of(other), Policy.FLAG)

    return Left(gone.memory, heir.memory if heir else None, contest)
