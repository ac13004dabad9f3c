"""What in a text is nobody's plain statement: delivered, quoted, code, stage direction. Keeps every offset."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from stemma.core.fence import delivered_spans
from stemma.core.pasted import coded, commanded, logged, prompted, talked, versed

_FENCE = re.compile(r"^[ ]{0,3}(`{3,}|~{3,})[^\n]*$", re.MULTILINE)
_QUOTE = re.compile(r"^[ \t]{0,3}>[^\n]*(?:\n[ \t]{0,3}>[^\n]*)*$", re.MULTILINE)
_INDENTED = re.compile(r"(?:\A|\n[ \t]*\n)((?:(?: {4}|\t)[^\n]*(?:\n|\Z)|[ \t]*\n(?= {4}|\t))+)")
_STAGE = re.compile(
    r"(?<![\w*\\])\*(?![\s*])((?:[^*\n]|\n(?!\s*\n))+?)(?<!\s)\*(?![\w*])|(?<![\w_])_(?![\s_])([^_\n]{12,}?)(?<!\s)_(?![\w_])"
)
_SPEECH = re.compile(
    r'"([^"\n]{2,600})"|“([^”]{2,600})”|«([^»]{2,600})»|„([^“”]{2,600})[“”]|»([^«\n]{2,600})«|[「『]([^」』\n]{2,600})[」』]'
    r"|(?<![\w])'((?:[^'\n]|(?<=\w)'(?=\w)){6,600})'(?!\w)|(?<![\w])‘((?:[^’\n]|(?<=\w)’(?=\w)){6,600})’(?!\w)"
    # Over the end of a line, but not of a paragraph; an inch stands behind its number and opens nothing.
    r'|(?<!\w)"(?=\S)((?:[^"\n]|\n(?!\s*\n)){2,600})(?<=\S)"(?!\w)'
)
# What a part says in a dialogue begins its line with a dash that touches its first word.
_DIALOGUE = re.compile(r"^[ \t]*—(?=[¿¡A-ZÀ-ÞА-Я])[^\n]*$", re.MULTILINE)
_SUNG = re.compile(r"^[^\n]*[♪♫♬🎵🎶][^\n]*$", re.MULTILINE)
_LIST_ITEM = re.compile(r"\s*(?:[-*+•]|\d+[.)])\s")
# A quoted piece of so few words is a name or a title, not speech.
_NAME_WORDS = 3
# So many signs where no blanks part words.
_NAME_SIGNS = 5
_SONG_MARKS = "♪♫♬🎵🎶"
_SPEECH_MARKS = tuple("\"“«„»「『'‘")
_EMPHASIS_WORDS = 2
_LONGEST_NOUN = 3


@dataclass(frozen=True, slots=True)
class Cut:
    """One span that was taken out, with its closed reason."""

    reason: str
    start: int
    end: int


def cut(text: str) -> tuple[str, list[Cut]]:
    """Blank out what makes no statement and say why; the rest keeps its offsets.

    Blocks become line ends, so that no sentence runs across them; speech inside a sentence becomes blanks.
    """
    cuts: list[Cut] = []
    lowered = text.lower()
    if "stemma" in lowered:
        text = _blanked(text, delivered_spans(text), "\n", "delivered", cuts)
    if "```" in text or "~~~" in text:
        text = _blanked(text, _fenced(text), "\n", "code", cuts)
    if ">" in text:
        text = _blanked(text, (match.span() for match in _QUOTE.finditer(text)), "\n", "quoted", cuts)
    text = _blanked(text, prompted(text), "\n", "quoted", cuts)
    for spans in (logged, coded, commanded):
        text = _blanked(text, spans(text), "\n", "code", cuts)
    for spans in (talked, versed):
        text = _blanked(text, spans(text), "\n", "quoted", cuts)
    if any(mark in text for mark in _SONG_MARKS):
        text = _blanked(text, (match.span() for match in _SUNG.finditer(text)), "\n", "quoted", cuts)
    if "—" in text:
        text = _blanked(text, (match.span() for match in _DIALOGUE.finditer(text)), "\n", "quoted", cuts)
    if "    " in text or "\t" in text:
        text = _blanked(text, _indented(text), "\n", "code", cuts)
    if "*" in text or "_" in text:
        text = _without_stage(text, cuts)
    if any(mark in text for mark in _SPEECH_MARKS):
        text = _blanked(text, _speech(text), " ", "quoted", cuts)
    return text, sorted(cuts, key=lambda each: (each.start, each.end))


def _blanked(text: str, spans: Iterable[tuple[int, int]], filler: str, reason: str, cuts: list[Cut]) -> str:
    """Write the filler over every span, each recorded unless nothing stood in it; spans come in order."""
    pieces: list[str] = []
    at = 0
    for start, end in spans:
        if text[start:end].strip():
            cuts.append(Cut(reason, start, end))
        pieces += (text[at:start], filler * (end - start))
        at = end
    return "".join((*pieces, text[at:])) if pieces else text


def _fenced(text: str) -> Iterator[tuple[int, int]]:
    """Give the spans of fenced code; an unclosed fence runs to the end, another kind of fence inside closes nothing."""
    opening: re.Match[str] | None = None
    for match in _FENCE.finditer(text):
        if opening is None:
            opening = match
        elif match[1][0] == opening[1][0] and len(match[1]) >= len(opening[1]) and match[0].strip() == match[1]:
            yield opening.start(), match.end()
            opening = None
    if opening is not None:
        yield opening.start(), len(text)


def _indented(text: str) -> Iterator[tuple[int, int]]:
    """Give the spans of indented code: after a blank line, and no part of a list."""
    for match in _INDENTED.finditer(text):
        line = text.rfind("\n", 0, len(text[: match.start(1)].rstrip())) + 1
        if _LIST_ITEM.match(text, line, match.start(1)) is None and _LIST_ITEM.match(text, match.start(1)) is None:
            yield match.span(1)


def _without_stage(text: str, cuts: list[Cut]) -> str:
    """Cut stage directions; one or two words inside a sentence are emphasis and lose their marks alone."""
    staged: list[tuple[int, int]] = []
    marks: list[tuple[int, int]] = []
    for match in _STAGE.finditer(text):
        start, end = match.span()
        is_short = len((match[1] or match[2]).split()) <= _EMPHASIS_WORDS
        if is_short and (match[2] or (_is_word_before(text, start) and _is_word_after(text, end))):
            marks += ((start, start + 1), (end - 1, end))
        else:
            staged.append((start, end))
    if staged and _acts(text, staged[0]):
        # "*bows* I am Sir Galahad": what is said on a stage is said by a part.
        end = text.find("\n", staged[0][1])
        staged = [(staged[0][0], len(text) if end < 0 else end), *(each for each in staged if 0 <= end <= each[0])]
        marks = [each for each in marks if each[0] < staged[0][0] or each[0] >= staged[0][1]]
    text = _blanked(text, marks, " ", "emphasis", [])
    text = _blanked(text, staged, "\n", "stage_direction", cuts)
    rest = text.strip()
    if staged and rest and len(rest) < sum(end - start for start, end in staged):
        # Mostly stage direction: what is left belongs to the scene.
        start = len(text) - len(text.lstrip())
        text = _blanked(text, [(start, start + len(rest))], "\n", "stage_direction", cuts)
    return text


def _acts(text: str, span: tuple[int, int]) -> bool:
    """Say whether a stage direction opens its line with what somebody does: "*draws a sword*", not "*sigh*"."""
    line = text.rfind("\n", 0, span[0]) + 1
    said = text[span[0] + 1 : span[1] - 1].split()
    verb = said[0].lower()
    behind = text[span[1] :].lstrip(" ")
    opens = not text[line : span[0]].strip()
    is_verb = verb.endswith("s") and not verb.endswith(("ss", "us")) and len(verb) > _LONGEST_NOUN
    is_action = len(said) > _NAME_WORDS and said[0].islower()
    return (opens and (is_verb or is_action)) or behind[:1] == ","


def _is_word_before(text: str, at: int) -> bool:
    while at > 0 and text[at - 1] == " ":
        at -= 1
    return at > 0 and (text[at - 1].isalnum() or text[at - 1] in ",;")


def _is_word_after(text: str, at: int) -> bool:
    while at < len(text) and text[at] == " ":
        at += 1
    return at < len(text) and (text[at].isalnum() or text[at] in ",.;!")


def _speech(text: str) -> Iterator[tuple[int, int]]:
    """Give the spans of quoted speech; a quoted piece of a few words is a name or a title."""
    for match in _SPEECH.finditer(text):
        inner = next(group for group in match.groups() if group is not None)
        is_unspaced = len(inner) > _NAME_SIGNS and any(char >= "\u2e80" for char in inner)
        if len(inner.split()) > _NAME_WORDS or is_unspaced or inner.rstrip()[-1:] in {".", "!", "?"}:
            yield match.span()
