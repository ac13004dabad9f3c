"""How the records of two logs become one, and what a tombstone takes out of a record: in either order the same.

Each is commutative and changes nothing when repeated; tombstones are applied to both sides before these are joined.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeVar

from stemma.record_json import encode
from stemma.records import DocumentPin, HumanAct, KeyPolicy, NamedSaying, SaidBy

K = TypeVar("K")
V = TypeVar("V", "RevisionRecord", "SayingRecord")

# Where one key was accepted under two policies, the richer history stands; a fixed order, since a choice by time would
# depend on which of three logs came first.
_RICHER = (KeyPolicy.IDENTITY, KeyPolicy.CONTENT, KeyPolicy.REVISION)

Occasion = tuple[str, datetime]


@dataclass(frozen=True, slots=True)
class RevisionRecord:
    """One content as its stored JSON text."""

    content: str
    recorded_at: datetime


@dataclass(frozen=True, slots=True)
class SayingRecord:
    """One occasion; `occurred_at` keeps its offset."""

    occurred_at: datetime
    sound: bool
    recorded_at: datetime
    session_id: str | None = None
    message_times: tuple[datetime | None, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeRecord:
    """One episode with all that a log holds of it: contents by hash, sayings by (hash, instant)."""

    subject_id: str
    key: str
    policy: KeyPolicy
    source: str
    recorded_at: datetime
    revisions: Mapping[str, RevisionRecord]
    sayings: Mapping[Occasion, SayingRecord]
    speaker: str | None = None
    said_by: SaidBy = SaidBy.USER
    business_key: str | None = None
    document: DocumentPin | None = None
    metadata: str | None = None


@dataclass(frozen=True, slots=True)
class Cover:
    """What the tombstones of one key cover: nothing, every saying, or those up to a time (content policy)."""

    everything: bool = False
    until: datetime | None = None

    def covers(self, policy: KeyPolicy, occurred_at: datetime) -> bool:
        """Say whether a saying is among what was erased."""
        if self.everything or (self.until is not None and policy is not KeyPolicy.CONTENT):
            return True
        return self.until is not None and occurred_at <= self.until


def cover_of(covers_until: Iterable[datetime | None]) -> Cover:
    """Join the tombstones of one key: the widest of them."""
    found = list(covers_until)
    if None in found:
        return Cover(everything=True)
    return Cover(until=max((at for at in found if at is not None), default=None))


def merge(one: EpisodeRecord, other: EpisodeRecord) -> EpisodeRecord:
    """Join two records of one key: every content and saying of both, each as it was recorded first.

    Under `identity` the content that was recorded first stands alone, as it would have at one door.
    """
    if one.policy is not other.policy:
        return max(one, other, key=lambda record: _RICHER.index(record.policy))
    if one.policy is KeyPolicy.IDENTITY:
        return min(one, other, key=_age)
    first = min(one, other, key=_age_of_head)
    return replace(
        first,
        revisions=_first_of_each(one.revisions, other.revisions),
        sayings=_first_of_each(one.sayings, other.sayings),
    )


def cut(record: EpisodeRecord, cover: Cover) -> EpisodeRecord | None:
    """Take out of a record what was erased; None where nothing is left, or where its event is erased with it."""
    kept = {name: said for name, said in record.sayings.items() if not cover.covers(record.policy, name[1])}
    if len(kept) == len(record.sayings):
        return record
    if not kept or record.business_key is not None:
        return None
    began = min(said.recorded_at for said in kept.values())
    contents = {
        name: replace(found, recorded_at=min(said.recorded_at for (own, _), said in kept.items() if own == name))
        for name, found in record.revisions.items()
        if any(own == name for own, _ in kept)
    }
    # What came with the erased saying goes with it.
    metadata = record.metadata if began == record.recorded_at else None
    return replace(record, revisions=contents, sayings=kept, recorded_at=began, metadata=metadata)


def merge_acts(one: HumanAct, other: HumanAct) -> HumanAct:
    """Join two records of one human act: the one that was recorded first."""
    return min(one, other, key=lambda act: (act.recorded_at, encode(act)))


def cut_act(act: HumanAct, is_erased: Callable[[NamedSaying], bool]) -> HumanAct | None:
    """Take erased sayings out of a human act; None where one of its memories has lost all: it has no effect then."""
    memories = []
    for memory in act.memories:
        left = tuple(said for said in memory.sayings if not is_erased(said))
        if memory.sayings and not left:
            return None
        memories.append(replace(memory, sayings=left))
    return replace(act, memories=tuple(memories))


def _first_of_each(one: Mapping[K, V], other: Mapping[K, V]) -> dict[K, V]:
    found = dict(one)
    for name, record in other.items():
        found[name] = min(found[name], record, key=_age_of_part) if name in found else record
    return found


def _age_of_part(record: RevisionRecord | SayingRecord) -> tuple[datetime, str]:
    return record.recorded_at, encode(record)


def _age_of_head(record: EpisodeRecord) -> tuple[datetime, str]:
    return record.recorded_at, encode(replace(record, revisions={}, sayings={}))


def _age(record: EpisodeRecord) -> tuple[datetime, str, str, str]:
    contents = encode([[name, found] for name, found in sorted(record.revisions.items())])
    sayings = encode([[name[0], said] for name, said in sorted(record.sayings.items(), key=lambda item: item[0])])
    return (*_age_of_head(record), contents, sayings)
