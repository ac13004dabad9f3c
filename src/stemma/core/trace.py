"""The chain of stages: what an item is, what became of it at each stage, and that nothing is lost on the way.

The record of a whole request stands in `traced`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final

from stemma.core.admit.retired import Place, Retired
from stemma.core.dialogue.rank import Ranked
from stemma.core.dialogue.turns import Question
from stemma.core.fuse import Hit, Query
from stemma.core.score import Score
from stemma.state import MemoryRow

STAGES: Final = (
    "request",
    "scope",
    "candidates",
    "fusion",
    "collapse",
    "time",
    "score",
    "admission",
    "diversity",
    "grounding",
    "budget",
    "render",
)


class Reason(StrEnum):
    """Why a stage dropped an item, or into what it merged it: a closed list.

    The first five are those of `scope`. The three after them are answers of `why` alone, on what no stage ever saw.
    """

    NOT_IN_FORCE = "not_in_force"
    SUPERSEDED = "superseded"
    QUARANTINED = "quarantined"
    TOMBSTONED = "tombstoned"
    KIND_FILTER = "kind_filter"
    NOT_YET_KNOWN = "not_yet_known"
    NOT_IN_SCOPE = "not_in_scope"
    NOT_FOUND = "not_found"
    BELOW_GATE = "below_gate"
    NOTHING_ASKED = "nothing_asked"
    NEVER_INJECTED = "never_injected"
    ASSISTANT_VOICE = "assistant_voice"
    NOT_REQUESTED = "not_requested"
    UNTRUSTED = "untrusted"
    NAMES_RETIRED_VALUE = "names_retired_value"
    COOLDOWN = "cooldown"
    SAME_TEXT = "same_text"
    SAME_EVIDENCE = "same_evidence"
    NEAR_COPY = "near_copy"
    KIND_CAP = "kind_cap"
    SESSION_CAP = "session_cap"
    CORE_BUDGET = "core_budget"
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
    session: str | None = None


@dataclass(frozen=True, slots=True)
class Item:
    """One candidate on its way to an answer: a memory or an excerpt, its hits and what the stages made of them.

    `turn` is what the recipe for dialogue makes of an excerpt; None where it took no part. `moved` counts the places
    that it went up because something older stood before it; `rule` is what admitted it.
    """

    id: str
    hit: Hit
    memory: MemoryRow | None = None
    excerpt: Excerpt | None = None
    turn: Ranked | None = None
    fused: Score | None = None
    similarity: Score | None = None
    importance: Score | None = None
    recency: Score | None = None
    score: Score | None = None
    moved: int = 0
    rule: str | None = None

    @property
    def text(self) -> str:
        """Return the words that would be delivered."""
        if self.memory is not None:
            return self.memory.text
        return self.excerpt.text if self.excerpt is not None else ""

    # Written out, since `dataclasses.replace` takes twice as long, and every candidate goes through all three.
    def with_fused(self, fused: Score) -> Item:
        """Return the item as fusion leaves it."""
        return Item(self.id, self.hit, self.memory, self.excerpt, self.turn, fused)

    def with_scores(self, similarity: Score, importance: Score, recency: Score, score: Score) -> Item:
        """Return the item as scoring leaves it."""
        found = (self.memory, self.excerpt, self.turn, self.fused)
        return Item(self.id, self.hit, *found, similarity, importance, recency, score)

    def with_rule(self, rule: str) -> Item:
        """Return the item as that rule admits it."""
        found = (self.memory, self.excerpt, self.turn, self.fused)
        scores = (self.similarity, self.importance, self.recency, self.score)
        return Item(self.id, self.hit, *found, *scores, self.moved, rule)


@dataclass(frozen=True, slots=True)
class Miss:
    """By how much an item missed: what was measured, its value, and the bound that it did not meet.

    `measure` is `fused` (0 to 1), `similarity` (0 to 1), `tokens`, `rank` (from 1), `passages_of_document`, or
    `bundles_ago` (from 1).
    """

    measure: str
    value: float
    needed: float

    @property
    def short_by(self) -> float:
        """The distance between the value and its bound, in the unit of the measure."""
        return round(abs(self.needed - self.value), 6)


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of one item that a stage did not pass on: dropped for a reason, or merged into another."""

    id: str
    reason: Reason
    into: str | None = None
    detail: Miss | None = None


@dataclass(frozen=True, slots=True)
class StageRecord:
    """One stage of one request: entered = left + merged + dropped.

    `items` are the ids that left, best first, save in `request` and `scope`, where they are counted alone. `fates` are
    those that are listed; `counts` has every reason with how many were dropped for it. `ms` is how long it took.
    """

    name: str
    entered: int
    left: int
    items: tuple[str, ...] = ()
    fates: tuple[Fate, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    ms: float = 0.0

    @property
    def merged(self) -> int:
        """Count the items that live on in another."""
        return sum(each.into is not None for each in self.fates)

    @property
    def dropped(self) -> int:
        """Count the items that are gone."""
        return sum(self.counts.values())


def recorded(
    name: str, entered: int, items: Iterable[str], fates: Iterable[Fate] = (), *, ms: float = 0.0
) -> StageRecord:
    """Record a stage whose every item is listed."""
    kept, gone = tuple(items), tuple(fates)
    counts = Counter(each.reason.value for each in gone if each.into is None)
    return StageRecord(name, entered, len(kept), kept, gone, dict(counts), ms)


@dataclass(frozen=True, slots=True)
class Ask:
    """What every stage may read of a request.

    `core` are the memories of the subject's reviewed list. Of the episodes that excerpts are from: `evidence` where
    standing memories were said, `retired` what stands no more, `untrusted` the excerpts that are from below the user's
    authority. `asks_nothing` is so of a greeting. `given` says how many bundles ago its conversation was last given a
    memory, the last one being 1.
    """

    query: Query
    terms: frozenset[str]
    now: datetime
    k: int
    for_prompt: bool = False
    kinds: frozenset[str] | None = None
    half_life_days: float | None = None
    half_lives: dict[str, float | None] = field(default_factory=dict)
    question: Question | None = None
    core: frozenset[str] = frozenset()
    evidence: Mapping[str, Sequence[Place]] = field(default_factory=dict)
    retired: Sequence[Retired] = ()
    untrusted: frozenset[str] = frozenset()
    asks_nothing: bool = False
    given: Mapping[str, int] = field(default_factory=dict)


Stage = Callable[[Sequence[Item], Ask], tuple[list[Item], list[Fate]]]
Clock = Callable[[], float]


def run(
    stages: Iterable[tuple[str, Stage]],
    items: Sequence[Item],
    ask: Ask,
    clock: Clock = lambda: 0.0,
    seen: list[Sequence[Item]] | None = None,
) -> tuple[list[Item], list[StageRecord]]:
    """Send items through the stages; `clock` tells milliseconds, `seen` takes every item as it was when it was last.

    That nothing was lost is seen from the records.
    """
    records = []
    current = list(items)
    for name, stage in stages:
        began = clock()
        left, fates = stage(current, ask)
        ms = clock() - began
        records.append(recorded(name, len(current), [item.id for item in left], fates, ms=ms))
        if seen is not None and fates:
            gone = {fate.id for fate in fates}
            seen.append([item for item in current if item.id in gone])
        current = left
    if seen is not None:
        seen.append(current)
    return current, records
