"""The use case of an answer from documents (R-63): by a model and checked, or in their own sentences; or a refusal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from stemma.app import models_search as wire
from stemma.app.answer_model import PROMPT, Draft
from stemma.app.document_search import Cited, Wanted, find, written
from stemma.app.models_recall import Grounding
from stemma.app.prompt_files import load_prompt
from stemma.app.runtime import Runtime
from stemma.core import answering, extractive, grounding
from stemma.core.grounding import Ground


@dataclass(frozen=True, slots=True)
class _Found:
    """What there is to answer from: the citations, and the sentences of them that say most about the query."""

    cited: Cited
    sentences: Sequence[extractive.Sentence]
    query: str

    @property
    def is_relevant(self) -> bool:
        """Say whether anything here may answer: its words are the query's, or its sense is near to it."""
        near = (passage.similarity for one in self.cited.citations for passage in one.passages)
        return bool(self.sentences) or max(near, default=0.0) >= grounding.GROUNDED_FROM

    @property
    def disagreements(self) -> list[extractive.Difference]:
        """Name who gives other numbers than whom."""
        return extractive.disagreements(self.sentences)


def answer_from_documents(runtime: Runtime, tenant: str, request: wire.SearchRequest) -> wire.AnswerResult:
    """Answer with citations; where nothing is relevant, refuse without asking a model. Raises UnknownCorpus."""
    found = _find(runtime, tenant, request)
    draft = _draft(runtime, found)
    if draft is not None:
        draft.ask()
    return _result(found, draft)


def stream_answer(runtime: Runtime, tenant: str, request: wire.SearchRequest) -> Iterator[wire.AnswerEvent]:
    """Answer the same in events: citations, each sentence once it is checked, the whole. Raises UnknownCorpus at once.

    No transaction is open while the model works. A model that fails before a sentence is shown leaves the documents'
    own; one that fails later leaves what is shown, marked `cut_off`.
    """
    return _events(runtime, _find(runtime, tenant, request))


def _events(runtime: Runtime, found: _Found) -> Iterator[wire.AnswerEvent]:
    yield wire.AnswerCitations(citations=written(found.cited) if found.is_relevant else ())
    draft = _draft(runtime, found)
    if draft is not None:
        for text in draft.streamed():
            yield wire.AnswerText(text=text)
    result = _result(found, draft)
    if draft is None or not draft.shown:
        told = extractive.pieces(found.sentences) if result.made_by.how == "documents" else []
        for text in told or [result.answer]:
            yield wire.AnswerText(text=text)
    yield wire.AnswerDone(**dict(result))


def _find(runtime: Runtime, tenant: str, request: wire.SearchRequest) -> _Found:
    wanted = Wanted(
        query=request.query, k=request.k, corpora=request.corpora, metadata=request.metadata, for_answer=True
    )
    cited = find(runtime, tenant, wanted)
    sentences = extractive.sentences(
        [
            (one.number, one.origin_id, cited.text_of(passage), passage.similarity)
            for one in cited.citations
            for passage in one.passages
        ],
        cited.terms,
    )
    return _Found(cited, sentences, request.query)


def _draft(runtime: Runtime, found: _Found) -> Draft | None:
    """Write what a model is asked; none is asked where nothing is relevant, or none is set."""
    if runtime.chat is None or not found.is_relevant:
        return None
    return Draft.to(runtime, runtime.chat, found.cited, found.query)


def _result(found: _Found, draft: Draft | None) -> wire.AnswerResult:
    if draft is None:
        return _in_own_words(found, wire.MadeBy(how="documents"))
    if draft.shown:
        used = {number for one in draft.shown for number in one.numbers}
        used |= {number for each in found.disagreements for number in each.numbers}
        return _answer(found, answering.written(draft.shown), used, _judged(found, draft), _made_by(draft, "model"))
    if draft.is_refusal:
        refused = grounding.ground("abstain", 0.0)
        return _answer(found, extractive.REFUSAL, set(), refused, _made_by(draft, "model"))
    return _in_own_words(found, _made_by(draft, "documents"))


def _in_own_words(found: _Found, made_by: wire.MadeBy) -> wire.AnswerResult:
    told = extractive.written(found.sentences) if found.sentences else extractive.REFUSAL
    used = {one.number for one in found.sentences}
    return _answer(found, told, used, extractive.judge(found.sentences, found.cited.terms), made_by)


def _judged(found: _Found, draft: Draft) -> Ground:
    """Judge by what the shown sentences rest on, not by their own words: a model repeats those of the question."""
    used = {number for one in draft.shown for number in one.numbers}
    covered = {term for number in used for term in draft.sources[number].terms}
    near = [passage.similarity for one in found.cited.citations if one.number in used for passage in one.passages]
    return grounding.judge(dict.fromkeys(found.cited.terms, 1.0), covered, near)


def _answer(found: _Found, told: str, used: set[int], ground: Ground, made_by: wire.MadeBy) -> wire.AnswerResult:
    return wire.AnswerResult(
        answer=told,
        citations=tuple(one for one in written(found.cited) if one.number in used),
        disagreements=tuple(
            wire.Disagreement(citations=each.numbers, detail=each.detail)
            for each in found.disagreements
            if used.issuperset(each.numbers)
        ),
        grounding=Grounding(verdict=ground.verdict, coverage=ground.coverage, directive=ground.directive),
        index_state=found.cited.index_state,
        made_by=made_by,
    )


def _made_by(draft: Draft, how: str) -> wire.MadeBy:
    fields = {
        "how": how,
        "model": draft.chat.id,
        "prompt": load_prompt(PROMPT).id,
        "fallback": None if how == "model" else draft.failure or "nothing_held",
        "cut_off": draft.is_cut and how == "model",
        "removed": [{"text": one.text, "reason": one.reason.value, "missing": one.missing} for one in draft.removed],
        "usage": {"prompt_tokens": draft.usage.prompt_tokens, "completion_tokens": draft.usage.completion_tokens},
    }
    return wire.MadeBy.model_validate(fields)
