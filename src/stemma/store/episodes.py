"""Writing episodes, revisions and sayings, set by set, and reading them back. What to write is `core/door`'s."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from stemma.record_json import encode
from stemma.records import LogEpisode, Saying
from stemma.store.connection import lock_key
from stemma.store.transaction import Row, Transaction

# Names of locks; a subject's own lock is its id, and no id starts with a NUL.
_LOG_LOCK: Final = "\0log"
_EVENT_LOCK: Final = "\0event"
# A batch may name a thousand events: taken by bucket, so that the server's table of locks cannot fill up.
_EVENT_BUCKETS: Final = 256

Content = tuple[str, str]
Occasion = tuple[str, str, datetime]
Stamped = tuple[bool, datetime, str]
Columns = dict[str, list[Any]]


@dataclass(slots=True)
class StoredKey:
    """What the log holds of one key, of what was asked: its policy, contents, sayings, and the current revision."""

    policy: str
    group: str
    business_key: str | None
    pinned: str | None = None
    contents: set[str] = field(default_factory=set)
    sayings: set[tuple[str, datetime]] = field(default_factory=set)
    current: Stamped | None = None


def share_log(t: Transaction) -> None:
    """Keep erasures and imports of this tenant out until the transaction ends."""
    t.execute("share_log", {"key": lock_key(t.tenant, _LOG_LOCK)})


def hold_log(t: Transaction) -> None:
    """Keep every other writer of this tenant's episodes out until the transaction ends."""
    t.execute("hold_log", {"key": lock_key(t.tenant, _LOG_LOCK)})


def hold_events(t: Transaction, groups: Iterable[str]) -> None:
    """Keep other writers of these business events out until the transaction ends."""
    buckets = {int(group[:8], 16) % _EVENT_BUCKETS for group in groups}
    if buckets:
        t.execute("hold_events", {"keys": [lock_key(t.tenant, f"{_EVENT_LOCK}{bucket}") for bucket in buckets]})


def put_tenant(t: Transaction, at: datetime) -> None:
    """Make the tenant known, where it is new."""
    t.execute("put_tenant", {"at": at})


def put_subjects(t: Transaction, subjects: Iterable[str], at: datetime) -> None:
    """Make the tenant and its subjects known, where they are new."""
    put_tenant(t, at)
    t.execute("put_subjects", {"subjects": sorted(set(subjects)), "at": at})


def stored_keys(t: Transaction, episode_ids: Iterable[str], occasions: Iterable[Occasion]) -> dict[str, StoredKey]:
    """Return what the log holds of some episodes, by id: whether each (id, content hash, time) has been said."""
    ids = sorted(set(episode_ids))
    rows = t.all("known_episodes", {"episode_ids": ids})
    found = {row["episode_id"]: _known(row) for row in rows}
    if not found:
        return found
    asked = sorted({each for each in occasions if each[0] in found})
    for each, content in stored_contents(t, ((each, content) for each, content, _ in asked)):
        found[each].contents.add(content)
    times = [at for _, _, at in asked]
    named = {"episode_ids": [each for each, _, _ in asked], "content_hashes": [content for _, content, _ in asked]}
    for row in t.all("known_sayings", {**named, "occurred_ats": times}):
        found[row["episode_id"]].sayings.add((row["content_hash"], row["occurred_at"]))
    revised = [each for each, known in found.items() if known.policy == "revision"]
    if revised:
        for row in t.all("current_revisions", {"episode_ids": revised}):
            found[row["episode_id"]].current = (row["sound"], row["occurred_at"], row["content_hash"])
    return found


def _known(row: Row) -> StoredKey:
    return StoredKey(row["policy"], row["group_id"], row["business_key"], row["document_revision"])


def stored_contents(t: Transaction, contents: Iterable[Content]) -> set[Content]:
    """Return those (episode id, content hash) pairs that the log holds."""
    asked = sorted(set(contents))
    named = {"episode_ids": [each for each, _ in asked], "content_hashes": [content for _, content in asked]}
    return {(row["episode_id"], row["content_hash"]) for row in t.all("known_revisions", named)}


def first_of_groups(t: Transaction, groups: Iterable[tuple[str, str]]) -> dict[tuple[str, str], tuple[str, datetime]]:
    """Return the episode that was first in each (subject, group) that has one, and when it was recorded."""
    asked = sorted(set(groups))
    if not asked:
        return {}
    named = {"subjects": [subject for subject, _ in asked], "groups": [group for _, group in asked]}
    rows = t.all("first_of_groups", named)
    return {(row["subject_id"], row["group_id"]): (row["episode_id"], row["recorded_at"]) for row in rows}


def add_episodes(t: Transaction, episodes: Iterable[tuple[LogEpisode, str]]) -> int:
    """Store the rows of new episodes, each with its group, and say how many were new."""
    rows = sorted(episodes, key=lambda each: each[0].episode_id)
    return t.execute("add_episodes", episode_columns(rows)) if rows else 0


