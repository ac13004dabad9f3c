"""Admission: by which rule an item may come into an answer, or why it may not (SPEC R-43, R-45a).

Importance and recency order; they never admit. What is admitted by another rule than relevance is forced.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from stemma.core.admit.cooldown import LONGEST, cooldown_of
from stemma.core.admit.retired import Place, named_retired
from stemma.core.claims import ASSISTANT
from stemma.core.dialogue.rank import Ranked
from stemma.core.score import Scale
from stemma.core.trace import Ask, Excerpt, Fate, Item, Miss, Reason, Stage
from stemma.records import Injection

# Asked for means by a word of it, or by a question that is about little else.
ASKED_FROM: Final = 0.5
# Of the similarity of the best, what a prompt's next ones need: beside an answer, what only touches the query is noise.
NEAR_SHARE: Final = 0.4
RELEVANCE, CORE = "relevance", "core"
# Further back than any cooldown reaches.
LONG_AGO: Final = LONGEST + 1


def admission_stage(scale: Scale) -> Stage:
    """Make the stage that admits by relevance, and what is on the subject's core list by that; each has its rule."""

    def admitted(items: Sequence[Item], ask: Ask) -> tuple[list[Item], list[Fate]]:
        left: list[Item] = []
        fates: list[Fate] = []
        least = _least_similarity(items) if ask.for_prompt else 0.0
        for item in items:
            reason = _refused(item, ask, least)
            if reason is None:
                left.append(item.with_rule(RELEVANCE))
            elif item.id in ask.core:
                left.append(item.with_rule(CORE))
            else:
                fates.append(Fate(item.id, reason, detail=_miss(item, reason, ask, least, scale)))
        return _without_evidence_of(left, fates, ask)

    return admitted


def _without_evidence_of(left: Sequence[Item], fates: list[Fate], ask: Ask) -> tuple[list[Item], list[Fate]]:
    """Drop the clauses that memories on cooldown were learned from: they would bring the same words back."""
    resting = [fate for fate in fates if fate.reason is Reason.COOLDOWN]
    places = [(place, fate.detail) for fate in resting for place in ask.evidence.get(fate.id, ())]
    kept: list[Item] = []
    gone: list[Fate] = []
    for item in left:
        said = None if item.excerpt is None else place_of(item.excerpt)
        misses = [detail for place, detail in places if said is not None and said.meets(place)]
        if misses:
            gone.append(Fate(item.id, Reason.COOLDOWN, detail=misses[0]))
        else:
            kept.append(item)
    return kept, fates + gone


def scale_of(item: Item, scale: Scale) -> Scale:
    """Give the scale that an item's fused score is read on: a turn has its own."""
    return scale if item.turn is None else item.turn.scale


def is_asked_for(item: Item) -> bool:
    """Say whether the query names an item: by a word of it, or by being about little else."""
    return bool(item.hit.bm25) or (item.similarity is not None and item.similarity.value >= ASKED_FROM)


def may_answer(item: Item) -> bool:
    """Say whether an excerpt is near enough to come into a prompt, before the stages have scored it."""
    return item.excerpt is not None and (item.turn is None or _placed(item.turn) >= ASKED_FROM)


def _placed(turn: Ranked) -> float:
    return turn.scale.place(turn.score.value)


def place_of(excerpt: Excerpt) -> Place:
    """Name the place of an excerpt."""
    return Place(excerpt.episode_id, excerpt.message, excerpt.start, excerpt.end)


def _least_similarity(items: Sequence[Item]) -> float:
    """Give the similarity from which a memory is near to a query, as far as the best one is."""
    return NEAR_SHARE * max((item.similarity.value for item in items if item.memory and item.similarity), default=0.0)


def _refused(item: Item, ask: Ask, least: float) -> Reason | None:
    if ask.for_prompt and ask.asks_nothing:
        return Reason.NOTHING_ASKED
    is_near = item.similarity is not None and item.similarity.value > 0
    # Whoever searches is shown what holds a word of the query, last; into a prompt nothing comes that is not near.
    # A turn is spoken of by the words beside it too: an answer holds none of its question.
    holds = item.hit.bm25 or (item.turn is not None and item.turn.heard.shared > 0)
    if not is_near and (ask.for_prompt or not holds):
        return Reason.BELOW_GATE
    if item.memory is None:
        return _refused_excerpt(item, ask) if ask.for_prompt else None
    if item.similarity is not None and item.similarity.value < least:
        return Reason.BELOW_GATE
    # An assistant's words about itself are kept as evidence; whoever reads them back would take them for the user's.
    if item.memory.voice == ASSISTANT:
        return Reason.ASSISTANT_VOICE
    if item.memory.injection == Injection.NEVER:
        return Reason.NEVER_INJECTED
    if item.memory.injection == Injection.ON_REQUEST and not is_asked_for(item):
        return Reason.NOT_REQUESTED
    if item.id not in ask.core and ask.given.get(item.id, LONG_AGO) <= cooldown_of(item.memory):
        # What the query names comes again whenever it does.
        return None if is_asked_for(item) else Reason.COOLDOWN
    return None


def _refused_excerpt(item: Item, ask: Ask) -> Reason | None:
    """Judge a clause of an episode: it comes where it answers, is a trusted user's, and says nothing retired."""
    said = item.excerpt
    if said is None or item.similarity is None or item.similarity.value < ASKED_FROM:
        return Reason.BELOW_GATE
    if said.role is not None and said.role.lower() != "user":
        return Reason.ASSISTANT_VOICE
    if item.id in ask.untrusted:
        return Reason.UNTRUSTED
    if named_retired(said.text, place_of(said), ask.retired) is not None:
        return Reason.NAMES_RETIRED_VALUE
    return None


def _miss(item: Item, reason: Reason, ask: Ask, least: float, scale: Scale) -> Miss | None:
    """Say by how much an item was not near enough; a class that keeps it out is no matter of degree."""
    near = item.similarity
    if reason is Reason.BELOW_GATE and near is not None and near.value > 0:
        return Miss(near.kind.value, near.value, ASKED_FROM if item.memory is None else least)
    if reason is Reason.BELOW_GATE and item.fused is not None:
        return Miss(item.fused.kind.value, item.fused.value, scale_of(item, scale).zero)
    if reason is Reason.NOT_REQUESTED and near is not None:
        return Miss(near.kind.value, near.value, ASKED_FROM)
    if reason is Reason.COOLDOWN and item.memory is not None:
        return Miss("bundles_ago", ask.given[item.id], cooldown_of(item.memory) + 1)
    return None
