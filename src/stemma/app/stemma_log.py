"""The log's part of the Python faces: a method for each row of the table on episodes, the registry and erasure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Unpack

from stemma.app import models_episodes as episodes_wire
from stemma.app import models_erase as erase_wire
from stemma.app import models_registry as registry_wire
from stemma.app import models_sessions as sessions_wire
from stemma.app.asking import Asking
from stemma.app.fields import ClaimKeyFields, EraseFields, Page


class LogFace(Asking):
    """What goes into the log, what is registered, and what is taken out for good."""

    def add_episodes(self, episodes: Sequence[Mapping[str, Any]]) -> episodes_wire.AddEpisodesResult:
        """Ingest 1 to 1,000 episodes; one outcome each, in order."""
        return self._run("add_episodes", episodes_wire.AddEpisodesResult, {"episodes": list(episodes)})

    def find_episodes(
        self, subject_id: str, *, key: str | None = None, **page: Unpack[Page]
    ) -> episodes_wire.EpisodePage:
        """List a subject's episodes, or find the one with `key`."""
        return self._run("find_episodes", episodes_wire.EpisodePage, {"subject_id": subject_id, "key": key, **page})

    def get_episode(self, episode_id: str) -> episodes_wire.EpisodeDetail:
        """Read one episode with its sayings, revisions and gate records."""
        return self._run("get_episode", episodes_wire.EpisodeDetail, {"episode_id": episode_id})

    def put_source(
        self, name: str, *, key_policy: Literal["identity", "content", "revision"] | None = None, authority: int = 50
    ) -> registry_wire.SourceEntry:
        """Register how a source's records are told apart and how far it is trusted, 0 to 100."""
        fields = {"name": name, "key_policy": key_policy, "authority": authority}
        return self._run("put_source", registry_wire.SourceEntry, fields)

    def list_sources(self, **page: Unpack[Page]) -> registry_wire.SourcePage:
        """List the registered sources."""
        return self._run("list_sources", registry_wire.SourcePage, page)

    def put_claim_key(self, key: str, **rules: Unpack[ClaimKeyFields]) -> registry_wire.ClaimKeyEntry:
        """Register a claim key: whether several values hold at once, and who wins."""
        return self._run("put_claim_key", registry_wire.ClaimKeyEntry, {"key": key, **rules})

    def list_claim_keys(self, **page: Unpack[Page]) -> registry_wire.ClaimKeyPage:
        """List the registered claim keys."""
        return self._run("list_claim_keys", registry_wire.ClaimKeyPage, page)

    def list_kinds(self, **page: Unpack[Page]) -> registry_wire.KindPage:
        """List the kinds of memory."""
        return self._run("list_kinds", registry_wire.KindPage, page)

    def list_subjects(self, **page: Unpack[Page]) -> registry_wire.SubjectPage:
        """List the subjects."""
        return self._run("list_subjects", registry_wire.SubjectPage, page)

    def reset_session(self, session_id: str) -> sessions_wire.SessionReset:
        """End a conversation, which answers `session_closed` from then on, and give the id that it goes on under."""
        return self._run("reset_session", sessions_wire.SessionReset, {"session_id": session_id})

    def erase(self, subject_id: str | None = None, **what: Unpack[EraseFields]) -> erase_wire.EraseReceipt:
        """Remove an episode, a document, or all of a subject, for ever; a None in `what` is refused."""
        named = {} if subject_id is None else {"subject_id": subject_id}
        return self._run_as_given("erase", erase_wire.EraseReceipt, {**named, **what})
