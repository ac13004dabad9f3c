"""The event log as stored: what is known of an id, and one row for each. What becomes of an event is `core/event`'s."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from stemma.document_records import EventStatus, KnownEvent
from stemma.store.transaction import Row, Transaction


def known(t: Transaction, event_keys: Iterable[str]) -> dict[str, KnownEvent]:
    """Return what is known of events by key."""
    rows = t.all("events_by_key", {"event_keys": sorted(set(event_keys))})
    return {
        row["event_key"]: KnownEvent(EventStatus(row["status"]), row["payload_hash"], row["document_id"])
        for row in rows
    }


def put(t: Transaction, event: Mapping[str, Any]) -> None:
    """Write an event's row; one that was applied stays as it is."""
    t.execute("put_event", event)


def stored(t: Transaction, event_keys: Iterable[str]) -> dict[str, Row]:
    """Return whole rows of events by key."""
    rows = t.all("event_rows_by_key", {"event_keys": sorted(set(event_keys))})
    return {row["event_key"]: row for row in rows}


def replace(t: Transaction, event: Mapping[str, Any]) -> None:
    """Write an event's row over what stood there."""
    t.execute("replace_event", event)


def forget_names(t: Transaction, corpus_id: str, external_id: str) -> None:
    """Take the name of an erased document out of its events; the rows stay."""
    t.execute("forget_names_in_events", {"corpus_id": corpus_id, "external_id": external_id})


def of_corpus(t: Transaction, corpus_id: str, *, after: tuple[datetime, int, str] | None, limit: int) -> list[Row]:
    """Return events of a corpus in the order they came in, after the one named."""
    at, place, key = after or (datetime(1, 1, 1, tzinfo=UTC), -1, "")
    named = {"corpus_id": corpus_id, "after_at": at, "after_place": place, "after_key": key, "limit": limit}
    return t.all("events_of_corpus", named)
