"""A stored memory as it reads at a moment: the wire form of rows, decisions and conflicts. Decides nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from stemma.app import models_memories as wire
from stemma.app.document_states import Sources, sources
from stemma.core.acts import said_in
from stemma.core.claims import ASSISTANT
from stemma.core.status import HELD_REASONS, status_at
from stemma.record_json import decode
from stemma.records import Injection, Status
from stemma.state import Conflict, Decision, Evidence, MemoryRow
from stemma.store import memories as stored
from stemma.store.transaction import Row, Transaction

NOT_DERIVED = "not_derived"
ACT_PREFIX = "act:"


def memories(
    t: Transaction, rows: Sequence[Row], now: datetime, evidence: Mapping[str, Sequence[Evidence]] | None = None
) -> list[wire.Memory]:
    """Read rows with their evidence, by default the stored one, at `now`."""
    if evidence is None:
        evidence = stored.evidence_of(t, [row["id"] for row in rows])
    subjects = {row["id"]: row["subject_id"] for row in rows}
    found = sources(
        t, subjects, {row["id"]: row["extractor"] for row in rows}, {one: evidence.get(one, ()) for one in subjects}
    )
    return [memory(t.tenant, row, evidence.get(row["id"], ()), now, found.get(row["id"], Sources())) for row in rows]


def memory(
    tenant: str, stored_row: Row, evidence: Iterable[Evidence], now: datetime, learned_from: Sources
) -> wire.Memory:
    """Read one row: its status at `now`, its claim, its documents, one entry per saying."""
    row = decode(MemoryRow, stored_row["body"])
    status, reason, _ = status_of(row, derived=stored_row["derived"], now=now)
    held = status is Status.QUARANTINED and reason in HELD_REASONS
    return wire.Memory(
        id=row.id,
        subject_id=row.subject_id,
        kind=row.kind,
        original_kind=row.original_kind,
        injection=Injection(row.injection),
        authority=row.authority,
        text=row.text,
        claim=_claim(row),
        status=status,
        importance=row.importance,
        confidence=row.confidence,
        first_said_at=row.first_said_at,
        last_said_at=row.last_said_at,
        times_said=row.times_said,
        independent_origins=row.independent_origins,
        valid_from=row.valid_from,
        valid_to=row.valid_to,
        stale=learned_from.stale,
        superseded_by=row.superseded_by,
        superseded_from=row.superseded_from,
        spells=row.spells,
        held=wire.HeldMark(reason=reason) if held and reason is not None else None,
        last_recalled_at=stored_row["last_recalled_at"],
        recall_count=stored_row["recall_count"] or 0,
        extractor=stored_row["extractor"],
        documents=learned_from.documents,
        voice=row.voice,
        episodes=tuple(_saying(tenant, row.subject_id, each, _role_of(row)) for each in evidence),
    )


def status_of(row: MemoryRow, *, derived: bool, now: datetime) -> tuple[Status, str | None, str | None]:
    """Say where a stored row stands; one that is no longer derived is journal."""
    if not derived:
        return Status.TOMBSTONED, NOT_DERIVED, None
    return status_at(row, now)


def _role_of(row: MemoryRow) -> str:
    """Say who speaks in a memory's sayings: the assistant, or one of those who write as the user."""
    return ASSISTANT if row.voice == ASSISTANT else "user"


def _claim(row: MemoryRow) -> wire.StatedValue | None:
    if row.claim_key is None:
        return None
    return wire.StatedValue(key=row.claim_key, value=row.shown, polarity=row.polarity)


def _saying(tenant: str, subject: str, evidence: Evidence, role: str) -> wire.MemoryEpisode:
    return wire.MemoryEpisode(
        episode_id=said_in(tenant, subject, evidence.key, evidence.content_hash),
        key=evidence.key,
        occurred_at=evidence.occurred_at,
        role=role,
        effect=evidence.role,
        span=wire.Span(start=evidence.start, end=evidence.end, message=evidence.message),
        source=evidence.source,
        speaker=evidence.speaker,
        dead=evidence.dead,
    )


def decisions(t: Transaction, subject: str, rows: Sequence[Row]) -> list[wire.Decision]:
    """Read rulings of the journal with the texts of both sides."""
    ruled = [decode(Decision, row["body"]) for row in rows]
    sides = sorted({name for each in ruled for name in (each.winner_id, each.loser_id) if name is not None})
    texts = {row["id"]: decode(MemoryRow, row["body"]).text for row in t.all("memories_by_id", {"ids": sides})}
    return [decision(t.tenant, subject, row, texts) for row in rows]


def decision(tenant: str, subject: str, stored_row: Row, texts: Mapping[str, str]) -> wire.Decision:
    """Read one ruling of the journal; `texts` are those of memories, by id."""
    ruled = decode(Decision, stored_row["body"])
    return wire.Decision(
        id=ruled.id,
        rule=ruled.rule,
        winner_id=ruled.winner_id,
        loser_id=ruled.loser_id,
        winner_episodes=tuple(_spoken(tenant, subject, key) for key in ruled.winner_episodes),
        loser_episodes=tuple(_spoken(tenant, subject, key) for key in ruled.loser_episodes),
        score=ruled.score,
        threshold=ruled.threshold,
        decided_at=stored_row["decided_at"],
        undone_at=stored_row["undone_at"],
        extractor=stored_row["extractor"],
        at=ruled.at,
        subject_id=subject,
        winner_text=texts.get(ruled.winner_id or ""),
        loser_text=texts.get(ruled.loser_id),
    )


def _spoken(tenant: str, subject: str, key: str) -> str:
    # A third value is said in no episode but in the act of whoever worded it.
    return said_in(tenant, subject, key, key.removeprefix(ACT_PREFIX))


def conflict(subject: str, stored_row: Row, now: datetime) -> wire.Conflict:
    """Read one conflict: open until its end, resolved where a ruling ended it, else closed."""
    found = decode(Conflict, stored_row["body"])
    status = "open"
    if not stored_row["derived"] or (found.closed_at is not None and found.closed_at <= now):
        status = "resolved" if found.resolution is not None else "closed"
    return wire.Conflict.model_validate(
        {
            "id": found.id,
            "status": status,
            "reason": found.reason,
            "claim_key": found.claim_key,
            "memory_ids": found.memory_ids,
            "opened_by": found.opened_by,
            "resolution": found.resolution,
            "subject_id": subject,
            "opened_at": found.opened_at,
            "closed_at": found.closed_at,
        }
    )
