"""The documents' part of the Python faces: a method for each row of the table that speaks of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Unpack

from stemma.app import models_documents as wire
from stemma.app import models_events as events_wire
from stemma.app import models_search as search_wire
from stemma.app.asking import Asking
from stemma.app.fields import DocumentFields, Page, SearchFields


class DocumentsFace(Asking):
    """Documents: what is put and read, searched and answered from."""

    def put_document(self, corpus: str, external_id: str, **sent: Unpack[DocumentFields]) -> wire.PutResult:
        """Make a document what is sent; its passages change at once, its old revisions stay."""
        return self._run("put_document", wire.PutResult, {"corpus": corpus, "external_id": external_id, **sent})

    def get_document(self, corpus: str, external_id: str, *, revision: str | None = None) -> wire.DocumentDetail:
        """Read a document as it is, or a revision that it once had."""
        fields = {"corpus": corpus, "external_id": external_id, "revision": revision}
        return self._run("get_document", wire.DocumentDetail, fields)

    def delete_document(self, corpus: str, external_id: str) -> wire.DeleteResult:
        """Let a document be gone; again changes nothing."""
        return self._run("delete_document", wire.DeleteResult, {"corpus": corpus, "external_id": external_id})

    def list_documents(self, corpus: str, **page: Unpack[Page]) -> wire.DocumentPage:
        """List the documents of a corpus."""
        return self._run("list_documents", wire.DocumentPage, {"corpus": corpus, **page})

    def list_corpora(self, **page: Unpack[Page]) -> wire.CorpusPage:
        """List the corpora with how many documents are in each."""
        return self._run("list_corpora", wire.CorpusPage, page)

    def delete_corpus(self, corpus: str) -> wire.DeleteResult:
        """Let a corpus and every document in it be gone."""
        return self._run("delete_corpus", wire.DeleteResult, {"corpus": corpus})

    def search_documents(self, query: str, **narrow: Unpack[SearchFields]) -> search_wire.SearchResult:
        """Find passages of documents, cited by document, copies counted once."""
        return self._run("search_documents", search_wire.SearchResult, {"query": query, **narrow})

    def answer_from_documents(self, query: str, **narrow: Unpack[SearchFields]) -> search_wire.AnswerResult:
        """Answer from documents with citations: by the model where one is set, else in their own words; or refuse."""
        return self._run("answer_from_documents", search_wire.AnswerResult, {"query": query, **narrow})

    def stream_answer(self, query: str, **narrow: Unpack[SearchFields]) -> Iterator[search_wire.AnswerEvent]:
        """Answer the same in events as it comes: the citations, each checked sentence, and at last the whole."""
        return self._stream("answer_from_documents", {"query": query, **narrow})

    def add_events(self, events: Sequence[Mapping[str, Any]]) -> events_wire.AddEventsResult:
        """Apply changes of documents, 1 to 1,000 at once; one result each, in order."""
        return self._run("add_events", events_wire.AddEventsResult, {"events": list(events)})

    def list_events(self, corpus: str, **page: Unpack[Page]) -> events_wire.EventPage:
        """List the events of a corpus in the order they came in."""
        return self._run("list_events", events_wire.EventPage, {"corpus": corpus, **page})
