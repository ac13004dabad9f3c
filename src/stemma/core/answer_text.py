"""A model's answer as sentences with the numbers that they cite, also while it still comes. Judges none of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

# [1], [1, 2], [1-3], [^1], [[1]], 【1†source】
_NUMBERS: Final = r"\^?\d{1,4}(?:\s*[,;–-]\s*\^?\d{1,4})*"
_MARK: Final = re.compile(rf"\^?(?:\[{{1,2}}\s*{_NUMBERS}\s*\]{{1,2}}|【\s*{_NUMBERS}\s*(?:†[^】\n]*)?】)")
_BLANKS_AND_MARK: Final = re.compile(rf"([ \t]*)({_MARK.pattern})")
_RANGE: Final = re.compile(r"(\d+)\s*[–-]\s*\^?(\d+)")
_MOST_IN_RANGE: Final = 20
_MARKER: Final = re.compile(r"^\s*(?:[-*•]|\d{1,3}[.)]|#{1,6}|>)\s+")
_COUNTED: Final = re.compile(r"^\s*\d{1,3}[.)]\s+")
_CLOSERS: Final = "\"')]»”’*_"
# Where a sentence may end: at its closing sign with what belongs to it, then a blank; without one in scripts that have
# none. The numbers that follow are looked at apart: they may lead the next sentence.
_END: Final = re.compile(rf"[.!?…][{re.escape(_CLOSERS)}]*(?=[\s\[【^]|$)|[。！？｡][{re.escape(_CLOSERS)}]*")
_ABBREVIATIONS: Final = frozenset(
    "mr mrs ms dr prof st vs etc e.g i.e eg ie cf no nr nos fig approx ca z.b b d.h d sec art vol pp p ch eq dept "
    "sr sra mme bzw ggf inkl abs ziff ref ver min max".split()
)
_WORD_BEFORE: Final = re.compile(r"([^\s(\[\"'“„«]*)$")
_CONTROL: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_THINKING: Final = ("<think>", "</think>")
_CLOSING: Final = re.compile(r"[.!?…。！？｡]+[\"')\]»”’*_]*$")


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence as it came, with the numbers that stand in it; whether a line begins with it, or ends."""

    text: str
    numbers: tuple[int, ...]
    begins_line: bool
    ends_line: bool


def without_thinking(text: str) -> str | None:
    """Leave out what a model thought aloud before its answer; None while it thinks, or may be about to."""
    begun = text.lstrip()
    opened, closed = _THINKING
    if begun.startswith(opened):
        _, found, rest = begun.partition(closed)
        return rest.lstrip() if found else None
    return None if opened.startswith(begun) else text


def is_thinking(text: str) -> bool:
    """Say whether a text is nothing but thoughts that never ended."""
    return text.lstrip().startswith(_THINKING[0])


def harmless(text: str) -> str:
    """Take control characters out of a model's text: a terminal would obey them."""
    return _CONTROL.sub("", text)


@dataclass(frozen=True, slots=True)
class Coming:
    """What has come of a sentence that has not ended; `begins_line` where it is the first of its line."""

    rest: str = ""
    begins_line: bool = True


def finished(coming: Coming, text: str) -> tuple[list[Sentence], Coming]:
    """Take in the next piece of an answer: the sentences whose end is certain by it, and what is still coming.

    A sentence is certain once the next has begun: its number often stands behind its full stop.
    """
    *lines, last = f"{coming.rest}{text}".split("\n")
    at_line = coming.begins_line
    found: list[Sentence] = []
    for line in lines:
        found += _of_line(line, begins_line=at_line)
        at_line = True
    begun = 0
    for cut in _cuts(last, begins_line=at_line):
        found.append(_sentence(last[begun:cut], begins_line=at_line, ends_line=False))
        begun, at_line = cut, False
    return found, Coming(last[begun:], at_line)


def sentences(text: str) -> list[Sentence]:
    """Cut a whole answer."""
    return finished(Coming(), f"{text}\n")[0]


def unmarked(one: Sentence) -> str:
    """Give a sentence without its numbers and without the sign of a list before it."""
    text = _MARKER.sub("", one.text, count=1) if one.begins_line else one.text
    return _BLANKS_AND_MARK.sub("", text).strip()


def marked(one: Sentence, numbers: frozenset[int], lent: tuple[int, ...] = ()) -> str:
    """Write a sentence with those of its numbers that may stand, each as [n]; `lent` ones come before its full stop.

    The items of a numbered list lose their own numbers: nothing cites those.
    """

    def written(mark: re.Match[str]) -> str:
        kept = "".join(f"[{number}]" for number in _numbers_in(mark[2]) if number in numbers)
        return mark[1] + kept if kept else ""

    text = _COUNTED.sub("- ", one.text, count=1) if one.begins_line else one.text
    kept = _BLANKS_AND_MARK.sub(written, text).strip()
    if not lent:
        return kept
    stop = _CLOSING.search(kept)
    at = stop.start() if stop else len(kept)
    return f"{kept[:at]} {''.join(f'[{number}]' for number in lent)}{kept[at:]}"


def _of_line(line: str, *, begins_line: bool) -> list[Sentence]:
    ends = [*_cuts(line, begins_line=begins_line), len(line)]
    pieces = [line[begun:end] for begun, end in pairwise([0, *ends]) if line[begun:end].strip()]
    return [
        _sentence(piece, begins_line=begins_line and place == 0, ends_line=place == len(pieces) - 1)
        for place, piece in enumerate(pieces)
    ]


def _sentence(text: str, *, begins_line: bool, ends_line: bool) -> Sentence:
    numbers = dict.fromkeys(number for mark in _MARK.finditer(text) for number in _numbers_in(mark.group()))
    return Sentence(text.strip(), tuple(numbers), begins_line, ends_line)


def _cuts(line: str, *, begins_line: bool) -> Iterator[int]:
    """Give where the next sentence begins, for each whose beginning is seen."""
    marker = _MARKER.match(line) if begins_line else None
    start = marker.end() if marker else 0
    for end in _END.finditer(line, start):
        after, here = end.end(), end.end()
        while mark := _MARK.match(line, _past_blanks(line, here)):
            here = mark.end()
        beginning = _past_blanks(line, here)
        if beginning >= len(line) or line[beginning] in "[【^":
            # The end of what has come so far, or a number that is not whole yet.
            return
        if here == after and end.group()[0] == "." and _is_short(line, end.start()):
            continue
        if line[beginning].islower():
            if here == after:
                continue
            # "It varies. [1] says 90 days": the number leads the next sentence.
            beginning = _past_blanks(line, after)
        yield beginning


def _is_short(line: str, at: int) -> bool:
    """Say whether the full stop belongs to its word: an abbreviation, an initial, a number that counts."""
    word = _WORD_BEFORE.search(line, 0, at)
    before = word.group(1).lower() if word else ""
    is_initial = len(before) == 1 and before.isalpha()
    return before in _ABBREVIATIONS or is_initial or (before.isdecimal() and len(before) <= 2)


def _past_blanks(line: str, at: int) -> int:
    while at < len(line) and line[at].isspace():
        at += 1
    return at


def _numbers_in(mark: str) -> list[int]:
    found: list[int] = []
    inner = mark.partition("†")[0]
    for part in re.split(r"[,;]", inner):
        if match := _RANGE.search(part):
            first, last = int(match[1]), int(match[2])
            found += range(first, min(last, first + _MOST_IN_RANGE) + 1)
        elif digits := re.search(r"\d+", part):
            found.append(int(digits.group()))
    return found
