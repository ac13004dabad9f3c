"""A probe: what is asked when, and which evidence must come, must not, or may. Evidence is named, never a row."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from stemma.core.analyse import fold


class ProbeClass(StrEnum):
    """What a probe tests."""

    ANCHOR = "anchor"
    NEGATIVE = "negative"
    ABSTAIN = "abstain"
    TIME = "time"
    CONFLICT = "conflict"
    CORE = "core"
    REPETITION = "repetition"
    POISON = "poison"


# Sections of a bundle whose lines are items; the other two say something about items.
ITEM_SECTIONS: Final = frozenset({"memories", "episodes"})


@dataclass(frozen=True, slots=True)
class Saying:
    """One saying under a delivered item: the episode's key and the code points, in a message or (None) the text."""

    key: str
    start: int | None = None
    end: int | None = None
    message: int | None = None


@dataclass(frozen=True, slots=True)
class Delivered:
    """One line of a bundle, as it is judged.

    `rule` is what admitted it where that was not relevance (`core` or another). `stands` says that it holds at the
    probe's moment and has evidence; `is_foreign` that it belongs to another subject than the probe's.
    """

    id: str
    section: str
    text: str
    sayings: tuple[Saying, ...]
    kind: str | None = None
    rule: str | None = None
    has_date: bool = True
    stands: bool = True
    is_foreign: bool = False

    @property
    def is_item(self) -> bool:
        """Say whether it is an item and no note about items."""
        return self.section in ITEM_SECTIONS

    @property
    def is_core(self) -> bool:
        """Say whether it came by the reviewed list."""
        return self.rule == "core"


@dataclass(frozen=True, slots=True)
class Evidence:
    """What an item rests on: an episode by key, where need be one place in it, or words of the item itself."""

    key: str
    words: tuple[str, ...] = ()
    span: tuple[int, int] | None = None
    message: int | None = None

    def is_under(self, item: Delivered) -> bool:
        """Say whether an item rests on this evidence."""
        if not any(self._covers(saying) for saying in item.sayings):
            return False
        text = fold(item.text)
        return all(fold(word) in text for word in self.words)

    def _covers(self, saying: Saying) -> bool:
        if saying.key != self.key:
            return False
        if self.span is None:
            return True
        if saying.start is None or saying.end is None or saying.message != self.message:
            return False
        return saying.start < self.span[1] and self.span[0] < saying.end


@dataclass(frozen=True, slots=True)
class Anchor:
    """Evidence that must come, any one of several, best within `max_rank` (from 1)."""

    any_of: tuple[Evidence, ...]
    max_rank: int | None = None
    must_survive: bool = False

    @property
    def key(self) -> str:
        """Name the anchor by its first evidence."""
        return self.any_of[0].key

    def is_under(self, item: Delivered) -> bool:
        """Say whether an item rests on any of it."""
        return any(each.is_under(item) for each in self.any_of)


@dataclass(frozen=True, slots=True)
class Forbidden:
    """Evidence that may not come before the anchors, or (`at_all`) not come anywhere."""

    evidence: Evidence
    at_all: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """One question with what is expected of its bundle; every limit that is None is not looked at.

    `irrelevant` None means that the labels are complete: what is not relevant is irrelevant. `earlier` are the queries
    of the same conversation before this one, in order.
    """

    id: str
    type: ProbeClass
    subject_id: str
    query: str
    language: str | None = None
    now: datetime | None = None
    budget_tokens: int = 800
    earlier: tuple[str, ...] = ()
    anchors: tuple[Anchor, ...] = ()
    forbidden: tuple[Forbidden, ...] = ()
    items_max: int | None = None
    verdict: str | None = None
    conflict: tuple[Evidence, ...] = ()
    relevant: tuple[Evidence, ...] = ()
    irrelevant: tuple[Evidence, ...] | None = None

    @property
    def is_answerable(self) -> bool:
        """Say whether something that is remembered answers it."""
        return bool(self.anchors or self.conflict)

    @property
    def about(self) -> frozenset[str]:
        """Return the keys of all evidence that bears on it: two probes without a common one are unrelated."""
        found = {each.key for each in (*self.relevant, *self.conflict)}
        return frozenset(found | {each.key for anchor in self.anchors for each in anchor.any_of})

    def labels(self, item: Delivered) -> bool | None:
        """Say whether an item is relevant; None where nobody has judged it."""
        wanted = (*self.relevant, *self.conflict, *(each for anchor in self.anchors for each in anchor.any_of))
        if any(each.is_under(item) for each in wanted):
            return True
        if self.irrelevant is None or any(each.is_under(item) for each in self.irrelevant):
            return False
        return None
