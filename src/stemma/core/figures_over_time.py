"""The arithmetic of figures over days: what was founded, judged and given (SPEC R-53). Reads no clock and no store."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Final

# A memory in the prompts of more than this share of different questions answers none of them (design study, 6.2).
HUB_SHARE: Final = 0.05
# What came once is no hub, however few questions were asked.
_HUB_QUERIES: Final = 2


@dataclass(frozen=True, slots=True)
class Founded:
    """How many memories of one kind and extractor version a day founded, and how many of them are quarantined now."""

    day: date
    kind: str
    extractor: str
    memories: int
    quarantined: int


@dataclass(frozen=True, slots=True)
class Given:
    """One bundle: whose it was, the digest of its query, and the memories it gave; `forced` are among these."""

    day: date
    subject: str | None
    query: str
    memories: tuple[str, ...]
    forced: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Largest:
    """The kind that most are of, and its share of all, 0 to 1."""

    kind: str
    share: float


@dataclass(frozen=True, slots=True)
class Passing:
    """How one gate did on what was judged; `rate` is the share, 0 to 1, that it did not refuse."""

    gate: str
    refused: int
    rate: float


@dataclass(frozen=True, slots=True)
class Hub:
    """A memory that came, unforced, into the prompts of many different questions about its subject."""

    memory_id: str
    queries: int
    share: float


def largest(kinds: Mapping[str, int]) -> Largest | None:
    """Give the largest kind, of equals the first by name; None where there is nothing."""
    total = sum(kinds.values())
    if not total:
        return None
    kind = min(kinds, key=lambda name: (-kinds[name], name))
    return Largest(kind, kinds[kind] / total)


def passing(judged: Mapping[tuple[str, bool], int]) -> list[Passing]:
    """Give each gate's pass rate from records by (gate, passed).

    A statement has one record: that of the gate that refused it, or one that says it passed. So a gate's rate is taken
    of all that was judged.
    """
    total = sum(judged.values())
    gates = sorted({gate for gate, _ in judged})
    refused = {gate: judged.get((gate, False), 0) for gate in gates}
    return [Passing(gate, refused[gate], 1 - refused[gate] / total) for gate in gates]


def share(part: int, whole: int) -> float | None:
    """Give a share, 0 to 1; None of nothing."""
    return part / whole if whole else None


def quarantine_share(founded: Iterable[Founded]) -> float | None:
    """Give the share of what was founded that is quarantined now."""
    listed = list(founded)
    return share(sum(one.quarantined for one in listed), sum(one.memories for one in listed))


def forced_per_bundle(given: Iterable[Given]) -> float | None:
    """Give the mean number of memories in a bundle that another rule than relevance admitted; None without a bundle."""
    listed = list(given)
    return share(sum(len(one.forced) for one in listed), len(listed))


def kinds_given(given: Iterable[Given], kinds: Mapping[str, str]) -> Counter[str]:
    """Count what bundles gave by its kind, as often as it was given."""
    return Counter(kinds[name] for one in given for name in one.memories if name in kinds)


def hubs(given: Iterable[Given], least: float = HUB_SHARE) -> list[Hub]:
    """Give the memories in more than `least` of the different questions about their subject, the greatest share first.

    A question asked again counts once. What is forced in is not counted: it is meant to come.
    """
    asked: dict[str | None, set[str]] = defaultdict(set)
    came: dict[tuple[str | None, str], set[str]] = defaultdict(set)
    for one in given:
        asked[one.subject].add(one.query)
        for name in one.memories:
            if name not in one.forced:
                came[one.subject, name].add(one.query)
    found = list(_shares(asked, came))
    found = [hub for hub in found if hub.share > least and hub.queries >= _HUB_QUERIES]
    return sorted(found, key=lambda hub: (-hub.share, -hub.queries, hub.memory_id))


def _shares(asked: Mapping[str | None, set[str]], came: Mapping[tuple[str | None, str], set[str]]) -> Iterator[Hub]:
    for (subject, name), queries in came.items():
        yield Hub(name, len(queries), len(queries) / len(asked[subject]))
