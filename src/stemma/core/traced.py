"""The record of one request: its twelve stages, what it was asked with, and the checks that hold of every trace.

No text of the store or of the query stands in it (SPEC R-42, R-44); what is shown of it is looked up when it is read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from stemma.core.admit.rules import RELEVANCE
from stemma.core.budget import Costs
from stemma.core.score import Score
from stemma.core.trace import STAGES, Fate, Item, Reason, StageRecord, recorded

MEMORY, EPISODE, PASSAGE = "memory", "episode", "passage"
# Before it nothing is listed by name: what a subject holds may be a hundred thousand rows.
FIRST_LISTED: Final = STAGES.index("candidates")


# So many of what a stage dropped are shown by name.
LISTED: Final = 200
# A score as it is kept: its kind, which gives direction and range, and its value to four decimals.
Kept = tuple[str, float]


@dataclass(frozen=True, slots=True)
class TracedItem:
    """One candidate by id, with its scores; `owner` is the episode or the document that it is a part of.

    `forced`: another rule than relevance admitted it.
    """

    id: str
    type: str
    scores: tuple[Kept, ...] = ()
    owner: str | None = None
    forced: bool = False


@dataclass(frozen=True, slots=True)
class Note:
    """A line that is no item but says something of items: a conflict or a disagreement, with what became of it."""

    id: str
    section: str
    fate: Fate | None = None


@dataclass(frozen=True, slots=True)
class Held:
    """What a scope holds at a moment: all of it, how many are left out for which reason, and the first of these."""

    total: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)
    listed: tuple[Fate, ...] = ()

    @property
    def eligible(self) -> int:
        """Count what may be found."""
        return self.total - sum(self.counts.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class TracedRequest:
    """What a request was, without its words; `overridden` names the clocks that were set by hand.

    `versions` name what took part: embedder, extractor, tokenizer, and the digest of the settings that rank.
    """

    operation: str
    query_sha256: str
    query_chars: int
    now: datetime
    subject_id: str | None = None
    corpora: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    k: int | None = None
    half_life_days: float | None = None
    session_id: str | None = None
    budget_tokens: int | None = None
    as_of: datetime | None = None
    overridden: tuple[str, ...] = ()
    versions: Mapping[str, str | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TracedResult:
    """What came out: tokens of the text as delivered, and how far it covers the query; None where no text is built."""

    tokens: int | None = None
    verdict: str | None = None
    coverage: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """The whole record; `costs` says what each line of a text takes, where not all of them fitted.

    `index_state` says how complete the dense leg was: complete, outstanding, embedder, degraded.
    """

    id: str
    at: datetime
    request: TracedRequest
    stages: tuple[StageRecord, ...]
    items: tuple[TracedItem, ...]
    index_state: Mapping[str, str | int | bool | None]
    notes: tuple[Note, ...] = ()
    costs: Costs | None = None
    result: TracedResult = TracedResult()

    @property
    def names(self) -> tuple[str, ...]:
        """The ids of all candidates and notes."""
        return (*(item.id for item in self.items), *(note.id for note in self.notes))

    def stage(self, name: str) -> StageRecord:
        """Return one stage by its name."""
        return self.stages[STAGES.index(name)]

    def fate_of(self, item: str) -> tuple[str, Fate] | None:
        """Return the stage that did not pass an item on, with its fate; None where it came through, or is not known."""
        for record in self.stages:
            for fate in record.fates:
                if fate.id == item:
                    return record.name, fate
        return next((("budget", note.fate) for note in self.notes if note.id == item and note.fate), None)

    def rank_of(self, item: str) -> int | None:
        """Return the place of an item in what came through, from 1."""
        final = self.stages[-1].items
        return final.index(item) + 1 if item in final else None


def traced_scores(*scores: Score | None) -> tuple[Kept, ...]:
    """Keep the scores that there are."""
    return tuple((each.kind.value, round(each.value, 4)) for each in scores if each is not None)


def traced_items(seen: Iterable[Iterable[Item]]) -> tuple[TracedItem, ...]:
    """Keep every candidate once, in the order it was found in, with the scores that it had when it was last seen."""
    last = {item.id: item for items in seen for item in items}
    return tuple(
        TracedItem(
            item.id,
            MEMORY if item.memory is not None else EPISODE,
            traced_scores(item.fused, item.similarity, item.importance, item.recency, item.score),
            item.excerpt.episode_id if item.excerpt is not None else None,
            item.rule not in (None, RELEVANCE),
        )
        for item in last.values()
    )


def passed(records: Sequence[StageRecord], names: Iterable[str]) -> Iterator[StageRecord]:
    """Give a stage for each name that changes nothing of what the last record left."""
    last = records[-1]
    for name in names:
        yield recorded(name, last.left, last.items)


def joined(one: StageRecord, other: StageRecord) -> StageRecord:
    """Give one record for a stage that two kinds of items went through apart."""
    return StageRecord(
        one.name,
        one.entered + other.entered,
        one.left + other.left,
        one.items + other.items,
        one.fates + other.fates,
        dict(Counter(one.counts) + Counter(other.counts)),
        one.ms + other.ms,
    )


def violations(trace: Trace) -> list[str]:
    """Say what does not hold of a trace; nothing where all does (R-10, R-42).

    Each stage: entered = left + dropped + merged, and it begins with what the last one left; each item has one fate;
    only what was found comes through; a text is within its budget.
    """
    found = [] if tuple(each.name for each in trace.stages) == STAGES else ["the stages are not the twelve, in order"]
    known = {item.id for item in trace.items}
    for place, record in enumerate(trace.stages):
        went = record.left + record.dropped + record.merged
        if record.entered != went:
            found.append(f"{record.name}: {record.entered} entered, {went} went on or have a fate")
        if place and record.name != "candidates" and record.entered != trace.stages[place - 1].left:
            found.append(f"{record.name}: {record.entered} entered of {trace.stages[place - 1].left}")
        if place >= FIRST_LISTED:
            found += _unlisted(record, trace.stages[place - 1], known)
    fates = Counter(fate.id for record in trace.stages for fate in record.fates)
    found += [f"{name} has {count} fates" for name, count in fates.items() if count > 1]
    budget, tokens = trace.request.budget_tokens, trace.result.tokens
    if budget is not None and tokens is not None and tokens > budget:
        found.append(f"{tokens} tokens are over the budget of {budget}")
    return found


def _unlisted(record: StageRecord, before: StageRecord, known: set[str]) -> Iterator[str]:
    entered = [*record.items, *(fate.id for fate in record.fates)]
    if len(record.items) != record.left:
        yield f"{record.name}: {record.left} left, {len(record.items)} are listed"
    if strange := set(entered) - known:
        yield f"{record.name}: {len(strange)} items that were not found"
    if record.name != "candidates" and Counter(entered) != Counter(before.items):
        yield f"{record.name}: not what {before.name} left"


def reasons_of(trace: Trace) -> set[Reason]:
    """Return every reason for which a trace drops or merges something."""
    return {Reason(name) for record in trace.stages for name in record.counts} | {
        fate.reason for record in trace.stages for fate in record.fates
    }
