"""What of a model's answer is shown: sentences whose numbers exist and whose figures stand in what they cite (R-63).

Pure: what the model was asked stands in `prompting`, how its text falls into sentences in `answer_text`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from stemma.core.analyse import language_of, terms
from stemma.core.answer_text import Sentence, marked, unmarked
from stemma.core.figures import Held, figures, held, is_written, stands
from stemma.core.rules import Rules

# What the model is told to write, alone, where the passages do not answer.
NOT_COVERED: Final = "NOT COVERED"
_QUOTED: Final = re.compile(r"[\"“„«]([^\"“”„«»\n]{8,})[\"”“»]")
_LEAST_QUOTED: Final = 3
# A sentence of so many content words, of which its sources hold none, is not about what they say.
_LEAST_TERMS: Final = 4


class Reason(StrEnum):
    """Why a sentence, or a number in it, is not shown."""

    UNCITED = "uncited"
    NO_SUCH_CITATION = "no_such_citation"
    FIGURE_NOT_THERE = "figure_not_there"
    QUOTE_NOT_THERE = "quote_not_there"
    NOT_ABOUT_IT = "not_about_it"


@dataclass(frozen=True, slots=True)
class Source:
    """What stands under one number: its passages with their headings and title, read once."""

    number: int
    held: Held
    terms: frozenset[str]
    language: str


@dataclass(frozen=True, slots=True)
class Shown:
    """A sentence that may be shown, as it is written, with the numbers that it was checked against."""

    text: str
    numbers: tuple[int, ...]
    begins_line: bool


@dataclass(frozen=True, slots=True)
class Removed:
    """A sentence or number that is not shown, and why; `missing` are the figures or words that are not there."""

    text: str
    reason: Reason
    missing: tuple[str, ...] = ()


def source(number: int, text: str, rules: Rules) -> Source:
    """Read what stands under a number."""
    return Source(number, held(text, rules), frozenset(terms(text)), language_of(text))


def is_refusal(answer: str) -> bool:
    """Say whether a model answered that the passages do not answer."""
    return re.sub(r"[^A-Za-z ]", "", answer).strip().upper() == NOT_COVERED


def judged(
    said: Sequence[Sentence], sources: Mapping[int, Source], rules: Rules
) -> tuple[list[Shown], list[Removed], list[Sentence]]:
    """Judge sentences in order: what is shown, what is not, and those at the end that still wait for a number.

    A sentence without a number has those of the next sentence of its line that has some; it is checked against them
    and shown with them.
    """
    shown: list[Shown] = []
    removed: list[Removed] = []
    waiting: list[Sentence] = []
    for one in said:
        waiting.append(one)
        if not one.numbers and not one.ends_line:
            continue
        for each in waiting:
            found = _judge(each, one.numbers, sources, rules)
            removed += _unknown(each, sources) if isinstance(found, Shown) else [found]
            shown += [found] if isinstance(found, Shown) else []
        waiting = []
    return shown, removed, waiting


def written(shown: Iterable[Shown]) -> str:
    """Write an answer, its lines kept."""
    return "".join(piece(one, is_first=place == 0) for place, one in enumerate(shown))


def piece(one: Shown, *, is_first: bool) -> str:
    """Write one sentence with what stands between it and the one before."""
    return one.text if is_first else ("\n" if one.begins_line else " ") + one.text


def _judge(one: Sentence, numbers: Sequence[int], sources: Mapping[int, Source], rules: Rules) -> Shown | Removed:
    if not numbers:
        return Removed(one.text, Reason.UNCITED)
    cited = tuple(number for number in numbers if number in sources)
    if not cited:
        return Removed(one.text, Reason.NO_SUCH_CITATION, tuple(map(str, numbers)))
    bare = unmarked(one)
    if not any(map(str.isalnum, bare)):
        return Removed(one.text, Reason.UNCITED)
    behind = [sources[number] for number in cited]
    # A figure may stand in any of what the sentence cites.
    absent = [said.written for said in figures(bare, rules) if not any(stands(said, each.held) for each in behind)]
    if absent:
        return Removed(one.text, Reason.FIGURE_NOT_THERE, tuple(absent))
    if unquoted := [quote for quote in _quotes(bare) if not any(is_written(quote, each.held.text) for each in behind)]:
        return Removed(one.text, Reason.QUOTE_NOT_THERE, tuple(unquoted))
    if _is_apart(bare, behind):
        return Removed(one.text, Reason.NOT_ABOUT_IT)
    return Shown(marked(one, frozenset(cited), () if one.numbers else cited), cited, one.begins_line)


def _unknown(one: Sentence, sources: Mapping[int, Source]) -> list[Removed]:
    """Name the numbers of a sentence that is shown without them."""
    unknown = tuple(f"[{number}]" for number in one.numbers if number not in sources)
    return [Removed(one.text, Reason.NO_SUCH_CITATION, unknown)] if unknown else []


def _quotes(text: str) -> list[str]:
    """List what a sentence gives as somebody's words: three words and more, the parts around an omission apart."""
    parts = [part.strip(" .,;:") for found in _QUOTED.findall(text) for part in re.split(r"\[?(?:\.\.\.|…)\]?", found)]
    return [part for part in parts if len(part.split()) >= _LEAST_QUOTED]


def _is_apart(text: str, behind: Sequence[Source]) -> bool:
    """Say whether a sentence has no word in common with what it cites, in one language with it."""
    own = frozenset(terms(text))
    if len(own) < _LEAST_TERMS or all(each.language != language_of(text) for each in behind):
        return False
    return not any(own & each.terms for each in behind)
