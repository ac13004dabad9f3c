"""What a store holds of the subjects that probes are about, read once: memories by id and by the keys under them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from stemma.app.episodes import find_episodes, get_episode
from stemma.app.memories import list_memories
from stemma.app.models_episodes import EpisodeById, EpisodeDetail, FindEpisodes
from stemma.app.models_evaluate import RejectedLine
from stemma.app.models_memories import ListMemories, Memory
from stemma.app.runtime import Runtime
from stemma.core.golden.probe import Probe

PAGE: Final = 500


@dataclass(slots=True)
class Holdings:
    """The memories of some subjects, whatever their status, and their episodes' ids by key."""

    memories: dict[str, Memory] = field(default_factory=dict)
    episodes: dict[tuple[str, str], str] = field(default_factory=dict)
    _by_key: dict[tuple[str, str], list[str]] = field(default_factory=dict)

    def add(self, memory: Memory) -> None:
        """Take in one memory."""
        self.memories[memory.id] = memory
        for key in dict.fromkeys(saying.key for saying in memory.episodes):
            self._by_key.setdefault((memory.subject_id, key), []).append(memory.id)

    def resting_on(self, subject: str, key: str) -> list[Memory]:
        """Return the memories that rest on an episode."""
        return [self.memories[name] for name in self._by_key.get((subject, key), ())]

    @property
    def active(self) -> int:
        """Count the memories that stand."""
        return sum(each.status.value == "active" for each in self.memories.values())


def holdings_of(runtime: Runtime, tenant: str, subjects: Iterable[str]) -> Holdings:
    """Read everything that is remembered of some subjects."""
    found = Holdings()
    for subject in sorted(set(subjects)):
        cursor: str | None = None
        while True:
            asked = ListMemories(subject_id=subject, status="all", limit=PAGE, cursor=cursor)
            page = list_memories(runtime, tenant, asked)
            for memory in page.items:
                found.add(memory)
            cursor = page.next_cursor
            if cursor is None:
                break
        cursor = None
        while True:
            heard = find_episodes(runtime, tenant, FindEpisodes(subject_id=subject, limit=PAGE, cursor=cursor))
            found.episodes |= {(subject, each.key): each.episode_id for each in heard.items}
            cursor = heard.next_cursor
            if cursor is None:
                break
    return found


def episode_of(runtime: Runtime, tenant: str, holdings: Holdings, subject: str, key: str) -> EpisodeDetail | None:
    """Read an episode with what the gates said of it; None where there is none of that key."""
    name = holdings.episodes.get((subject, key))
    return None if name is None else get_episode(runtime, tenant, EpisodeById(episode_id=name))


def unknown_evidence(probes: Sequence[Probe], holdings: Holdings) -> list[RejectedLine]:
    """Name the probes, by their place from 1, whose evidence the store does not hold: they cannot be judged by it."""
    rejected = []
    for number, probe in enumerate(probes, start=1):
        named = probe.about | {each.evidence.key for each in probe.forbidden}
        missing = sorted(key for key in named if (probe.subject_id, key) not in holdings.episodes)
        if missing:
            detail = f"{probe.id}: {probe.subject_id} has no episode {', '.join(missing)}"
            rejected.append(RejectedLine(line=number, code="unknown_evidence", detail=detail))
    return rejected


def stands_at(memory: Memory, moment: datetime) -> bool:
    """Say whether a memory holds at a moment, as far as its own fields tell."""
    begun = memory.valid_from is None or memory.valid_from <= moment
    is_over = memory.valid_to is not None and memory.valid_to <= moment
    is_replaced = memory.superseded_from is not None and memory.superseded_from <= moment
    return begun and not is_over and not is_replaced and bool(memory.episodes)
