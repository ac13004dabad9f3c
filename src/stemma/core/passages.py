"""The passages that an episode's texts are indexed by, with their code-point offsets. Documents are cut elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from stemma.core.analyse import words
from stemma.core.scripts import is_mark
from stemma.records import Content

# A row of terms and weights has to fit on one page of the database: about 440 terms at most come of this many words.
MOST_WORDS = 110
# No text this short can hold more, even in a script without spaces, where two characters count as a word.
_SHORT = 2 * MOST_WORDS
_LONG_WORD = 8

_PARAGRAPH = re.compile(r"\n[^\S\n]*\n|\r\n[^\S\n]*\r\n|\r[^\S\n]*\r")
_SENTENCE = re.compile(r"[.!?…][\"')\]»”’]*\s|[。！？｡]|[\n\r]")


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of what was said. `message` or `claim` is the index of what it stands in; neither: the episode's text.

    `start` and `end` count code points of that text; `shown` is what is indexed: the piece with its speaker before it.
    """

    number: int
    start: int
    end: int
    shown: str
    message: int | None = None
    claim: int | None = None


@dataclass(frozen=True, slots=True)
class _Piece:
    start: int
    end: int
    cost: int


def item_id(episode_id: str, content_hash: str, number: int) -> str:
    """Name one indexed passage of one content of an episode."""
    return f"{item_prefix(episode_id, content_hash)}{number}"


def item_prefix(episode_id: str, content_hash: str) -> str:
    """Give what the names of all indexed passages of one content begin with."""
    return f"{episode_id}#{content_hash[:12]}."


def episode_passages(content: Content, speaker: str | None) -> list[Passage]:
    """Cut a content into passages, in order: of the text, else of each message, else one for each claim."""
    texts: list[tuple[str, str | None, int | None, int | None]] = []
    if content.text is not None:
        texts.append((content.text, speaker, None, None))
    texts += [(said.content, said.name or said.role, place, None) for place, said in enumerate(content.messages)]
    if not texts:
        stated = enumerate(content.claims)
        texts = [(one.text or f"{one.key}: {one.value}", speaker, None, place) for place, one in stated]
    found: list[Passage] = []
    for text, voice, message, claim in texts:
        for start, end in passages_of(text):
            piece = text[start:end]
            shown = piece if voice is None else f"{voice}: {piece}"
            found.append(Passage(len(found), start, end, shown, message, claim))
    return found


def passages_of(text: str, most: int = MOST_WORDS) -> list[tuple[int, int]]:
    """Cut a text into spans of at most `most` words that cover all of it but white space at their edges.

    A span ends at the last paragraph's end within the bound, else at the last sentence's, else between words. Runs of
    scripts without spaces count a word for two characters, and long words for several.
    """
    if not text.strip():
        return []
    if len(text) <= min(_SHORT, 2 * most):
        return [_trimmed(text, 0, len(text))]
    pieces = [piece for word in words(text) for piece in _pieces(text, word.start, word.end, word.is_unspaced, most)]
    spans, begin, first = [], 0, 0
    while first < len(pieces):
        after = _break(text, pieces, first, most)
        end = pieces[after].start if after < len(pieces) else len(text)
        spans.append(_trimmed(text, begin, end))
        begin, first = end, after
    return spans or [_trimmed(text, 0, len(text))]


def _break(text: str, pieces: list[_Piece], first: int, most: int) -> int:
    """Give the index of the piece that the next span starts with."""
    total, paragraph, sentence = 0, None, None
    for index in range(first, len(pieces)):
        total += pieces[index].cost
        if total > most:
            return paragraph or sentence or max(index, first + 1)
        if index + 1 < len(pieces):
            gap = text[pieces[index].end : pieces[index + 1].start]
            # A paragraph's end that would leave a stump (a heading alone) is no better than a sentence's.
            if 3 * total >= most and _PARAGRAPH.search(gap):
                paragraph = index + 1
            elif _SENTENCE.search(gap):
                sentence = index + 1
    return len(pieces)


def _pieces(text: str, start: int, end: int, unspaced: bool, most: int) -> Iterator[_Piece]:
    size = 2 if unspaced else _LONG_WORD
    if not unspaced and end - start <= 2 * size:
        yield _Piece(start, end, 1)
        return
    while start < end:
        stop = min(end, start + size * most)
        while stop < end and is_mark(text[stop]):
            stop += 1
        yield _Piece(start, stop, min(most, -(-(stop - start) // size)))
        start = stop


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), end - (len(piece) - len(piece.rstrip()))
