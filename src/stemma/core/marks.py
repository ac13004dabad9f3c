"""Which of the points of a set count: what acts and corrections silence, and what a merge moves. Rules on nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from stemma.core.order import SaidOrder, said_order
from stemma.core.retract import corrections_of
from stemma.core.rulings import MERGED, Acts, death_of
from stemma.records import Act
from stemma.state import Point

RETRACTED = "retracted"


@dataclass(frozen=True, slots=True)
class Marked:
    """Points by unit, each dead or alive for good, and the correction behind each retraction."""

    by_unit: Mapping[str, Sequence[Point]]
    corrections: Mapping[SaidOrder, Point]


def mark(points: Iterable[Point], acts: Acts) -> Marked:
    """Silence what acts cover, then what corrections take back, then move what was merged."""
    by_unit: dict[str, list[Point]] = {}
    for point in points:
        if point.unit:
            by_unit.setdefault(point.unit, []).append(point)
    causes: dict[SaidOrder, Point] = {}
    marked = {unit: _mark_unit(listed, acts, causes) for unit, listed in by_unit.items()}
    return Marked(_merge(marked, acts) if acts.merged else marked, causes)


def _mark_unit(points: Sequence[Point], acts: Acts, causes: dict[SaidOrder, Point]) -> list[Point]:
    corrections = corrections_of(points)
    marked: list[Point] = []
    for point in points:
        dead = death_of(point, acts) if point.act is Act.SAY else point.dead
        if dead is None and (wrong := corrections.taking_back(point)) is not None:
            dead = RETRACTED
            causes[said_order(point)] = wrong
        marked.append(point if dead == point.dead else replace(point, dead=dead))
    return marked


def _merge(marked: Mapping[str, list[Point]], acts: Acts) -> dict[str, list[Point]]:
    """Let the live statements of a merged memory count under its target, if that has one of its own (R-37).

    They stay where they were as dead ones, so that the merged row keeps its text.
    """
    targets = {
        point.memory_id: point
        for listed in marked.values()
        for point in sorted(listed, key=said_order, reverse=True)
        if point.act is Act.SAY and point.dead is None
    }
    merged: dict[str, list[Point]] = {unit: [] for unit in marked}
    for unit, listed in marked.items():
        for point in listed:
            named = acts.merged.get(point.memory_id) if point.act is Act.SAY and point.dead is None else None
            target = targets.get(named.memory_id) if named is not None else None
            if target is None:
                merged[unit].append(point)
            else:
                merged[unit].append(replace(point, dead=MERGED))
                merged[target.unit].append(_moved(point, target))
    return merged


def _moved(point: Point, target: Point) -> Point:
    return replace(
        point,
        unit=target.unit,
        memory_id=target.memory_id,
        voice=target.voice,
        kind=target.kind,
        claim_key=target.claim_key,
        value=target.value,
        polarity=target.polarity,
        valid_from=target.valid_from if target.valid_to else point.valid_from,
        valid_to=target.valid_to,
        scope=target.scope,
        frame=target.frame,
    )
