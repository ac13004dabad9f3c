"""What in a text is nobody's plain statement: delivered, quoted, code, stage direction. Keeps every offset."""

from __future__ import annotations

import re
from dataclasses import dataclass

from stemma.core.fence import delivered_spans

_FENCE = re.compile(r"^[ ]{0,3}(`{3,}|~{3,})[^\n]*$", re.MULTILINE)
_QUOTE = re.compile(r"^[ \t]{0,3}>[^\n]*$", re.MULTILINE)
_INDENTED = re.compile(r"(?:\A|\n[ \t]*\n)((?:(?: {4}|\t)[^\n]*(?:\n|\Z)|[ \t]*\n(?= {4}|\t))+)")
_STAGE = re.compile(
    r"(?<![\w*\\])\*(?![\s*])((?:[^*\n]|\n(?!\s*\n))+?)(?<!\s)\*(?![\w*])|(?<![\w_])_(?![\s_])([^_\n]{12,}?)(?<!\s)_(?![\w_])"
)
_SPEECH = re.compile(
    r'"([^"\n]{2,600})"|“([^”]{2,600})”|«([^»]{2,600})»|„([^“”]{2,600})[“”]|(?<![\w])\'((?:[^\'\n]|(?<=\w)\'(?=\w)){6,600})\'(?!\w)'
)
_TRACE = re.compile(r"^[\w.]*(?:Error|Exception|Warning): [^\n]*$|^Traceback \(most recent call last\):$", re.MULTILINE)
_LIST_ITEM = re.compile(r"\s*(?:[-*+•]|\d+[.)])\s")
# A quoted piece of so few words is a name or a title, not speech.
_NAME_WORDS = 3
_EMPHASIS_WORDS = 2


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
    for start, end in delivered_spans(text):
        text = _blank(text, start, end, "\n", cuts, "delivered")
    if "```" in text or "~~~" in text:
        for start, end in _fenced(text):
            text = _blank(text, start, end, "\n", cuts, "code")
    if ">" in text:
        for match in list(_QUOTE.finditer(text)):
            text = _blank(text, match.start(), match.end(), "\n", cuts, "quoted")
    if "Error: " in text or "Exception: " in text or "Warning: " in text or "Traceback (" in text:
        for match in list(_TRACE.finditer(text)):
            text = _blank(text, match.start(), match.end(), "\n", cuts, "code")
    if "    " in text or "\t" in text:
        text = _without_indented(text, cuts)
    if "*" in text or "_" in text:
        text = _without_stage(text, cuts)
    if '"' in text or "“" in text or "«" in text or "„" in text or "'" in text:
        text = _without_speech(text, cuts)
    return text, sorted(cuts, key=lambda each: (each.start, each.end))


def _blank(text: str, start: int, end: int, filler: str, cuts: list[Cut], reason: str) -> str:
    if text[start:end].strip():
        cuts.append(Cut(reason, start, end))
    return text[:start] + filler * (end - start) + text[end:]


def _fenced(text: str) -> list[tuple[int, int]]:
    """Give the spans of fenced code; an unclosed fence runs to the end, another kind of fence inside closes nothing."""
    spans: list[tuple[int, int]] = []
    opening: re.Match[str] | None = None
    for match in _FENCE.finditer(text):
        if opening is None:
            opening = match
        elif match[1][0] == opening[1][0] and len(match[1]) >= len(opening[1]) and match[0].strip() == match[1]:
            spans.append((opening.start(), match.end()))
            opening = None
    if opening is not None:
        spans.append((opening.start(), len(text)))
    return spans


def _without_indented(text: str, cuts: list[Cut]) -> str:
    for match in list(_INDENTED.finditer(text)):
        before = text[: match.start(1)].rstrip().rpartition("\n")[2]
        if _LIST_ITEM.match(before) is None and _LIST_ITEM.match(match[1]) is None:
            text = _blank(text, match.start(1), match.end(1), "\n", cuts, "code")
    return text


def _without_stage(text: str, cuts: list[Cut]) -> str:
    """Cut stage directions; one or two words inside a sentence are emphasis and lose their marks alone."""
    staged = 0
    for match in list(_STAGE.finditer(text)):
        inner = match[1] or match[2]
        start, end = match.span()
        is_inside = _is_word_before(text, start) and _is_word_after(text, end)
        if len(inner.split()) <= _EMPHASIS_WORDS and (is_inside or match[2]):
            text = text[:start] + " " + text[start + 1 : end - 1] + " " + text[end:]
            continue
        staged += end - start
        text = _blank(text, start, end, "\n", cuts, "stage_direction")
    rest = text.strip()
    if staged and rest and len(rest) < staged:
        # Mostly stage direction: what is left belongs to the scene.
        start = len(text) - len(text.lstrip())
        text = _blank(text, start, start + len(rest), "\n", cuts, "stage_direction")
    return text


def _is_word_before(text: str, at: int) -> bool:
    before = text[:at].rstrip(" ")
    return bool(before) and (before[-1].isalnum() or before[-1] in ",;")


def _is_word_after(text: str, at: int) -> bool:
    after = text[at:].lstrip(" ")
    return bool(after) and (after[0].isalnum() or after[0] in ",.;!")


def _without_speech(text: str, cuts: list[Cut]) -> str:
    for match in list(_SPEECH.finditer(text)):
        inner = next(group for group in match.groups() if group is not None)
        if len(inner.split()) > _NAME_WORDS or inner.rstrip()[-1:] in {".", "!", "?"}:
            text = _blank(text, match.start(), match.end(), " ", cuts, "quoted")
    return text
