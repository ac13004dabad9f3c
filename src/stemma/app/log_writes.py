"""What one batch adds to the log: gathered first, then written table by table in one order, so that none deadlocks."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime

from stemma.app.episode_form import FormedEpisode
from stemma.app.episode_index import lexical_rows, said_of
from stemma.core.door import Arrival, Verdict
from stemma.record_json import encode
from stemma.records import DocumentPin, LogEpisode, Saying
from stemma.store import episodes, erasure, index
from stemma.store.erasure import StoredTombstone
from stemma.store.index import LexicalRow
from stemma.store.transaction import Transaction


class OvertakenError(Exception):
    """Another transaction committed one of these records first: nothing stands, decide again."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """An arrival that enters the log: under which key and group, as recorded when, learned from which revision."""

    arrival: Arrival
    verdict: Verdict
    key: str
    group: str
    recorded_at: datetime
    pin: DocumentPin | None = None


@dataclass(slots=True)
class LogWrites:
    """New episodes, contents and sayings, the groups they touch, and the tombstones that refusals add."""

    tenant: str
    episodes: list[tuple[LogEpisode, str]] = field(default_factory=list)
    revisions: dict[tuple[str, str], tuple[str, datetime]] = field(default_factory=dict)
    sayings: list[tuple[str, Saying]] = field(default_factory=list)
    passages: list[LexicalRow] = field(default_factory=list)
    groups: list[tuple[str, str]] = field(default_factory=list)
    tombstones: list[StoredTombstone] = field(default_factory=list)
    pins: dict[str, str] = field(default_factory=dict)

    def accept(self, one: FormedEpisode, accepted: Accepted) -> None:
        """Add the rows of an accepted arrival that its verdict calls new."""
        arrival, verdict = accepted.arrival, accepted.verdict
        if verdict.new_episode:
            self.episodes.append((_episode(one, accepted), accepted.group))
        if verdict.new_revision:
            names = (one.subject_id, arrival.episode_id, arrival.content_hash)
            said = said_of(_saying(one, accepted), one.source)
            self.passages += lexical_rows(self.tenant, *names, one.content, said)
            # The first content's metadata stands with its episode.
            content = one.content if verdict.new_episode else replace(one.content, metadata=one.metadata)
            self.revisions[(arrival.episode_id, arrival.content_hash)] = (encode(content), accepted.recorded_at)
        if verdict.new_saying:
            self.sayings.append((arrival.episode_id, _saying(one, accepted)))
            self.groups.append((one.subject_id, accepted.group))

    def pin_anew(self, subject: str, group: str, episode: str, revision: str) -> None:
        """Let an episode rest on a newer revision of its document."""
        self.pins[episode] = revision
        self.groups.append((subject, group))

    def apply(self, t: Transaction, at: datetime) -> None:
        """Write everything, or raise OvertakenError where another transaction wrote one of the records first."""
        if self.groups:
            episodes.put_subjects(t, (subject for subject, _ in self.groups), at)
            added = (
                episodes.add_episodes(t, self.episodes),
                episodes.add_revisions(t, self.revisions),
                episodes.add_sayings(t, self.sayings),
            )
            if added != (len(self.episodes), len(self.revisions), len(self.sayings)):
                raise OvertakenError
            episodes.pin_anew(t, self.pins)
            index.put_lexical(t, sorted(self.passages, key=lambda row: row.item_id))
            episodes.mark_groups_dirty(t, self.groups)
        erasure.put_tombstones(t, self.tombstones)


def _episode(one: FormedEpisode, accepted: Accepted) -> LogEpisode:
    arrival = accepted.arrival
    return LogEpisode(
        subject_id=one.subject_id,
        key=accepted.key,
        episode_id=arrival.episode_id,
        policy=arrival.policy,
        source=one.source,
        revisions={arrival.content_hash: one.content},
        sayings=(),
        recorded_at=accepted.recorded_at,
        speaker=one.speaker,
        said_by=one.said_by,
        business_key=one.business_key,
        document=accepted.pin,
        metadata=one.metadata,
    )


def _saying(one: FormedEpisode, accepted: Accepted) -> Saying:
    arrival = accepted.arrival
    return Saying(
        content_hash=arrival.content_hash,
        occurred_at=arrival.said_at,
        sound=arrival.sound,
        recorded_at=accepted.recorded_at,
        session_id=one.session_id,
        message_times=one.message_times,
    )
