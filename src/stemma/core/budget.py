"""The budget: a ceiling on the text as delivered, headings included; whole items only, in their order."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from stemma.core.render import LEFT_OUT, NOTHING, Line, render
from stemma.core.trace import Fate, Reason

Count = Callable[[str], int]


def fit(lines: Sequence[Line], directive: str, budget_tokens: int, count: Count) -> tuple[list[Line], list[Fate], str]:
    """Return the lines that fit, the fates of the others, and the text; an empty text where not even the frame fits.

    The tokens of a whole are not the sum of its parts', so what fits is counted on the whole text. The sum is only used
    to pass over counting where a line leaves room to spare.
    """
    # What is left out for want of room is not denied.
    without = LEFT_OUT if lines else NOTHING
    used = count(render([], directive, without=without))
    if used > budget_tokens:
        return [], [Fate(line.id, Reason.BUDGET_EXHAUSTED) for line in lines], ""
    kept: list[Line] = []
    fates: list[Fate] = []
    for line in lines:
        cost = _cost(line, directive, count)
        if 2 * (used + cost) <= budget_tokens:
            kept.append(line)
            used += cost
            continue
        tried = count(render([*kept, line], directive))
        if tried <= budget_tokens:
            kept.append(line)
            used = tried
        else:
            reason = Reason.ITEM_TOO_LARGE if cost > budget_tokens else Reason.BUDGET_EXHAUSTED
            fates.append(Fate(line.id, reason, detail=float(cost)))
    return kept, fates, render(kept, directive, without=without)


def _cost(line: Line, directive: str, count: Count) -> int:
    """Count what a line takes alone, with its heading and the frame: more than it adds to a text."""
    return count(render([line], directive))
