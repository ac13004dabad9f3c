"""The records that `derive` yields: points, rows, evidence, decisions, conflicts. Ground floor, without behaviour."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from stemma.records import Act, Frame, Polarity, SaidBy, Status


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One statement at one instant (design: D-9, D-10), with all that its row may show.

    `time` is the instant the statement counts at. `key`, `content_hash` and `place` name the statement in the log;
    with `occurred_at` and `time` they identify the point. `dead` says why a point counts for nothing (D-12), `suspect`
    why its text was. `frame` is set where there is no claim key. `aim` is what a correction takes back: what was said,
    or an end.
    """

    unit: str
    memory_id: str
    act: Act
    time: datetime
    occurred_at: datetime
    sound: bool
    key: str
    content_hash: str
    place: int
    group: str
    conversation: str
    origin: str
    source: str
    speaker: str | None
    said_by: SaidBy
    authority: int
    voice: str
    kind: str
    claim_key: str | None
    value: str
    shown: str
    polarity: Polarity
    text: str
    start: int
    end: int
    message: int | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    confidence: float = 1.0
    importance: float | None = None
    dead: str | None = None
    suspect: str | None = None
    scope: str = ""
    frame: Frame | None = None
    aim: Act = Act.SAY


@dataclass(frozen=True, slots=True, kw_only=True)
class FramePoint:
    """What the ruling between frames reads of a frame: words, ordered identity, types (D-24)."""

    unit: str
    voice: str
    kind: str
    words: tuple[str, ...]
    identities: tuple[str, ...]
    types: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Transition:
    """From `at` on (None: from the beginning) a memory has `status`, for `reason`, because of memory `by`."""

    at: datetime | None
    status: Status
    reason: str | None = None
    by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One saying under a memory. `role` is support, ends, retracts; `dead` its reason where it counts for nothing."""

    memory_id: str
    key: str
    content_hash: str
    place: int
    occurred_at: datetime
    time: datetime
    source: str
    speaker: str | None
    message: int | None
    start: int
    end: int
    role: str
    dead: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryRow:
    """One derived memory. Its status at a moment is read from `transitions`, which are in order of time.

    `spells` are the spans [from, to) in which it stands, `None` meaning open; `superseded_by` and `superseded_from`
    speak of the last end. `original_kind` and `injection` carry human acts.
    """

    id: str
    subject_id: str
    unit: str
    voice: str
    kind: str
    original_kind: str
    claim_key: str | None
    value: str
    shown: str
    polarity: Polarity
    text: str
    injection: str
    authority: int
    importance: float
    confidence: float
    first_said_at: datetime
    last_said_at: datetime
    times_said: int
    independent_origins: int
    valid_from: datetime | None
    valid_to: datetime | None
    transitions: tuple[Transition, ...]
    spells: tuple[tuple[datetime | None, datetime | None], ...]
    superseded_by: str | None
    superseded_from: datetime | None
    scope: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """One derived ruling with both sides' evidence; `score` and `threshold` are None where none was compared."""

    id: str
    unit: str
    rule: str
    winner_id: str | None
    loser_id: str
    at: datetime
    winner_episodes: tuple[str, ...]
    loser_episodes: tuple[str, ...]
    score: float | None = None
    threshold: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """One pair that policy leaves open from `opened_at` on; closed by a ruling (`resolution`) or by the fold."""

    id: str
    unit: str
    reason: str
    claim_key: str | None
    memory_ids: tuple[str, ...]
    opened_by: str
    opened_at: datetime
    closed_at: datetime | None = None
    resolution: str | None = None


@dataclass(frozen=True, slots=True)
class UnitState:
    """All that one unit yields; `rows` by id, the rest in canonical order."""

    rows: tuple[MemoryRow, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    decisions: tuple[Decision, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    notes: tuple[str, ...] = ()
