"""The text of a bundle: labelled sections, dates, one line an item, so that no item can open or close a section."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from stemma.core.fence import CLOSE, OPEN, defused


@dataclass(frozen=True, slots=True)
class Line:
    """One item as it is to be delivered."""

    id: str
    section: str
    text: str
    date: datetime | None
    note: str = ""


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
            parts.append(heading)
            parts.extend(_line(each) for each in chosen)
    if not lines:
        parts.append(without)
    parts.append(directive)
    parts.append(CLOSE)
    return "\n".join(parts)


def _line(line: Line) -> str:
    date = f" [{line.date:%Y-%m-%d}]" if line.date else ""
    note = f" ({line.note})" if line.note else ""
    # Every kind of line end goes: a text that brought its own could start a line that looks like a heading or a fence.
    return f"-{date} {defused(' '.join(line.text.split()))}{note}"
