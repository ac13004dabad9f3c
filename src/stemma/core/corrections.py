"""What "that was wrong" names when it names nothing (design: D-19). Retracting is done where a unit is derived."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from stemma.core.order import SaidOrder, said_order
from stemma.records import Act, Polarity
from stemma.state import Point

Named = tuple[str, str, Polarity]


def resolve_wrong_last(points: Iterable[Point]) -> tuple[Point, ...]:
    """Aim every `wrong_last` of one conversation at the last statement of its voice not yet called wrong.

    One that names a value ("Porto was wrong") is aimed at the last statement of that value.

    Takes all points of the conversation, in any order, corrections aimed before or not; returns the aimed ones alone
    (unit and memory id set). One that finds no statement is left out: it names nothing. A sound
    correction passes over statements with a marked stamp: what these say must change nothing for sound ones (D-9).
    """
    stacks: dict[tuple[str, bool], list[tuple[int, Point]]] = {}
    called_wrong: dict[Named, int] = {}
    aimed: list[Point] = []
    for place, point in enumerate(_in_order_of_saying(points)):
        stack = stacks.setdefault((point.voice, point.sound), [])
        match point.act:
            case Act.SAY | Act.END:
                stack.append((place, point))
            case Act.WRONG:
                called_wrong[_named(point)] = place
            case Act.WRONG_LAST:
                stack[:] = [pushed for pushed in stack if not _is_called_wrong(pushed, called_wrong)]
                named = [pushed for pushed in stack if point.value in ("", pushed[1].value)]
                if named:
                    stack.remove(named[-1])
                    aimed.append(_aimed(point, named[-1][1]))
    return tuple(aimed)


def _in_order_of_saying(points: Iterable[Point]) -> list[Point]:
    """Put the live statements in order, each once, whatever the number of instants it counts at."""
    found: dict[SaidOrder, Point] = {}
    for point in points:
        if point.dead is None:
            found.setdefault(said_order(point), point)
    return [found[place] for place in sorted(found)]


def _is_called_wrong(pushed: tuple[int, Point], called_wrong: dict[Named, int]) -> bool:
    place, statement = pushed
    return statement.act is Act.SAY and place < called_wrong.get(_named(statement), -1)


def _named(point: Point) -> Named:
    return point.unit, point.value, point.polarity


def _aimed(wrong: Point, target: Point) -> Point:
    return replace(
        wrong,
        unit=target.unit,
        memory_id=target.memory_id,
        kind=target.kind,
        claim_key=target.claim_key,
        value=target.value,
        polarity=target.polarity,
        valid_from=target.valid_from,
        valid_to=target.valid_to,
        scope=target.scope,
        frame=target.frame,
        aim=target.act,
    )
