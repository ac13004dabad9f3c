"""The use case of an explicit remember: one episode at the door, its subject compiled, the memory that came of it."""

from __future__ import annotations

from typing import Any

from stemma.app import memory_view as view
from stemma.app import models_memories as wire
from stemma.app.compile import compile_subject, first_vectors
from stemma.app.ingest import add_episodes
from stemma.app.models_episodes import AddEpisodes
from stemma.app.runtime import Runtime, require_kinds
from stemma.errors import Erased, RememberRejected
from stemma.records import Outcome, Remember
from stemma.store.transaction import Transaction


def remember(
    runtime: Runtime, tenant: str, request: wire.RememberRequest, *, idempotency_key: str | None = None
) -> wire.RememberResult:
    """Keep one text as exactly one memory, and answer it with the outcome of its episode.

    Raises RememberRejected with the door's reason, Erased where its key was erased.
    """
    require_kinds(runtime, [request.kind] if request.kind else [])
    wish = Remember(kind=request.kind, importance=request.importance)
    episode = _episode(request)
    taken = add_episodes(
        runtime, tenant, AddEpisodes(episodes=[episode]), idempotency_key=idempotency_key, remember=wish
    ).results[0]
    if taken.outcome is Outcome.REJECTED and taken.error is not None:
        raise RememberRejected(taken.error.detail, reason=taken.error.code)
    if taken.outcome is Outcome.ERASED or taken.episode_id is None:
        raise Erased("what this key named was erased; it is not taken in again")
    if compile_subject(runtime, tenant, request.subject_id).counts.created:
        first_vectors(runtime, tenant)
    episode_id = taken.episode_id

    def read(t: Transaction) -> list[wire.Memory]:
        rows = t.all("memories_of_episode", {"episode_id": episode_id})
        return view.memories(t, rows, runtime.now())

    memories = runtime.store.run(tenant, read, read_only=True)
    return wire.RememberResult(episode=taken, memories=tuple(memories))


def _episode(request: wire.RememberRequest) -> dict[str, Any]:
    fields = request.model_dump(mode="json", exclude={"kind", "importance"}, exclude_none=True)
    return {name: value for name, value in fields.items() if name != "occurred_at"} | (
        {"occurred_at": request.occurred_at.isoformat()} if request.occurred_at is not None else {}
    )
