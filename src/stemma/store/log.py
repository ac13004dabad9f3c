"""Reading the log for a derivation: episodes by group, extractions, human acts, dirty rows. The door writes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta, timezone
from typing import Any
from uuid import UUID

from stemma.record_json import decode
from stemma.records import Content, DocumentPin, HumanAct, KeyPolicy, LogEpisode, SaidBy, Saying
from stemma.store.transaction import Row, Transaction

WHOLE_SUBJECT = "*"
ACT_PREFIX = "act:"


def news(t: Transaction, subject: str) -> Row | None:
    """Return `state_hash`, `extractor` and whether anything is `dirty`; None where the subject is unknown."""
    return t.maybe("subject_news", {"subject_id": subject})


def subjects_with_news(t: Transaction, extractor: str, after: str, limit: int) -> list[str]:
    """Return subjects with something new, in order, after the one named."""
    rows = t.all("subjects_with_news", {"extractor": extractor, "after": after, "limit": limit})
    return [row["subject_id"] for row in rows]


def tenants(t: Transaction) -> list[str]:
    """Return every tenant of the store."""
    return [row["tenant_id"] for row in t.all("tenant_names")]


def dirty(t: Transaction, subject: str, limit: int) -> list[tuple[UUID, str]]:
    """Return (id, group) of what the last compile has not seen: every row of at most `limit` rows' groups."""
    groups = {row["group_id"] for row in t.all("dirty_groups", {"subject_id": subject, "limit": limit})}
    rows = t.all("dirty_rows", {"subject_id": subject, "groups": sorted(groups)})
    return [(row["dirty_id"], row["group_id"]) for row in rows]


def mark_dirty(t: Transaction, subject: str, groups: Iterable[str]) -> None:
    """Say that groups of a subject have something new."""
    t.execute("add_dirty", {"subject_id": subject, "groups": list(groups)})


def clear_dirty(t: Transaction, subject: str, ids: Sequence[UUID]) -> None:
    """Delete exactly the dirty rows that were read."""
    t.execute("clear_dirty", {"subject_id": subject, "dirty_ids": list(ids)})


def uncompiled(t: Transaction, subject: str) -> int:
    """Count the groups that wait for a compile."""
    return int(t.one("uncompiled_count", {"subject_id": subject})["uncompiled"])


def uncompiled_of_tenant(t: Transaction) -> int:
    """Count the groups of all subjects that wait for a compile."""
    return int(t.one("uncompiled_of_tenant")["uncompiled"])


def all_groups(t: Transaction, subject: str) -> list[str]:
    """Return every group of a subject, of the log and of the stored points."""
    return [row["group_id"] for row in t.all("group_ids_of_subject", {"subject_id": subject})]


def groups_of_episodes(t: Transaction, episode_ids: Sequence[str]) -> list[str]:
    """Return the groups that some episodes belong to."""
    if not episode_ids:
        return []
    return [row["group_id"] for row in t.all("group_ids_of_episodes", {"episode_ids": list(episode_ids)})]


def episodes_of_groups(t: Transaction, subject: str, groups: Sequence[str]) -> list[LogEpisode]:
    """Return whole episodes, each with its revisions and sayings."""
    heads = t.all("episodes_of_groups", {"subject_id": subject, "groups": list(groups)})
    return _with_contents(t, heads)


def pinned_episodes(t: Transaction, episode_ids: Sequence[str]) -> list[LogEpisode]:
    """Return those of some episodes that were learned from a document, whole."""
    return _with_contents(t, t.all("pinned_episodes", {"episode_ids": list(episode_ids)}))


def _with_contents(t: Transaction, heads: Sequence[Row]) -> list[LogEpisode]:
    ids = {"episode_ids": [head["episode_id"] for head in heads]}
    revisions: dict[str, dict[str, Content]] = {}
    for row in t.all("revisions_of_episodes", ids):
        revisions.setdefault(row["episode_id"], {})[row["content_hash"]] = decode(Content, row["content"])
    sayings: dict[str, list[Saying]] = {}
    for row in t.all("sayings_of_episodes", ids):
        sayings.setdefault(row["episode_id"], []).append(saying_of(row))
    return [
        episode_of(head, revisions.get(head["episode_id"], {}), sayings.get(head["episode_id"], ())) for head in heads
    ]


def episode_of(head: Row, revisions: Mapping[str, Content], sayings: Iterable[Saying]) -> LogEpisode:
    """Put an episode together from its row, its revisions and its sayings."""
    pin = None
    if head["document_corpus"] is not None:
        pin = DocumentPin(head["document_corpus"], head["document_external_id"], head["document_revision"])
    return LogEpisode(
        subject_id=head["subject_id"],
        key=head["key"],
        episode_id=head["episode_id"],
        policy=KeyPolicy(head["policy"]),
        source=head["source"],
        revisions=dict(revisions),
        sayings=tuple(sayings),
        recorded_at=head["recorded_at"],
        speaker=head["speaker"],
        said_by=SaidBy(head["said_by"]),
        business_key=head["business_key"],
        document=pin,
        metadata=head["metadata"],
    )


def saying_of(row: Row) -> Saying:
    """Read a saying; its time gets back the offset it came with."""
    zone = timezone(timedelta(minutes=row["offset_minutes"]))
    times: tuple[datetime | None, ...] = ()
    if row["message_times"] is not None:
        times = decode(_TIMES, row["message_times"])
    return Saying(
        content_hash=row["content_hash"],
        occurred_at=row["occurred_at"].astimezone(zone),
        sound=row["sound"],
        recorded_at=row["recorded_at"],
        session_id=row["session_id"],
        message_times=times,
    )


_TIMES: Any = tuple[datetime | None, ...]


def extractions(t: Transaction, episode_ids: Sequence[str], extractor: str) -> dict[tuple[str, str], str]:
    """Return the cached extractions as JSON text by (episode id, content hash)."""
    if not episode_ids:
        return {}
    rows = t.all("extractions_of_episodes", {"episode_ids": list(episode_ids), "extractor": extractor})
    return {(row["episode_id"], row["content_hash"]): row["body"] for row in rows}


def put_extractions(
    t: Transaction, found: Mapping[tuple[str, str], str], *, extractor: str, recorded_at: datetime
) -> None:
    """Store extractions by (episode id, content hash); those that are there already stand."""
    t.execute(
        "put_extractions",
        {
            "episode_ids": [episode for episode, _ in found],
            "content_hashes": [content for _, content in found],
            "bodies": list(found.values()),
            "extractor": extractor,
            "recorded_at": recorded_at,
        },
    )


def acts(t: Transaction, subject: str) -> list[HumanAct]:
    """Return the human acts on a subject in order of (time, id)."""
    return [decode(HumanAct, row["body"]) for row in t.all("acts_in_order", {"subject_id": subject})]
