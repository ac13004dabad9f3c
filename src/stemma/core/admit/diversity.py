"""What is left out for being said already: near copies, too much of one conversation, too many weak ones of a kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

# Jaccard overlap of all words from which a second text says nothing new, and only where its figures are the same.
NEAR_COPY = 0.8


@dataclass(frozen=True, slots=True)
class Spoken:
    """One text as the choice of a diverse list reads it: its words, its figures, and how good it is (0 to 1)."""

    id: str
    words: frozenset[str]
    worth: float

    @property
    def figures(self) -> frozenset[str]:
        """The words that hold a digit: two texts that differ in one of them are never copies."""
        return frozenset(word for word in self.words if any(map(str.isdigit, word)))


def overlap(one: AbstractSet[str], other: AbstractSet[str]) -> float:
    """Give the Jaccard overlap of two sets of words, 0 where either is empty."""
    either = len(one | other)
    return len(one & other) / either if one and other else 0.0


def is_near_copy(one: Spoken, other: Spoken) -> bool:
    """Say whether a text repeats another: the same figures, and four fifths of all words shared."""
    return one.figures == other.figures and overlap(one.words, other.words) >= NEAR_COPY


def spread(items: Sequence[Spoken], weight: float, reach: int) -> list[str]:
    """Order the first `reach` texts by maximal marginal relevance (Carbonell and Goldstein 1998); give the ids of all.

    Each next one has the greatest `weight * worth - (1 - weight) * (greatest overlap with those chosen)`; of equals
    the one that stood first. The rest keep their order.
    """
    left = list(range(min(reach, len(items))))
    nearest = dict.fromkeys(left, 0.0)
    chosen: list[int] = []
    while left:
        best = max(left, key=lambda at: (weight * items[at].worth - (1 - weight) * nearest[at], -at))
        left.remove(best)
        chosen.append(best)
        for at in left:
            nearest[at] = max(nearest[at], overlap(items[at].words, items[best].words))
    return [items[at].id for at in chosen] + [item.id for item in items[len(chosen) :]]


def over_cap(groups: Sequence[str | None], most: int) -> list[int]:
    """Give the places beyond the first `most` of each group; what has no group is never over."""
    seen: Counter[str] = Counter()
    found = []
    for place, group in enumerate(groups):
        if group is not None:
            seen[group] += 1
            if seen[group] > most:
                found.append(place)
    return found
