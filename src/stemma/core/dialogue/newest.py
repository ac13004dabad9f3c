"""Current before outdated: among what was chosen, a turn that says the same as an older one stands before it.

For questions about the present alone, as their English words tell; questions in other languages stay as ranked. The set
of what is answered never changes: recency as a weight costs more than it brings (design study, section 4).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import combinations

from stemma.core.analyse import term_hash, terms
from stemma.core.dialogue.parameters import Dialogue
from stemma.core.lexical import idf

_OPENERS = frozenset("what which how where who when is are do does".split())
_HOW = frozenset({"many", "much"})
# Words of order, of history, and of the past: whoever uses them asks about what was.
_NOT_NOW = re.compile(
    r"\b(?:order|sequence|between|first|initially|original(?:ly)?|earlier|previous(?:ly)?|history|changed?|changes|evolved?"
    r"|over time|how long|timeline|summar(?:y|i[sz]e[ds]?)|contradict\w*|ever|never|before|did|was|were|had|would|might"
    r"|could)\b"
    r"|\bhow many (?:days|weeks|months|years)\b(?! (?:a|an|per|each)\b)"
)
_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+|\n+")
_NUMBER = re.compile(r"\d+(?:[.,:/]\d+)*")
_TIME_WORD = re.compile(
    r"\b(?:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b"
)


@dataclass(frozen=True, slots=True)
class Member:
    """One chosen turn of a user: its place in the answer, its words, when it was said and where in its episode."""

    at: int
    text: str
    said_at: datetime
    place: int


@dataclass(frozen=True, slots=True)
class Scope:
    """How common words are where the turns are from: a sample of `documents` passages, and how many hold each term."""

    documents: int = 0
    holding: Mapping[int, int] = field(default_factory=dict)

    def worth(self, term: int) -> float:
        """Give the idf of a hashed term."""
        return idf(self.documents, self.holding.get(term, 0))


@dataclass(frozen=True, slots=True)
class _Sentence:
    words: Counter[int]
    hashes: frozenset[int]
    numbers: frozenset[str]
    is_valued: bool


def is_about_now(question: str) -> bool:
    """Say whether a question asks about the present: by its first words, and by what it does not say."""
    folded = " ".join(question.lower().split())
    first, _, rest = folded.partition(" ")
    first = first.partition("'")[0].rstrip(",:")
    if first not in _OPENERS or (first == "how" and rest.partition(" ")[0] not in _HOW):
        return False
    return _NOT_NOW.search(folded) is None


def terms_of(texts: Iterable[str], recipe: Dialogue) -> set[int]:
    """Give the hashed terms that linking the sentences of some turns asks the frequency of."""
    return {term for text in texts for each in _sentences(text, recipe) if each.numbers for term in each.words}


def newest_first(
    members: Sequence[Member], worth: Mapping[int, float], scope: Scope, recipe: Dialogue
) -> dict[int, int]:
    """Give for each place whose turn changes the place that the turn now there comes from.

    A newer turn that says the same as an older one further up comes up to stand right before it; all else keeps its
    order, so what a pair costs the rest is one place. Two turns say the same where sentences of them are alike and hold
    other numbers (`link`), or where each answers the question about as well as the best one does, and holds a number or
    a date (`slot`); pair by pair, since whatever else a third is like says nothing of the two. `worth` is that of the
    question's terms.
    """
    read = [_sentences(each.text, recipe) for each in members]
    newer: dict[int, set[int]] = {}
    for pair in [*_linked(read, scope, recipe.link), *_same_slot(read, worth, recipe.slot)]:
        old, new = sorted(pair, key=lambda number: _age(members[number]))
        newer.setdefault(members[old].at, set()).add(new)
    order: dict[int, None] = {}
    for at in range(max((each.at for each in members), default=-1) + 1):
        if at not in order:
            above = sorted(newer.get(at, ()), key=lambda number: _age(members[number]), reverse=True)
            order |= dict.fromkeys([*(members[number].at for number in above if members[number].at not in order), at])
    return {place: at for place, at in enumerate(order) if place != at}


def _age(member: Member) -> tuple[datetime, int, int]:
    return member.said_at, member.place, -member.at


def _sentences(text: str, recipe: Dialogue) -> list[_Sentence]:
    cut = _CODE.sub(" ", text[: recipe.sentence_characters])
    found = []
    for piece in _SENTENCE_END.split(cut):
        if len(piece.split()) < recipe.sentence_words:
            continue
        listed = terms(piece, "en")
        numbers = frozenset(_NUMBER.findall(piece))
        words = Counter(term_hash(term) for term in listed if not any(map(str.isdigit, term)))
        is_valued = bool(numbers) or _TIME_WORD.search(piece.lower()) is not None
        found.append(_Sentence(words, frozenset(map(term_hash, listed)), numbers, is_valued))
    return found


def _linked(read: Sequence[Sequence[_Sentence]], scope: Scope, least: float) -> list[tuple[int, int]]:
    """Find pairs of turns that say one thing with other numbers: cosine of weighted terms, numbers left out."""
    listed = [(number, each) for number, sentences in enumerate(read) for each in sentences if each.numbers]
    weighted = [
        (number, each.numbers, {t: n * scope.worth(t) for t, n in each.words.items()}) for number, each in listed
    ]
    sizes = [math.sqrt(sum(weight * weight for weight in vector.values())) for _, _, vector in weighted]
    pairs = []
    for (one, other), (size, other_size) in zip(combinations(weighted, 2), combinations(sizes, 2), strict=True):
        if one[0] == other[0] or one[1] == other[1] or not size or not other_size:
            continue
        product = sum(weight * other[2].get(term, 0.0) for term, weight in one[2].items())
        if product >= least * size * other_size:
            pairs.append((one[0], other[0]))
    return pairs


def _same_slot(read: Sequence[Sequence[_Sentence]], worth: Mapping[int, float], least: float) -> list[tuple[int, int]]:
    best: list[tuple[float, bool]] = []
    for sentences in read:
        covered = max((sum(worth.get(term, 0.0) for term in each.hashes) for each in sentences), default=0.0)
        best.append((covered, any(each.is_valued for each in sentences)))
    top = max((covered for covered, _ in best), default=0.0)
    inside = [n for n, (covered, is_valued) in enumerate(best) if is_valued and 0 < covered >= least * top]
    return [*combinations(inside, 2)]
