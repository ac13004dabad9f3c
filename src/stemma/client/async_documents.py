"""The documents' part of the async client: a method for each row of the table that speaks of them."""

# `scripts/async-client` wrote this from app/stemma_documents.py; edit that one.

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, Unpack

from stemma.app import models_documents as wire
from stemma.app import models_events as events_wire
from stemma.app import models_search as search_wire
from stemma.app.fields import DocumentFields, Page, SearchFields
from stemma.client.async_asking import AsyncAsking


class AsyncDocumentsFace(AsyncAsking):
    """Documents: what is put and read, searched and answered from."""

    async def put_document(self, corpus: str, external_id: str, **sent: Unpack[DocumentFields]) -> wire.PutResult:
        """Make a document what is sent; its passages change at once, its old revisions stay."""
        return await self._run("put_document", wire.PutResult, {"corpus": corpus, "external_id": external_id, **sent})

    async def get_document(self, corpus: str, external_id: str, *, revision: str | None = None) -> wire.DocumentDetail:
        """Read a document as it is, or a revision that it once had."""
        fields = {"corpus": corpus, "external_id": external_id, "revision": revision}
        return await self._run("get_document", wire.DocumentDetail, fields)

    async def delete_document(self, corpus: str, external_id: str) -> wire.DeleteResult:
        """Let a document be gone; again changes nothing."""
        return await self._run("delete_document", wire.DeleteResult, {"corpus": corpus, "external_id": external_id})

    async def list_documents(self, corpus: str, **page: Unpack[Page]) -> wire.DocumentPage:
        """List the documents of a corpus."""
        return await self._run("list_documents", wire.DocumentPage, {"corpus": corpus, **page})

    async def list_corpora(self, **page: Unpack[Page]) -> wire.CorpusPage:
        """List the corpora with how many documents are in each."""
        return await self._run("list_corpora", wire.CorpusPage, page)

    async def delete_corpus(self, corpus: str) -> wire.DeleteResult:
        """Let a corpus and every document in it be gone."""
        return await self._run("delete_corpus", wire.DeleteResult, {"corpus": corpus})

    async def search_documents(self, query: str, **narrow: Unpack[SearchFields]) -> search_wire.SearchResult:
        """Find passages of documents, cited by document, copies counted once."""
        return await self._run("search_documents", search_wire.SearchResult, {"query": query, **narrow})

    async def answer_from_documents(self, query: str, **narrow: Unpack[SearchFields]) -> search_wire.AnswerResult:
        """Answer from documents with citations: by the model where one is set, else in their own words; or refuse."""
        return await self._run("answer_from_documents", search_wire.AnswerResult, {"query": query, **narrow})

    def stream_answer(self, query: str, **narrow: Unpack[SearchFields]) -> AsyncIterator[search_wire.AnswerEvent]:
        """Answer the same in events as it comes: the citations, each checked sentence, and at last the whole."""
        return self._stream("answer_from_documents", {"query": query, **narrow})

    async def add_events(self, events: Sequence[Mapping[str, Any]]) -> events_wire.AddEventsResult:
        """Apply changes of documents, 1 to 1,000 at once; one result each, in order."""
        return await self._run("add_events", events_wire.AddEventsResult, {"events": list(events)})

    async def list_events(self, corpus: str, **page: Unpack[Page]) -> events_wire.EventPage:
        """List the events of a corpus in the order they came in."""
        return await self._run("list_events", events_wire.EventPage, {"corpus": corpus, **page})
