"""Who speaks in a group, and which of its revisions (design: D-11). Reads sayings, never what they say."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from stemma.records import KeyPolicy, LogEpisode


def who_speaks(group: Sequence[LogEpisode]) -> LogEpisode | None:
    """Give the member of a business group that speaks: the smallest (unsound, occurred_at, key); the rest are twins."""
    spoken = [episode for episode in group if episode.sayings]
    return min(spoken, key=_first_said, default=None)


def current_revision(episode: LogEpisode) -> str | None:
    """Give the content hash that is current under a revision key: the greatest (sound, latest occurred_at, hash).

    None where every content of the episode speaks, since only a revision replaces another.
    """
    if episode.policy is not KeyPolicy.REVISION:
        return None
    latest = max((saying.sound, saying.occurred_at, saying.content_hash) for saying in episode.sayings)
    return latest[2]


def _first_said(episode: LogEpisode) -> tuple[bool, datetime, str]:
    unsound, occurred_at = min((not saying.sound, saying.occurred_at) for saying in episode.sayings)
    return unsound, occurred_at, episode.key
