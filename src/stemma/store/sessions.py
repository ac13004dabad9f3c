"""What conversations were given, by id. Which of it stays out of their next prompts is `core/admit/cooldown`'s."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime

from stemma.store import traces
from stemma.store.transaction import Transaction
from stemma.text import hash_parts


def is_closed(t: Transaction, session_id: str) -> bool:
    """Say whether a conversation was reset."""
    return t.maybe("closed_session", {"session": _digest(session_id)}) is not None


def close(t: Transaction, session_id: str, at: datetime) -> bool:
    """Reset a conversation and forget what it was given; False where it was reset before."""
    session = _digest(session_id)
    if not t.execute("close_session", {"session": session, "at": at}):
        return False
    t.execute("erase_bundles_of_session", {"session": session})
    return True


def given(t: Transaction, session_id: str, *, since: datetime, most: int) -> list[frozenset[str]]:
    """Return the memories that each of a conversation's last bundles gave, the newest bundle first."""
    asked = {"session": _digest(session_id), "since": since, "most": most}
    return [frozenset(row["memory_ids"]) for row in t.all("bundles_of_session", asked)]


def put(
    t: Transaction, session_id: str, subject: str | None, memory_ids: Collection[str], *, at: datetime, kept: int
) -> None:
    """Store one bundle of a conversation, and keep the newest `kept` of it alone.

    What was erased while the bundle was made is not named.
    """
    # After the lock an erasure that was under way is over.
    there = traces.hold_subjects(t, {subject} if subject is not None else ())
    known = traces.known(t, memory_ids) if there else set()
    session = _digest(session_id)
    row = {"session": session, "subject_id": subject if there else None, "at": at}
    if t.execute("put_session_bundle", {**row, "memory_ids": sorted(known)}):
        t.execute("erase_older_bundles_of_session", {"session": session, "kept": kept})


def erase_of_subject(t: Transaction, subject: str) -> int:
    """Delete the bundles of a subject, and say how many."""
    return t.execute("erase_session_bundles_of_subject", {"subject_id": subject})


def take_out(t: Transaction, subject: str, memory_ids: Iterable[str]) -> int:
    """Name some of a subject's memories no more, and say in how many bundles they were named."""
    return t.execute("take_out_of_session_bundles", {"subject_id": subject, "memory_ids": list(memory_ids)})


def prune(t: Transaction, *, oldest: datetime) -> int:
    """Delete the bundles from before `oldest`, and say how many."""
    return t.execute("prune_session_bundles", {"oldest": oldest})


def _digest(session_id: str) -> str:
    return hash_parts("conversation", session_id)
