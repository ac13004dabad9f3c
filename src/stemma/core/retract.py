"""Which statements of a unit "that was wrong" takes back (design: D-18). What it names is in the point already."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence

from stemma.core.order import SaidOrder, said_order
from stemma.records import Act, Polarity
from stemma.state import Point

_Aim = tuple[Act, str] | tuple[Act, str, Polarity]


def corrections_of(points: Iterable[Point]) -> Corrections:
    """Gather the live corrections among a unit's points."""
    return Corrections([point for point in points if point.act in (Act.WRONG, Act.WRONG_LAST) and point.dead is None])


class Corrections:
    """Corrections by what they name, and in each the ranks that may take something back.

    A correction takes back what was said before it and by no higher authority: what is trusted is not rewritten from
    below (R-39). The order is that of saying, so that a statement about a day to come is taken back as well.
    """

    def __init__(self, wrongs: Sequence[Point]) -> None:
        """Sort corrections by what they name and when they were said."""
        self._by_aim: dict[_Aim, list[Point]] = {}
        for wrong in sorted(wrongs, key=said_order):
            self._by_aim.setdefault(_aim_of(wrong), []).append(wrong)
        self._from_rank: dict[tuple[_Aim, int], tuple[list[SaidOrder], list[Point]]] = {}

    def taking_back(self, point: Point) -> Point | None:
        """Return the first correction after a statement that may take it back."""
        if not self._by_aim or point.act not in (Act.SAY, Act.END):
            return None
        found = [hit for aim in _aims_at(point) if (hit := self._first(aim, point)) is not None]
        return min(found, key=said_order, default=None)

    def _first(self, aim: _Aim, point: Point) -> Point | None:
        if aim not in self._by_aim:
            return None
        name = (aim, point.authority)
        if name not in self._from_rank:
            able = [wrong for wrong in self._by_aim[aim] if wrong.authority >= point.authority]
            self._from_rank[name] = [said_order(wrong) for wrong in able], able
        places, able = self._from_rank[name]
        place = bisect_right(places, said_order(point))
        return able[place] if place < len(able) else None


def _aim_of(wrong: Point) -> _Aim:
    """Name what a correction takes back: a memory, or a value whatever its window where it names no window."""
    if wrong.act is Act.WRONG_LAST or wrong.valid_to is not None:
        return wrong.aim, wrong.memory_id
    return wrong.aim, wrong.value, wrong.polarity


def _aims_at(point: Point) -> tuple[_Aim, ...]:
    return (point.act, point.memory_id), (point.act, point.value, point.polarity)
