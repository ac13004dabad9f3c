"""Dictionaries that rule as the design says, slowly: what the fold and the sweep are held against."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

ACTIVE, SUPERSEDED, HELD = "active", "superseded", "quarantined"


@dataclass(frozen=True)
class Line:
    """One thing said: `no` denies the value, `over` ends it; `loose` are the function words of its frame."""

    value: str
    rank: int = 50
    origin: str = "o"
    no: bool = False
    over: bool = False
    loose: str = ""


# A value, whether it is denied, and the function words of the frame that says it.
_Name = tuple[str, bool, str]


def claims(lines: Sequence[Line], policy: str, needed: int = 2) -> dict[tuple[str, bool], str]:
    """Say where each (value, denied) of one claim key stands after some lines, in their order (D-13 to D-18)."""
    stands: dict[tuple[str, bool], int] = {}
    status: dict[tuple[str, bool], str] = {}
    held: dict[tuple[str, bool], int] = {}
    origins: dict[tuple[str, bool], set[str]] = {}

    def against(name: tuple[str, bool]) -> list[tuple[str, bool]]:
        value, no = name
        contrary = (value, not no)
        others = [each for each in stands if not each[1] and each[0] != value]
        if no or policy == "keep_all":
            others = []
        return [*others, *([contrary] if contrary in stands else [])]

    for line in lines:
        name = (line.value, line.no)
        if line.over:
            for where in (stands, held):
                if line.rank >= where.get(name, 101):
                    del where[name]
                    status[name] = SUPERSEDED
                    origins.pop(name, None)
            for each in [each for each in origins if not against(each)]:
                del origins[each]
            continue
        if name in stands:
            stands[name] = max(stands[name], line.rank)
            for each in list(origins):
                if name in _opposite(each, [name], policy):
                    del origins[each]
            continue
        rivals = against(name)
        if policy == "flag":
            rivals = []
        too_weak = any(stands[each] > line.rank for each in rivals)
        if rivals and not too_weak and policy == "corroborated":
            origins.setdefault(name, set()).add(line.origin)
            if len(origins[name]) < needed:
                held[name] = max(held.get(name, 0), line.rank)
                status[name] = HELD
                continue
        if too_weak:
            if policy == "authority":
                status[name] = SUPERSEDED
            else:
                held[name] = max(held.get(name, 0), line.rank)
                status[name] = HELD
            continue
        for each in rivals:
            del stands[each]
            status[each] = SUPERSEDED
        stands[name] = max(line.rank, held.pop(name, 0))
        status[name] = ACTIVE
        for each in [each for each in held if name in _opposite(each, [name], policy)]:
            if held[each] <= line.rank:
                del held[each]
                status[each] = SUPERSEDED
        for each in list(origins):
            if each == name or name in _opposite(each, [name], policy):
                del origins[each]
    return status


def _opposite(name: tuple[str, bool], among: Sequence[tuple[str, bool]], policy: str) -> list[tuple[str, bool]]:
    """Return those among some names that cannot hold together with one."""
    value, no = name
    return [
        (other, denied)
        for other, denied in among
        if (other == value and denied != no) or (other != value and not no and not denied and policy != "keep_all")
    ]


def frames(lines: Sequence[Line]) -> dict[_Name, str]:
    """Say where each statement of some frames stands after some lines under `latest`, from the points alone (D-24).

    One is out once another in conflict and no weaker is said after its last; it is held where, as it comes to stand, a
    stronger one in conflict is in effect.
    """
    names = {name_of(line) for line in lines if not line.over}
    return {name: status for name in names if (status := _Pairs(lines).status(name)) is not None}


class _Pairs:
    def __init__(self, lines: Sequence[Line]) -> None:
        self.lines = lines
        self._known: dict[tuple[_Name, int], tuple[int, bool] | None] = {}

    def status(self, name: _Name) -> str | None:
        found = self.in_effect(name, len(self.lines))
        if found is None:
            return SUPERSEDED
        return HELD if found[1] else ACTIVE

    def in_effect(self, name: _Name, end: int) -> tuple[int, bool] | None:
        """Give rank and whether it is held, for a name after the first `end` lines; None where it is not in effect."""
        if (name, end) not in self._known:
            self._known[name, end] = self._effect(name, end)
        return self._known[name, end]

    def _effect(self, name: _Name, end: int) -> tuple[int, bool] | None:
        own = [at for at in range(end) if not self.lines[at].over and name_of(self.lines[at]) == name]
        if not own:
            return None
        last = own[-1]
        before = self.in_effect(name, last)
        rank = max(self.lines[last].rank, before[0] if before else 0)
        held = before is None or before[1]
        if held:
            others = {name_of(line) for line in self.lines[:last] if not line.over}
            effects = [self.in_effect(each, last) for each in others if _conflict(each, name)]
            held = any(found is not None and found[0] > rank for found in effects)
        for line in self.lines[last + 1 : end]:
            said = name_of(line)
            if line.rank >= rank and (said == name if line.over else _conflict(said, name)):
                return None
        return rank, held


def _conflict(one: _Name, other: _Name) -> bool:
    apart = one[0] != other[0] if one[1] == other[1] else one[0] == other[0]
    return apart and are_near(one[2], other[2])


def are_near(one: str, other: str, content: int = 1) -> bool:
    """Say whether frames of some equal content words overlap by 0.6 or more with their function words, one a letter."""
    shared, every = set(one) & set(other), set(one) | set(other)
    return 10 * (content + len(shared)) >= 6 * (content + len(every))


def name_of(line: Line) -> _Name:
    """Name what a line says."""
    return line.value, line.no, line.loose


def frames_corroborated(lines: Sequence[Line], needed: int = 2) -> dict[tuple[str, bool, str], str]:
    """Say where each statement of some frames stands after some lines under `corroborated` (D-13, D-24).

    Whoever contests several counts its origins against each of them apart.
    """
    stands: dict[_Name, int] = {}
    held: dict[_Name, int] = {}
    status: dict[_Name, str] = {}
    counted: dict[_Name, dict[_Name, set[str]]] = {}

    def out(name: _Name) -> None:
        (stands if name in stands else held).pop(name)
        counted.pop(name, None)
        status[name] = SUPERSEDED

    for line in lines:
        name = name_of(line)
        known = stands.get(name, held.get(name))
        if line.over:
            if known is not None and line.rank >= known:
                out(name)
                for origins in counted.values():
                    origins.pop(name, None)
            continue
        rank = max(line.rank, known or 0)
        if name in stands:
            stands[name] = rank
            counted.pop(name, None)
            continue
        left = False
        for other in [each for each in stands if _conflict(each, name)]:
            if line.rank >= stands[other]:
                against = counted.setdefault(other, {}).setdefault(name, set())
                against.add(line.origin)
                if len(against) >= needed:
                    out(other)
                    continue
            left = True
        if left:
            held[name], status[name] = rank, HELD
            continue
        for other in [each for each in held if _conflict(each, name) and held[each] <= line.rank]:
            out(other)
        held.pop(name, None)
        stands[name], status[name] = rank, ACTIVE
    return status
