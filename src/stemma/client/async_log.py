"""The log's part of the async client: a method for each row of the table on episodes, the registry and erasure."""

# `scripts/async-client` wrote this from app/stemma_log.py; edit that one.

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Unpack

from stemma.app import models_episodes as episodes_wire
from stemma.app import models_erase as erase_wire
from stemma.app import models_registry as registry_wire
from stemma.app import models_sessions as sessions_wire
from stemma.app.fields import ClaimKeyFields, EraseFields, Page
from stemma.client.async_asking import AsyncAsking


class AsyncLogFace(AsyncAsking):
    """What goes into the log, what is registered, and what is taken out for good."""

    async def add_episodes(self, episodes: Sequence[Mapping[str, Any]]) -> episodes_wire.AddEpisodesResult:
        """Ingest 1 to 1,000 episodes; one outcome each, in order."""
        return await self._run("add_episodes", episodes_wire.AddEpisodesResult, {"episodes": list(episodes)})

    async def find_episodes(
        self, subject_id: str, *, key: str | None = None, **page: Unpack[Page]
    ) -> episodes_wire.EpisodePage:
        """List a subject's episodes, or find the one with `key`."""
        return await self._run(
            "find_episodes", episodes_wire.EpisodePage, {"subject_id": subject_id, "key": key, **page}
        )

    async def get_episode(self, episode_id: str) -> episodes_wire.EpisodeDetail:
        """Read one episode with its sayings, revisions and gate records."""
        return await self._run("get_episode", episodes_wire.EpisodeDetail, {"episode_id": episode_id})

    async def put_source(
        self, name: str, *, key_policy: Literal["identity", "content", "revision"] | None = None, authority: int = 50
    ) -> registry_wire.SourceEntry:
        """Register how a source's records are told apart and how far it is trusted, 0 to 100."""
        fields = {"name": name, "key_policy": key_policy, "authority": authority}
        return await self._run("put_source", registry_wire.SourceEntry, fields)

    async def list_sources(self, **page: Unpack[Page]) -> registry_wire.SourcePage:
        """List the registered sources."""
        return await self._run("list_sources", registry_wire.SourcePage, page)

    async def put_claim_key(self, key: str, **rules: Unpack[ClaimKeyFields]) -> registry_wire.ClaimKeyEntry:
        """Register a claim key: whether several values hold at once, and who wins."""
        return await self._run("put_claim_key", registry_wire.ClaimKeyEntry, {"key": key, **rules})

    async def list_claim_keys(self, **page: Unpack[Page]) -> registry_wire.ClaimKeyPage:
        """List the registered claim keys."""
        return await self._run("list_claim_keys", registry_wire.ClaimKeyPage, page)

    async def list_kinds(self, **page: Unpack[Page]) -> registry_wire.KindPage:
        """List the kinds of memory."""
        return await self._run("list_kinds", registry_wire.KindPage, page)

    async def list_subjects(self, **page: Unpack[Page]) -> registry_wire.SubjectPage:
        """List the subjects."""
        return await self._run("list_subjects", registry_wire.SubjectPage, page)

    async def reset_session(self, session_id: str) -> sessions_wire.SessionReset:
        """End a conversation, which answers `session_closed` from then on, and give the id that it goes on under."""
        return await self._run("reset_session", sessions_wire.SessionReset, {"session_id": session_id})

    async def erase(self, subject_id: str | None = None, **what: Unpack[EraseFields]) -> erase_wire.EraseReceipt:
        """Remove an episode, a document, or all of a subject, for ever; a None in `what` is refused."""
        named = {} if subject_id is None else {"subject_id": subject_id}
        return await self._run_as_given("erase", erase_wire.EraseReceipt, {**named, **what})
