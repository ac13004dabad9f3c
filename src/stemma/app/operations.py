"""The one table: every operation with its route, models, function, rights and command. The doors are made from it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from stemma.app import (
    acts,
    bundle,
    episodes,
    erase,
    ingest,
    memories,
    models_episodes,
    models_erase,
    models_memories,
    models_recall,
    models_registry,
    recall,
    registry,
    remember,
)
from stemma.app.compile import compile_memories
from stemma.app.operation import Command, Operation, Scope
from stemma.app.operations_documents import DOCUMENTS
from stemma.app.operations_figures import FIGURES
from stemma.app.operations_keys import KEYS
from stemma.app.operations_sessions import SESSIONS
from stemma.app.operations_traces import TRACES

__all__ = ["BY_NAME", "OPERATIONS", "Command", "Operation", "Scope"]

_LOG: Final = (
    Operation(
        name="add_episodes",
        method="POST",
        path="/v1/episodes",
        request=models_episodes.AddEpisodes,
        answer=models_episodes.AddEpisodesResult,
        function=ingest.add_episodes,
        scope=Scope.WRITE,
        example={
            "episodes": [
                {
                    "subject_id": "ana",
                    "key_parts": ["github", "acme", "api-server", "issue", "4471", "opened"],
                    "text": "I am allergic to peanuts.",
                    "occurred_at": "2026-03-01T10:00:00Z",
                }
            ]
        },
        command=Command("add", ("file",), "stemma add episodes.jsonl --store ./memory"),
        takes_idempotency_key=True,
    ),
    Operation(
        name="find_episodes",
        method="GET",
        path="/v1/episodes",
        request=models_episodes.FindEpisodes,
        answer=models_episodes.EpisodePage,
        function=episodes.find_episodes,
        scope=Scope.READ,
        example={"subject_id": "ana"},
        command=Command("episodes", (), "stemma episodes --subject ana"),
    ),
    Operation(
        name="get_episode",
        method="GET",
        path="/v1/episodes/{episode_id}",
        request=models_episodes.EpisodeById,
        answer=models_episodes.EpisodeDetail,
        function=episodes.get_episode,
        scope=Scope.READ,
        example={"episode_id": "4e7c"},
        command=Command("episode", ("episode_id",), "stemma episode 4e7c… --json"),
    ),
    Operation(
        name="put_source",
        method="PUT",
        path="/v1/sources/{name:path}",
        request=models_registry.PutSource,
        answer=models_registry.SourceEntry,
        function=registry.put_source,
        scope=Scope.WRITE,
        example={"name": "github", "key_policy": "identity", "authority": 70},
        command=Command("source", ("name",), "stemma source github --key-policy identity --authority 70"),
    ),
    Operation(
        name="list_sources",
        method="GET",
        path="/v1/sources",
        request=models_registry.ListSources,
        answer=models_registry.SourcePage,
        function=registry.list_sources,
        scope=Scope.READ,
        example={},
        command=Command("sources", (), "stemma sources"),
    ),
    Operation(
        name="put_claim_key",
        method="PUT",
        path="/v1/claim-keys/{key:path}",
        request=models_registry.PutClaimKey,
        answer=models_registry.ClaimKeyEntry,
        function=registry.put_claim_key,
        scope=Scope.WRITE,
        example={"key": "fee", "cardinality": "single", "policy": "corroborated", "corroboration": 2},
        command=Command("claim-key", ("key",), "stemma claim-key fee --cardinality single --policy latest"),
    ),
    Operation(
        name="list_claim_keys",
        method="GET",
        path="/v1/claim-keys",
        request=models_registry.ListClaimKeys,
        answer=models_registry.ClaimKeyPage,
        function=registry.list_claim_keys,
        scope=Scope.READ,
        example={},
        command=Command("claim-keys", (), "stemma claim-keys"),
    ),
    Operation(
        name="list_kinds",
        method="GET",
        path="/v1/kinds",
        request=models_registry.ListKinds,
        answer=models_registry.KindPage,
        function=registry.list_kinds,
        scope=Scope.READ,
        example={},
        command=Command("kinds", (), "stemma kinds"),
    ),
    Operation(
        name="list_subjects",
        method="GET",
        path="/v1/subjects",
        request=models_registry.ListSubjects,
        answer=models_registry.SubjectPage,
        function=registry.list_subjects,
        scope=Scope.READ,
        example={},
        command=Command("subjects", (), "stemma subjects"),
    ),
)

_ERASURE: Final = (
    Operation(
        name="erase",
        method="POST",
        path="/v1/erase",
        request=models_erase.EraseRequest,
        answer=models_erase.EraseReceipt,
        function=erase.erase,
        scope=Scope.ADMIN,
        example={"subject_id": "ana", "episode_key": "github:acme:api-server:issue:4471:opened"},
        command=Command("erase", (), "stemma erase --subject ana --key github:acme:api-server:issue:4471:opened"),
    ),
)

_MEMORIES: Final = (
    Operation(
        name="compile_memories",
        method="POST",
        path="/v1/memories/compile",
        request=models_memories.CompileRequest,
        answer=models_memories.CompileResult,
        function=compile_memories,
        scope=Scope.WRITE,
        example={"subject_id": "ana"},
        command=Command("compile", (), "stemma compile --subject ana"),
    ),
    Operation(
        name="remember",
        method="POST",
        path="/v1/memories",
        request=models_memories.RememberRequest,
        answer=models_memories.RememberResult,
        function=remember.remember,
        scope=Scope.WRITE,
        example={"subject_id": "ana", "text": "Ana prefers oat milk.", "occurred_at": "2026-03-01T10:00:00Z"},
        command=Command("remember", ("text",), 'stemma remember "Ana prefers oat milk." --subject ana'),
        takes_idempotency_key=True,
    ),
    Operation(
        name="list_memories",
        method="GET",
        path="/v1/memories",
        request=models_memories.ListMemories,
        answer=models_memories.MemoryPage,
        function=memories.list_memories,
        scope=Scope.READ,
        example={"subject_id": "ana", "status": "all"},
        command=Command("memories", (), "stemma memories --subject ana --status all"),
    ),
    Operation(
        name="get_memory",
        method="GET",
        path="/v1/memories/{memory_id}",
        request=models_memories.MemoryById,
        answer=models_memories.Memory,
        function=memories.get_memory,
        scope=Scope.READ,
        example={"memory_id": "91c0"},
        command=Command("memory", ("memory_id",), "stemma memory 91c0…"),
    ),
    Operation(
        name="memory_history",
        method="GET",
        path="/v1/memories/{memory_id}/history",
        request=models_memories.HistoryRequest,
        answer=models_memories.HistoryPage,
        function=memories.memory_history,
        scope=Scope.READ,
        example={"memory_id": "91c0"},
        command=Command("history", ("memory_id",), "stemma history 91c0…"),
    ),
    Operation(
        name="patch_memory",
        method="PATCH",
        path="/v1/memories/{memory_id}",
        request=models_memories.PatchMemory,
        answer=models_memories.Memory,
        function=acts.patch_memory,
        scope=Scope.WRITE,
        example={"memory_id": "91c0", "injection": "core", "by": "ana", "note": "reviewed"},
        command=Command("patch", ("memory_id",), "stemma patch 91c0… --injection core --by ana"),
    ),
    Operation(
        name="forget_memory",
        method="DELETE",
        path="/v1/memories/{memory_id}",
        request=models_memories.ForgetRequest,
        answer=models_memories.Memory,
        function=acts.forget_memory,
        scope=Scope.WRITE,
        example={"memory_id": "91c0", "by": "ana", "note": "not true any more"},
        command=Command("forget", ("memory_id",), "stemma forget 91c0… --by ana"),
    ),
    Operation(
        name="list_conflicts",
        method="GET",
        path="/v1/conflicts",
        request=models_memories.ListConflicts,
        answer=models_memories.ConflictPage,
        function=memories.list_conflicts,
        scope=Scope.READ,
        example={"subject_id": "ana"},
        command=Command("conflicts", (), "stemma conflicts --subject ana"),
    ),
    Operation(
        name="resolve_conflict",
        method="POST",
        path="/v1/conflicts/{conflict_id}/resolve",
        request=models_memories.ResolveRequest,
        answer=models_memories.Conflict,
        function=acts.resolve_conflict,
        scope=Scope.WRITE,
        example={"conflict_id": "c0ff", "choose": "91c0", "by": "ana"},
        command=Command("resolve", ("conflict_id",), "stemma resolve c0ff… --choose 91c0… --by ana"),
    ),
    Operation(
        name="list_decisions",
        method="GET",
        path="/v1/decisions",
        request=models_memories.ListDecisions,
        answer=models_memories.DecisionPage,
        function=memories.list_decisions,
        scope=Scope.READ,
        example={"subject_id": "ana"},
        command=Command("decisions", (), "stemma decisions --subject ana"),
    ),
)

_READING: Final = (
    Operation(
        name="recall",
        method="POST",
        path="/v1/recall",
        request=models_recall.RecallRequest,
        answer=models_recall.RecallResult,
        function=recall.recall,
        scope=Scope.READ,
        example={"subject_id": "ana", "query": "What is Ana allergic to?", "k": 5},
        command=Command("recall", ("query",), 'stemma recall "What is Ana allergic to?" --subject ana'),
    ),
    Operation(
        name="bundle",
        method="POST",
        path="/v1/bundle",
        request=models_recall.BundleRequest,
        answer=models_recall.BundleResult,
        function=bundle.bundle,
        scope=Scope.READ,
        example={"subject_id": "ana", "query": "Where does Ana live?", "budget_tokens": 500},
        command=Command("bundle", ("query",), 'stemma bundle "Where does Ana live?" --subject ana --budget-tokens 500'),
    ),
)

OPERATIONS: Final[tuple[Operation, ...]] = (
    *_LOG,
    *_MEMORIES,
    *_READING,
    *SESSIONS,
    *TRACES,
    *FIGURES,
    *DOCUMENTS,
    *_ERASURE,
    *KEYS,
)

BY_NAME: Final[Mapping[str, Operation]] = {row.name: row for row in OPERATIONS}
