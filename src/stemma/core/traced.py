"""The record of one request: its twelve stages, what it was asked with, and the checks that hold of every trace.

No text of the store or of the query stands in it (SPEC R-42, R-44); what is shown of it is looked up when it is read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import repeat
from typing import Final, overload

from stemma.core.admit.rules import RELEVANCE
from stemma.core.budget import Costs
from stemma.core.score import Score, ScoreKind
from stemma.core.trace import STAGES, Fate, Item, Reason, StageRecord, recorded

MEMORY, EPISODE, PASSAGE = "memory", "episode", "passage"
# Before it nothing is listed by name: what a subject holds may be a hundred thousand rows.
FIRST_LISTED: Final = STAGES.index("candidates")


# So many of what a stage dropped are shown by name.
LISTED: Final = 200
# A score as it is kept: its kind, which gives direction and range, and its value to four decimals.
Kept = tuple[str, float]
# So many parts of one a score is kept in: whole numbers are counted and written at a fraction of what decimals cost.
_PARTS: Final = 10_000


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
class TracedItems(Sequence[TracedItem]):
    """The candidates of a request, kept by column: there are some hundreds in every trace, and few traces are read.

    `owners` are by place, of those that have one; `forced` are places. `scores` are by kind, a whole number for each
    candidate that has one of it, in ten-thousandths.
    """

    ids: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    owners: Mapping[int, str] = field(default_factory=dict)
    forced: frozenset[int] = frozenset()
    scores: Mapping[str, tuple[int | None, ...]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.ids)

    @overload
    def __getitem__(self, place: int) -> TracedItem: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[TracedItem]: ...
    def __getitem__(self, place: int | slice) -> TracedItem | Sequence[TracedItem]:
        """Return one candidate, or those of a slice."""
        if isinstance(place, slice):
            return [self[each] for each in range(len(self))[place]]
        at = range(len(self))[place]
        scores = [(kind, parts) for kind, column in self.scores.items() if (parts := column[at]) is not None]
        kept = tuple((kind, parts / _PARTS) for kind, parts in scores)
        return TracedItem(self.ids[at], self.types[at], kept, self.owners.get(at), at in self.forced)

    def followed_by(self, other: TracedItems) -> TracedItems:
        """Return these and then others."""
        if not (self.ids and other.ids):
            return self if self.ids else other
        count = len(self)
        none, others = (None,) * count, (None,) * len(other)
        kinds = dict.fromkeys((*self.scores, *other.scores))
        return TracedItems(
            self.ids + other.ids,
            self.types + other.types,
            {**self.owners, **{count + place: owner for place, owner in other.owners.items()}},
            self.forced | {count + place for place in other.forced},
            {kind: self.scores.get(kind, none) + other.scores.get(kind, others) for kind in kinds},
        )


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
    items: TracedItems
    index_state: Mapping[str, str | int | bool | None]
    notes: tuple[Note, ...] = ()
    costs: Costs | None = None
    result: TracedResult = TracedResult()

    @property
    def names(self) -> tuple[str, ...]:
        """The ids of all candidates and notes."""
        return (*self.items.ids, *(note.id for note in self.notes))

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


def parts_of(value: float | None) -> int | None:
    """Give a score's value in the parts that it is kept in; None for none."""
    return None if value is None else round(value * _PARTS)


def traced_scores(kind: ScoreKind, scores: Iterable[Score | None]) -> tuple[int | None, ...]:
    """Keep the scores of one kind, in their order; None for another kind, and where there is none."""
    return tuple([None if one is None or one.kind is not kind else round(one.value * _PARTS) for one in scores])


def traced_items(seen: Iterable[Iterable[Item]], kept: Collection[str]) -> TracedItems:
    """Keep every candidate of `kept` once, in the order it was found in, with the scores that it was last seen with."""
    last = {item.id: item for items in seen for item in items}
    items = [item for item in last.values() if item.id in kept]
    fused = [item.fused for item in items]
    columns = {
        ScoreKind.FUSED: fused,
        # What was said has a score of its own kind in that place.
        ScoreKind.TURN: fused if any(item.turn is not None for item in items) else (),
        ScoreKind.SIMILARITY: [item.similarity for item in items],
        ScoreKind.IMPORTANCE: [item.importance for item in items],
        ScoreKind.RECENCY: [item.recency for item in items],
        ScoreKind.COMPOSITE: [item.score for item in items],
    }
    return TracedItems(
        tuple([item.id for item in items]),
        tuple([EPISODE if item.memory is None else MEMORY for item in items]),
        {place: item.excerpt.episode_id for place, item in enumerate(items) if item.excerpt is not None},
        frozenset(place for place, item in enumerate(items) if item.rule not in (None, RELEVANCE)),
        {kind.value: traced_scores(kind, scores) for kind, scores in columns.items() if scores},
    )


def passages_of(passages: Sequence[tuple[str, str]], scores: Mapping[ScoreKind, Sequence[Score]]) -> TracedItems:
    """Keep passages of documents, each an id and its document's, with their scores by kind."""
    return TracedItems(
        tuple(name for name, _ in passages),
        tuple(repeat(PASSAGE, len(passages))),
        dict(enumerate(owner for _, owner in passages)),
        frozenset(),
        {kind.value: traced_scores(kind, column) for kind, column in scores.items()},
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
    known = set(trace.items.ids)
    fates: list[str] = []
    for place, record in enumerate(trace.stages):
        went = record.left + record.dropped + record.merged
        if record.entered != went:
            found.append(f"{record.name}: {record.entered} entered, {went} went on or have a fate")
        if place and record.name != "candidates" and record.entered != trace.stages[place - 1].left:
            found.append(f"{record.name}: {record.entered} entered of {trace.stages[place - 1].left}")
        named = [fate.id for fate in record.fates]
        fates += named
        if place >= FIRST_LISTED:
            found += _unlisted(record, named, trace.stages[place - 1], known)
    if len(set(fates)) != len(fates):
        found += [f"{name} has {count} fates" for name, count in Counter(fates).items() if count > 1]
    budget, tokens = trace.request.budget_tokens, trace.result.tokens
    if budget is not None and tokens is not None and tokens > budget:
        found.append(f"{tokens} tokens are over the budget of {budget}")
    return found


def _unlisted(record: StageRecord, named: Sequence[str], before: StageRecord, known: set[str]) -> Iterator[str]:
    if len(record.items) != record.left:
        yield f"{record.name}: {record.left} left, {len(record.items)} are listed"
    if not named and record.items == before.items and record.name != "candidates":
        return
    entered = [*record.items, *named]
    if not known.issuperset(entered):
        yield f"{record.name}: {len(set(entered) - known)} items that were not found"
    if record.name != "candidates" and Counter(entered) != Counter(before.items):
        yield f"{record.name}: not what {before.name} left"


def reasons_of(trace: Trace) -> set[Reason]:
    """Return every reason for which a trace drops or merges something."""
    return {Reason(name) for record in trace.stages for name in record.counts} | {
        fate.reason for record in trace.stages for fate in record.fates
    }
