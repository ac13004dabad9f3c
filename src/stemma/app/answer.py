"""The use case of an answer from documents without a model: their own sentences, cited, or a refusal (R-63)."""

from __future__ import annotations

from stemma.app import models_search as wire
from stemma.app.document_search import Wanted, find, written
from stemma.app.models_recall import Grounding
from stemma.app.runtime import Runtime
from stemma.core import extractive, grounding


def answer_from_documents(runtime: Runtime, tenant: str, request: wire.SearchRequest) -> wire.AnswerResult:
    """Answer in the words of documents, each sentence with the number of its citation; refuse where nothing is near."""
    wanted = Wanted(
        query=request.query, k=request.k, corpora=request.corpora, metadata=request.metadata, for_answer=True
    )
    found = find(runtime, tenant, wanted)
    sentences = extractive.sentences(
        [
            (one.number, one.origin_id, found.text_of(passage), passage.similarity)
            for one in found.citations
            for passage in one.passages
        ],
        found.terms,
    )
    kept = {sentence.number for sentence in sentences}
    ground = extractive.judge(sentences, found.terms)
    return wire.AnswerResult(
        answer=extractive.written(sentences) if sentences else extractive.REFUSAL,
        citations=tuple(one for one in written(found) if one.number in kept),
        disagreements=tuple(
            wire.Disagreement(citations=each.numbers, detail=each.detail)
            for each in extractive.disagreements(sentences)
        ),
        grounding=Grounding(
            verdict=ground.verdict,
            coverage=ground.coverage,
            directive=grounding.ground(ground.verdict, ground.coverage).directive,
        ),
        index_state=found.index_state,
    )
