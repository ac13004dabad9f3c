"""What a search among documents and an answer from them are asked, and the citations they give (API.md)."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from stemma.app.models_base import AnswerModel, Count, Query, RequestModel
from stemma.app.models_documents import CorpusName
from stemma.app.models_recall import Grounding, IndexState

K_DEFAULT = 6
K_MOST = 100


class SearchRequest(RequestModel):
    """Find passages of documents; every corpus where none is named.

    `metadata` keeps to documents that hold each of its fields with that value; a list names values of which one is
    enough, and a document's own list holds each of its members.
    """

    query: Query
    corpora: Annotated[tuple[CorpusName, ...], Field(min_length=1, description="Corpora to search")] | None = None
    k: Annotated[int, Field(ge=1, le=K_MOST, strict=True, description="Most passages")] = K_DEFAULT
    metadata: Annotated[dict[str, Any], Field(description="What a document's metadata must hold")] | None = None


class CitedPassage(AnswerModel):
    """One passage; `start` and `end` count code points of its document's text in the cited revision.

    `score` orders passages of one search; `similarity` is 0 where it is as unlike the query as unrelated texts are.
    """

    text: str
    start: int
    end: int
    heading: str
    page: int | None
    score: float
    similarity: float


class Citation(AnswerModel):
    """One document under its number, its passages in reading order; `copy_of` is the number of one of its origin."""

    number: int
    document_id: str
    corpus: str
    external_id: str
    revision: str
    title: str
    uri: str | None
    origin_id: str
    copy_of: int | None
    score: float
    passages: tuple[CitedPassage, ...]


class SearchResult(AnswerModel):
    """Citations, the best document first. `independent_origins` counts copies of one origin once."""

    citations: tuple[Citation, ...]
    independent_origins: Count
    passages_considered: Count
    index_state: IndexState


class Disagreement(AnswerModel):
    """Two cited documents of independent origin that give other values of one thing."""

    citations: tuple[int, ...]
    detail: str


class AnswerResult(AnswerModel):
    """An answer in the documents' own words with its citations, or a refusal where nothing is relevant."""

    answer: str
    citations: tuple[Citation, ...]
    disagreements: tuple[Disagreement, ...]
    grounding: Grounding
    index_state: IndexState
