"""The budget: a ceiling on the text as delivered, headings included; whole items only, in their order."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from stemma.core.render import Line, render
from stemma.core.trace import Fate, Reason

Count = Callable[[str], int]


def fit(lines: Sequence[Line], directive: str, budget_tokens: int, count: Count) -> tuple[list[Line], list[Fate], str]:
    """Return the lines that fit, the fates of the others, and the text; an empty text where not even the frame fits.

    A line is tried on the whole text, since the tokens of a whole are not the sum of its parts'.
    """
    kept: list[Line] = []
    fates: list[Fate] = []
    text = ""
    frame = render([], directive)
    if count(frame) <= budget_tokens:
        text = frame
    for line in lines:
        tried = render([*kept, line], directive)
        if count(tried) <= budget_tokens:
            kept.append(line)
            text = tried
        else:
            alone = count(render([line], directive))
            reason = Reason.ITEM_TOO_LARGE if alone > budget_tokens else Reason.BUDGET_EXHAUSTED
            fates.append(Fate(line.id, reason, detail=float(alone)))
    return kept, fates, text
