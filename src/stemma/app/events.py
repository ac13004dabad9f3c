"""The use cases of the event API: a batch taken in order, each event on its own, and the log of them (R-64)."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from stemma.app import document_content
from stemma.app import models_events as wire
from stemma.app.cursors import cursor_of, cursor_parts, moment_in, number_in
from stemma.app.document_content import Content
from stemma.app.document_writes import Description, DocumentWriter, erased_among
from stemma.app.documents import metadata_text
from stemma.app.models_base import ItemError, UnreadableItem
from stemma.app.problems import ask
from stemma.app.runtime import Runtime
from stemma.core import documents as names
from stemma.core.event import ERASED, Ruling, decide
from stemma.document_records import Event, EventOp, EventStatus, Head, KnownEvent
from stemma.errors import InvalidInput
from stemma.models.ruler import Ruler
from stemma.record_json import plain
from stemma.store import document_events, documents
from stemma.store.transaction import Transaction
from stemma.text import stamp, utc

_EVENTS = "events"


@dataclasses.dataclass(frozen=True, slots=True)
class _Formed:
    """One well-formed event with its content where it has one; or why it is none, with the id that could be read."""

    event: Event | None = None
    content: Content | None = None
    error: ItemError | None = None
    event_id: str | None = None


def add_events(runtime: Runtime, tenant: str, request: wire.AddEvents) -> wire.AddEventsResult:
    """Take a batch of events in order and answer one result each; what is applied can be searched at once."""
    formed = _with_contents(runtime, tenant, [_form(item, runtime) for item in request.events])
    at = runtime.now()
    results = runtime.store.run(tenant, lambda t: _Batch(t, at, formed, runtime.ruler).take())
    return wire.AddEventsResult(results=tuple(results))


def list_events(runtime: Runtime, tenant: str, request: wire.ListEvents) -> wire.EventPage:
    """Read the events of a corpus in the order they came in, those that were rejected too."""
    after = None
    if request.cursor:
        moment, place, key = cursor_parts(request.cursor, _EVENTS, 3)
        after = (moment_in(moment), number_in(place), key)
    corpus_id = names.corpus_id(tenant, request.corpus)
    with runtime.store.transaction(tenant, read_only=True) as t:
        rows = document_events.of_corpus(t, corpus_id, after=after, limit=request.limit + 1)
    page = rows[: request.limit]
    following = None
    if len(rows) > request.limit:
        last = page[-1]
        following = cursor_of(_EVENTS, stamp(last["recorded_at"]), str(last["place"]), last["event_key"])
    return wire.EventPage(items=tuple(_entry(row) for row in page), next_cursor=following)


def _form(item: Any, runtime: Runtime) -> _Formed:
    """Check one raw item and give the event it is, or why it is none."""
    if isinstance(item, UnreadableItem):
        return _Formed(error=ItemError(code=item.code, detail=item.detail))
    event_id = item.get("event_id") if isinstance(item, Mapping) else None
    name = event_id if isinstance(event_id, str) else None
    try:
        if not isinstance(item, Mapping):
            raise InvalidInput("an event is an object")
        asked = ask(wire.EventItem, item)
        metadata = metadata_text(asked.metadata, runtime.settings.metadata_bytes)
    except InvalidInput as error:
        return _Formed(error=ItemError(code=error.code, detail=error.detail), event_id=name)
    said = asked.model_dump(mode="python", exclude={"metadata", "event_id"})
    occurred_at = utc(asked.occurred_at) if asked.occurred_at else None
    hashed = {**said, "op": asked.op.value, "metadata": asked.metadata, "occurred_at": plain(occurred_at)}
    event = Event(event_id=asked.event_id, payload_hash=names.payload_hash(hashed), **{**said, "metadata": metadata})
    return _Formed(event=event, event_id=asked.event_id)


def _with_contents(runtime: Runtime, tenant: str, formed: list[_Formed]) -> list[_Formed]:
    """Read and cut the texts of those events that may be new, while no transaction is open."""
    keys = {names.event_key(tenant, one.event.event_id) for one in formed if one.event}
    known = runtime.store.run(tenant, lambda t: document_events.known(t, keys), read_only=True)
    settled = {key for key, found in known.items() if found.status is EventStatus.APPLIED}

    def is_settled(one: _Formed) -> bool:
        return one.event is not None and names.event_key(tenant, one.event.event_id) in settled

    return [one if is_settled(one) else _with_content(one, runtime.ruler) for one in formed]


def _with_content(one: _Formed, ruler: Ruler) -> _Formed:
    event = one.event
    if event is None or event.op is not EventOp.UPSERT or not (event.text or "").strip():
        return one
    try:
        content = _content(event, ruler)
    except InvalidInput as error:
        return _Formed(error=ItemError(code=error.code, detail=error.detail), event_id=one.event_id)
    return dataclasses.replace(one, content=content)


def _content(event: Event, ruler: Ruler) -> Content:
    return document_content.of_text(
        event.text or "", media_type=event.media_type, name=event.external_id, ruler=ruler, title=event.title
    )


class _Batch:
    """One batch inside its transaction: what is known of its ids, corpora and documents, as it changes on the way."""

    def __init__(self, t: Transaction, at: datetime, formed: list[_Formed], ruler: Ruler) -> None:
        documents.hold(t)
        self._t, self._at, self._formed, self._ruler = t, at, formed, ruler
        self._writer = DocumentWriter(t, at)
        events = [one.event for one in formed if one.event is not None]
        named = {(event.corpus, event.external_id) for event in events}
        self._known = document_events.known(t, (names.event_key(t.tenant, event.event_id) for event in events))
        corpora = documents.corpora(t, (names.corpus_id(t.tenant, corpus) for corpus, _ in named))
        self._live = {found.name for found in corpora.values() if found.is_live}
        self._heads = documents.heads(t, (names.document_id(t.tenant, *each) for each in named))
        self._erased = erased_among(t, named)

    def take(self) -> list[wire.EventResult]:
        """Take every event in order."""
        results = [self._take(place, one) for place, one in enumerate(self._formed)]
        self._writer.settle()
        return results

    def _take(self, place: int, one: _Formed) -> wire.EventResult:
        event = one.event
        if event is None:
            return wire.EventResult(event_id=one.event_id, status=EventStatus.REJECTED, error=one.error)
        key = names.event_key(self._t.tenant, event.event_id)
        document_id = names.document_id(self._t.tenant, event.corpus, event.external_id)
        known = self._known.get(key)
        ruling = decide(
            event,
            known,
            self._heads.get(document_id),
            corpus_is_live=event.corpus in self._live,
            is_erased=(event.corpus, event.external_id) in self._erased,
        )
        if ruling.status is EventStatus.DUPLICATE and known is not None:
            return wire.EventResult(event_id=event.event_id, status=ruling.status, document_id=known.document_id)
        try:
            with self._t.savepoint():
                head = self._apply(event, one.content, self._heads.get(document_id)) if ruling.writes else None
                if ruling.code != ERASED:
                    # Of what was erased not even the name is written again.
                    self._record(key, place, event, document_id, ruling)
        except InvalidInput as error:
            # Nothing of this one stands; the others of the batch do.
            return _result(event, document_id, Ruling(EventStatus.REJECTED, error.code, error.detail))
        if head is not None:
            self._heads[document_id] = head
        if known is None or known.status is not EventStatus.APPLIED:
            self._known[key] = KnownEvent(ruling.status, event.payload_hash, document_id)
        return _result(event, document_id, ruling)

    def _apply(self, event: Event, content: Content | None, old: Head | None) -> Head:
        named = (event.corpus, event.external_id)
        if event.op is EventOp.DELETE:
            return self._writer.delete(old, named, event.position)
        if content is None:
            content = _content(event, self._ruler)
        said = Description(
            title=content.title,
            uri=event.uri,
            metadata=event.metadata,
            derived_from=event.derived_from,
        )
        return self._writer.upsert(old, named, content, said, event.position)[1]

    def _record(self, key: str, place: int, event: Event, document_id: str, ruling: Ruling) -> None:
        document_events.put(
            self._t,
            {
                "event_key": key,
                "event_id": event.event_id,
                "corpus_id": names.corpus_id(self._t.tenant, event.corpus),
                "corpus": event.corpus,
                "external_id": event.external_id,
                "op": event.op.value,
                "position": event.position,
                "occurred_at": event.occurred_at,
                "payload_hash": event.payload_hash,
                "status": ruling.status.value,
                "document_id": None if ruling.status is EventStatus.REJECTED else document_id,
                "note": ruling.note,
                "error_code": ruling.code,
                "error_detail": ruling.detail,
                "place": place,
                "recorded_at": self._at,
            },
        )


def _result(event: Event, document_id: str, ruling: Ruling) -> wire.EventResult:
    is_rejected = ruling.status is EventStatus.REJECTED
    return wire.EventResult(
        event_id=event.event_id,
        status=ruling.status,
        document_id=None if is_rejected else document_id,
        error=ItemError(code=ruling.code or "", detail=ruling.detail or "") if is_rejected else None,
        note=ruling.note,
    )


def _entry(row: Mapping[str, Any]) -> wire.EventEntry:
    error = None
    if row["error_code"] is not None:
        error = ItemError(code=row["error_code"], detail=row["error_detail"] or "")
    shown: Iterable[str] = set(wire.EventEntry.model_fields) - {"error"}
    return wire.EventEntry(**{name: row[name] for name in shown}, error=error)
