"""Memories without a claim key as sides of a block (design: D-24): what they say, who conflicts with whom, who stands.

The block is the working state of one sweep; the rules that move sides are `conflict`'s.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from stemma.core.frames import compared_words, overlap, reaches, values_by_type
from stemma.core.late_values import EVERY
from stemma.core.units import about_equal
from stemma.records import Frame, Polarity, Policy
from stemma.state import Point

# Types of values that say how much there is of something.
COUNTS = frozenset({"number", "times", "rate"})
# Types of which one mostly tells which thing has a value of another type: "a 500 g bag costs 9 euros".
_TELLING = frozenset(
    "date weekday duration version size mass length area volume temperature angle frequency power activity rate".split()
)
# Of these both change where one thing changes: "on 3 May at 9:00", "twice a week".
_CHANGING_TOGETHER = (frozenset({"date", "time"}), frozenset({"times", "rate"}))
# Types that make the one of two statements that alone has them the narrower one.
_NARROWING = frozenset({"date", "weekday", "time"})
_NO_FRAME = Frame(words=(), identities=(), types=())


@dataclass(frozen=True, slots=True)
class FrameRule:
    """How a block is ruled: its kind's policy, origins needed, the kind's overlap, and whether frames meet at all."""

    policy: Policy
    corroboration: int
    threshold: float
    across: bool


@dataclass(slots=True, eq=False)
class Side:
    """One memory in the sweep: what it says, and where it stands by now.

    `held` is why it does not stand, `against` the one with which its conflict is open, `settled` the ruling that let it
    stand with others.
    """

    memory: str
    unit: str
    polarity: Polarity
    words: frozenset[str]
    values: Mapping[str, tuple[str, ...]]
    first: datetime
    rank: int
    reaches_back: bool = True
    held: str | None = None
    against: str | None = None
    settled: str = ""


@dataclass(slots=True)
class Block:
    """All sides of a block: those seen so far, those standing and those held, each in order of entry, those ahead.

    `challenges` counts, for a side that stands, the origins of each that contests it since it was last said.
    """

    rule: FrameRule
    seen: dict[str, Side] = field(default_factory=dict)
    standing: dict[str, Side] = field(default_factory=dict)
    held: dict[str, Side] = field(default_factory=dict)
    ahead: dict[str, Side] = field(default_factory=dict)
    challenges: dict[str, dict[str, dict[str, str]]] = field(default_factory=dict)

    def against(self, side: Side, among: Mapping[str, Side]) -> Iterator[Side]:
        """Walk over those in conflict with a side, in order of entry."""
        for other in among.values():
            if other is not side and are_in_conflict(side, other, self.rule):
                yield other

    def in_effect(self, memory: str) -> Side | None:
        """Return the side of a memory that stands or is held."""
        return self.standing.get(memory) or self.held.get(memory)

    def rivals(self, side: Side, among: Mapping[str, Side]) -> Iterator[Side]:
        """Walk over what contests a side, save what a ruling let stand with it."""
        return (other for other in among.values() if self.contest(side, other))

    def contest(self, side: Side, other: Side) -> bool:
        """Say whether two sides are in conflict and no ruling let them stand together."""
        if other is side or (side.settled and other.settled == side.settled):
            return False
        return are_in_conflict(side, other, self.rule)

    def side(self, point: Point) -> Side:
        """Return the side that a point speaks for, new where it is the first to do so."""
        side = self.seen.get(point.memory_id)
        if side is None:
            side = self.seen[point.memory_id] = side_of(point)
            if self.rule.policy is not Policy.KEEP_ALL:
                side.reaches_back = not any(other.first < side.first for other in self.against(side, self.seen))
        return side

    def enter(self, side: Side, held: str | None = None, against: str | None = None) -> None:
        """Let a side stand, or hold it; one that stands already keeps its place."""
        side.held, side.against = held, against
        if held is None:
            self.held.pop(side.memory, None)
            self.standing.setdefault(side.memory, side)
        else:
            self.held.setdefault(side.memory, side)

    def leave(self, side: Side) -> None:
        """Take a side out of effect; what is held against it stays held, and contests the next one that it meets."""
        (self.standing if side.held is None else self.held).pop(side.memory)
        self.challenges.pop(side.memory, None)
        side.held, side.against, side.settled = None, None, ""
        for other in self.held.values():
            if other.against == side.memory:
                other.against = None

    def reaches_back(self, point: Point) -> bool:
        """Say whether a first spell reaches back: it is the first instant, and nothing in conflict was before."""
        side = self.seen.get(point.memory_id)
        return side is not None and side.reaches_back and side.first == point.time


def side_of(point: Point) -> Side:
    """Give the side that a point speaks for, before it is known where it stands."""
    frame = point.frame or _NO_FRAME
    values = values_by_type(frame, point.value)
    words = compared_words(frame.words)
    return Side(point.memory_id, point.unit, point.polarity, words, values, point.time, point.authority)


def are_in_conflict(one: Side, other: Side, rule: FrameRule) -> bool:
    """Say whether two memories conflict: other values of a type they share, or all equal but polarity.

    Memories of two frames must reach the overlap, and meet only where the rule lets frames meet. A denial without a
    value ("no warnings") contests every count ("3 warnings") of what it denies.
    """
    is_one_frame = one.unit == other.unit
    if not is_one_frame and not (rule.across and _is_near(one, other, rule)):
        return False
    if one.polarity is not other.polarity:
        return one.values == other.values or (not is_one_frame and (_denies(one, other) or _denies(other, one)))
    return _have_other_values(one, other)


def _have_other_values(one: Side, other: Side) -> bool:
    """Say whether two memories give one thing two values.

    A day or hour that only one names makes it the narrower of the two. Where values of two types differ, the one mostly
    tells which thing has the other: "a 500 g bag costs 9 euros". Amounts in two units may be one amount.
    """
    differing = {kind for kind, values in one.values.items() if other.values.get(kind, values) != values}
    is_narrower = not _NARROWING.isdisjoint(one.values.keys() ^ other.values.keys())
    is_of_all = "number" in differing and _counts_all(one.values["number"], other.values["number"])
    is_one_change = any(together.issuperset(differing) for together in _CHANGING_TOGETHER)
    is_other_thing = len(differing) > 1 and not differing.isdisjoint(_TELLING) and not is_one_change
    is_other_number = "number" in differing and _has_none_in_common(one.values["number"], other.values["number"])
    is_other_span = "date" in differing and _has_none_in_common(one.values["date"], other.values["date"])
    if not differing or is_narrower or is_of_all or is_other_thing or is_other_number or is_other_span:
        return False
    return not all(about_equal(one.values[kind], other.values[kind]) for kind in differing)


def _has_none_in_common(ones: tuple[str, ...], others: tuple[str, ...]) -> bool:
    """Say whether of several values none stays: the first may name what the second counts, or both are a span."""
    return len(ones) > 1 and set(ones).isdisjoint(others)


def _counts_all(ones: tuple[str, ...], others: tuple[str, ...]) -> bool:
    """Say whether one is of all there are and the other of some: only none contests all."""
    return (EVERY in ones or EVERY in others) and "0" not in (*ones, *others)


def _denies(one: Side, other: Side) -> bool:
    return one.polarity is Polarity.NEGATED and not one.values and COUNTS.issuperset(other.values)


def _is_near(one: Side, other: Side, rule: FrameRule) -> bool:
    return reaches(overlap(one.words, other.words), rule.threshold)


def score(one: Side, other: Side) -> float:
    """Give the overlap of two sides as a share, for the record: rounded to 3 decimals, compared nowhere."""
    shared, every = overlap(one.words, other.words)
    return round(shared / every, 3)


def strongest(sides: list[Side]) -> Side:
    """Return the side of the greatest rank, of equals the one that entered first."""
    return max(sides, key=lambda side: side.rank)
