"""The tools of documents, and those over both kinds: search, read, answer, the text for a prompt, its trace."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from stemma.app import models_tool_answers as told
from stemma.app import models_tools as asked
from stemma.app import tool_text as text
from stemma.app import tool_views as views
from stemma.app.models_documents import DocumentDetail
from stemma.app.models_recall import BundleResult
from stemma.app.models_search import AnswerResult, SearchResult
from stemma.app.models_traces import TraceView, WhyView
from stemma.app.tool_asker import Asker
from stemma.app.tool_reply import Reply, bounded, fitting
from stemma.core.fence import CLOSE, OPEN, defused
from stemma.errors import InvalidInput, NotFound

_DELIVERED: Final = 50
_HALVED: Final = 6
_LEFT_OUT: Final = "{count} more passages did not fit in one reply; ask with a smaller k or a narrower query."


def search(asker: Asker, request: asked.SearchTool) -> Reply:
    """Find passages, cited by document."""
    found = asker.ask("search_documents", SearchResult, **request.model_dump())
    whole = views.citations(found.citations)

    def make(count: int) -> Reply:
        kept = views.first_passages(whole, count)
        left_out = _passages(whole) - _passages(kept)
        answer = told.ToolSearch(
            citations=kept, independent_origins=found.independent_origins, truncated=left_out > 0, left_out=left_out
        )
        return Reply(answer, _cited_text(kept, found.independent_origins, left_out))

    return bounded(make, _passages(whole), asker.reply_bytes)[0]


def document(asker: Asker, request: asked.DocumentTool) -> Reply:
    """Read a document from a place on, as much as fits."""
    found = asker.ask("get_document", DocumentDetail, **request.model_dump(exclude={"start"}))
    rest = found.text[request.start :]
    if request.start > len(found.text):
        raise InvalidInput(f"the document has {len(found.text)} characters; start is behind its end", field="start")

    def make(count: int) -> Reply:
        end = request.start + count
        following = end if end < len(found.text) else None
        answer = told.ToolDocument(
            **views.shared(found, told.ToolDocument, "text"),
            text=found.text[request.start : end],
            start=request.start,
            end=end,
            characters=len(found.text),
            truncated=following is not None,
            next_start=following,
        )
        return Reply(answer, _document_text(answer))

    return bounded(make, min(len(rest), asker.reply_bytes), asker.reply_bytes)[0]


def answer(asker: Asker, request: asked.SearchTool) -> Reply:
    """Answer from documents, or say that nothing does."""
    found = asker.ask("answer_from_documents", AnswerResult, **request.model_dump())
    whole = views.citations(found.citations)
    disagreements = tuple(each.detail for each in found.disagreements)

    def make(count: int) -> Reply:
        kept = views.first_passages(whole, count)
        left_out = _passages(whole) - _passages(kept)
        given = told.ToolAnswer(
            answer=found.answer,
            citations=kept,
            disagreements=disagreements,
            grounding=found.grounding,
            made_by=found.made_by.how,
            truncated=left_out > 0,
            left_out=left_out,
        )
        lines = [text.quoted(found.answer), *(f"Disagreement: {text.quoted(each)}" for each in disagreements)]
        cited = text.fenced([*lines, *text.citation_lines(kept)])
        return Reply(given, text.lines_of(cited, [text.grounding_line(found.grounding)], _left_out(left_out)))

    return bounded(make, _passages(whole), asker.reply_bytes)[0]


def bundle(asker: Asker, request: asked.BundleTool) -> Reply:
    """Build the text for a prompt, with what each line rests on as far as that fits."""
    budgets = [request.budget_tokens >> halved for halved in range(_HALVED)]

    def make(budget: int) -> Reply:
        smaller = request.model_copy(update={"budget_tokens": budget})
        return _bundle(asker, smaller, is_cut=budget < request.budget_tokens)

    # A token may be a hundred characters: a text of so many may be longer than a reply.
    return fitting(budgets, make, asker.reply_bytes)


def _bundle(asker: Asker, request: asked.BundleTool, *, is_cut: bool) -> Reply:
    found = asker.ask("bundle", BundleResult, **request.model_dump())
    most = max((len(each.provenance) for one in found.sections for each in one.items), default=0)

    def make(sources: int) -> Reply:
        sections = tuple(
            told.ToolBundleSection(name=one.name, items=tuple(views.bundle_item(each, sources) for each in one.items))
            for one in found.sections
        )
        given = told.ToolBundle(
            **views.shared(found, told.ToolBundle, "sections"), sections=sections, truncated=is_cut or sources < most
        )
        return Reply(given, text.lines_of([found.text] if found.text else [], [f"trace_id: {found.trace_id}"]))

    return bounded(make, most, asker.reply_bytes)[0]


def explain(asker: Asker, request: asked.ExplainTool) -> Reply:
    """Say how an answer came about; with `memory_id`, why that is in it or is not."""
    trace = asker.trace(request.trace_id)
    why = None
    if request.memory_id is not None:
        found = asker.ask("why", WhyView, trace_id=request.trace_id, memory_id=request.memory_id)
        if asker.subject is not None and found.reason == "not_in_scope":
            # It may be another subject's, of whom nothing is told here, not even that it is there.
            raise NotFound(f"there is no memory, passage or episode {request.memory_id!r}", field="memory_id")
        why = views.fate(found)
    delivered = _delivered(trace)

    def make(count: int) -> Reply:
        given = told.ToolExplained(
            trace_id=trace.trace_id,
            recorded_at=trace.recorded_at,
            operation=trace.request.operation,
            subject_id=trace.request.subject_id,
            stages=tuple(told.ToolStage(**views.shared(each, told.ToolStage)) for each in trace.stages),
            delivered=delivered[:count],
            why=why,
            truncated=count < len(trace.stages[-1].items),
        )
        return Reply(given, _explained_text(given))

    return bounded(make, len(delivered), asker.reply_bytes)[0]


def _delivered(trace: TraceView) -> tuple[told.ToolDelivered, ...]:
    known = {one.id: one for one in trace.candidates}
    return tuple(
        told.ToolDelivered(
            id=name,
            type=known[name].type if name in known else "note",
            text=(known[name].text or "")[: text.CLIP] or None if name in known else None,
        )
        for name in trace.stages[-1].items[:_DELIVERED]
    )


def _explained_text(given: told.ToolExplained) -> str:
    stages = [
        f"{each.name}: {each.entered} entered, {each.left} left"
        + "".join(f", {count} dropped as {reason}" for reason, count in each.dropped_by_reason.items())
        for each in given.stages
    ]
    shown = [
        f"- {rank}. {each.type} {each.id}: {text.quoted(each.text or '', text.CLIP)}"
        for rank, each in enumerate(given.delivered, start=1)
    ]
    return text.lines_of(_fate_lines(given.why), stages, text.fenced(shown) if shown else [])


def _fate_lines(why: told.ToolFate | None) -> list[str]:
    if why is None:
        return []
    place = f", rank {why.rank}" if why.rank is not None else ""
    reason = f", because {why.reason}" if why.reason else ""
    lines = [f"{why.id} was {why.fate} at {why.stage}{reason}{place}."]
    if why.detail is not None:
        miss = why.detail
        lines.append(f"Its {miss.measure} is {miss.value:g}; {miss.needed:g} is needed.")
    if why.change is not None:
        lines.append(f"It would be in it with {why.change.name} {why.change.bound} {why.change.value}.")
    if why.because is not None:
        lines.append(f"It is not in force: {why.because}" + (f", by {why.by}." if why.by else "."))
    return lines


def _cited_text(kept: Sequence[told.ToolCitation], origins: int, left_out: int) -> str:
    if not kept:
        return "No document answers this."
    head = f"{len(kept)} documents, {origins} independent origins."
    return text.lines_of([head], text.fenced(text.citation_lines(kept)), _left_out(left_out))


def _document_text(found: told.ToolDocument) -> str:
    name = f"{text.quoted(found.corpus)} {text.quoted(found.external_id)}"
    head = f"Document {name}, revision {found.revision} ({found.state})."
    place = f"Characters {found.start} to {found.end} of {found.characters}, as they stand between the marks:"
    more = [f"It goes on: call again with start {found.next_start}."] if found.truncated else []
    # Of a document the lines matter; none of them can be the closing mark.
    return text.lines_of([head, place], [OPEN, defused(found.text), CLOSE], more)


def _passages(found: Sequence[told.ToolCitation]) -> int:
    return sum(len(each.passages) for each in found)


def _left_out(count: int) -> list[str]:
    return [_LEFT_OUT.format(count=count)] if count else []
