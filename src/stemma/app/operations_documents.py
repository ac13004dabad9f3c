"""The rows of the operation table for documents: corpora, documents, search, answers, events."""

from __future__ import annotations

from typing import Final

from stemma.app import (
    answer,
    document_search,
    documents,
    events,
    models_documents,
    models_events,
    models_search,
)
from stemma.app.operation import Command, Operation, Scope

_HANDBOOK: Final = {"corpus": "handbook", "external_id": "runbook.md"}

DOCUMENTS: Final[tuple[Operation, ...]] = (
    Operation(
        name="put_document",
        method="PUT",
        path="/v1/corpora/{corpus}/documents/{external_id:path}",
        request=models_documents.PutDocument,
        answer=models_documents.PutResult,
        function=documents.put_document,
        scope=Scope.WRITE,
        example={**_HANDBOOK, "title": "Runbook", "text": "# Restart\n\nStop the pump first."},
        command=Command(
            "put-document",
            ("corpus", "external_id"),
            'stemma put-document handbook runbook.md --text "Stop the pump first."',
        ),
    ),
    Operation(
        name="get_document",
        method="GET",
        path="/v1/corpora/{corpus}/documents/{external_id:path}",
        request=models_documents.DocumentByName,
        answer=models_documents.DocumentDetail,
        function=documents.get_document,
        scope=Scope.READ,
        example=_HANDBOOK,
        command=Command("document", ("corpus", "external_id"), "stemma document handbook runbook.md"),
    ),
    Operation(
        name="delete_document",
        method="DELETE",
        path="/v1/corpora/{corpus}/documents/{external_id:path}",
        request=models_documents.DeleteDocument,
        answer=models_documents.DeleteResult,
        function=documents.delete_document,
        scope=Scope.WRITE,
        example=_HANDBOOK,
        command=Command("delete-document", ("corpus", "external_id"), "stemma delete-document handbook runbook.md"),
        status=204,
    ),
    Operation(
        name="list_documents",
        method="GET",
        path="/v1/corpora/{corpus}/documents",
        request=models_documents.ListDocuments,
        answer=models_documents.DocumentPage,
        function=documents.list_documents,
        scope=Scope.READ,
        example={"corpus": "handbook"},
        command=Command("documents", ("corpus",), "stemma documents handbook"),
    ),
    Operation(
        name="list_corpora",
        method="GET",
        path="/v1/corpora",
        request=models_documents.ListCorpora,
        answer=models_documents.CorpusPage,
        function=documents.list_corpora,
        scope=Scope.READ,
        example={},
        command=Command("corpora", (), "stemma corpora"),
    ),
    Operation(
        name="delete_corpus",
        method="DELETE",
        path="/v1/corpora/{corpus}",
        request=models_documents.DeleteCorpus,
        answer=models_documents.DeleteResult,
        function=documents.delete_corpus,
        scope=Scope.WRITE,
        example={"corpus": "handbook"},
        command=Command("delete-corpus", ("corpus",), "stemma delete-corpus handbook"),
        status=204,
    ),
    Operation(
        name="search_documents",
        method="POST",
        path="/v1/search",
        request=models_search.SearchRequest,
        answer=models_search.SearchResult,
        function=document_search.search_documents,
        scope=Scope.READ,
        example={"corpora": ["handbook"], "query": "How is the pump restarted?", "k": 6},
        command=Command("search", ("query",), 'stemma search "How is the pump restarted?" --corpora handbook'),
    ),
    Operation(
        name="answer_from_documents",
        method="POST",
        path="/v1/answer",
        request=models_search.SearchRequest,
        answer=models_search.AnswerResult,
        function=answer.answer_from_documents,
        scope=Scope.READ,
        example={"corpora": ["handbook"], "query": "How is the pump restarted?"},
        command=Command("ask", ("query",), 'stemma ask "How is the pump restarted?" --corpora handbook'),
        stream=answer.stream_answer,
    ),
    Operation(
        name="add_events",
        method="POST",
        path="/v1/events",
        request=models_events.AddEvents,
        answer=models_events.AddEventsResult,
        function=events.add_events,
        scope=Scope.WRITE,
        example={
            "events": [
                {
                    "event_id": "orders:0:17",
                    "op": "upsert",
                    "corpus": "handbook",
                    "external_id": "7",
                    "text": "Logs are kept for 90 days.",
                    "position": 17,
                }
            ]
        },
        command=Command("send-events", ("file",), "stemma send-events events.jsonl"),
    ),
    Operation(
        name="list_events",
        method="GET",
        path="/v1/events",
        request=models_events.ListEvents,
        answer=models_events.EventPage,
        function=events.list_events,
        scope=Scope.READ,
        example={"corpus": "handbook"},
        command=Command("events", ("corpus",), "stemma events handbook"),
    ),
)
