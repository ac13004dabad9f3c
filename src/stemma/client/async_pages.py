"""The lists of the async client, read to their end: an `iter_…` for each row of the table that answers in pages."""

# `scripts/async-client` wrote this from app/stemma_pages.py; edit that one.

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Unpack

from stemma.app import models_documents as documents_wire
from stemma.app import models_episodes as episodes_wire
from stemma.app import models_events as events_wire
from stemma.app import models_keys as keys_wire
from stemma.app import models_memories as wire
from stemma.app import models_registry as registry_wire
from stemma.app.fields import ListConflictsFields, ListMemoriesFields, Page
from stemma.client.async_documents import AsyncDocumentsFace
from stemma.client.async_keys import AsyncKeysFace
from stemma.client.async_log import AsyncLogFace
from stemma.client.async_memories import AsyncMemoriesFace
from stemma.client.async_paging import pages


class AsyncPagesFace(AsyncLogFace, AsyncMemoriesFace, AsyncDocumentsFace, AsyncKeysFace):
    """Every item of each list. Nothing is asked before the first item is taken; `limit` is the size of a page."""

    def iter_episodes(self, subject_id: str, **page: Unpack[Page]) -> AsyncIterator[episodes_wire.EpisodeSummary]:
        """Give a subject's episodes in order of receipt."""
        return pages(self.find_episodes, subject_id, **page)

    def iter_sources(self, **page: Unpack[Page]) -> AsyncIterator[registry_wire.SourceEntry]:
        """Give the registered sources."""
        return pages(self.list_sources, **page)

    def iter_claim_keys(self, **page: Unpack[Page]) -> AsyncIterator[registry_wire.ClaimKeyEntry]:
        """Give the registered claim keys."""
        return pages(self.list_claim_keys, **page)

    def iter_kinds(self, **page: Unpack[Page]) -> AsyncIterator[registry_wire.KindEntry]:
        """Give the kinds of memory."""
        return pages(self.list_kinds, **page)

    def iter_subjects(self, **page: Unpack[Page]) -> AsyncIterator[registry_wire.SubjectEntry]:
        """Give the subjects."""
        return pages(self.list_subjects, **page)

    def iter_memories(
        self, subject_id: str | None = None, **narrow: Unpack[ListMemoriesFields]
    ) -> AsyncIterator[wire.Memory]:
        """Give a subject's memories, active ones unless `status` says otherwise; or those with a claim key."""
        return pages(self.list_memories, subject_id, **narrow)

    def iter_memory_history(self, memory_id: str, **page: Unpack[Page]) -> AsyncIterator[wire.Decision]:
        """Give the decisions that a memory took part in."""
        return pages(self.memory_history, memory_id, **page)

    def iter_conflicts(self, subject_id: str, **narrow: Unpack[ListConflictsFields]) -> AsyncIterator[wire.Conflict]:
        """Give the open conflicts of a subject, or those with another `status`."""
        return pages(self.list_conflicts, subject_id, **narrow)

    def iter_decisions(self, subject_id: str, **page: Unpack[Page]) -> AsyncIterator[wire.Decision]:
        """Give the rulings of a subject with both sides' evidence."""
        return pages(self.list_decisions, subject_id, **page)

    def iter_documents(self, corpus: str, **page: Unpack[Page]) -> AsyncIterator[documents_wire.DocumentSummary]:
        """Give the documents of a corpus."""
        return pages(self.list_documents, corpus, **page)

    def iter_corpora(self, **page: Unpack[Page]) -> AsyncIterator[documents_wire.CorpusEntry]:
        """Give the corpora with how many documents are in each."""
        return pages(self.list_corpora, **page)

    def iter_events(self, corpus: str, **page: Unpack[Page]) -> AsyncIterator[events_wire.EventEntry]:
        """Give the events of a corpus in the order they came in."""
        return pages(self.list_events, corpus, **page)

    def iter_keys(self, **page: Unpack[Page]) -> AsyncIterator[keys_wire.KeyEntry]:
        """Give the keys, those that do not work any more among them."""
        return pages(self.list_keys, **page)
