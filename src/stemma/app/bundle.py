"""The use case of the bundle: what is handed to a model, under a token budget, with where it comes from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from stemma.app import models_recall as wire
from stemma.app import sessions
from stemma.app.bundle_documents import DISAGREEMENTS, DOCUMENTS, DocumentPart, disagreements, document_part
from stemma.app.bundle_memories import Material, remembered
from stemma.app.models_memories import Conflict, Memory, MemoryEpisode
from stemma.app.runtime import Runtime
from stemma.app.took import clock_ms
from stemma.app.trace_views import shown
from stemma.app.tracing import Draft, keep, new_trace_id, notes_of, text_stages, traced
from stemma.core import grounding
from stemma.core.admit.core_list import within_share
from stemma.core.analyse import terms
from stemma.core.budget import Fitted, fit
from stemma.core.render import LEFT_OUT, NOTHING, Line, render
from stemma.core.trace import Excerpt
from stemma.core.traced import TracedResult
from stemma.errors import AsOfNotAvailable
from stemma.models.tokens import counter, tokenizer_name

MEMORIES, EPISODES, CONFLICTS = "memories", "episodes", "conflicts"


@dataclass(frozen=True, slots=True)
class _Built:
    """A text with what came of every line, and how long fitting and writing it took."""

    result: wire.BundleResult
    lines: list[Line]
    fitted: Fitted
    took_ms: tuple[float, float]


def bundle(runtime: Runtime, tenant: str, request: wire.BundleRequest) -> wire.BundleResult:
    """Build the text for a prompt: at most `budget_tokens` as delivered, headings included.

    Raises UnknownCorpus, and SessionClosed for a conversation that was reset.
    """
    began = clock_ms()
    if request.as_of is not None and request.corpora:
        raise AsOfNotAvailable("as_of reads what was remembered by then; leave corpora out", field="as_of")
    now = request.now or runtime.now()
    asked_ms = clock_ms() - began
    given = sessions.given(runtime, tenant, request)
    material = remembered(runtime, tenant, request, now, given)
    part = document_part(runtime, tenant, request.corpora, request.query) if request.corpora else DocumentPart()
    trace_id = new_trace_id()
    built = _build(material, part, request, trace_id)
    result = built.result
    draft = Draft(
        id=trace_id,
        at=runtime.now(),
        request=request,
        now=now,
        asked_ms=asked_ms,
        index_state=result.index_state,
        found=material.found,
        chain=material.chain,
        seen=material.seen,
        documents=part.stages,
        passages=part.items,
        text=text_stages(built.lines, built.fitted, built.took_ms),
        notes=notes_of(built.lines, built.fitted),
        costs=built.fitted.costs,
        result=TracedResult(result.tokens, result.grounding.verdict, result.grounding.coverage),
        calibration=runtime.calibration,
        tokenizer=result.tokenizer,
    )
    keep(runtime, tenant, draft)
    delivered = {item.id for section in result.sections if section.name == MEMORIES for item in section.items}
    if not draft.overridden:
        runtime.uses.note(tenant, sorted(delivered), runtime.now())
        sessions.note(runtime, tenant, request, delivered)
    if request.explain:
        return result.model_copy(update={"trace": shown(runtime, tenant, traced(draft))})
    return result


def _build(material: Material, part: DocumentPart, request: wire.BundleRequest, trace_id: str) -> _Built:
    lines = list(_lines(material, part))
    count = counter()
    began = clock_ms()
    # The longest directive is budgeted for, since which one it will be is judged on what survives.
    directives = [grounding.NO_ROOM, *(grounding.ground(each, 0.0).directive for each in grounding.VERDICTS)]
    within, over = within_share(lines, material.core, request.budget_tokens, count)
    fitted = fit(within, max(directives, key=count), request.budget_tokens, count)
    fitted = replace(fitted, fates=[*over, *fitted.fates])
    fitted_at, kept, text = clock_ms(), fitted.kept, fitted.text
    ground = _judge(kept, material, part)
    if lines and not kept:
        ground = grounding.Ground("partial", 0.0, grounding.NO_ROOM)
    if text:
        text = render(kept, ground.directive, without=LEFT_OUT if lines else NOTHING)
    result = wire.BundleResult(
        text=text,
        sections=_sections(kept, material, part),
        tokens=count(text) if text else 0,
        grounding=wire.Grounding(verdict=ground.verdict, coverage=ground.coverage, directive=ground.directive),
        uncompiled=material.found.uncompiled if material.found else 0,
        index_state=_index_state(material, part),
        tokenizer=tokenizer_name(),
        trace_id=trace_id,
    )
    return _Built(result, lines, fitted, (fitted_at - began, clock_ms() - fitted_at))


def _lines(material: Material, part: DocumentPart) -> Iterator[Line]:
    """Give what may be delivered: the core list, then memories and documents by turns."""
    told = [
        Line(each.id, MEMORIES, each.text, each.last_said_at, ", ".join(filter(None, (_note(each), _stale(each)))))
        for each in material.memories
    ]
    listed = [line for line in told if line.id in material.core]
    yield from listed
    told = [line for line in told if line.id not in material.core]
    told += [_excerpt_line(item.id, item.excerpt) for item in material.excerpts if item.excerpt is not None]
    for pair in zip_longest(told, part.lines):
        yield from (line for line in pair if line is not None)
    yield from disagreements(part, material.memories)
    yield from (_conflict_line(conflict, sides) for conflict, sides in material.conflicts)


def _index_state(material: Material, part: DocumentPart) -> wire.IndexState:
    states = [state for state in (material.found and material.found.index_state, part.index_state) if state]
    return next((state for state in states if not state.complete), states[0])


def _stale(memory: Memory) -> str:
    return f"stale: {memory.stale.reason} {memory.stale.since:%Y-%m-%d}" if memory.stale else ""


def _note(memory: Memory) -> str:
    # Another person's words, told in the first person, would read as the user's own.
    name = memory.voice.partition(":")[2]
    notes = [f"{name} said this" if name else "", f"until {memory.valid_to:%Y-%m-%d}" if memory.valid_to else ""]
    return ", ".join(filter(None, notes))


def _excerpt_line(name: str, said: Excerpt) -> Line:
    return Line(name, EPISODES, said.text, said.occurred_at, said.speaker or "")


def _conflict_line(conflict: Conflict, sides: Sequence[Memory]) -> Line:
    said = " / ".join(f"{each.text} [{each.last_said_at:%Y-%m-%d}]" for each in sides)
    return Line(conflict.id, CONFLICTS, said, None, conflict.reason)


def _judge(kept: Sequence[Line], material: Material, part: DocumentPart) -> grounding.Ground:
    delivered = {line.id for line in kept}
    # What a list forces in says nothing about the question.
    surviving = [item for item in material.items if item.id in delivered - material.core]
    covered = {term for item in surviving for term in terms(item.text)}
    covered |= {term for name in delivered & part.words.keys() for term in part.words[name]}
    similarities = [item.similarity.value for item in surviving if item.similarity is not None]
    similarities += [part.similarities[name] for name in sorted(delivered & part.similarities.keys())]
    query = (material.found.terms if material.found else frozenset()) | part.query
    return grounding.judge(dict.fromkeys(query, 1.0), covered, similarities)


def _sections(kept: Sequence[Line], material: Material, part: DocumentPart) -> tuple[wire.BundleSection, ...]:
    rests_on: dict[str, list[Memory]] = {each.id: [each] for each in material.memories}
    rests_on |= {conflict.id: sides for conflict, sides in material.conflicts}
    excerpts = {item.id: item.excerpt for item in material.excerpts}
    sections = []
    for name in (MEMORIES, EPISODES, DOCUMENTS, DISAGREEMENTS, CONFLICTS):
        entries = tuple(
            _entry(line, rests_on.get(line.id, ()), _place_of(excerpts.get(line.id)) or part.provenance.get(line.id))
            for line in kept
            if line.section == name
        )
        if entries:
            sections.append(wire.BundleSection.model_validate({"name": name, "items": entries}))
    return tuple(sections)


def _place_of(said: Excerpt | None) -> wire.Provenance | None:
    if said is None:
        return None
    return wire.Provenance(
        episode_id=said.episode_id,
        key=said.key,
        occurred_at=said.occurred_at,
        source=said.source,
        speaker=said.speaker,
    )


def _entry(
    line: Line, memories: Sequence[Memory], place: wire.Provenance | wire.DocumentProvenance | None
) -> wire.BundleItem:
    sayings = tuple(_provenance(saying) for memory in memories for saying in memory.episodes)
    return wire.BundleItem(
        id=line.id,
        text=line.text,
        date=line.date,
        provenance=sayings if place is None else (place,),
        stale=any(memory.stale is not None for memory in memories),
    )


def _provenance(saying: MemoryEpisode) -> wire.Provenance:
    return wire.Provenance(
        episode_id=saying.episode_id,
        key=saying.key,
        occurred_at=saying.occurred_at,
        source=saying.source or "",
        speaker=saying.speaker,
    )
