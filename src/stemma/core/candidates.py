"""From a declaration in a clause to a candidate: slot or frame, value, polarity, window, exact span."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from stemma.core import times
from stemma.core.declaration import Declaration
from stemma.core.framing import frame_of
from stemma.core.fronts import without_openers
from stemma.core.grouping import is_of_parts
from stemma.core.language_table import Language
from stemma.core.phrases import Window
from stemma.core.reading import Reading
from stemma.core.tokens import Token, TokenKind
from stemma.core.values import canonical_of
from stemma.records import Act, Candidate, Polarity

INSTRUCTION = "instruction"
SUSPECT = "instruction_like"


@dataclass(frozen=True, slots=True)
class Source:
    """Where a clause stands: the text it is cut from, its message, and whose words they are."""

    text: str
    message: int | None
    voice: str


def candidate_of(
    found: Declaration, reading: Reading, language: Language, source: Source, borrowed: Sequence[Token] = ()
) -> Candidate:
    """Build a declaration's candidate; its place is given later. `borrowed` is the subject of an earlier clause."""
    polarity = reading.is_negated
    frame = None
    if found.claim_key is not None:
        value = found.canonical or canonical_of(found.value)
        shown = _slice(source.text, found.value)
    else:
        has_parts = is_of_parts(reading.says, language)
        frame, value, flips = frame_of(
            found.frame, language, found.subject, is_ordered=found.is_ordered, has_parts=has_parts
        )
        polarity = polarity != flips
        shown = _values_shown(found.frame, source.text)
    start, end = without_openers(reading.says, language)[0].start, reading.says[-1].end
    text = source.text[start:end]
    if borrowed:
        text = f"{_slice(source.text, borrowed)} {text}"
    valid_from, valid_to, holds = _bounds(found, reading.window)
    act = found.act if found.act is not Act.SAY else reading.act
    if act is Act.END and valid_from is not None and valid_to is not None:
        # "I lived in Rome from 2010 to 2015" tells of a stay that is over; it ends nothing that was said of today.
        act, holds = Act.SAY, False
    if act is Act.END and valid_to is not None:
        valid_to = times.backward(valid_to)
    return Candidate(
        place=0,
        act=act,
        voice=source.voice,
        kind=found.kind,
        value=value,
        shown=shown or text,
        text=text,
        start=start,
        end=end,
        claim_key=found.claim_key,
        scope=found.scope,
        frame=frame,
        polarity=Polarity.NEGATED if polarity else Polarity.AFFIRMED,
        valid_from=valid_from,
        valid_to=valid_to,
        holds_when_said=holds and act is not Act.END,
        message=source.message,
        suspect=SUSPECT if found.kind == INSTRUCTION else None,
    )


def repaired(last: Candidate, fragment: Sequence[Token], language: Language, source: Source) -> Candidate | None:
    """Build what "no, Porto" says anew: the last candidate with this value; None where it has no one place for it."""
    start, end = fragment[0].start, fragment[-1].end
    shown = source.text[start:end]
    if last.shown not in last.text or last.shown == last.text:
        return None
    text = last.text.replace(last.shown, shown, 1)
    if last.claim_key is not None:
        return replace(last, value=canonical_of(fragment), shown=shown, text=text, start=start, end=end)
    frame, value, _ = frame_of(fragment, language)
    if last.frame is None or not value or frame.types != last.frame.types:
        return None
    return replace(last, value=value, shown=shown, text=text, start=start, end=end)


def _bounds(found: Declaration, window: Window) -> tuple[str | None, str | None, bool]:
    valid_from = window.valid_from if found.window in ("both", "from") else None
    valid_to = window.valid_to if found.window in ("both", "to") else None
    return valid_from, valid_to, window.holds


def _slice(text: str, tokens: Sequence[Token]) -> str:
    return text[tokens[0].start : tokens[-1].end] if tokens else ""


def _values_shown(tokens: Sequence[Token], text: str) -> str:
    values = [token for token in tokens if token.kind is TokenKind.VALUE]
    return _slice(text, values) if values else ""
