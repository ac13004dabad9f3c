"""Conversations as the server knows them: what their bundles gave, kept for the cooldown, and their reset (R-43)."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Mapping
from datetime import timedelta
from typing import Final

from stemma.app.models_recall import BundleRequest
from stemma.app.models_sessions import ResetSession, SessionReset
from stemma.app.runtime import Runtime
from stemma.core.admit.cooldown import LONGEST, bundles_ago
from stemma.session_errors import SessionClosed
from stemma.store import sessions
from stemma.store.transaction import Transaction

# A conversation that has been silent for so long has nothing to be repeated.
KEPT: Final = timedelta(days=30)


def reset_session(runtime: Runtime, tenant: str, request: ResetSession) -> SessionReset:
    """End a conversation and give the id under which it goes on. Raises SessionClosed where it was ended before."""
    at = runtime.now()
    if not runtime.store.run(tenant, lambda t: sessions.close(t, request.session_id, at)):
        raise _closed(request.session_id)
    return SessionReset(session_id=secrets.token_hex(16))


def require_open(runtime: Runtime, tenant: str, session_id: str | None) -> None:
    """Refuse a conversation that was reset. Raises SessionClosed."""
    if session_id is not None:
        runtime.store.run(tenant, lambda t: _require_open(t, session_id), read_only=True)


def given(runtime: Runtime, tenant: str, request: BundleRequest) -> Mapping[str, int]:
    """Say of each memory how many bundles ago a request's conversation was given it. Raises SessionClosed.

    Nothing where the request names no conversation, or sets a clock by hand: such an answer depends on what the store
    holds at that clock alone (R-44).
    """
    session_id = request.session_id
    if session_id is None:
        return {}
    since = runtime.now() - KEPT

    def read(t: Transaction) -> Mapping[str, int]:
        _require_open(t, session_id)
        if request.now is not None or request.as_of is not None:
            return {}
        return bundles_ago(sessions.given(t, session_id, since=since, most=LONGEST))

    return runtime.store.run(tenant, read, read_only=True)


def note(runtime: Runtime, tenant: str, request: BundleRequest, memory_ids: Collection[str]) -> None:
    """Store which memories a request's conversation was given; one that names none leaves nothing."""
    session_id, at = request.session_id, runtime.now()
    if session_id is None:
        return

    def write(t: Transaction) -> None:
        sessions.put(t, session_id, request.subject_id, memory_ids, at=at, kept=LONGEST)
        sessions.prune(t, oldest=at - KEPT)

    runtime.store.run(tenant, write)


def prune(runtime: Runtime, tenant: str) -> int:
    """Delete what conversations were given too long ago to count, and say of how many bundles."""
    oldest = runtime.now() - KEPT
    return runtime.store.run(tenant, lambda t: sessions.prune(t, oldest=oldest))


def _require_open(t: Transaction, session_id: str) -> None:
    if sessions.is_closed(t, session_id):
        raise _closed(session_id)


def _closed(session_id: str) -> SessionClosed:
    return SessionClosed(
        f"the conversation {session_id!r} was reset; go on under the id that the reset gave", field="session_id"
    )
