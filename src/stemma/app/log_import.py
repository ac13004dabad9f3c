"""One batch of another log's records, joined with this one in one transaction. Lines are read in `app/transfer`."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from stemma.app import log_documents, tombstones
from stemma.app.log_joins import LogJoins
from stemma.app.log_records import stored_records
from stemma.app.models_transfer import DocumentsLine, LineError
from stemma.app.tombstones import Erased
from stemma.core.merge import EpisodeRecord, cover_of, cut, merge, merge_acts
from stemma.core.registry import DEFAULT_AUTHORITY
from stemma.models.ruler import Ruler
from stemma.record_json import encode
from stemma.records import ClaimKey, HumanAct, Registry, Source
from stemma.store import acts, episodes, erasure, registry, transfer
from stemma.store.erasure import Secret, StoredTombstone
from stemma.store.transaction import Transaction
from stemma.text import episode_id


@dataclass(frozen=True, slots=True)
class ExtractionRecord:
    """A cached extraction as its stored JSON text."""

    subject_id: str
    key: str
    content_hash: str
    extractor: str
    body: str
    recorded_at: datetime


@dataclass(slots=True)
class Batch:
    """Some well-formed records by kind, in the order they are joined in; each tombstone with its line."""

    sources: list[tuple[Source, datetime]] = field(default_factory=list)
    claim_keys: list[tuple[ClaimKey, datetime]] = field(default_factory=list)
    secrets: list[Secret] = field(default_factory=list)
    tombstones: list[tuple[int, StoredTombstone]] = field(default_factory=list)
    episodes: list[EpisodeRecord] = field(default_factory=list)
    extractions: list[ExtractionRecord] = field(default_factory=list)
    acts: list[HumanAct] = field(default_factory=list)
    documents: list[tuple[int, DocumentsLine]] = field(default_factory=list)


@dataclass(slots=True)
class Tally:
    """What became of records."""

    changed: int = 0
    unchanged: int = 0
    refused: int = 0
    errors: list[LineError] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        """Count another tally in."""
        self.changed += other.changed
        self.unchanged += other.unchanged
        self.refused += other.refused
        self.errors += other.errors

    def count(self, changed: int, of: int) -> None:
        """Count records of which some changed anything."""
        self.changed += changed
        self.unchanged += of - changed


def join_batch(t: Transaction, batch: Batch, shipped: Registry, ruler: Ruler, at: datetime) -> Tally:
    """Join records with the log, which is held, so that no arrival or erasure comes in between."""
    tally = Tally()
    episodes.hold_log(t)
    episodes.put_tenant(t, at)
    for source, set_at in batch.sources:
        tally.count(_join_source(t, source, set_at), 1)
    for claim_key, set_at in batch.claim_keys:
        tally.count(_join_claim_key(t, claim_key, set_at, shipped), 1)
    if batch.secrets:
        tally.count(erasure.add_secrets(t, batch.secrets), len(batch.secrets))
    _join_tombstones(t, batch.tombstones, tally)
    _join_episodes(t, batch.episodes, tally)
    _join_extractions(t, batch.extractions, tally)
    _join_acts(t, batch.acts, tally)
    if batch.documents:
        joined = log_documents.join(t, batch.documents, at, ruler)
        tally.count(joined.changed, joined.changed + joined.unchanged)
        tally.refused += joined.refused
        tally.errors += joined.errors
    return tally


def _join_source(t: Transaction, source: Source, set_at: datetime) -> bool:
    stored = registry.stored_source(t, source.name)
    if stored is not None and (stored[1], encode(stored[0])) >= (set_at, encode(source)):
        return False
    registry.put_source(t, source, set_at)
    if source.authority != (stored[0].authority if stored else DEFAULT_AUTHORITY):
        registry.mark_subjects_of_source(t, source.name)
    return True


def _join_claim_key(t: Transaction, claim_key: ClaimKey, set_at: datetime, shipped: Registry) -> bool:
    stored = registry.stored_claim_key(t, claim_key.name)
    if stored is not None and (stored[1], encode(stored[0])) >= (set_at, encode(claim_key)):
        return False
    registry.put_claim_key(t, claim_key, set_at)
    if claim_key != (stored[0] if stored else shipped.claim_keys.get(claim_key.name)):
        registry.mark_subjects_of_claim_key(t, claim_key.name)
    return True


def _join_tombstones(t: Transaction, stones: list[tuple[int, StoredTombstone]], tally: Tally) -> None:
    if not stones:
        return
    known = {secret.secret_id for secret in erasure.secrets_of(t)}
    orphans = [number for number, stone in stones if stone.secret_id not in known]
    told = "no secret has come for this tombstone: keep the lines of an export in order"
    tally.errors += [LineError(line=number, code="invalid_record", detail=told) for number in orphans]
    kept = [stone for _, stone in stones if stone.secret_id in known]
    tally.count(erasure.put_tombstones(t, kept), len(kept))


def _join_episodes(t: Transaction, records: list[EpisodeRecord], tally: Tally) -> None:
    if not records:
        return
    events = {(one.subject_id, one.business_key) for one in records if one.business_key is not None}
    erased = tombstones.load(t, {(one.subject_id, one.key) for one in records}, events)
    stored = stored_records(t, episodes.by_id(t, {_id(t, one) for one in records}))
    joins = LogJoins(t.tenant)
    added: list[StoredTombstone] = []
    wanted: dict[str, EpisodeRecord] = {}
    for record in records:
        left = _left_of(record, erased, added)
        if left is None:
            tally.refused += 1
            continue
        own = _id(t, record)
        before = wanted.get(own) or _uncovered(stored.get(own), erased)
        wanted[own] = left if before is None else merge(before, left)
        tally.count(wanted[own] != before, 1)
    for own, record in wanted.items():
        joins.become(stored.get(own), record)
    joins.apply(t)
    erasure.put_tombstones(t, added)


def _left_of(record: EpisodeRecord, erased: Erased, added: list[StoredTombstone]) -> EpisodeRecord | None:
    """Give what tombstones leave of a record; both names of a refused one become tombstones, against its twins."""
    own = (record.subject_id, record.key)
    event = (record.subject_id, record.business_key or "")
    of_event = erased.of_event(event) if record.business_key is not None else None
    left = _uncovered(record, erased)
    if of_event is not None:
        last = max(at for _, at in record.sayings)
        stone = erased.mark(of_event).of_key(*own, record.policy, last)
        erased.keys.setdefault(own, []).append(stone)
        added.append(stone)
        return None
    if left is None and record.business_key is not None:
        stone = erased.mark(erased.keys[own][0]).of_event(*event)
        erased.events.setdefault(event, []).append(stone)
        added.append(stone)
    return left


def _uncovered(record: EpisodeRecord | None, erased: Erased) -> EpisodeRecord | None:
    if record is None:
        return None
    stones = erased.keys.get((record.subject_id, record.key), ())
    return cut(record, cover_of(stone.covers_until for stone in stones))


def _join_extractions(t: Transaction, found: list[ExtractionRecord], tally: Tally) -> None:
    if not found:
        return
    first: dict[tuple[str, str, str], ExtractionRecord] = {}
    for one in sorted(found, key=lambda each: (each.recorded_at, each.body.encode())):
        own = episode_id(t.tenant, one.subject_id, one.key)
        first.setdefault((own, one.content_hash, one.extractor), one)
    rows = [(*name, one.body, one.recorded_at) for name, one in first.items()]
    held = episodes.stored_contents(t, ((row[0], row[1]) for row in rows))
    kept = [row for row in rows if (row[0], row[1]) in held]
    changed = transfer.replace_extractions(t, kept)
    heads = episodes.by_id(t, set(changed))
    episodes.mark_groups_dirty(t, [(head["subject_id"], head["group_id"]) for head in heads])
    tally.refused += len(rows) - len(kept)
    tally.count(len(changed), len(kept))


def _join_acts(t: Transaction, found: list[HumanAct], tally: Tally) -> None:
    if not found:
        return
    erased = tombstones.load_for_acts(t, found)
    stored = acts.by_id(t, {act.id for act in found})
    wanted: dict[str, HumanAct] = {}
    added: list[StoredTombstone] = []
    for act in found:
        left = erased.left_of(act)
        if left is None:
            tally.refused += 1
            added += erased.stones_of(act)
            continue
        before = wanted.get(act.id) or (erased.left_of(stored[act.id]) if act.id in stored else None)
        wanted[act.id] = left if before is None else merge_acts(before, left)
        tally.count(wanted[act.id] != before, 1)
    acts.put_all(t, [act for name, act in wanted.items() if act != stored.get(name)])
    erasure.put_tombstones(t, added)


def _id(t: Transaction, record: EpisodeRecord) -> str:
    return episode_id(t.tenant, record.subject_id, record.key)
