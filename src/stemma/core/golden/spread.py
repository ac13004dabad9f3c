"""How alike unrelated bundles are: echo, hubs, kinds. The disease of a store that answers everything with the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from math import exp, log
from typing import Final

from stemma.core.golden.judged import Judged

# A bundle of so few items says nothing about the spread of its kinds.
LEAST_FOR_KINDS: Final = 4
LEAST_FOR_MONOCULTURE: Final = 2
HUB_SHARE: Final = 0.05
# In a small set two probes are soon more than a twentieth.
HUB_LEAST: Final = 3


def effective_kinds(kinds: Iterable[str]) -> float:
    """Give exp(entropy) of the kinds: how many there are, each weighed by its share."""
    counts = Counter(kinds)
    total = sum(counts.values())
    if not total:
        return 0.0
    return exp(-sum(count / total * log(count / total) for count in counts.values()))


def mean_effective_kinds(judged: Sequence[Judged]) -> float | None:
    """Give the mean over bundles of at least `LEAST_FOR_KINDS` items; None where there are none."""
    found = [
        effective_kinds(item.kind or "" for item in each.answer.gated)
        for each in judged
        if len(each.answer.gated) >= LEAST_FOR_KINDS
    ]
    return sum(found) / len(found) if found else None


def is_monoculture(judged: Judged) -> bool:
    """Say whether a kind that the probe is not about has more than half of the items.

    A probe is about the kinds of what is relevant in its bundle, and of nothing where nothing is.
    """
    items = judged.answer.gated
    if len(items) < LEAST_FOR_MONOCULTURE:
        return False
    about = {item.kind for item in judged.relevant}
    counts = Counter(item.kind for item in items if item.kind not in about)
    return any(count * 2 > len(items) for count in counts.values())


def echo_index(judged: Sequence[Judged]) -> float | None:
    """Give the mean Jaccard overlap of the bundles of unrelated probes, core left out; None without such a pair.

    Unrelated are two probes of one subject without common evidence. Pairs with an empty bundle are not counted: silence
    would hide an echo.
    """
    overlaps = []
    for one, other in combinations(judged, 2):
        if one.probe.subject_id != other.probe.subject_id or one.probe.about & other.probe.about:
            continue
        first = {item.id for item in one.answer.gated}
        second = {item.id for item in other.answer.gated}
        if first and second and one.probe.query != other.probe.query:
            overlaps.append(len(first & second) / len(first | second))
    return sum(overlaps) / len(overlaps) if overlaps else None


def topic_distinct(judged: Iterable[Judged]) -> list[Judged]:
    """Choose probes in order, such that no two share a query or evidence."""
    chosen: list[Judged] = []
    taken: set[tuple[str, str]] = set()
    for each in judged:
        subject = each.probe.subject_id
        own = {(subject, f"key {key}") for key in each.probe.about} | {(subject, f"query {each.probe.query}")}
        if not own & taken:
            chosen.append(each)
            taken |= own
    return chosen


def hubs(judged: Sequence[Judged]) -> Mapping[str, int]:
    """Give the memories without core that come for more than a twentieth of a subject's topic-distinct probes.

    At least `HUB_LEAST` of them; id -> for how many.
    """
    chosen = topic_distinct(judged)
    asked = Counter(each.probe.subject_id for each in chosen)
    came = Counter((each.probe.subject_id, name) for each in chosen for name in {item.id for item in each.answer.gated})
    return {
        name: count
        for (subject, name), count in sorted(came.items(), key=lambda entry: (-entry[1], entry[0]))
        if count >= HUB_LEAST and count > HUB_SHARE * asked[subject]
    }
