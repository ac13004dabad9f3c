"""What becomes of one event, by what is known of its id, its corpus and its document (R-64). IO is `app`'s."""

from __future__ import annotations

from dataclasses import dataclass

from stemma.document_records import Event, EventOp, EventStatus, Head, KnownEvent

ALREADY_ABSENT = "already_absent"
ERASED = "erased"


@dataclass(frozen=True, slots=True)
class Ruling:
    """The status of one event, why, and whether its document is to be written. `code` and `detail` when rejected."""

    status: EventStatus
    code: str | None = None
    detail: str | None = None
    note: str | None = None
    writes: bool = False


def decide(
    event: Event, known: KnownEvent | None, head: Head | None, *, corpus_is_live: bool, is_erased: bool
) -> Ruling:
    """Rule on a well-formed event.

    An applied id is settled for ever: the same payload is a duplicate, another is refused. Any other id is judged anew
    each time, so a rejected one may come again corrected.
    """
    if known is not None and known.status is EventStatus.APPLIED:
        if known.payload_hash == event.payload_hash:
            return Ruling(EventStatus.DUPLICATE)
        told = "another payload was applied under this event_id; a change needs an id of its own"
        return _rejected("event_id_reused", told)
    if not corpus_is_live:
        return _rejected("unknown_corpus", f"there is no corpus {event.corpus!r}; the first PUT of a document makes it")
    if event.op is EventOp.UPSERT and not (event.text or "").strip():
        return _rejected("text_missing", "an upsert carries the text of its document; this one has none")
    if is_erased:
        return _rejected(ERASED, "this document was erased; it is not taken in again")
    return _placed(event, head)


def _placed(event: Event, head: Head | None) -> Ruling:
    """Hold an event against the position that its document is at; a position outlives a delete."""
    if head is not None and head.position is not None:
        if event.position is None:
            told = f"this document is at position {head.position}; its events carry a position"
            return _rejected("position_missing", told)
        if event.position <= head.position:
            return Ruling(EventStatus.SUPERSEDED)
    is_absent = head is None or head.revision is None
    if event.op is EventOp.DELETE and is_absent:
        # Only a position is worth remembering of what was not there.
        return Ruling(EventStatus.APPLIED, note=ALREADY_ABSENT, writes=event.position is not None)
    return Ruling(EventStatus.APPLIED, writes=True)


def _rejected(code: str, detail: str) -> Ruling:
    return Ruling(EventStatus.REJECTED, code=code, detail=detail)
