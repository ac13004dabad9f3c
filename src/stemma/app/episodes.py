"""The use cases that read episodes as the log holds them: a subject's, the one with a key, one by id."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from stemma.app.cursors import cursor_of, cursor_parts, moment_in
from stemma.app.models_episodes import (
    EpisodeById,
    EpisodeDetail,
    EpisodePage,
    EpisodeSummary,
    FindEpisodes,
    StoredGate,
    StoredRevision,
    StoredSaying,
    StoredStatement,
)
from stemma.app.runtime import Runtime
from stemma.core import codec
from stemma.errors import NotFound
from stemma.record_json import decode, plain
from stemma.records import Content, SaidBy
from stemma.store import episodes, log
from stemma.store.transaction import Row, Transaction
from stemma.text import episode_id, stamp

_EPISODES = "episodes"


def find_episodes(runtime: Runtime, tenant: str, request: FindEpisodes) -> EpisodePage:
    """Read a subject's episodes in order of receipt, or the one with a key (none: an empty page)."""
    after = _after(request.cursor)
    with runtime.store.transaction(tenant, read_only=True) as t:
        if request.key is not None:
            heads = episodes.by_id(t, [episode_id(tenant, request.subject_id, request.key)])
        else:
            heads = episodes.of_subject(t, request.subject_id, after=after, limit=request.limit + 1)
        more = len(heads) > request.limit
        heads = heads[: request.limit]
        items = tuple(EpisodeSummary(**fields) for fields in _whole(t, heads))
    return EpisodePage(items=items, next_cursor=_cursor(heads[-1]) if more else None)


def get_episode(runtime: Runtime, tenant: str, request: EpisodeById) -> EpisodeDetail:
    """Read one episode with its revisions, its sayings, and what each extractor version said of its clauses."""
    with runtime.store.transaction(tenant, read_only=True) as t:
        heads = episodes.by_id(t, [request.episode_id])
        if not heads:
            raise NotFound(f"there is no episode {request.episode_id}", field="episode_id")
        (fields,) = _whole(t, heads)
        found = episodes.extractions_of(t, request.episode_id)
    return EpisodeDetail(
        **fields,
        statements=tuple(statement for row in found for statement in _statements(row)),
        gates=tuple(gate for row in found for gate in _gates(row)),
    )


def _whole(t: Transaction, heads: list[Row]) -> list[dict[str, Any]]:
    ids = [head["episode_id"] for head in heads]
    revisions = _by_episode(episodes.revisions_of(t, ids))
    sayings = _by_episode(episodes.sayings_of(t, ids))
    return [
        {
            **_head(head),
            "revisions": tuple(_revision(row, head) for row in revisions.get(head["episode_id"], ())),
            "sayings": tuple(_saying(row) for row in sayings.get(head["episode_id"], ())),
        }
        for head in heads
    ]


def _by_episode(rows: Iterable[Row]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row["episode_id"], []).append(row)
    return found


def _head(head: Row) -> dict[str, Any]:
    episode = log.episode_of(head, {}, ())
    return {
        "episode_id": episode.episode_id,
        "subject_id": episode.subject_id,
        "key": episode.key,
        "key_policy": episode.policy,
        "source": episode.source,
        "speaker": episode.speaker,
        "said_by": episode.said_by,
        "business_key": episode.business_key,
        "document": None if episode.document is None else plain(episode.document),
        "metadata": None if episode.metadata is None else json.loads(episode.metadata),
        "recorded_at": episode.recorded_at,
    }


def _revision(row: Row, head: Row) -> StoredRevision:
    stored = json.loads(row["content"])
    content = decode(Content, row["content"])
    return StoredRevision(
        content_hash=row["content_hash"],
        recorded_at=row["recorded_at"],
        source=content.source or head["source"],
        speaker=content.speaker,
        said_by=content.said_by or SaidBy(head["said_by"]),
        text=content.text,
        messages=tuple(_without_nothing(message) for message in stored["messages"]),
        claims=tuple(_without_nothing(claim) for claim in stored["claims"]),
        metadata=None if content.metadata is None else json.loads(content.metadata),
    )


def _without_nothing(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _saying(row: Row) -> StoredSaying:
    saying = log.saying_of(row)
    return StoredSaying(
        content_hash=saying.content_hash,
        occurred_at=saying.occurred_at,
        recorded_at=saying.recorded_at,
        time_ahead=not saying.sound,
        session_id=saying.session_id,
        message_times=saying.message_times,
    )


def _statements(row: Row) -> list[StoredStatement]:
    found = codec.from_json(row["body"])
    named = {"content_hash": row["content_hash"], "extractor": row["extractor"]}
    fields = ("act", "kind", "text", "start", "end", "message")
    return [StoredStatement(**named, **{name: getattr(one, name) for name in fields}) for one in found.candidates]


def _gates(row: Row) -> list[StoredGate]:
    found = codec.from_json(row["body"])
    named = {"content_hash": row["content_hash"], "extractor": row["extractor"]}
    return [StoredGate(**named, **plain(gate)) for gate in found.gates]


def _cursor(head: Row) -> str:
    return cursor_of(_EPISODES, stamp(head["recorded_at"]), head["episode_id"])


def _after(cursor: str | None) -> tuple[datetime, str] | None:
    if not cursor:
        return None
    moment, last = cursor_parts(cursor, _EPISODES, 2)
    return moment_in(moment), last
