"""The chain of stages: what an item is, what became of it at each stage, and that nothing is lost on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from stemma.core.fuse import Hit, Query
from stemma.core.score import Score
from stemma.state import MemoryRow


class Reason(StrEnum):
    """Why a stage dropped an item, or into what it merged it: a closed list."""

    NOT_IN_FORCE = "not_in_force"
    SUPERSEDED = "superseded"
    QUARANTINED = "quarantined"
    TOMBSTONED = "tombstoned"
    KIND_FILTER = "kind_filter"
    BELOW_GATE = "below_gate"
    NEVER_INJECTED = "never_injected"
    ASSISTANT_VOICE = "assistant_voice"
    NOT_REQUESTED = "not_requested"
    SAME_TEXT = "same_text"
    K_REACHED = "k_reached"
    ITEM_TOO_LARGE = "item_too_large"
    BUDGET_EXHAUSTED = "budget_exhausted"
    DOCUMENT_CAP = "document_cap"
    OVERLAP = "overlap"


@dataclass(frozen=True, slots=True)
class Excerpt:
    """One passage of an episode, found as it was said."""

    episode_id: str
    key: str
    text: str
    message: int | None
    start: int
    end: int
    occurred_at: datetime
    role: str | None
    source: str
    speaker: str | None


@dataclass(frozen=True, slots=True)
class Item:
    """One candidate on its way to an answer: a memory or an excerpt, its hits and what the stages made of them."""

    id: str
    hit: Hit
    memory: MemoryRow | None = None
    excerpt: Excerpt | None = None
    fused: Score | None = None
    similarity: Score | None = None
    importance: Score | None = None
    recency: Score | None = None
    score: Score | None = None

    @property
    def text(self) -> str:
        """Return the words that would be delivered."""
        if self.memory is not None:
            return self.memory.text
        return self.excerpt.text if self.excerpt is not None else ""


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of one item that a stage did not pass on: dropped for a reason, or merged into another."""

    id: str
    reason: Reason
    into: str | None = None
    detail: float | None = None


@dataclass(frozen=True, slots=True)
class StageRecord:
    """One stage of one request: entered = left + merged + dropped."""

    name: str
    entered: int
    left: int
    fates: tuple[Fate, ...]

    @property
    def merged(self) -> int:
        """Count the items that live on in another."""
        return sum(each.into is not None for each in self.fates)

    @property
    def dropped(self) -> int:
        """Count the items that are gone."""
        return len(self.fates) - self.merged


@dataclass(frozen=True, slots=True)
class Ask:
    """What every stage may read of a request."""

    query: Query
    terms: frozenset[str]
    now: datetime
    k: int
    for_prompt: bool = False
    kinds: frozenset[str] | None = None
    half_life_days: float | None = None
    half_lives: dict[str, float | None] = field(default_factory=dict)


Stage = Callable[[Sequence[Item], Ask], tuple[list[Item], list[Fate]]]


def run(stages: Iterable[tuple[str, Stage]], items: Sequence[Item], ask: Ask) -> tuple[list[Item], list[StageRecord]]:
    """Send items through the stages; every item leaves each stage or has one fate there, else it is an error."""
    records = []
    current = list(items)
    for name, stage in stages:
        left, fates = stage(current, ask)
        if len(left) + len(fates) != len(current):
            raise AssertionError(f"stage {name}: {len(current)} entered, {len(left)} left, {len(fates)} have a fate")
        records.append(StageRecord(name, len(current), len(left), tuple(fates)))
        current = left
    return current, records
