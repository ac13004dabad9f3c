"""How far what was found supports an answer: signals of the ranking, weighed by the calibration record, with reasons.

A signal, never a refusal: whoever grounds an answer may read it. How many of a question's terms are covered takes no
part: it tells little (design study, section 5).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from heapq import nlargest

from stemma.core.dialogue.parameters import SupportWeights
from stemma.core.dialogue.rank import Ranked, named_in
from stemma.core.dialogue.turns import Question

SUBJECT_DIFFERS, NARROW = "subject_differs", "one_narrow_hit"
_FIRST = 10
# Chosen on LoCoMo 1 to 3, where three, four and five tell the same; checked on 4 and 5.
_SUBJECT_BEST = 3


@dataclass(frozen=True, slots=True)
class Signals:
    """What the ranking itself tells, all without a unit.

    `subject`, -1 to 1: the mean score of the question without its names over the best three turns of the participant it
    names, less that of the best three of anyone else, over the better of the two; 0 where it names none or several. One
    turn alone may match by chance. `broad`, 0 to 1: the mean
    share of the vectors in the first ten, of the words where no vector answered. `drop`, 0 to 1: how far the tenth
    score falls below the first.
    """

    subject: float
    broad: float
    drop: float


@dataclass(frozen=True, slots=True)
class Support:
    """How probable it is that the dialogue holds an answer, 0 to 1, and what speaks against it."""

    value: float
    is_enough: bool
    signals: Signals
    reasons: tuple[str, ...]


def support(ranked: Sequence[Ranked], question: Question, weights: SupportWeights) -> Support | None:
    """Judge what was found for a question; None where nothing was found."""
    if not ranked:
        return None
    signals = signals_of(ranked, question)
    total = weights.constant + weights.subject * signals.subject
    total += weights.broad * signals.broad + weights.drop * signals.drop
    value = 1 / (1 + math.exp(-max(-60.0, min(60.0, total))))
    reasons = (SUBJECT_DIFFERS,) if signals.subject < 0 else ()
    is_enough = value >= weights.threshold
    if not is_enough and not reasons:
        reasons = (NARROW,)
    return Support(value, is_enough, signals, reasons)


def signals_of(ranked: Sequence[Ranked], question: Question) -> Signals:
    """Read the signals off a ranking, best first."""
    first = ranked[:_FIRST]
    shares = [one.parts.lexical if one.parts.dense is None else one.parts.dense for one in first]
    top = first[0].score.value
    return Signals(
        subject=_subject(ranked, question),
        broad=math.fsum(shares) / len(shares),
        drop=0.0 if top <= 0 else (top - first[-1].score.value) / top,
    )


def _subject(ranked: Sequence[Ranked], question: Question) -> float:
    named = named_in((one.heard for one in ranked), question)
    if named is None:
        return 0.0
    own = _of_best(one.heard.free for one in ranked if one.heard.speaker == named)
    others = _of_best(one.heard.free for one in ranked if one.heard.speaker != named)
    best = max(own, others)
    return (own - others) / best if best > 0 else 0.0


def _of_best(scores: Iterable[float]) -> float:
    return math.fsum(nlargest(_SUBJECT_BEST, scores)) / _SUBJECT_BEST
