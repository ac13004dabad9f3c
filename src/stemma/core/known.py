"""What a log held at an earlier moment: every record carries when it was recorded. Derives nothing (R-44, `as_of`)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from stemma.records import HumanAct, LogEpisode


def known_episodes(episodes: Iterable[LogEpisode], by: datetime) -> list[LogEpisode]:
    """Keep the sayings recorded by a moment, the contents that they said, and the episodes that have any."""
    known: list[LogEpisode] = []
    for episode in episodes:
        sayings = tuple(each for each in episode.sayings if each.recorded_at <= by)
        said = {each.content_hash for each in sayings}
        if sayings:
            contents = {name: content for name, content in episode.revisions.items() if name in said}
            known.append(replace(episode, sayings=sayings, revisions=contents))
    return known


def known_acts(acts: Iterable[HumanAct], by: datetime) -> list[HumanAct]:
    """Keep the human acts recorded by a moment."""
    return [act for act in acts if act.recorded_at <= by]
