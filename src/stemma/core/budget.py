"""The budget: a ceiling on the text as delivered, headings included; whole items only, in their order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from stemma.core.render import HEADINGS, LEFT_OUT, NOTHING, Line, render
from stemma.core.trace import Fate, Miss, Reason

Count = Callable[[str], int]
_SLACK_TOKENS: Final = 2


@dataclass(frozen=True, slots=True)
class Cost:
    """What a line takes of a budget, in tokens: itself, and the heading of its section where it is the first there."""

    id: str
    section: str
    tokens: int
    heading_tokens: int


@dataclass(frozen=True, slots=True)
class Costs:
    """What all lines of a text take, in their order.

    `frame_tokens` is the text without any of them, which has a sentence in their place; `bare_tokens` is without that.
    """

    frame_tokens: int
    bare_tokens: int
    lines: tuple[Cost, ...]

    def least_budget(self, line_id: str, above: int = 0) -> int | None:
        """Return a budget over `above` tokens at which a line is kept, near the least; None for an unknown line.

        A larger budget lets lines in that stand before it, so its own tokens alone do not tell. The parts of a text
        have a few tokens more than the whole: a line that just misses is counted as one that comes in.
        """
        # Below what was asked for a line may come in too, where one before it does not.
        budget = max(self.frame_tokens, above + 1)
        if all(line.id != line_id for line in self.lines):
            return None
        while (needed := self._needed(line_id, budget)) > budget:
            budget = needed
        return budget

    def _needed(self, line_id: str, budget: int) -> int:
        """Say how much the text has once a line comes in, behind what was kept under a budget."""
        used = self.bare_tokens
        opened: set[str] = set()
        for place, line in enumerate(self.lines):
            with_it = used + line.tokens + (0 if line.section in opened else line.heading_tokens)
            if line.id == line_id:
                return with_it
            if with_it <= budget + _SLACK_TOKENS * (place + 4):
                used = with_it
                opened.add(line.section)
        return used


@dataclass(frozen=True, slots=True)
class Fitted:
    """The lines that fit, the fates of the others, the text, and what they cost; no costs where all of them fit."""

    kept: list[Line]
    fates: list[Fate]
    text: str
    costs: Costs | None = None


def fit(lines: Sequence[Line], directive: str, budget_tokens: int, count: Count) -> Fitted:
    """Take the lines that fit, in their order; an empty text where not even the frame fits.

    The tokens of a whole are not the sum of its parts', so what fits is counted on the whole text. The sum is only used
    to pass over counting where a line leaves room to spare.
    """
    # What is left out for want of room is not denied.
    without = LEFT_OUT if lines else NOTHING
    used = count(render([], directive, without=without))
    if used > budget_tokens:
        costs = [_cost(line, directive, count) for line in lines]
        whole = [Miss("tokens", budget_tokens, max(used, cost)) for cost in costs]
        fates = [Fate(line.id, Reason.BUDGET_EXHAUSTED, detail=miss) for line, miss in zip(lines, whole, strict=True)]
        return Fitted([], fates, "", _costs(lines, costs, used, directive, count) if lines else None)
    kept: list[Line] = []
    fates = []
    frame, costs = used, []
    for line in lines:
        cost = _cost(line, directive, count)
        costs.append(cost)
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
            fates.append(Fate(line.id, reason, detail=Miss("tokens", budget_tokens, tried)))
    told = _costs(lines, costs, frame, directive, count) if fates else None
    return Fitted(kept, fates, render(kept, directive, without=without), told)


def _cost(line: Line, directive: str, count: Count) -> int:
    """Count what a line takes alone, with its heading and the frame: more than it adds to a text."""
    return count(render([line], directive))


def _costs(lines: Sequence[Line], alone: Sequence[int], frame: int, directive: str, count: Count) -> Costs:
    bare = count(render([], directive, without=""))
    headings = {name: count("\n" + text) for name, text in HEADINGS.items()}
    return Costs(
        frame,
        bare,
        tuple(
            Cost(line.id, line.section, max(1, cost - bare - headings[line.section]), headings[line.section])
            for line, cost in zip(lines, alone, strict=True)
        ),
    )
