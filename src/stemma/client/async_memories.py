"""The memories' part of the async client: a method for each row of the table that speaks of them."""

# `scripts/async-client` wrote this from app/stemma_memories.py; edit that one.

from __future__ import annotations

from typing import Unpack

from stemma.app import models_memories as wire
from stemma.app import models_recall as recall_wire
from stemma.app.fields import (
    Act,
    BundleFields,
    ListConflictsFields,
    ListMemoriesFields,
    Page,
    PatchMemoryFields,
    RecallFields,
    RememberFields,
    ResolveFields,
)
from stemma.client.async_asking import AsyncAsking


class AsyncMemoriesFace(AsyncAsking):
    """What is derived from the log: memories, what is found of them, conflicts and rulings."""

    async def compile_memories(self, subject_id: str | None = None) -> wire.CompileResult:
        """Derive the memories of one subject, or of each with something new."""
        return await self._run("compile_memories", wire.CompileResult, {"subject_id": subject_id})

    async def remember(self, subject_id: str, text: str, **more: Unpack[RememberFields]) -> wire.RememberResult:
        """Keep one text as exactly one memory."""
        return await self._run("remember", wire.RememberResult, {"subject_id": subject_id, "text": text, **more})

    async def list_memories(
        self, subject_id: str | None = None, **narrow: Unpack[ListMemoriesFields]
    ) -> wire.MemoryPage:
        """List a subject's memories, active ones unless `status` says otherwise; or look a claim key up."""
        return await self._run("list_memories", wire.MemoryPage, {"subject_id": subject_id, **narrow})

    async def get_memory(self, memory_id: str) -> wire.Memory:
        """Read one memory with every saying it rests on."""
        return await self._run("get_memory", wire.Memory, {"memory_id": memory_id})

    async def memory_history(self, memory_id: str, **page: Unpack[Page]) -> wire.HistoryPage:
        """List the decisions that a memory took part in."""
        return await self._run("memory_history", wire.HistoryPage, {"memory_id": memory_id, **page})

    async def patch_memory(self, memory_id: str, **changes: Unpack[PatchMemoryFields]) -> wire.Memory:
        """Change a memory's class, kind or importance, quarantine it or merge it; recorded in the log."""
        return await self._run("patch_memory", wire.Memory, {"memory_id": memory_id, **changes})

    async def forget_memory(self, memory_id: str, **act: Unpack[Act]) -> wire.Memory:
        """Retract a memory; recorded in the log, so that a rebuild keeps it."""
        return await self._run("forget_memory", wire.Memory, {"memory_id": memory_id, **act})

    async def recall(self, subject_id: str, query: str, **narrow: Unpack[RecallFields]) -> recall_wire.RecallResult:
        """Find what is known of a subject that answers the query, best first."""
        return await self._run("recall", recall_wire.RecallResult, {"subject_id": subject_id, "query": query, **narrow})

    async def bundle(self, query: str, **narrow: Unpack[BundleFields]) -> recall_wire.BundleResult:
        """Build the text for a prompt, of at most `budget_tokens` tokens."""
        return await self._run("bundle", recall_wire.BundleResult, {"query": query, **narrow})

    async def list_conflicts(self, subject_id: str, **narrow: Unpack[ListConflictsFields]) -> wire.ConflictPage:
        """List the open conflicts of a subject, or those with another `status`."""
        return await self._run("list_conflicts", wire.ConflictPage, {"subject_id": subject_id, **narrow})

    async def resolve_conflict(self, conflict_id: str, **ruling: Unpack[ResolveFields]) -> wire.Conflict:
        """Rule on a conflict: choose a side, give a third value, or keep both."""
        return await self._run("resolve_conflict", wire.Conflict, {"conflict_id": conflict_id, **ruling})

    async def list_decisions(self, subject_id: str, **page: Unpack[Page]) -> wire.DecisionPage:
        """List the rulings of a subject with both sides' evidence."""
        return await self._run("list_decisions", wire.DecisionPage, {"subject_id": subject_id, **page})
