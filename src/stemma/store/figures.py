"""What figures over time are counted from. The arithmetic is `core/figures_over_time`'s."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from stemma.store.traces import named
from stemma.store.transaction import Row, Transaction


@dataclass(frozen=True, slots=True)
class Span:
    """The days that are looked at, from the first one's beginning to now; `subject` None is all of the tenant."""

    since: datetime
    now: datetime
    subject: str | None = None


@dataclass(frozen=True, slots=True)
class StoredBundle:
    """What a bundle gave, by memory, and what of it was forced; `query` is the digest of what was asked."""

    day: date
    subject: str | None
    query: str
    given: tuple[str, ...]
    forced: frozenset[str]


def founded(t: Transaction, span: Span) -> list[Row]:
    """Count memories (`n`, `quarantined` of them) by the `day` that founded them, `kind`, and `extractor` version."""
    return t.all("figures_founded", _asked(span))


def standing(t: Transaction, span: Span, ends: Sequence[tuple[date, datetime]]) -> Iterator[tuple[date, str, int]]:
    """Count memories by day and kind that stood at each day's end."""
    days = {"days": [day for day, _ in ends], "ends": [end for _, end in ends]}
    for row in t.all("figures_standing", {**_asked(span), **days}):
        yield row["day"], row["kind"], row["n"]


def extractions(t: Transaction, span: Span) -> Iterator[tuple[date, str]]:
    """Yield what was made of each content, with the day of its receipt."""
    for row in t.stream("figures_extractions", _asked(span)):
        yield row["day"], row["body"]


def bundles(t: Transaction, span: Span) -> Iterator[StoredBundle]:
    """Yield what each bundle gave, as far as its trace is kept."""
    for row in t.stream("figures_given", _asked(span)):
        forced = frozenset(named(row["forced"]))
        yield StoredBundle(row["day"], row["subject_id"], row["query"], tuple(named(row["given"])), forced)


def kinds(t: Transaction, memory_ids: Collection[str]) -> dict[str, str]:
    """Return the kind of each memory that is there."""
    return {row["id"]: row["kind"] for row in t.all("kinds_of_memories", {"ids": sorted(memory_ids)})}


def _asked(span: Span) -> dict[str, datetime | str | None]:
    return {"since": span.since, "now": span.now, "subject_id": span.subject}
