"""The documents' half of the Python face: a method for each row of the table that speaks of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypedDict, TypeVar, Unpack

from stemma.app import models_documents as wire
from stemma.app import models_events as events_wire
from stemma.app import models_search as search_wire
from stemma.app.fields import Page
from stemma.app.models_base import AnswerModel

Answer = TypeVar("Answer", bound=AnswerModel)


class DocumentFields(TypedDict, total=False):
    """What a document is sent with: `text`, or a file's bytes in `content_base64`, and what is said of it."""

    title: str
    text: str
    content_base64: str
    media_type: str
    charset: str
    admit_hidden: bool
    uri: str
    metadata: Mapping[str, Any]
    derived_from: str


class SearchFields(TypedDict, total=False):
    """Where a search looks and how much it gives."""

    corpora: Sequence[str]
    k: int
    metadata: Mapping[str, Any]


class DocumentsFace:
    """What `Stemma` does with documents."""

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

    def _run(self, name: str, answer: type[Answer], fields: Mapping[str, Any]) -> Answer:
        raise NotImplementedError

    def _stream(self, name: str, fields: Mapping[str, Any]) -> Iterator[Any]:
        raise NotImplementedError
