"""What a bundle did about one probe: ranks, labels and faults. Figures over many stand in `figures`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from stemma.core.golden.probe import Anchor, Delivered, Evidence, Probe, ProbeClass


class Fault(StrEnum):
    """Why a probe does not pass: a closed list."""

    ANCHOR_LOST = "anchor_lost"
    ANCHOR_LOW = "anchor_low"
    FORBIDDEN_FIRST = "forbidden_first"
    FORBIDDEN_SHOWN = "forbidden_shown"
    TOO_MANY_ITEMS = "too_many_items"
    WRONG_VERDICT = "wrong_verdict"
    CONFLICT_HIDDEN = "conflict_hidden"
    FORCED_OTHER = "forced_other"
    FOREIGN_SCOPE = "foreign_scope"


@dataclass(frozen=True, slots=True)
class Answer:
    """What came for a probe, in the order of the text; `earlier` are the ids that the queries before it brought.

    `coverage` is 0 to 1. `reasons` says for an anchor that did not come at which stage it was lost, and why.
    """

    verdict: str
    coverage: float
    tokens: int
    lines: tuple[Delivered, ...]
    earlier: frozenset[str] = frozenset()
    reasons: tuple[tuple[str, str, str], ...] = ()

    @property
    def items(self) -> tuple[Delivered, ...]:
        """Return the lines that are items."""
        return tuple(line for line in self.lines if line.is_item)

    @property
    def gated(self) -> tuple[Delivered, ...]:
        """Return the items that did not come by the reviewed list."""
        return tuple(item for item in self.items if not item.is_core)


@dataclass(frozen=True, slots=True)
class Place:
    """Where an anchor stands among the items without core, from 1; None where it did not come.

    `stage` and `reason` say where it was lost.
    """

    anchor: Anchor
    rank: int | None
    stage: str | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Judged:
    """A probe, its bundle, and what is to be said of it."""

    probe: Probe
    answer: Answer
    places: tuple[Place, ...]
    faults: tuple[Fault, ...]

    @property
    def passed(self) -> bool:
        """Say whether all that is expected holds."""
        return not self.faults

    @property
    def lost(self) -> tuple[Place, ...]:
        """Return the anchors that did not come."""
        return tuple(place for place in self.places if place.rank is None)

    @property
    def relevant(self) -> tuple[Delivered, ...]:
        """Return the items, core left out, that bear on the probe."""
        return tuple(item for item in self.answer.gated if self.probe.labels(item) is True)

    @property
    def off_topic(self) -> tuple[Delivered, ...]:
        """Return the items, core left out, that do not."""
        return tuple(item for item in self.answer.gated if self.probe.labels(item) is False)

    @property
    def unjudged(self) -> tuple[Delivered, ...]:
        """Return the items, core left out, of which nobody has said so."""
        return tuple(item for item in self.answer.gated if self.probe.labels(item) is None)

    @property
    def forced_other(self) -> tuple[Delivered, ...]:
        """Return the items that came by a rule that is neither relevance nor the reviewed list."""
        return tuple(item for item in self.answer.items if item.rule is not None and not item.is_core)

    @property
    def shown_forbidden(self) -> tuple[str, ...]:
        """Return the keys that came although they may not come at all."""
        wanted = [each.evidence for each in self.probe.forbidden if each.at_all]
        return tuple(each.key for each in wanted if any(each.is_under(line) for line in self.answer.lines))


def judge(probe: Probe, answer: Answer) -> Judged:
    """Hold a bundle against what its probe expects."""
    why = {key: (stage, reason) for key, stage, reason in answer.reasons}
    places = tuple(_place(anchor, answer, why) for anchor in probe.anchors)
    bare = Judged(probe, answer, places, ())
    return Judged(probe, answer, places, tuple(dict.fromkeys(_faults(bare))))


def _place(anchor: Anchor, answer: Answer, why: dict[str, tuple[str, str]]) -> Place:
    rank = rank_of(anchor, answer)
    stage, reason = why.get(anchor.key, (None, None)) if rank is None else (None, None)
    return Place(anchor, rank, stage, reason)


def rank_of(wanted: Anchor | Evidence, answer: Answer) -> int | None:
    """Give the place, from 1, of the first item that rests on what is wanted; core items are not counted.

    An anchor that is on the reviewed list itself has the place 1.
    """
    if any(item.is_core and wanted.is_under(item) for item in answer.items):
        return 1
    return next((rank for rank, item in enumerate(answer.gated, start=1) if wanted.is_under(item)), None)


def _faults(judged: Judged) -> Iterator[Fault]:
    probe, answer = judged.probe, judged.answer
    for place in judged.places:
        if place.rank is None:
            yield Fault.ANCHOR_LOST
        elif place.anchor.max_rank is not None and place.rank > place.anchor.max_rank:
            yield Fault.ANCHOR_LOW
    if came_first(judged):
        yield Fault.FORBIDDEN_FIRST
    if judged.shown_forbidden:
        yield Fault.FORBIDDEN_SHOWN
    # The reviewed list is what a probe of it is about; elsewhere it is counted apart.
    counted = answer.items if probe.type is ProbeClass.CORE else answer.gated
    if probe.items_max is not None and len(counted) > probe.items_max:
        yield Fault.TOO_MANY_ITEMS
    if probe.type is ProbeClass.CORE and judged.off_topic:
        yield Fault.TOO_MANY_ITEMS
    if probe.verdict is not None and answer.verdict != probe.verdict:
        yield Fault.WRONG_VERDICT
    if probe.conflict and not exposes_conflict(judged):
        yield Fault.CONFLICT_HIDDEN
    if judged.forced_other:
        yield Fault.FORCED_OTHER
    if any(line.is_foreign for line in answer.lines):
        yield Fault.FOREIGN_SCOPE


def came_first(judged: Judged) -> tuple[str, ...]:
    """Return the keys that came before an anchor although they may not; without the anchor any place is before it."""
    worst = [place.rank for place in judged.places]
    found = []
    for each in judged.probe.forbidden:
        rank = rank_of(each.evidence, judged.answer)
        if not each.at_all and rank is not None and any(at is None or rank < at for at in worst):
            found.append(each.evidence.key)
    return tuple(found)


def exposes_conflict(judged: Judged) -> bool:
    """Say whether both sides came, each with its date."""
    lines = judged.answer.lines
    return all(any(side.is_under(line) and line.has_date for line in lines) for side in judged.probe.conflict)
