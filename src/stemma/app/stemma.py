"""The Python face in one process: a method for each row of the operation table. The rules stand in the use cases."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, Self, TypeVar, Unpack

from stemma.app import embed
from stemma.app import models_calibrate as calibrate_wire
from stemma.app import models_episodes as episodes_wire
from stemma.app import models_erase as erase_wire
from stemma.app import models_memories as wire
from stemma.app import models_recall as recall_wire
from stemma.app import models_registry as registry_wire
from stemma.app import models_sessions as sessions_wire
from stemma.app.calibrate import calibrate
from stemma.app.calibrate_sample import sample
from stemma.app.fields import (
    Act,
    BundleFields,
    CalibrateFields,
    ClaimKeyFields,
    EraseFields,
    ListConflictsFields,
    ListMemoriesFields,
    Page,
    PatchMemoryFields,
    RecallFields,
    RememberFields,
    ResolveFields,
)
from stemma.app.models_base import AnswerModel
from stemma.app.models_transfer import ExportResult, ImportResult
from stemma.app.operations import BY_NAME
from stemma.app.problems import ask
from stemma.app.repair import repair as repair_store
from stemma.app.runtime import open_runtime
from stemma.app.stemma_documents import DocumentsFace
from stemma.app.stemma_traces import TracesFace
from stemma.app.transfer import export_log, import_log
from stemma.app.verify import VerifyResult, verify

Answer = TypeVar("Answer", bound=AnswerModel)


class Stemma(DocumentsFace, TracesFace):
    """A store opened in this process. Use it as `with Stemma(folder) as memory`, from any number of threads.

    Times are aware datetimes or RFC 3339 texts. Raises the errors of `stemma.errors`.
    """

    def __init__(
        self,
        store: str | Path | None = None,
        *,
        clock: Callable[[], datetime] | None = None,
        tenant: str | None = None,
        embedder: str | None = None,
        chat: str | None = None,
    ) -> None:
        """Open a folder or `postgresql://…` (default: the settings' store), and migrate it where that is needed."""
        self.runtime = open_runtime(store, clock=clock, embedder=embedder, chat=chat)
        self.tenant = tenant or self.runtime.settings.tenant

    def __enter__(self) -> Self:
        """Return the face itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Leave the store."""
        self.close()

    def close(self) -> None:
        """Leave the store; an embedded server ends with its last user."""
        self.runtime.close()

    def make_vectors(self, *, limit: int = 32) -> int:
        """Embed up to `limit` texts that wait for a vector and say how many; `stemma serve` does so by itself."""
        return embed.fill(self.runtime, self.tenant, limit=limit)

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

    def compile_memories(self, subject_id: str | None = None) -> wire.CompileResult:
        """Derive the memories of one subject, or of each with something new."""
        return self._run("compile_memories", wire.CompileResult, {"subject_id": subject_id})

    def remember(self, subject_id: str, text: str, **more: Unpack[RememberFields]) -> wire.RememberResult:
        """Keep one text as exactly one memory."""
        return self._run("remember", wire.RememberResult, {"subject_id": subject_id, "text": text, **more})

    def list_memories(self, subject_id: str | None = None, **narrow: Unpack[ListMemoriesFields]) -> wire.MemoryPage:
        """List a subject's memories, active ones unless `status` says otherwise; or look a claim key up."""
        return self._run("list_memories", wire.MemoryPage, {"subject_id": subject_id, **narrow})

    def get_memory(self, memory_id: str) -> wire.Memory:
        """Read one memory with every saying it rests on."""
        return self._run("get_memory", wire.Memory, {"memory_id": memory_id})

    def memory_history(self, memory_id: str, **page: Unpack[Page]) -> wire.HistoryPage:
        """List the decisions that a memory took part in."""
        return self._run("memory_history", wire.HistoryPage, {"memory_id": memory_id, **page})

    def patch_memory(self, memory_id: str, **changes: Unpack[PatchMemoryFields]) -> wire.Memory:
        """Change a memory's class, kind or importance, quarantine it or merge it; recorded in the log."""
        return self._run("patch_memory", wire.Memory, {"memory_id": memory_id, **changes})

    def forget_memory(self, memory_id: str, **act: Unpack[Act]) -> wire.Memory:
        """Retract a memory; recorded in the log, so that a rebuild keeps it."""
        return self._run("forget_memory", wire.Memory, {"memory_id": memory_id, **act})

    def recall(self, subject_id: str, query: str, **narrow: Unpack[RecallFields]) -> recall_wire.RecallResult:
        """Find what is known of a subject that answers the query, best first."""
        return self._run("recall", recall_wire.RecallResult, {"subject_id": subject_id, "query": query, **narrow})

    def bundle(self, query: str, **narrow: Unpack[BundleFields]) -> recall_wire.BundleResult:
        """Build the text for a prompt, of at most `budget_tokens` tokens."""
        return self._run("bundle", recall_wire.BundleResult, {"query": query, **narrow})

    def reset_session(self, session_id: str) -> sessions_wire.SessionReset:
        """End a conversation, which answers `session_closed` from then on, and give the id that it goes on under."""
        return self._run("reset_session", sessions_wire.SessionReset, {"session_id": session_id})

    def list_conflicts(self, subject_id: str, **narrow: Unpack[ListConflictsFields]) -> wire.ConflictPage:
        """List the open conflicts of a subject, or those with another `status`."""
        return self._run("list_conflicts", wire.ConflictPage, {"subject_id": subject_id, **narrow})

    def resolve_conflict(self, conflict_id: str, **ruling: Unpack[ResolveFields]) -> wire.Conflict:
        """Rule on a conflict: choose a side, give a third value, or keep both."""
        return self._run("resolve_conflict", wire.Conflict, {"conflict_id": conflict_id, **ruling})

    def list_decisions(self, subject_id: str, **page: Unpack[Page]) -> wire.DecisionPage:
        """List the rulings of a subject with both sides' evidence."""
        return self._run("list_decisions", wire.DecisionPage, {"subject_id": subject_id, **page})

    def erase(self, subject_id: str | None = None, **what: Unpack[EraseFields]) -> erase_wire.EraseReceipt:
        """Remove an episode, a document, or all of a subject, for ever; a None in `what` is refused."""
        named = {} if subject_id is None else {"subject_id": subject_id}
        found = BY_NAME["erase"].run(self.runtime, self.tenant, {**named, **what})
        assert isinstance(found, erase_wire.EraseReceipt)
        return found

    def export_log(self, write: Callable[[str], object]) -> ExportResult:
        """Write every record of this tenant's log, one a line after a header."""
        return export_log(self.runtime, self.tenant, write)

    def import_log(self, lines: Iterable[str]) -> ImportResult:
        """Join another log with this tenant's; in any order, any number of times, the same."""
        return import_log(self.runtime, self.tenant, lines)

    def calibrate(
        self, labels: Iterable[Mapping[str, Any]], **how: Unpack[CalibrateFields]
    ) -> calibrate_wire.CalibrationReport:
        """Say how the gates and the similarity part what `labels` call real from the rest; nothing is changed."""
        return calibrate(self.runtime, self.tenant, labels, ask(calibrate_wire.CalibrateRequest, how))

    def sample_candidates(self, kind: str, size: int, *, seed: int = 1) -> calibrate_wire.SampleResult:
        """Draw candidates of the store to label blind for `calibrate`: half accepted as the kind, half refused."""
        fields = {"kind": kind, "size": size, "seed": seed}
        return sample(self.runtime, self.tenant, ask(calibrate_wire.SampleRequest, fields))

    def verify(self, subject_id: str | None = None, *, repair: bool = False) -> VerifyResult:
        """Derive one subject, or all, anew from the log and say what differs; `repair` puts right what is derived."""
        check = repair_store if repair else verify
        return check(self.runtime, self.tenant, subject=subject_id)

    def _stream(self, name: str, fields: Mapping[str, Any]) -> Iterator[Any]:
        given = {field: value for field, value in fields.items() if value is not None}
        return BY_NAME[name].run_stream(self.runtime, self.tenant, given)

    def _run(self, name: str, answer: type[Answer], fields: Mapping[str, Any]) -> Answer:
        given = {field: value for field, value in fields.items() if value is not None}
        found = BY_NAME[name].run(self.runtime, self.tenant, given)
        assert isinstance(found, answer)
        return found
