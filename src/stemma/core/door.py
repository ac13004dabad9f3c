"""What becomes of one arriving episode: decided once, from what is stored for its key. IO is `app/ingest`'s."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from stemma.core.times import is_ahead
from stemma.records import KeyPolicy, Outcome

# What orders the revisions of one key: sound before marked, then time, then hash (R-20, D-11).
Rank = tuple[bool, datetime, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """One well-formed episode at the door. `occurred_at` None means that it came without a time."""

    episode_id: str
    policy: KeyPolicy
    content_hash: str
    occurred_at: datetime | None
    received_at: datetime
    message_times: tuple[datetime | None, ...] = ()

    @property
    def said_at(self) -> datetime:
        """The time of saying: its own, else that of receipt."""
        return self.received_at if self.occurred_at is None else self.occurred_at

    @property
    def sound(self) -> bool:
        """Whether no stamp is ahead of receipt by more than the tolerance; decided once and stored with the saying."""
        stamps = (self.said_at, *(at for at in self.message_times if at is not None))
        return not any(is_ahead(at, self.received_at) for at in stamps)

    @property
    def rank(self) -> Rank:
        """Its place among the revisions of its key."""
        return (self.sound, self.said_at, self.content_hash)


@dataclass(slots=True)
class Known:
    """What the log holds of one key, as far as the arrivals at hand ask: grows with each that is accepted."""

    policy: KeyPolicy
    contents: set[str] = field(default_factory=set)
    sayings: set[tuple[str, datetime]] = field(default_factory=set)
    current: Rank | None = None

    def take(self, arrival: Arrival) -> None:
        """Count an accepted arrival in."""
        self.contents.add(arrival.content_hash)
        self.sayings.add((arrival.content_hash, arrival.said_at))
        self.current = arrival.rank if self.current is None else max(self.current, arrival.rank)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of one arrival and which of its rows are new."""

    outcome: Outcome
    new_episode: bool = False
    new_revision: bool = False
    new_saying: bool = False
    content_changed: bool = False


_NOTHING_NEW = Verdict(Outcome.DUPLICATE)


def decide(arrival: Arrival, known: Known | None, *, is_twin: bool) -> Verdict:
    """Say what becomes of an arrival that no tombstone covers and whose policy is its key's.

    `is_twin`: another key of its business event was there first. A twin is stored, since either may turn out to be the
    one that speaks, and answered as a duplicate.
    """
    verdict = _of_key(arrival, known)
    if is_twin and verdict.new_saying:
        return Verdict(Outcome.DUPLICATE, verdict.new_episode, verdict.new_revision, verdict.new_saying)
    return verdict


def _of_key(arrival: Arrival, known: Known | None) -> Verdict:
    if known is None:
        return Verdict(Outcome.CREATED, new_episode=True, new_revision=True, new_saying=True)
    match arrival.policy:
        case KeyPolicy.IDENTITY:
            changed = arrival.content_hash not in known.contents
            return Verdict(Outcome.DUPLICATE, content_changed=changed)
        case KeyPolicy.CONTENT:
            if arrival.occurred_at is None or _was_said(arrival, known):
                return _NOTHING_NEW
            return Verdict(Outcome.RESTATED, new_saying=True)
        case KeyPolicy.REVISION:
            return _of_revision(arrival, known)


def _of_revision(arrival: Arrival, known: Known) -> Verdict:
    if _was_said(arrival, known):
        return _NOTHING_NEW
    takes_over = known.current is None or arrival.rank > known.current
    if arrival.content_hash not in known.contents:
        outcome = Outcome.REVISED if takes_over else Outcome.STALE_REVISION
        return Verdict(outcome, new_revision=True, new_saying=True)
    was_current = known.current is not None and known.current[2] == arrival.content_hash
    return Verdict(Outcome.REVISED if takes_over and not was_current else Outcome.RESTATED, new_saying=True)


def _was_said(arrival: Arrival, known: Known) -> bool:
    return (arrival.content_hash, arrival.said_at) in known.sayings
