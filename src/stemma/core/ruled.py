"""The ruling on one claim unit or one block of frames: points in order through the fold or the sweep, into a record."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from stemma.core import conflict, fold
from stemma.core.events import Settlement
from stemma.core.history import History, Item, Spell, spells_of
from stemma.core.order import order
from stemma.core.sides import Block, FrameRule, Side, are_in_conflict, side_of
from stemma.core.standing import Rule
from stemma.core.third_values import key_of
from stemma.core.windows import Windows
from stemma.records import Act, Policy
from stemma.state import Conflict, Decision, Point, Transition


@dataclass(frozen=True, slots=True)
class Record:
    """What a ruling left behind: for each memory its transitions and spells, and all decisions and conflicts.

    `notes` say what was not ruled on.
    """

    memories: Mapping[str, tuple[tuple[Transition, ...], tuple[Spell, ...]]] = field(default_factory=dict)
    decisions: Sequence[Decision] = ()
    conflicts: Sequence[Conflict] = ()
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class _Tiers:
    """The live points of a unit or block by what becomes of them; each list in order.

    `ahead` rest on marked stamps alone where a sound statement speaks against them (D-9): they are held and rule
    nothing.
    """

    open: list[Point]
    bounded: list[Point]
    ahead: list[Point]


def rule_claim(live: Sequence[Point], settlements: Sequence[Settlement], rule: Rule) -> Record:
    """Fold the open statements of one claim unit, and rule on those that end among themselves."""
    says = [point for point in live if point.act is Act.SAY]
    if not says:
        return Record()
    sure = {point.memory_id for point in says if point.sound}
    tiers = _tiers(live, sure, ahead={point.memory_id for point in says} - sure if sure else set())
    history = History(_first_spells(tiers.open, rule.policy))
    windows = _windows(tiers, settlements, rule, history)
    state, events = fold.beginning(point for point in tiers.ahead if point.valid_to is None)
    first = min(says, key=lambda point: (not point.sound, order(point)))
    history.take(first, events)
    for item in _in_order(tiers.open, settlements):
        _prepare(item, history, windows)
        state, events = fold.step(state, _open_sides(item), rule)
        history.take(item, events)
    last = max(says, key=lambda point: (point.sound, order(point)))
    history.take(first, fold.finish(state, last))
    return _record(history, windows.finish(first, last.memory_id))


def rule_block(live: Sequence[Point], settlements: Sequence[Settlement], rule: FrameRule) -> Record:
    """Sweep over the open statements of one block of frames; those that end are ruled on within their frame."""
    says = [point for point in live if point.act is Act.SAY]
    if not says:
        return Record()
    sure = {point.memory_id for point in says if point.sound}
    tiers = _tiers(live, sure, ahead=_contradicted(says, sure, rule) if sure else set())
    block = Block(rule)
    history = History(block.reaches_back)
    windows = _windows(tiers, settlements, Rule(rule.policy, rule.corroboration), history)
    first = min(says, key=lambda point: (not point.sound, order(point)))
    history.take(first, conflict.begin(block, [point for point in tiers.ahead if point.valid_to is None]))
    for item in _in_order(tiers.open, settlements):
        _prepare(item, history, windows)
        history.take(item, conflict.step(block, _open_sides(item)))
    history.take(first, conflict.finish(block))
    last = max(says, key=lambda point: (point.sound, order(point)))
    return _record(history, windows.finish(first, last.memory_id))


def _tiers(live: Sequence[Point], sure: set[str], ahead: set[str]) -> _Tiers:
    """Split live points; a marked stamp counts only for a memory that has no sound one and is not held (D-9)."""
    tiers = _Tiers([], [], [])
    for point in sorted(live, key=order):
        counts = point.sound or point.memory_id not in sure | ahead
        match point.act:
            case Act.SAY if point.memory_id in ahead:
                tiers.ahead.append(point)
            case Act.SAY if counts and point.valid_to is not None:
                tiers.bounded.append(point)
            case Act.SAY | Act.END if counts:
                tiers.open.append(point)
            case _:
                pass
    return tiers


def _contradicted(says: Iterable[Point], sure: set[str], rule: FrameRule) -> set[str]:
    """Find the memories that rest on marked stamps alone while a sound statement is in conflict with them.

    What ends is compared within its frame and with what ends, since it rules on nothing else (D-17).
    """
    if rule.policy is Policy.KEEP_ALL:
        return set()
    tiers: dict[str, dict[str, Side]] = {}
    for point in says:
        tiers.setdefault("" if point.valid_to is None else point.unit, {})[point.memory_id] = side_of(point)
    return {
        memory
        for sides in tiers.values()
        for memory, side in sides.items()
        if memory not in sure and any(other in sure and are_in_conflict(side, sides[other], rule) for other in sides)
    }


def _first_spells(points: Iterable[Point], policy: Policy) -> Callable[[Point], bool]:
    """Make the test whether a point's spell reaches back: it counts at the first instant at which anything was said.

    Where values do not rule on one another, each has a first instant of its own.
    """
    first: dict[str, object] = {}
    by_value = policy is Policy.KEEP_ALL
    for point in points:
        if point.sound and point.act is Act.SAY:
            first.setdefault(point.value if by_value else "", point.time)
    return lambda point: first.get(point.value if by_value else "") == point.time


def _in_order(points: Sequence[Point], settlements: Sequence[Settlement]) -> list[Item]:
    """Put rulings among the points: each after all that counts up to its own time, before its own statement (D-20)."""
    keys = {key_of(settlement.id) for settlement in settlements}
    own = {point.key: point for point in points if point.key in keys} if keys else {}
    others = [point for point in points if point.key not in own] if own else points
    items: list[Item] = []
    place = 0
    for settlement in settlements:
        while place < len(others) and not (others[place].sound and others[place].time > settlement.at):
            items.append(others[place])
            place += 1
        items.append(settlement)
        stated = own.get(key_of(settlement.id))
        items += [stated] if stated else []
    return [*items, *others[place:]]


def _open_sides(item: Item) -> Item:
    """Leave out sides that end: a ruling for one of them puts nothing among what has no end (D-17)."""
    if not isinstance(item, Settlement):
        return item
    return replace(item, sides=tuple(side for side in item.sides if side.valid_to is None))


def _prepare(item: Item, history: History, windows: Windows) -> None:
    if isinstance(item, Settlement):
        windows.settle(item)
    elif item.act is Act.SAY:
        history.hear(item)


def _windows(tiers: _Tiers, settlements: Sequence[Settlement], rule: Rule, history: History) -> Windows:
    for point in tiers.ahead:
        history.hear(point)
    ending = [point for point in tiers.ahead if point.valid_to is not None]
    return Windows(tiers.bounded, ending, tiers.open, settlements, rule, history)


def _record(history: History, ending: Mapping[str, tuple[tuple[Transition, ...], tuple[Spell, ...]]]) -> Record:
    memories = {
        memory: (tuple(transitions), spells_of(transitions)) for memory, transitions in history.transitions.items()
    }
    return Record({**memories, **ending}, history.decisions, history.conflicts())
