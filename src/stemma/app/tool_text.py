"""The answers of tools as text for a model: our words outside, what was said quoted, so that it can open nothing.

Every text from outside stands in one line between quotation marks as JSON, inside the fence of what was delivered: no
text ends its line, its quotation or the fence, and what a model repeats of it is not learned again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final

from stemma.app import models_tool_answers as told
from stemma.app.models_recall import Grounding
from stemma.core.fence import CLOSE, OPEN, defused

# Longer words are whole in the structured answer, and where one memory is asked for.
CLIP: Final = 240
_NAME_CLIP: Final = 120
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
NOTHING: Final = "Nothing relevant is remembered."
# What ends a line for some readers, or turns the direction of what follows; JSON itself lets these stand.
_UNSEEN: Final = {
    code: f"\\u{code:04x}"
    for code in (*range(0x7F, 0xA0), 0x2028, 0x2029, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
}


def quoted(text: str, clip: int | None = None) -> str:
    """Write a text from outside as one line of JSON, with an ellipsis where it is clipped."""
    plain = defused(text)
    if clip is not None and len(plain) > clip:
        plain = plain[:clip].rstrip() + "…"
    return json.dumps(plain, ensure_ascii=False).translate(_UNSEEN)


def fenced(lines: Iterable[str]) -> list[str]:
    """Put lines inside the fence."""
    return [OPEN, *lines, CLOSE]


def lines_of(*parts: Iterable[str]) -> str:
    """Join the lines of a text."""
    return "\n".join(line for part in parts for line in part)


def memory_line(memory: told.ToolMemory, *, clip: int | None = CLIP, score: float | None = None) -> str:
    """Write a memory on one line: its id first, its words quoted, then what it rests on."""
    last = memory.episodes[-1] if memory.episodes else None
    notes = [
        memory.kind,
        memory.status if memory.status != "active" else "",
        f"said {_times(memory.times_said)}, last {day(memory.last_said_at)}",
        f"{memory.independent_origins} independent origins" if memory.independent_origins > 1 else "",
        f"said by {quoted(memory.voice, _NAME_CLIP)}" if memory.voice != "own" else "",
        _source(last) if last else "",
        f"holds until {day(memory.valid_to)}" if memory.valid_to else "",
        "stale: nothing that it was learned from says it any more" if memory.stale else "",
        f"held back: {memory.held.reason}" if memory.held else "",
        f"superseded by {memory.superseded_by}" if memory.superseded_by else "",
        f"score {score:.2f}" if score is not None else "",
    ]
    return f"- memory {memory.id}: {quoted(memory.text, clip)} ({'; '.join(filter(None, notes))})"


def recalled_line(item: told.ToolRecalled) -> str:
    """Write an item of a recall."""
    if item.memory is not None:
        return memory_line(item.memory, score=item.score)
    said = item.episode
    if said is None:
        raise AssertionError("what is recalled is a memory or an episode")
    role = f"; {said.role}" if said.role else ""
    about = f"said {day(said.occurred_at)}{role}; from {quoted(said.key, _NAME_CLIP)}; score {item.score:.2f}"
    return f"- episode {said.episode_id}: {quoted(said.text)} ({about})"


def decision_line(decision: told.ToolDecision) -> str:
    """Write a ruling on one line."""
    winner = f"{decision.winner_id} {quoted(decision.winner_text or '', CLIP)}" if decision.winner_id else "nothing"
    loser = f"{decision.loser_id} {quoted(decision.loser_text or '', CLIP)}"
    undone = f"; undone {day(decision.undone_at)}" if decision.undone_at else ""
    return f"- {day(decision.decided_at)} {decision.rule}: {winner} over {loser}{undone}"


def citation_lines(citations: Sequence[told.ToolCitation]) -> list[str]:
    """Write cited documents with their passages, each on one line."""
    lines = []
    for one in citations:
        copy = f"; copy of [{one.copy_of}]" if one.copy_of is not None else ""
        name = f"{quoted(one.corpus, _NAME_CLIP)} {quoted(one.external_id, CLIP)}"
        lines.append(f"[{one.number}] {quoted(one.title, CLIP)} (document {name}; revision {one.revision}{copy})")
        lines += [f"  - characters {each.start} to {each.end}: {quoted(each.text)}" for each in one.passages]
    return lines


def grounding_line(grounding: Grounding) -> str:
    """Say how far what was found covers the question."""
    return f"Grounding: {grounding.verdict}. {grounding.directive}"


def day(moment: datetime) -> str:
    """Write a day as a reader would."""
    return f"{moment:%Y-%m-%d}"


def _source(last: told.ToolSaying) -> str:
    # A key made of the content is a digest, which says nothing of where it comes from.
    names = [last.source or "", "" if _DIGEST.fullmatch(last.key) else last.key, last.speaker or ""]
    return f"from {', '.join([*(quoted(name, _NAME_CLIP) for name in names if name), f'episode {last.episode_id}'])}"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
