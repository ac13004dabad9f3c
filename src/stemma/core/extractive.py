"""An answer without a model: the sentences of cited passages that say most about the query, each with its number."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final

from stemma.core import grounding
from stemma.core.analyse import terms
from stemma.core.grounding import Ground

REFUSAL: Final = "Nothing in these documents answers this."
MOST_SENTENCES: Final = 4
# A sentence that holds none of what is asked says nothing, however near its passage is.
_LEAST_SHARE: Final = 0.2
_END = re.compile(r"(?<=[.!?…])[\"')\]»”’]*\s+|(?<=[。！？｡])|\n+")
_HEADING = re.compile(r"#{1,6}\s")
_ALIKE: Final = 0.6
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of a cited document; `share` is how many of the query's terms it holds, 0 to 1."""

    number: int
    origin_id: str
    text: str
    share: float
    similarity: float
    terms: frozenset[str]


@dataclass(frozen=True, slots=True)
class Difference:
    """Two citations of independent origin that give other numbers in sentences about the same."""

    numbers: tuple[int, ...]
    detail: str


def sentences(passages: Iterable[tuple[int, str, str, float]], query: AbstractSet[str]) -> list[Sentence]:
    """Choose the sentences of passages (number, origin, text, similarity) that hold most of the query, best first.

    What a copy says again is left out: one origin speaks once.
    """
    found: list[Sentence] = []
    for number, origin, text, similarity in passages:
        for said in split(text):
            own = frozenset(terms(said))
            share = len(own & query) / len(query) if query else 0.0
            if share >= _LEAST_SHARE:
                found.append(Sentence(number, origin, said, share, similarity, own))
    best: list[Sentence] = []
    for one in sorted(found, key=lambda each: (-each.share, -each.similarity, each.number)):
        if len(best) == MOST_SENTENCES:
            break
        if not any(one.terms == other.terms for other in best):
            best.append(one)
    if best:
        # Beside a sentence that answers the whole, one that touches a word of it is noise.
        best = [one for one in best if one.share >= best[0].share / 2]
    return best


def split(text: str) -> list[str]:
    """Cut a text into sentences, one line each, without headings: a title says nothing."""
    lines = [line for line in text.splitlines() if not _HEADING.match(line)]
    pieces = (" ".join((piece or "").split()).lstrip("-* ").strip() for piece in _END.split("\n".join(lines)))
    return [piece for piece in pieces if piece]


def written(chosen: Sequence[Sentence]) -> str:
    """Write the answer: each sentence as it stands, followed by the number of its document."""
    return "".join(pieces(chosen))


def pieces(chosen: Sequence[Sentence]) -> list[str]:
    """Write the answer sentence by sentence, each with the blank that parts it from the one before."""
    return [f"{' ' if place else ''}{one.text} [{one.number}]" for place, one in enumerate(chosen)]


def judge(chosen: Sequence[Sentence], query: AbstractSet[str]) -> Ground:
    """Judge how far the sentences cover the query; none is an abstention."""
    covered = {term for one in chosen for term in one.terms}
    return grounding.judge(dict.fromkeys(query, 1.0), covered, [one.similarity for one in chosen])


def disagreements(chosen: Sequence[Sentence]) -> list[Difference]:
    """Name the pairs of independent origin whose words are alike and whose numbers are not."""
    found = []
    for place, one in enumerate(chosen):
        for other in chosen[place + 1 :]:
            if one.origin_id != other.origin_id and gives_other_numbers(one.text, other.text):
                detail = f"[{one.number}] says {one.text!r}, [{other.number}] says {other.text!r}"
                found.append(Difference((one.number, other.number), detail))
    return found


@dataclass(frozen=True, slots=True)
class Compared:
    """What of a sentence is compared with another's: its numbers, and its words without them."""

    numbers: frozenset[str]
    words: frozenset[str]

    @classmethod
    def of(cls, sentence: str) -> Compared:
        """Read a sentence; once, however many it is compared with."""
        words = (term for term in terms(sentence) if not any(map(str.isdigit, term)))
        return cls(frozenset(_NUMBER.findall(sentence)), frozenset(words))

    def differs_in_numbers(self, other: Compared) -> bool:
        """Say whether two sentences share three fifths of their words and give different numbers."""
        if not self.numbers or not other.numbers or self.numbers == other.numbers:
            return False
        either = len(self.words | other.words)
        return either > 0 and len(self.words & other.words) / either >= _ALIKE


def gives_other_numbers(one: str, other: str) -> bool:
    """Say whether two sentences share three fifths of their words and give different numbers."""
    return Compared.of(one).differs_in_numbers(Compared.of(other))
