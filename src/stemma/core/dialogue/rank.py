"""The whole score of a turn from its parts, in the order in which the study adds them; each part stays visible."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from stemma.core.dialogue.parameters import Dialogue
from stemma.core.dialogue.turns import Heard, Question
from stemma.core.fuse import Fusion, Hit, Query, fuse
from stemma.core.score import Scale, Score, ScoreKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What a turn's score is made of; `neighbours` is the part of `lexical` that stands beside the turn.

    `fused` is the mix of `lexical` and `dense` times `role`; `score` is the sum of it and of all that follows it.
    """

    lexical: float
    neighbours: float
    dense: float | None
    weight: float | None
    role: float
    fused: float
    session: float
    session_best: float
    date: float
    shape: float
    subject: float

    @property
    def score(self) -> float:
        """Add up the parts; a turn that is only a question may come to less than nothing, which counts as nothing."""
        total = self.fused + self.session + self.session_best + self.date + self.shape + self.subject
        return max(0.0, total)


@dataclass(frozen=True, slots=True)
class Ranked:
    """A turn with its parts and its whole score; `scale` says what of the score counts as a full match."""

    heard: Heard
    parts: Parts
    score: Score
    scale: Scale


def rank(heard: Sequence[Heard], question: Question, fusion: Fusion) -> list[Ranked]:
    """Score turns by the question's recipe; best first, ties by unit. Of several revisions the nearest counts."""
    recipe, floor = question.recipe, question.floor
    # The session and the shape tell turns among people apart; a user asks an assistant in all that he says.
    among_people = not any(each.role in fusion.role_weights for each in heard)
    if not among_people:
        floor, fusion = question.plain_floor, _leaning(fusion, recipe.assisted_reach)
        heard = _assisted(heard, recipe.assisted_words if floor is None else recipe.assisted_before)
    found = _one_a_unit(heard)
    hits = [Hit(each.unit, each.shared or None, each.mixed, each.role) for each in found]
    fused = {each.item: each for each in fuse(hits, Query(question.ideal, floor, question.sampled), fusion)}
    told = max((each.told for each in found), default=0.0) if among_people else 0.0
    dated = max((each.dated for each in found), default=0.0)
    sessions = {each.unit: recipe.session * each.told / told if told > 0 else 0.0 for each in found}
    best: dict[str, float] = {}
    for each in found:
        best[each.session] = max(best.get(each.session, 0.0), fused[each.unit].score.value + sessions[each.unit])
    named = named_in(found, question)
    ranked = []
    for each in found:
        mixed = fused[each.unit]
        parts = Parts(
            lexical=mixed.lexical.value,
            neighbours=mixed.lexical.value * (1 - each.bm25 / each.shared) if each.shared > 0 else 0.0,
            dense=None if mixed.dense is None else mixed.dense.value,
            weight=mixed.weight,
            role=mixed.role_weight,
            fused=mixed.score.value,
            session=sessions[each.unit],
            session_best=recipe.session_best * best[each.session] if among_people else 0.0,
            date=recipe.date * each.dated / dated if dated > 0 else 0.0,
            shape=shape(each, recipe) if among_people else 0.0,
            subject=recipe.subject if named is not None and each.speaker == named else 0.0,
        )
        ranked.append(Ranked(each, parts, Score(ScoreKind.TURN, parts.score), recipe.scale))
    return sorted(ranked, key=lambda one: (-one.score.value, one.heard.unit))


def _assisted(heard: Sequence[Heard], share: float) -> list[Heard]:
    """Let turns keep to themselves: an assistant's long answers on both sides would lend a user's turn their words."""
    return [replace(each, shared=each.bm25 + share * each.preceding, mixed=each.cosine) for each in heard]


def _leaning(fusion: Fusion, left: float) -> Fusion:
    """Let a share of the reach join the base: long answers match many a word, and what is asked for has other ones."""
    reach = fusion.reach * left
    return replace(fusion, base=min(1 - reach, fusion.base + fusion.reach - reach), reach=reach)


def _one_a_unit(heard: Iterable[Heard]) -> list[Heard]:
    best: dict[str, Heard] = {}
    for each in sorted(heard, key=lambda one: (-one.shared, -(one.mixed or 0.0), one.item)):
        best.setdefault(each.unit, each)
    return sorted(best.values(), key=lambda one: one.unit)


def shape(heard: Heard, recipe: Dialogue) -> float:
    """Prefer what says something: the longer turn up to some forty words, and not the one that only asks."""
    return recipe.length * min(1.0, heard.words / recipe.words_most) - (recipe.asking if heard.asks else 0.0)


def named_in(found: Iterable[Heard], question: Question) -> tuple[int, ...] | None:
    """Give the one participant that a question names; None where it names none or several."""
    named = {each.speaker for each in found if question.terms.intersection(each.speaker)}
    return next(iter(named)) if len(named) == 1 else None
