"""Joined records written over what the log held of them: only what differs, with its index rows and dirty groups."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from stemma.app.episode_index import lexical_rows, said_of
from stemma.core.keys import group_id
from stemma.core.merge import EpisodeRecord, SayingRecord
from stemma.record_json import decode
from stemma.records import Content, LogEpisode, Saying
from stemma.store import episodes, index, transfer
from stemma.store.index import LexicalRow
from stemma.store.transaction import Transaction
from stemma.text import episode_id


@dataclass(slots=True)
class LogJoins:
    """The rows that change when records become others."""

    tenant: str
    heads: list[tuple[LogEpisode, str]] = field(default_factory=list)
    revisions: dict[tuple[str, str], tuple[str, datetime]] = field(default_factory=dict)
    sayings: list[tuple[str, Saying]] = field(default_factory=list)
    dropped_revisions: list[tuple[str, str]] = field(default_factory=list)
    dropped_sayings: list[tuple[str, str, datetime]] = field(default_factory=list)
    subjects: list[tuple[str, datetime]] = field(default_factory=list)
    groups: list[tuple[str, str]] = field(default_factory=list)
    passages: list[LexicalRow] = field(default_factory=list)

    def become(self, old: EpisodeRecord | None, new: EpisodeRecord) -> bool:
        """Let one record become another, and say whether anything of it differs."""
        if old == new:
            return False
        own = episode_id(self.tenant, new.subject_id, new.key)
        groups = {group_id(record.key, record.business_key) for record in (old, new) if record is not None}
        self.heads.append((_head(own, new), group_id(new.key, new.business_key)))
        self.subjects.append((new.subject_id, new.recorded_at))
        self.groups += [(new.subject_id, group) for group in sorted(groups)]
        old_revisions = old.revisions if old else {}
        for name, found in new.revisions.items():
            if old_revisions.get(name) != found:
                self.revisions[(own, name)] = (found.content, found.recorded_at)
        self.dropped_revisions += [(own, name) for name in old_revisions.keys() - new.revisions.keys()]
        old_sayings = old.sayings if old else {}
        for occasion, said in new.sayings.items():
            if old_sayings.get(occasion) != said:
                self.sayings.append((own, _saying(occasion[0], said)))
        self.dropped_sayings += [(own, *name) for name in old_sayings.keys() - new.sayings.keys()]
        # A passage is found by the date and the session of a saying too: one that went or changed must not go on there.
        changed = any(new.sayings.get(name) != said for name, said in old_sayings.items())
        if old is None or old.source != new.source or old_revisions != new.revisions or changed:
            self._index(own, new)
        return True

    def apply(self, t: Transaction) -> None:
        """Write it all. The caller holds the log."""
        if not self.heads:
            return
        transfer.early_subjects(t, self.subjects)
        transfer.replace_episodes(t, self.heads)
        transfer.drop_revisions(t, self.dropped_revisions)
        transfer.drop_sayings(t, self.dropped_sayings)
        transfer.replace_revisions(t, self.revisions)
        transfer.replace_sayings(t, self.sayings)
        index.replace(t, self.passages)
        episodes.mark_groups_dirty(t, self.groups)

    def _index(self, own: str, new: EpisodeRecord) -> None:
        for name, found in new.revisions.items():
            occasion = min(each for each in new.sayings if each[0] == name)
            said = said_of(_saying(name, new.sayings[occasion]), new.source)
            content = decode(Content, found.content)
            self.passages += lexical_rows(self.tenant, new.subject_id, own, name, content, said)


def _head(own: str, record: EpisodeRecord) -> LogEpisode:
    return LogEpisode(
        subject_id=record.subject_id,
        key=record.key,
        episode_id=own,
        policy=record.policy,
        source=record.source,
        revisions={},
        sayings=(),
        recorded_at=record.recorded_at,
        speaker=record.speaker,
        said_by=record.said_by,
        business_key=record.business_key,
        document=record.document,
        metadata=record.metadata,
    )


def _saying(content_hash: str, said: SayingRecord) -> Saying:
    return Saying(
        content_hash=content_hash,
        occurred_at=said.occurred_at,
        sound=said.sound,
        recorded_at=said.recorded_at,
        session_id=said.session_id,
        message_times=said.message_times,
    )
