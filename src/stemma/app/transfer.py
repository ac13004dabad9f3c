"""The use cases that carry a whole log out and in as lines of JSON, in the memory that one batch takes (R-2, R-92)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

from pydantic import ValidationError

from stemma.app import document_erasure, log_documents
from stemma.app.episode_form import check_texts
from stemma.app.log_import import Batch, ExtractionRecord, Tally, join_batch
from stemma.app.log_records import read_as, record_of_line, stored_records
from stemma.app.log_settle import settle
from stemma.app.models_transfer import (
    ActLine,
    ClaimKeyLine,
    CorpusLine,
    DocumentLine,
    DocumentRevisionLine,
    EpisodeLine,
    EventLine,
    ExportResult,
    ExtractionLine,
    ImportResult,
    LineError,
    LogLine,
    SecretLine,
    SourceLine,
    TombstoneLine,
    log_line,
)
from stemma.app.problems import refusal
from stemma.app.runtime import Runtime
from stemma.core import codec, log_lines
from stemma.errors import ForeignTenant, InvalidInput, MalformedJson, UnknownFormat
from stemma.record_json import decode, plain
from stemma.records import ClaimKey, Extraction, HumanAct, Source
from stemma.store import registry, transfer
from stemma.store.connection import Isolation
from stemma.store.erasure import Secret, StoredTombstone
from stemma.store.transaction import Transaction
from stemma.text import utc

_MOST_ERRORS: Final = 1_000


def export_log(runtime: Runtime, tenant: str, write: Callable[[str], object]) -> ExportResult:
    """Write every record of a tenant's log, one a line after a header, as of one instant and in one order.

    Two exports of one log are the same bytes. What is derived is not part of it.
    """
    records = -1
    with runtime.store.transaction(tenant, read_only=True, isolation=Isolation.REPEATABLE_READ) as t:
        for line in _lines(t):
            write(line)
            records += 1
    return ExportResult(records=records)


def import_log(runtime: Runtime, tenant: str, lines: Iterable[str]) -> ImportResult:
    """Join another log, as its export tells it, with a tenant's: in either order, any number of times, the same log.

    A line that is no record is named by its number and left out. Raises UnknownFormat without a header of this format.
    """
    numbered = enumerate(lines, start=1)
    origin = _origin(numbered)
    tally, stones, at = Tally(), False, runtime.now()
    for batch in _batches(numbered, tally, tenant, origin, runtime.settings.import_records):
        stones = stones or bool(batch.tombstones)
        work = partial(join_batch, batch=batch, shipped=runtime.shipped, ruler=runtime.ruler, at=at)
        tally.add(runtime.store.run(tenant, work))
    erased = 0
    if stones or tally.refused:
        erased = settle(runtime, tenant) + document_erasure.settle(runtime, tenant)
    return ImportResult(
        changed=tally.changed,
        unchanged=tally.unchanged,
        refused=tally.refused,
        rejected=len(tally.errors),
        erased=erased,
        errors=tuple(sorted(tally.errors, key=lambda one: one.line)[:_MOST_ERRORS]),
    )


def _lines(t: Transaction) -> Iterator[str]:
    yield log_lines.header(t.tenant)
    for row in t.all("all_sources"):
        yield log_lines.source_line(registry.source_of(row), row["set_at"])
    for row in t.all("all_claim_keys"):
        yield log_lines.claim_key_line(registry.claim_key_of(row), row["set_at"])
    for secret in transfer.secrets(t):
        named = {"secret_id": secret.secret_id, "secret": secret.secret.hex(), "recorded_at": plain(secret.recorded_at)}
        yield log_lines.line("secret", named)
    for stone in transfer.tombstones(t):
        yield log_lines.line("tombstone", _tombstone(stone))
    for page in transfer.episode_pages(t):
        for record in stored_records(t, page).values():
            yield log_lines.episode_line(record)
    for row in transfer.extractions(t):
        named = {name: plain(row[name]) for name in ("subject_id", "key", "content_hash", "extractor", "recorded_at")}
        yield log_lines.line("extraction", {**named, "body": json.loads(row["body"])})
    yield from log_documents.lines(t)
    for row in transfer.acts(t):
        yield log_lines.act_line(decode(HumanAct, row["body"]))


def _tombstone(stone: StoredTombstone) -> dict[str, Any]:
    return {
        "secret_id": stone.secret_id,
        "digest": stone.digest.hex(),
        "covers_until": plain(stone.covers_until),
        "erased_at": plain(stone.erased_at),
    }


def _origin(numbered: Iterator[tuple[int, str]]) -> str:
    """Read the header and give the tenant it names."""
    first = next(numbered, (0, ""))[1]
    try:
        found = json.loads(first)
    except ValueError as error:
        raise UnknownFormat(f"the first line is no header of an export ({log_lines.FORMAT})") from error
    if (
        not isinstance(found, dict)
        or found.get("format") != log_lines.FORMAT
        or not isinstance(found.get("tenant"), str)
    ):
        raise UnknownFormat(f"this is no export of the format {log_lines.FORMAT}")
    return str(found["tenant"])


def _batches(numbered: Iterable[tuple[int, str]], tally: Tally, tenant: str, origin: str, most: int) -> Iterator[Batch]:
    batch, size = Batch(), 0
    for number, text in numbered:
        if not text.strip():
            continue
        try:
            _put(batch, number, _parsed(text), foreign=origin != tenant)
        except InvalidInput as error:
            tally.errors.append(LineError(line=number, code=error.code, detail=error.detail))
            continue
        size += 1
        if size == most:
            yield batch
            batch, size = Batch(), 0
    if size:
        yield batch


def _parsed(text: str) -> LogLine:
    try:
        found = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise MalformedJson(f"not JSON: {error}") from error
    if not isinstance(found, Mapping):
        raise InvalidInput("a record is an object")
    check_texts(found, field="the record")
    try:
        return log_line().validate_python(found)
    except ValidationError as error:
        raise refusal(error) from error


def _put(batch: Batch, number: int, line: LogLine, *, foreign: bool) -> None:
    """Add what a line tells of to its batch; raises InvalidInput where it contradicts itself."""
    match line:
        case SourceLine():
            source = Source(name=line.name, key_policy=line.key_policy, authority=line.authority)
            batch.sources.append((source, utc(line.set_at)))
        case ClaimKeyLine():
            batch.claim_keys.append((_claim_key(line), utc(line.set_at)))
        case SecretLine():
            secret = Secret(line.secret_id, bytes.fromhex(line.secret), utc(line.recorded_at))
            batch.secrets.append(secret)
        case TombstoneLine():
            until = None if line.covers_until is None else utc(line.covers_until)
            digest = bytes.fromhex(line.digest)
            batch.tombstones.append((number, StoredTombstone(line.secret_id, digest, until, utc(line.erased_at))))
        case EpisodeLine():
            batch.episodes.append(record_of_line(line))
        case ExtractionLine():
            batch.extractions.append(_extraction(line))
        case CorpusLine() | DocumentRevisionLine() | DocumentLine() | EventLine():
            batch.documents.append((number, line))
        case ActLine():
            if foreign:
                raise ForeignTenant("a human act names memories by ids of its tenant: import it under that name")
            batch.acts.append(_act(line))


def _claim_key(line: ClaimKeyLine) -> ClaimKey:
    return ClaimKey(
        name=line.name,
        cardinality=line.cardinality,
        kind=line.kind,
        policy=line.policy,
        corroboration=line.corroboration,
        half_life_days=line.half_life_days,
    )


def _extraction(line: ExtractionLine) -> ExtractionRecord:
    found = codec.from_json(json.dumps(line.body))
    read_as(Extraction, plain(found), "body")
    body = codec.to_json(found)
    return ExtractionRecord(line.subject_id, line.key, line.content_hash, line.extractor, body, utc(line.recorded_at))


def _act(line: ActLine) -> HumanAct:
    act = read_as(HumanAct, line.act, "act")
    return replace(act, recorded_at=utc(act.recorded_at))


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")
