"""Between the rows of the log, the records that are merged, and the lines of an export."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from stemma.app.episode_form import check_texts
from stemma.app.models_transfer import EpisodeLine
from stemma.core.content import content_hash
from stemma.core.merge import EpisodeRecord, RevisionRecord, SayingRecord
from stemma.errors import InvalidInput
from stemma.record_json import encode
from stemma.records import Content, DocumentPin, KeyPolicy
from stemma.store import episodes, log
from stemma.store.transaction import Row, Transaction
from stemma.text import utc

T = TypeVar("T")
_ADAPTERS: dict[Any, TypeAdapter[Any]] = {}


def stored_records(t: Transaction, heads: Iterable[Row]) -> dict[str, EpisodeRecord]:
    """Return whole records of episodes by id, from their rows in `episodes`."""
    listed = list(heads)
    ids = [head["episode_id"] for head in listed]
    revisions: dict[str, dict[str, RevisionRecord]] = {each: {} for each in ids}
    for row in episodes.revisions_of(t, ids):
        found = RevisionRecord(row["content"], row["recorded_at"])
        revisions[row["episode_id"]][row["content_hash"]] = found
    sayings: dict[str, dict[tuple[str, datetime], SayingRecord]] = {each: {} for each in ids}
    for row in episodes.sayings_of(t, ids):
        saying = log.saying_of(row)
        sayings[row["episode_id"]][(saying.content_hash, utc(saying.occurred_at))] = SayingRecord(
            saying.occurred_at, saying.sound, saying.recorded_at, saying.session_id, saying.message_times
        )
    return {head["episode_id"]: _record(head, revisions, sayings) for head in listed}


def record_of_line(line: EpisodeLine) -> EpisodeRecord:
    """Return the record that a line tells of; raises InvalidInput where it contradicts itself."""
    pin = None
    if line.document is not None:
        pin = DocumentPin(line.document.corpus, line.document.external_id, line.document.revision or "")
    revisions = {}
    for place, each in enumerate(line.revisions):
        content = read_as(Content, each.content, f"revisions.{place}.content")
        if content_hash(content, pin) != each.content_hash:
            raise InvalidInput(f"revisions.{place}: the content is not the one that content_hash names")
        _check_metadata(content.metadata)
        revisions[each.content_hash] = RevisionRecord(encode(content), utc(each.recorded_at))
    sayings = {
        (each.content_hash, utc(each.occurred_at)): SayingRecord(
            each.occurred_at, each.sound, utc(each.recorded_at), each.session_id, each.message_times
        )
        for each in line.sayings
    }
    record = EpisodeRecord(
        subject_id=line.subject_id,
        key=line.key,
        policy=line.policy,
        source=line.source,
        speaker=line.speaker,
        said_by=line.said_by,
        business_key=line.business_key,
        document=pin,
        metadata=line.metadata,
        recorded_at=utc(line.recorded_at),
        revisions=revisions,
        sayings=sayings,
    )
    _check(record)
    return record


def read_as(kind: type[T], found: Mapping[str, Any], where: str) -> T:
    """Read a frozen record from its JSON fields; raises InvalidInput for a wrong type or a time without a zone."""
    try:
        record: T = _adapter(kind).validate_python(found)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        path = ".".join(str(part) for part in (where, *first["loc"]))
        raise InvalidInput(f"{path}: {first['msg']}", field=path) from error
    _require_zones(record, where)
    return record


def _record(
    head: Row,
    revisions: Mapping[str, Mapping[str, RevisionRecord]],
    sayings: Mapping[str, Mapping[tuple[str, datetime], SayingRecord]],
) -> EpisodeRecord:
    episode = log.episode_of(head, {}, ())
    return EpisodeRecord(
        subject_id=episode.subject_id,
        key=episode.key,
        policy=episode.policy,
        source=episode.source,
        speaker=episode.speaker,
        said_by=episode.said_by,
        business_key=episode.business_key,
        document=episode.document,
        metadata=episode.metadata,
        recorded_at=episode.recorded_at,
        revisions=revisions[episode.episode_id],
        sayings=sayings[episode.episode_id],
    )


def _check(record: EpisodeRecord) -> None:
    said = {name for name, _ in record.sayings}
    if said != record.revisions.keys():
        raise InvalidInput("every content has a saying, and every saying a content")
    if record.policy is not KeyPolicy.REVISION and len(record.revisions) != 1:
        raise InvalidInput(f"under the policy {record.policy.value} a key has one content")
    if record.policy is KeyPolicy.IDENTITY and len(record.sayings) != 1:
        raise InvalidInput("under the policy identity a key has one saying")
    if record.policy is KeyPolicy.CONTENT and record.key not in record.revisions:
        raise InvalidInput("under the policy content the key is the hash of the content")
    _check_metadata(record.metadata)


def _check_metadata(text: str | None) -> None:
    try:
        check_texts(json.loads(text or "{}"), field="metadata")
    except (ValueError, RecursionError) as error:
        raise InvalidInput("metadata is a JSON text", field="metadata") from error


def _adapter(kind: Any) -> TypeAdapter[Any]:
    found = _ADAPTERS.get(kind)
    if found is None:
        found = _ADAPTERS[kind] = TypeAdapter(kind)
    return found


def _require_zones(value: Any, where: str) -> None:
    if isinstance(value, datetime):
        utc(value, field=where)
    elif is_dataclass(value):
        for each in fields(value):
            _require_zones(getattr(value, each.name), f"{where}.{each.name}")
    elif isinstance(value, (tuple, list)):
        for place, each in enumerate(value):
            _require_zones(each, f"{where}.{place}")
