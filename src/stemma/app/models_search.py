"""What a search among documents and an answer from them are asked, and the citations they give (API.md)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

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
    `hidden`: a reader of the file does not see it; it was let in by `admit_hidden`.
    """

    text: str
    start: int
    end: int
    heading: str
    page: int | None
    score: float
    similarity: float
    hidden: bool = False


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


class Usage(AnswerModel):
    """How many tokens the model took, as its endpoint counted; null where it did not say."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class RemovedSentence(AnswerModel):
    """What a model wrote and is not shown, and why.

    `uncited`: it names no citation. `no_such_citation`: those in `missing` do not exist. `figure_not_there` and
    `quote_not_there`: those in `missing` do not stand in what it cites. `not_about_it`: not one of its words does.
    """

    text: str
    reason: Literal["uncited", "no_such_citation", "figure_not_there", "quote_not_there", "not_about_it"]
    missing: tuple[str, ...] = ()


class MadeBy(AnswerModel):
    """How an answer was made: by a model, or of the documents' own sentences.

    `fallback` says why a model that is set did not make it: `chat_failed`, `chat_busy` or `chat_refused` where it could
    not be had, `nothing_held` where nothing that it wrote stood the check. `cut_off` is true where it broke off after
    what is shown.
    """

    how: Literal["model", "documents"]
    model: str | None = None
    prompt: str | None = None
    fallback: Literal["chat_failed", "chat_busy", "chat_refused", "nothing_held"] | None = None
    cut_off: bool = False
    removed: tuple[RemovedSentence, ...] = ()
    usage: Usage | None = None


class AnswerResult(AnswerModel):
    """An answer with its citations, or a refusal where nothing is relevant.

    With a model every sentence names citations, and every figure in it stands in one of them; without one the
    sentences are the documents' own.
    """

    answer: str
    citations: tuple[Citation, ...]
    disagreements: tuple[Disagreement, ...]
    grounding: Grounding
    index_state: IndexState
    made_by: MadeBy


class AnswerCitations(AnswerModel):
    """The first event of an answer that streams: every citation that it may name."""

    event: Literal["citations"] = "citations"
    citations: tuple[Citation, ...]


class AnswerText(AnswerModel):
    """A checked piece of the answer, with what stands between it and the one before: joined they are the answer."""

    event: Literal["text"] = "text"
    text: str


class AnswerDone(AnswerResult):
    """The last event: the whole answer with the citations that it names."""

    event: Literal["done"] = "done"


AnswerEvent = AnswerCitations | AnswerText | AnswerDone
