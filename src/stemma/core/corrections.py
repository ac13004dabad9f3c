"""What "that was wrong" names when it names nothing (design: D-19). Retracting is done where a unit is derived."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from stemma.core.claims import frame_words
from stemma.core.order import SaidOrder, said_order
from stemma.records import Act, Polarity
from stemma.state import Point

Named = tuple[str, str, Polarity]


def may_be_aimed(point: Point) -> bool:
    """Say whether what a point calls wrong depends on what else was said in its conversation."""
    return point.act is Act.WRONG_LAST or (point.act is Act.WRONG and point.frame is not None)


def resolve_wrong_last(points: Iterable[Point]) -> tuple[Point, ...]:
    """Aim every `wrong_last` of one conversation at the last statement of its voice not yet called wrong.

    One that names a value ("Porto was wrong") is aimed at the last statement of that value. Takes all points of the
    conversation, in any order; returns the aimed ones alone (unit and memory id set). One that finds no statement is
    left out. An aimed point given back in is passed over, so the stored ones do no harm. A sound correction passes
    over statements with a marked stamp: what these say must change nothing for sound ones (D-9).

    A retelling that leaves words out ("you told me I keep bees": at the allotment) is aimed at the one memory of the
    conversation that holds all its words, taken back or not; where none is equal to it and no second one holds them.
    """
    talk = _Talk()
    aimed: list[Point] = []
    for place, point in enumerate(_in_order_of_saying(points)):
        match point.act:
            case Act.SAY | Act.END:
                talk.say(place, point)
            case Act.WRONG:
                talk.called_wrong[_named(point)] = place
                fuller = talk.fuller(point)
                if fuller is not None:
                    aimed.append(replace(_aimed(point, fuller), act=Act.WRONG_LAST))
            case Act.WRONG_LAST:
                target = talk.take_back(point)
                if target is not None:
                    aimed.append(_aimed(point, target))
    return tuple(aimed)


class _Talk:
    """The statements of a conversation so far, each voice's in a stack, and in one for each value.

    Stacks are apart for marked stamps. What was taken back stays in them until it comes to the top.
    """

    def __init__(self) -> None:
        self.called_wrong: dict[Named, int] = {}
        self._stacks: dict[tuple[str, bool, str], list[tuple[int, Point]]] = {}
        self._taken: set[int] = set()
        self._framed: dict[tuple[str, bool, Polarity], list[Point]] = {}

    def say(self, place: int, point: Point) -> None:
        for value in {"", point.value}:
            self._stacks.setdefault((point.voice, point.sound, value), []).append((place, point))
        if point.frame is not None and point.act is Act.SAY:
            self._framed.setdefault((point.voice, point.sound, point.polarity), []).append(point)

    def take_back(self, wrong: Point) -> Point | None:
        stack = self._stacks.get((wrong.voice, wrong.sound, wrong.value), [])
        while stack:
            place, statement = stack.pop()
            over = statement.act is Act.SAY and place < self.called_wrong.get(_named(statement), -1)
            if not over and place not in self._taken:
                self._taken.add(place)
                return statement
        return None

    def fuller(self, wrong: Point) -> Point | None:
        """Give the last statement of the one memory that holds all words of what is called wrong, and more."""
        if wrong.frame is None:
            return None
        said = self._framed.get((wrong.voice, wrong.sound, wrong.polarity), [])
        words = frame_words(wrong.frame)
        holding = [each for each in said if each.frame is not None and words <= frame_words(each.frame)]
        if any(each.unit == wrong.unit for each in holding) or len({each.memory_id for each in holding}) != 1:
            return None
        return holding[-1]


def _in_order_of_saying(points: Iterable[Point]) -> list[Point]:
    """Put the live statements in order, each once, whatever the number of instants it counts at."""
    found: dict[SaidOrder, Point] = {}
    for point in points:
        if point.dead is None and not (point.act is Act.WRONG_LAST and point.unit):
            found.setdefault(said_order(point), point)
    return [found[place] for place in sorted(found)]


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
