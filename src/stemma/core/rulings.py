"""What human acts do to a derivation (design: D-20, D-21, R-37): which points they silence, move or settle.

Acts are a set: of those that set one thing, the latest (at, place, id) counts, whatever the order they came in.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from stemma.records import Act, ActKind, HumanAct, NamedMemory, NamedSaying
from stemma.state import Point

FORGOTTEN = "forgotten"
QUARANTINED = "quarantined"
MERGED = "merged"

Said = tuple[str, str, datetime]

_SETTLING = frozenset({ActKind.CHOOSE, ActKind.THIRD_VALUE, ActKind.KEEP_BOTH})
_SHOWN = frozenset({ActKind.RETYPE, ActKind.INJECTION, ActKind.IMPORTANCE})


@dataclass(frozen=True, slots=True)
class Forget:
    """One forgetting of one memory: when, and the sayings it saw."""

    at: datetime
    listed: frozenset[Said]

    def covers(self, point: Point) -> bool:
        """Say whether it covers a point of its memory: listed, said up to its time, or with a marked stamp (D-21)."""
        return not point.sound or point.occurred_at <= self.at or said_of(point) in self.listed


@dataclass(frozen=True, slots=True)
class Acts:
    """Human acts, found by the memory they name. `released` is False for the quarantined, True for the released."""

    forgets: Mapping[str, Sequence[Forget]] = field(default_factory=dict)
    released: Mapping[str, bool] = field(default_factory=dict)
    shown: Mapping[str, Sequence[HumanAct]] = field(default_factory=dict)
    merged: Mapping[str, NamedMemory] = field(default_factory=dict)
    settling: Sequence[HumanAct] = ()


def acts_of(acts: Iterable[HumanAct]) -> Acts:
    """Put acts in order of their own time and sort them by what they do."""
    forgets: dict[str, list[Forget]] = {}
    released: dict[str, bool] = {}
    shown: dict[str, list[HumanAct]] = {}
    merges: list[HumanAct] = []
    settling: list[HumanAct] = []
    for act in sorted(acts, key=_when):
        if act.kind in _SETTLING:
            settling.append(act)
        elif act.kind is ActKind.MERGE:
            merges.append(act)
        for named in act.memories:
            if act.kind is ActKind.FORGET:
                listed = frozenset((each.key, each.content_hash, each.occurred_at) for each in named.sayings)
                forgets.setdefault(named.memory_id, []).append(Forget(act.at, listed))
            elif act.kind in (ActKind.QUARANTINE, ActKind.RELEASE):
                released[named.memory_id] = act.kind is ActKind.RELEASE
            elif act.kind in _SHOWN:
                shown.setdefault(named.memory_id, []).append(act)
    return Acts(forgets, released, shown, _merged(merges), settling)


def named_together(units: Iterable[str], acts: Iterable[HumanAct]) -> set[str]:
    """Return the units with all those that an act names together with one of them, however far that reaches."""
    found = set(units)
    groups = [{named.unit for named in act.memories} for act in acts]
    pending = [group for group in groups if len(group) > 1]
    while touched := [group for group in pending if not group.isdisjoint(found)]:
        found.update(*touched)
        pending = [group for group in pending if group.isdisjoint(found)]
    return found


def silenced(points: Sequence[Point], acts: Iterable[HumanAct]) -> tuple[Point, ...]:
    """Silence what a group's points now say on a span that was forgotten or quarantined under another memory id (D-21).

    A new extractor may read the same words as another memory. Where it still yields the memory that was named, the act
    covers that by its id, and a neighbour on the same clause is left alone.
    """
    reasons: dict[int, str] = {}
    said: dict[Said, list[tuple[int, Point]]] = {}
    for place, point in enumerate(points):
        if point.act is Act.SAY:
            said.setdefault(said_of(point), []).append((place, point))
    for named, reason in _silencing(acts):
        for saying in named.sayings:
            found = said.get((saying.key, saying.content_hash, saying.occurred_at), [])
            if any(point.memory_id == named.memory_id for _, point in found):
                continue
            for place, _ in _on_span(found, saying):
                reasons[place] = FORGOTTEN if FORGOTTEN in (reason, reasons.get(place)) else reason
    if not reasons:
        return tuple(points)
    return tuple(
        replace(point, dead=reasons[place]) if place in reasons else point for place, point in enumerate(points)
    )


def said_of(point: Point) -> Said:
    """Name the saying a point comes from, as acts list it."""
    return point.key, point.content_hash, point.occurred_at


def death_of(point: Point, acts: Acts) -> str | None:
    """Say why a statement counts for nothing once the acts on its memory are heard; None for one that counts.

    A release lifts what was quarantined, by a person or for its words. Forgetting goes before everything.
    """
    if any(forget.covers(point) for forget in acts.forgets.get(point.memory_id, ())):
        return FORGOTTEN
    if point.dead not in (None, QUARANTINED):
        return point.dead
    released = acts.released.get(point.memory_id)
    if released is None:
        return point.dead
    return None if released else QUARANTINED


def _when(act: HumanAct) -> tuple[datetime, int, str]:
    return act.at, act.place, act.id


def _silencing(acts: Iterable[HumanAct]) -> Iterator[tuple[NamedMemory, str]]:
    quarantined: dict[str, NamedMemory | None] = {}
    for act in sorted(acts, key=_when):
        for named in act.memories:
            if act.kind is ActKind.FORGET:
                yield named, FORGOTTEN
            elif act.kind is ActKind.QUARANTINE:
                quarantined[named.memory_id] = named
            elif act.kind is ActKind.RELEASE:
                quarantined[named.memory_id] = None
    yield from ((named, QUARANTINED) for named in quarantined.values() if named is not None)


def _on_span(found: Sequence[tuple[int, Point]], saying: NamedSaying) -> list[tuple[int, Point]]:
    """Return what stands on a span: the statement in its own place if it still overlaps, else all that overlap."""
    overlapping = [(place, point) for place, point in found if _overlaps(point, saying)]
    same_place = [(place, point) for place, point in overlapping if point.place == saying.place]
    return same_place or overlapping


def _overlaps(point: Point, saying: NamedSaying) -> bool:
    return point.message == saying.message and point.start < saying.end and saying.start < point.end


def _merged(merges: Iterable[HumanAct]) -> dict[str, NamedMemory]:
    """Follow each merged memory to where its evidence counts; an act that would close a circle has no effect."""
    into: dict[str, NamedMemory] = {}
    for act in merges:
        if len(act.memories) != 2:
            continue
        merged, target = act.memories
        if all(step.memory_id != merged.memory_id for step in _way_from(target, into)):
            into[merged.memory_id] = target
    return {memory: list(_way_from(target, into))[-1] for memory, target in into.items()}


def _way_from(named: NamedMemory, into: Mapping[str, NamedMemory]) -> Iterator[NamedMemory]:
    yield named
    while (further := into.get(named.memory_id)) is not None:
        named = further
        yield named
