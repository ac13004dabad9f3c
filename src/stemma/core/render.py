"""The text of a bundle: labelled sections, dates, one line an item, so that no item can open or close a section."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from stemma.core.fence import CLOSE, OPEN, defused


@dataclass(frozen=True, slots=True)
class Line:
    """One item as it is to be delivered; `number` is a document's citation, `origin` what its copies share."""

    id: str
    section: str
    text: str
    date: datetime | None
    note: str = ""
    number: int = 0
    origin: str = ""


HEADINGS = {
    "memories": "## Memories",
    "episodes": "## Said in conversation",
    "documents": "## Documents",
    "disagreements": "## Disagreements",
    "conflicts": "## Open conflicts (not resolved; name both sides)",
}
NOTHING = "Nothing relevant is remembered."
LEFT_OUT = "What is remembered of this does not fit here."


def render(lines: Sequence[Line], directive: str, *, without: str = NOTHING) -> str:
    """Write the fenced text; items stand in their sections in the order given. Without any it says `without`."""
    parts = [OPEN]
    for section, heading in HEADINGS.items():
        chosen = [each for each in lines if each.section == section]
        if chosen:
            parts.append(heading + _counted(chosen))
            first = _first_of_origins(chosen)
            parts.extend(written(each, first.get(each.origin, each.number)) for each in chosen)
    if not lines:
        parts.append(without)
    parts.append(directive)
    parts.append(CLOSE)
    return "\n".join(parts)


def _counted(lines: Sequence[Line]) -> str:
    """Say of cited documents how many there are and how many independent sources: three copies are one."""
    numbers, origins = {line.number for line in lines}, {line.origin for line in lines}
    if numbers == {0}:
        return ""
    sources = "source" if len(origins) == 1 else "sources"
    return f" ({len(numbers)} cited, {len(origins)} independent {sources})"


def _first_of_origins(lines: Sequence[Line]) -> dict[str, int]:
    first: dict[str, int] = {}
    for line in lines:
        first[line.origin] = min(first.get(line.origin, line.number), line.number)
    return first


def written(line: Line, origin_number: int | None = None) -> str:
    """Write one line; a document whose origin has another number is called a copy of that."""
    date = f" [{line.date:%Y-%m-%d}]" if line.date else ""
    number = f" [{line.number}]" if line.number else ""
    copy = f"copy of [{origin_number}]" if origin_number not in (None, line.number) else ""
    notes = ", ".join(filter(None, (line.note, copy)))
    note = f" ({notes})" if notes else ""
    # Every kind of line end goes: a text that brought its own could start a line that looks like a heading or a fence.
    return f"-{date}{number} {defused(' '.join(line.text.split()))}{note}"
