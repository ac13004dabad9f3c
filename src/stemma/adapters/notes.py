"""What is noted beside a saying: the caller's metadata and the ids that narrow its owner. Read back for each memory."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from stemma.adapters.filters import meets
from stemma.adapters.owners import NAMES, Owner, ids_of_subject
from stemma.app.face import Face
from stemma.app.models_memories import Memory
from stemma.errors import InvalidInput, NotFound


@dataclass(frozen=True, slots=True)
class Shown:
    """A memory as the familiar verbs show it."""

    id: str
    fields: dict[str, Any]
    note: Mapping[str, Any]


def noted(metadata: Mapping[str, Any] | None, owner: Owner) -> dict[str, Any]:
    """Put the ids that narrow an owner beside the caller's metadata. Raises InvalidInput where that has such a name."""
    kept = dict(metadata or {})
    for name in NAMES:
        if name in kept:
            raise InvalidInput(f"{name} is no metadata; give it beside it", field=f"metadata.{name}")
    return {**kept, **owner.narrowing}


def asked_key(said: Sequence[Any], about: Mapping[str, Any]) -> str:
    """Name a saying by all that it says and is noted with, so that sending it again changes nothing."""
    told = json.dumps([list(said), dict(about)], sort_keys=True, default=_plain)
    return f"verbs:{hashlib.sha256(told.encode('utf-8')).hexdigest()}"


class Notes:
    """Reads what was noted beside the sayings of memories, each episode once."""

    def __init__(self, face: Face) -> None:
        """Read through a face."""
        self._face = face
        self._read: dict[str, Mapping[str, Any]] = {}

    def of(self, memory: Memory) -> list[Mapping[str, Any]]:
        """Give the notes of a memory's sayings, the latest first."""
        episodes = sorted(memory.episodes, key=lambda one: one.occurred_at, reverse=True)
        return [self._note(each) for each in dict.fromkeys(one.episode_id for one in episodes)]

    def latest(self, memory: Memory) -> Shown:
        """Show a memory by its latest saying."""
        return _shown(memory, next(iter(self.of(memory)), {}))

    def meeting(self, memory: Memory, filters: Mapping[str, Any]) -> Shown | None:
        """Show a memory by its latest saying whose note meets a filter, or give None where none does."""
        return next((_shown(memory, note) for note in self.of(memory) or [{}] if meets(filters, note)), None)

    def _note(self, episode_id: str) -> Mapping[str, Any]:
        if episode_id not in self._read:
            try:
                self._read[episode_id] = self._face.get_episode(episode_id).metadata or {}
            except NotFound:
                # A ruling worded it: nobody said it in an episode.
                self._read[episode_id] = {}
        return self._read[episode_id]


def _shown(memory: Memory, note: Mapping[str, Any]) -> Shown:
    ids = {name: note[name] for name in NAMES if name in note} | ids_of_subject(memory.subject_id)
    fields: dict[str, Any] = {
        "id": memory.id,
        "memory": memory.text,
        "metadata": {name: value for name, value in note.items() if name not in NAMES},
        "created_at": memory.first_said_at,
        "updated_at": memory.last_said_at,
        "status": str(memory.status),
        "kind": memory.kind,
        **{name: ids.get(name) for name in NAMES},
    }
    if memory.superseded_by is not None:
        fields["superseded_by"] = memory.superseded_by
    return Shown(memory.id, fields, note)


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        return list(value)
    raise InvalidInput(f"metadata holds something of the type {type(value).__name__}", field="metadata")