def add_revisions(t: Transaction, contents: Mapping[Content, tuple[str, datetime]]) -> int:
    """Store contents by (episode id, content hash), each with its time of receipt, and say how many were new."""
    return t.execute("add_revisions", revision_columns(contents)) if contents else 0


def add_sayings(t: Transaction, sayings: Iterable[tuple[str, Saying]]) -> int:
    """Store sayings, each with its episode's id, and say how many were new."""
    rows = list(sayings)
    return t.execute("add_sayings", saying_columns(rows)) if rows else 0


def pin_anew(t: Transaction, revisions: Mapping[str, str]) -> None:
    """Let episodes, by id, rest on other revisions of their documents."""
    if revisions:
        t.execute("pin_anew", {"episode_ids": list(revisions), "revisions": list(revisions.values())})


def episode_columns(rows: Sequence[tuple[LogEpisode, str]]) -> Columns:
    """Give the rows of episodes, each with its group, column by column."""
    listed = [each for each, _ in rows]
    pins = [each.document for each in listed]
    return {
        "episode_ids": [each.episode_id for each in listed],
        "subjects": [each.subject_id for each in listed],
        "keys": [each.key for each in listed],
        "policies": [each.policy.value for each in listed],
        "groups": [group for _, group in rows],
        "sources": [each.source for each in listed],
        "speakers": [each.speaker for each in listed],
        "said_bys": [each.said_by.value for each in listed],
        "business_keys": [each.business_key for each in listed],
        "corpora": [pin and pin.corpus for pin in pins],
        "external_ids": [pin and pin.external_id for pin in pins],
        "pinned": [pin and pin.revision for pin in pins],
        "metadata": [each.metadata for each in listed],
        "recorded_ats": [each.recorded_at for each in listed],
    }


def revision_columns(contents: Mapping[Content, tuple[str, datetime]]) -> Columns:
    """Give contents column by column, in order of (episode id, content hash)."""
    rows = sorted(contents.items())
    return {
        "episode_ids": [episode for (episode, _), _ in rows],
        "content_hashes": [content for (_, content), _ in rows],
        "contents": [text for _, (text, _) in rows],
        "recorded_ats": [at for _, (_, at) in rows],
    }


def saying_columns(sayings: Iterable[tuple[str, Saying]]) -> Columns:
    """Give sayings column by column, in order of (episode id, content hash, time)."""
    rows = sorted(sayings, key=lambda each: (each[0], each[1].content_hash, each[1].occurred_at))
    listed = [saying for _, saying in rows]
    return {
        "episode_ids": [episode for episode, _ in rows],
        "content_hashes": [each.content_hash for each in listed],
        "occurred_ats": [each.occurred_at for each in listed],
        "offsets": [_offset(each.occurred_at) for each in listed],
        "sounds": [each.sound for each in listed],
        "sessions": [each.session_id for each in listed],
        "message_times": [encode(each.message_times) if each.message_times else None for each in listed],
        "recorded_ats": [each.recorded_at for each in listed],
    }


def mark_groups_dirty(t: Transaction, groups: Sequence[tuple[str, str]]) -> None:
    """Say that (subject, group) pairs have something that no compile has seen."""
    if groups:
        named = {"subjects": [subject for subject, _ in groups], "groups": [group for _, group in groups]}
        t.execute("add_dirty_groups", named)


def of_subject(t: Transaction, subject: str, *, after: tuple[datetime, str] | None, limit: int) -> list[Row]:
    """Return rows of a subject's episodes in order of (receipt, id), after the one named."""
    after_at, after_id = after or (datetime(1, 1, 1, tzinfo=UTC), "")
    named = {"subject_id": subject, "after_at": after_at, "after_id": after_id, "limit": limit}
    return t.all("episodes_of_subject", named)


def by_id(t: Transaction, episode_ids: Iterable[str]) -> list[Row]:
    """Return rows of episodes in order of id; one that is not there has none."""
    return t.all("episodes_by_id", {"episode_ids": list(episode_ids)})


def revisions_of(t: Transaction, episode_ids: Iterable[str]) -> list[Row]:
    """Return the revisions of episodes in order of (id, content hash)."""
    return t.all("revisions_of_episodes", {"episode_ids": list(episode_ids)})


def sayings_of(t: Transaction, episode_ids: Iterable[str]) -> list[Row]:
    """Return the sayings of episodes in order of (id, content hash, time)."""
    return t.all("sayings_of_episodes", {"episode_ids": list(episode_ids)})


def extractions_of(t: Transaction, episode_id: str) -> list[Row]:
    """Return the cached extractions of one episode in order of (extractor, content hash)."""
    return t.all("extractions_of_episode", {"episode_id": episode_id})


def _offset(moment: datetime) -> int:
    offset = moment.utcoffset()
    return 0 if offset is None else offset // timedelta(minutes=1)
