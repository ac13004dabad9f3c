"""What stands in a unit at one place of the fold, and what opposes what. Never changed: a step makes a new one."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from stemma.records import Polarity, Policy
from stemma.state import Point

Name = tuple[str, Polarity]


@dataclass(frozen=True, slots=True)
class Rule:
    """How a unit is ruled: its policy, and the number of origins a challenger needs under `corroborated`."""

    policy: Policy
    corroboration: int


class Stand(NamedTuple):
    """A memory that stands, at the greatest authority of this spell (D-14)."""

    memory: str
    name: Name
    rank: int


class Hold(NamedTuple):
    """A memory that is held, why, and the standing one with which its conflict is open, if one is left."""

    memory: str
    name: Name
    rank: int
    reason: str
    against: str | None = None


@dataclass(frozen=True, slots=True)
class State:
    """What stands, what is denied, what is held, and who has challenged since the standing value was last said.

    Mappings keep the order of entry, which rules: the order of ids would make outcomes depend on spelling. `ahead` are
    memories that rest on marked stamps alone. `challengers` are origins, each with the episode that spoke for it.
    `settled` names the ruling that let a memory stand with others.
    """

    standing: Mapping[str, Stand] = field(default_factory=dict)
    denied: Mapping[str, Stand] = field(default_factory=dict)
    held: Mapping[Name, Hold] = field(default_factory=dict)
    ahead: Mapping[Name, Hold] = field(default_factory=dict)
    challengers: Mapping[Name, Mapping[str, str]] = field(default_factory=dict)
    settled: Mapping[str, str] = field(default_factory=dict)

    def of(self, polarity: Polarity) -> Mapping[str, Stand]:
        """Return what stands of one polarity, by value."""
        return self.standing if polarity is Polarity.AFFIRMED else self.denied

    def everyone(self) -> Iterator[Stand | Hold]:
        """Walk over all that stands or is held."""
        yield from self.standing.values()
        yield from self.denied.values()
        yield from self.held.values()
        yield from self.ahead.values()


def name_of(point: Point) -> Name:
    """Name what a point says, apart from who said it and when."""
    return point.value, point.polarity


def are_opposed(one: Name, other: Name, policy: Policy) -> bool:
    """Say whether two names cannot both hold: a value and its denial; two values, where only one may hold.

    A denial says nothing of other values.
    """
    if one[0] == other[0]:
        return one[1] is not other[1]
    return policy is not Policy.KEEP_ALL and one[1] is other[1] is Polarity.AFFIRMED


def rivals(state: State, name: Name, policy: Policy) -> list[Stand]:
    """Return what stands against a name, in order of entry; under `flag` the first value alone, and a denial."""
    value, polarity = name
    if polarity is Polarity.NEGATED:
        affirmed = state.standing.get(value)
        return [affirmed] if affirmed else []
    found: list[Stand] = []
    if policy is Policy.FLAG:
        found = [next(iter(state.standing.values()))] if state.standing else []
    elif policy is not Policy.KEEP_ALL:
        found = list(state.standing.values())
    denial = state.denied.get(value)
    return [*found, denial] if denial else found


def with_stand(state: State, stand: Stand) -> State:
    """Return the state with a memory standing; one that stood keeps its place."""
    value, polarity = stand.name
    stands = {**state.of(polarity), value: stand}
    return replace(state, standing=stands) if polarity is Polarity.AFFIRMED else replace(state, denied=stands)


def without_stands(state: State, gone: Collection[Stand]) -> State:
    """Return the state without some of what stood."""
    if not gone:
        return state
    standing, denied = dict(state.standing), dict(state.denied)
    for stand in gone:
        (standing if stand.name[1] is Polarity.AFFIRMED else denied).pop(stand.name[0], None)
    return replace(state, standing=standing, denied=denied)


def unopposed(
    challengers: Mapping[Name, Mapping[str, str]], name: Name, policy: Policy
) -> dict[Name, Mapping[str, str]]:
    """Return those challengers that a name does not answer."""
    return {each: origins for each, origins in challengers.items() if not are_opposed(each, name, policy)}
