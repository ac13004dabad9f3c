"""What a ruling reports, step by step, and the names of its rules and reasons. Rules on nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from stemma.records import Status
from stemma.state import Point

# Why a memory is held: quarantined by the derivation, which also lifts it (D-16).
LOWER_AUTHORITY = "lower_authority"
UNCORROBORATED = "uncorroborated"
TIME_AHEAD = "time_ahead"
# Rules that are no policy's name.
ENDED = "ended"
DENIED = "denied"
AFFIRMED = "affirmed"
RULING = "ruling"
COVERED = "covered"
FLAG = "flag"


@dataclass(frozen=True, slots=True)
class Beat:
    """One memory beat another by a rule; no winner for an end.

    `keys` name the winning side's episodes; none means the one that said the winner last.
    """

    rule: str
    winner: str | None
    loser: str
    keys: tuple[str, ...] = ()
    score: float | None = None
    threshold: float | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """A memory's status changes; `by` is the memory that brought it about, `beat` the decision behind it."""

    memory: str
    status: Status
    reason: str | None = None
    by: str | None = None
    beat: Beat | None = None


@dataclass(frozen=True, slots=True)
class Opened:
    """A pair that policy leaves open: the one that stands and the one that contests it."""

    stands: str
    contests: str
    reason: str


@dataclass(frozen=True, slots=True)
class Closed:
    """All open pairs of a memory end, or the one with `other` alone; `resolution` names the ruling that did it."""

    memory: str
    other: str | None = None
    resolution: str | None = None


@dataclass(frozen=True, slots=True)
class Left:
    """A flagged memory is gone, and its open pairs end; those it was in conflict with contest one another.

    Each is paired with one before it, `heir` being the first of all, so that ends open no more pairs than they close.
    `contest` says whether two are still in conflict; `first` names what else that stands was there before one and
    contests it, though it did not contest the memory that is gone.
    """

    memory: str
    heir: str | None
    contest: Callable[[Point, Point], bool] = field(compare=False)
    first: Callable[[Point], str | None] = field(compare=False, default=lambda _: None)


Event = Turn | Beat | Opened | Closed | Left


@dataclass(frozen=True, slots=True)
class Settlement:
    """A human ruling as a point at its own time (D-20): the sides that are to stand, alone or together.

    `winner` is the memory it is for; each side is the last statement of a memory of this unit or block, none where the
    winner is elsewhere. `losers` are memories that it names as settled, beside what the chosen side opposes anyway.
    """

    id: str
    at: datetime
    winner: str
    sides: tuple[Point, ...]
    together: bool = False
    losers: frozenset[str] = frozenset()
