"""Counting what a subject holds, and keeping the records of answers. What a record says is `core/traced`'s."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from stemma.store.transaction import Row, Transaction


def held(
    t: Transaction, subject: str, now: datetime, *, kinds: Sequence[str] | None, listed: int
) -> tuple[dict[str, int], list[tuple[str, str]]]:
    """Count a subject's memories by what becomes of them at `now`, and give (id, reason) of the first left out."""
    asked = {"subject_id": subject, "now": now, "kinds": None if kinds is None else list(kinds), "listed": listed}
    rows = t.all("held_memories", asked)
    counts = {row["reason"]: int(row["n"]) for row in rows if row["id"] is None}
    return counts, [(row["id"], row["reason"]) for row in rows if row["id"] is not None]


def turning(t: Transaction, subject: str, now: datetime) -> list[Row]:
    """Return the memories that do not stand at `now` and whose last turn is still to come."""
    return t.all("turning_memories", {"subject_id": subject, "now": now})


def count_episodes(t: Transaction, subject: str) -> int:
    """Count a subject's episodes."""
    return int(t.one("count_episodes", {"subject_id": subject})["n"])
