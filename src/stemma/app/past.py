"""What was known of a subject at an earlier moment: the log as recorded by then, derived anew. Writes nothing."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from stemma.app import derivation
from stemma.app.compile import extract_content
from stemma.app.document_states import States, of_episodes
from stemma.app.runtime import Runtime
from stemma.core import codec
from stemma.core.derive import Log, state
from stemma.core.known import known_acts, known_episodes
from stemma.record_json import encode
from stemma.records import HumanAct, LogEpisode, Registry
from stemma.state import Conflict, Evidence, MemoryRow
from stemma.store import log
from stemma.store.connection import Isolation
from stemma.store.transaction import Row, Transaction


@dataclass(frozen=True, slots=True)
class Past:
    """A subject's state as derived from what had been recorded: rows and evidence by memory id, and all conflicts."""

    rows: dict[str, MemoryRow]
    evidence: dict[str, list[Evidence]]
    conflicts: tuple[Conflict, ...]
    episodes: tuple[LogEpisode, ...]
    acts: tuple[HumanAct, ...]
    registry: Registry
    extractor: str

    def conflict_rows(self, now: datetime) -> list[Row]:
        """Give the conflicts that are there at a moment as the store would, in order of id."""
        ordered = sorted((each for each in self.conflicts if each.opened_at <= now), key=lambda each: each.id)
        return [{"body": encode(each), "derived": True} for each in ordered]

    def row_of(self, memory_id: str) -> Row:
        """Give a row as the store would; how often it was recalled since belongs to no past."""
        return {
            "id": memory_id,
            "subject_id": self.rows[memory_id].subject_id,
            "body": encode(self.rows[memory_id]),
            "derived": True,
            "undone_at": None,
            "extractor": self.extractor,
            "recall_count": 0,
            "last_recalled_at": None,
        }


def past_of(runtime: Runtime, tenant: str, subject: str, by: datetime) -> Past:
    """Derive a subject's state from the records of its log up to a moment, by the present registry and extractor.

    The cost grows with the subject's log. Contents that no compile has seen are extracted here and not kept.
    """

    def read(t: Transaction) -> tuple[list[LogEpisode], list[HumanAct], dict[tuple[str, str], str], Registry, States]:
        registry, extractor = runtime.registered(t)
        episodes = known_episodes(log.episodes_of_groups(t, subject, log.all_groups(t, subject)), by)
        cached = log.extractions(t, [each.episode_id for each in episodes], extractor.version)
        return episodes, known_acts(log.acts(t, subject), by), cached, registry, of_episodes(t, episodes)

    episodes, acts, cached, registry, documents = runtime.store.run(
        tenant, read, read_only=True, isolation=Isolation.REPEATABLE_READ
    )
    extractor = runtime.extractor_of(registry)
    found: derivation.Extractions = {}
    for episode in episodes:
        for named, content in episode.revisions.items():
            body = cached.get((episode.episode_id, named))
            made = extract_content(extractor, episode, content) if body is None else codec.from_json(body)
            found[episode.key, named] = made
    # The documents are as they are now: what they were then is not kept.
    whole = Log(tenant=tenant, subject=subject, episodes=episodes, extractions=found, acts=acts, documents=documents)
    units = state(whole, registry).values()
    evidence: dict[str, list[Evidence]] = {}
    for unit in units:
        for each in unit.evidence:
            evidence.setdefault(each.memory_id, []).append(each)
    return Past(
        rows={row.id: row for unit in units for row in unit.rows},
        evidence=evidence,
        conflicts=tuple(conflict for unit in units for conflict in unit.conflicts),
        episodes=tuple(episodes),
        acts=tuple(acts),
        registry=registry,
        extractor=extractor.version,
    )
