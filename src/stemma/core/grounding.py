"""Grounding: how far what survived covers the query, and what the model is told about it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

GROUNDED_FROM = 0.5
Verdict = Literal["grounded", "partial", "abstain"]
NO_ROOM = "More is remembered than fits; ask again with a larger budget, and do not say that nothing is known."
VERDICTS: tuple[Verdict, ...] = ("grounded", "partial", "abstain")


@dataclass(frozen=True, slots=True)
class Ground:
    """The verdict on what is delivered; `coverage` is 0 to 1."""

    verdict: Verdict
    coverage: float
    directive: str


_DIRECTIVES: dict[Verdict, str] = {
    "grounded": "Answer from the lines above; where they disagree, name both sides with their dates.",
    "partial": "The lines above cover a part of the question; say what they do not cover.",
    "abstain": "Say that this is not remembered; do not guess.",
}


def judge(terms: Mapping[str, float], covered: Iterable[str], similarities: Iterable[float]) -> Ground:
    """Judge the surviving items: the better of the query's terms they hold, by weight, and their best similarity.

    `terms` are the query's terms with their weights, `covered` the terms of the surviving items, `similarities` theirs
    to the query. Without an item the verdict is to abstain.
    """
    close = list(similarities)
    if not close:
        return ground("abstain", 0.0)
    whole = sum(terms.values())
    held = set(covered)
    share = sum(weight for term, weight in terms.items() if term in held) / whole if whole > 0 else 0.0
    coverage = min(1.0, max(share, *close))
    return ground("grounded" if coverage >= GROUNDED_FROM else "partial", coverage)


def ground(verdict: Verdict, coverage: float) -> Ground:
    """Build a verdict with its directive."""
    return Ground(verdict, round(coverage, 3), _DIRECTIVES[verdict])
