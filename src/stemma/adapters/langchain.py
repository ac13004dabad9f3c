"""LangChain: a retriever of memories and passages, and the tools of agents; the extra is `stemma-memory[langchain]`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pydantic import ConfigDict, Field, model_validator

from stemma.adapters.extras import extra
from stemma.adapters.tools import about, functions
from stemma.app.face import Face
from stemma.app.models_recall import RecallItem
from stemma.errors import InvalidInput

with extra("langchain", "langchain_core"):
    from langchain_core.callbacks import CallbackManagerForRetrieverRun
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.tools import BaseTool, StructuredTool


def stemma_tools(face: Face, subject_id: str, *, corpora: Sequence[str] | None = None) -> list[BaseTool]:
    """Make the tools of one subject: remember, recall, forget, build_bundle, and search_documents over corpora."""
    return [
        StructuredTool.from_function(one, name=one.__name__, description=about(one))
        for one in functions(face, subject_id, corpora=corpora)
    ]


class StemmaRetriever(BaseRetriever):
    """Gives what is remembered of a subject, then passages of corpora, each as a LangChain document with its source.

    `k` bounds each of the two. The asynchronous half runs in a thread.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    face: Face = Field(exclude=True, repr=False)
    subject_id: str | None = None
    corpora: tuple[str, ...] = ()
    k: int = Field(default=5, ge=1, le=100)

    @model_validator(mode="after")
    def _looks_somewhere(self) -> StemmaRetriever:
        if self.subject_id is None and not self.corpora:
            raise InvalidInput("name a subject_id, corpora, or both", field="subject_id")
        return self

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        return [*self._remembered(query), *self._cited(query)]

    def _remembered(self, query: str) -> Iterator[Document]:
        if self.subject_id is None:
            return
        for item in self.face.recall(self.subject_id, query, k=self.k).items:
            if isinstance(item, RecallItem):
                memory = item.memory
                told = memory.model_dump(
                    mode="json", include={"subject_id", "kind", "status", "first_said_at", "last_said_at", "times_said"}
                )
                keys = [one.key for one in memory.episodes]
                source = {"source": "memory", "score": item.score, "episodes": keys}
                yield Document(page_content=memory.text, id=memory.id, metadata={**told, **source})

    def _cited(self, query: str) -> Iterator[Document]:
        if not self.corpora:
            return
        for one in self.face.search_documents(query, corpora=self.corpora, k=self.k).citations:
            told = one.model_dump(mode="json", exclude={"passages", "score", "document_id"})
            for passage in one.passages:
                place = passage.model_dump(mode="json", include={"start", "end", "heading", "page", "score"})
                name = f"{one.document_id}:{passage.start}-{passage.end}"
                yield Document(
                    page_content=passage.text, id=name, metadata={**told, **place, "source": one.uri or one.external_id}
                )
