"""The use case of the bundle: what is handed to a model, under a token budget, with where it comes from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stemma.app import memory_view as view
from stemma.app import models_recall as wire
from stemma.app.models_memories import Conflict, Memory, MemoryEpisode
from stemma.app.runtime import Runtime
from stemma.app.search import Pool, pool
from stemma.core import grounding
from stemma.core.analyse import terms
from stemma.core.budget import fit
from stemma.core.render import LEFT_OUT, NOTHING, Line, render
from stemma.core.stages import chain
from stemma.core.trace import Ask, Item, run
from stemma.errors import AsOfNotAvailable, UnknownCorpus
from stemma.models.tokens import counter, tokenizer_name
from stemma.store.transaction import Transaction

MOST_ITEMS = 200
MOST_CONFLICTS = 50
MEMORIES, CONFLICTS = "memories", "conflicts"


@dataclass(frozen=True, slots=True)
class _Material:
    """What may go into the text: memories in their order, and the open conflicts that touch them."""

    memories: list[Memory]
    conflicts: list[tuple[Conflict, list[Memory]]]


def bundle(runtime: Runtime, tenant: str, request: wire.BundleRequest) -> wire.BundleResult:
    """Build the text for a prompt: at most `budget_tokens` as delivered, headings included."""
    if request.as_of is not None:
        raise AsOfNotAvailable("as_of is not available yet; leave it out to read the present state", field="as_of")
    if request.corpora or request.subject_id is None:
        raise UnknownCorpus(f"there is no corpus {', '.join(request.corpora or ())!r}", field="corpora")
    now = request.now or runtime.now()
    found = pool(runtime, tenant, request.subject_id, query=request.query, now=now)
    ask = Ask(query=found.query, terms=found.terms, now=now, k=MOST_ITEMS, for_prompt=True, half_lives=found.half_lives)
    items, _ = run(chain(runtime.calibration.fusion, runtime.calibration.scale), found.items, ask)
    subject = request.subject_id
    material = runtime.store.run(tenant, lambda t: _material(t, subject, items, found, ask), read_only=True)
    result = _build(material, items, found, request)
    delivered = {item.id for section in result.sections if section.name == MEMORIES for item in section.items}
    runtime.uses.note(tenant, sorted(delivered), runtime.now())
    return result


def _material(t: Transaction, subject: str, items: Sequence[Item], found: Pool, ask: Ask) -> _Material:
    memories = view.memories(t, [found.rows[item.id] for item in items], ask.now)
    touched = {each.id for each in memories}
    page = {"subject_id": subject, "after": "", "limit": MOST_CONFLICTS}
    listed = [view.conflict(subject, row, ask.now) for row in t.all("open_conflicts", {**page, "now": ask.now})]
    chosen = [each for each in listed if each.status == "open" and touched & set(each.memory_ids)]
    sides = t.all("memories_by_id", {"ids": [side for each in chosen for side in each.memory_ids]})
    by_id = {each.id: each for each in view.memories(t, sides, ask.now)}
    return _Material(memories, [(each, [by_id[side] for side in each.memory_ids if side in by_id]) for each in chosen])


def _build(material: _Material, items: Sequence[Item], found: Pool, request: wire.BundleRequest) -> wire.BundleResult:
    lines = [Line(each.id, MEMORIES, each.text, each.last_said_at, _note(each)) for each in material.memories]
    lines += [_conflict_line(conflict, sides) for conflict, sides in material.conflicts]
    count = counter()
    # The longest directive is budgeted for, since which one it will be is judged on what survives.
    directives = [grounding.NO_ROOM, *(grounding.ground(each, 0.0).directive for each in grounding.VERDICTS)]
    kept, _, text = fit(lines, max(directives, key=count), request.budget_tokens, count)
    ground = _judge(kept, items, found)
    if lines and not kept:
        ground = grounding.Ground("partial", 0.0, grounding.NO_ROOM)
    if text:
        text = render(kept, ground.directive, without=LEFT_OUT if lines else NOTHING)
    by_id = {each.id: each for each in material.memories}
    return wire.BundleResult(
        text=text,
        sections=_sections(kept, by_id, material.conflicts),
        tokens=count(text) if text else 0,
        grounding=wire.Grounding(verdict=ground.verdict, coverage=ground.coverage, directive=ground.directive),
        uncompiled=found.uncompiled,
        index_state=found.index_state,
        tokenizer=tokenizer_name(),
    )


def _note(memory: Memory) -> str:
    if memory.valid_to is not None:
        return f"until {memory.valid_to:%Y-%m-%d}"
    return ""


def _conflict_line(conflict: Conflict, sides: Sequence[Memory]) -> Line:
    said = " / ".join(f"{each.text} [{each.last_said_at:%Y-%m-%d}]" for each in sides)
    return Line(conflict.id, CONFLICTS, said, None, conflict.reason)


def _judge(kept: Sequence[Line], items: Sequence[Item], found: Pool) -> grounding.Ground:
    delivered = {line.id for line in kept if line.section == MEMORIES}
    surviving = [item for item in items if item.id in delivered]
    covered = {term for item in surviving for term in terms(item.text)}
    similarities = [item.similarity.value for item in surviving if item.similarity is not None]
    return grounding.judge(dict.fromkeys(found.terms, 1.0), covered, similarities)


def _sections(
    kept: Sequence[Line], memories: Mapping[str, Memory], conflicts: Sequence[tuple[Conflict, Sequence[Memory]]]
) -> tuple[wire.BundleSection, ...]:
    sides = {conflict.id: memories_of for conflict, memories_of in conflicts}
    sections = []
    for name in (MEMORIES, CONFLICTS):
        chosen = [line for line in kept if line.section == name]
        rests_on = {line.id: [memories[line.id]] if name == MEMORIES else sides[line.id] for line in chosen}
        if chosen:
            entries = tuple(_entry(line, rests_on[line.id]) for line in chosen)
            sections.append(wire.BundleSection.model_validate({"name": name, "items": entries}))
    return tuple(sections)


def _entry(line: Line, memories: Sequence[Memory]) -> wire.BundleItem:
    sayings = [saying for memory in memories for saying in memory.episodes]
    return wire.BundleItem(
        id=line.id, text=line.text, date=line.date, provenance=tuple(_provenance(saying) for saying in sayings)
    )


def _provenance(saying: MemoryEpisode) -> wire.Provenance:
    return wire.Provenance(
        episode_id=saying.episode_id,
        key=saying.key,
        occurred_at=saying.occurred_at,
        source=saying.source or "",
        speaker=saying.speaker,
    )
