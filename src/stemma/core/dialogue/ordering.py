"""The stage behind diversity: of what was chosen, a newer turn stands before the older one that says the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from stemma.core.dialogue.newest import Member, is_about_now, newest_first
from stemma.core.trace import Ask, Fate, Item, Stage

_ASSISTANT: Final = "assistant"


def newest_first_after(choosing: Stage) -> Stage:
    """Make the stage that chooses as another does, and then lets newer turns stand before older ones."""

    def chosen(items: Sequence[Item], ask: Ask) -> tuple[list[Item], list[Fate]]:
        left, fates = choosing(items, ask)
        return ordered(left, ask), fates

    return chosen


def ordered(items: Sequence[Item], ask: Ask) -> list[Item]:
    """Let newer turns of the user up before older ones that say the same, where a question is about the present."""
    if ask.question is None or not is_about_now(ask.question.text):
        return list(items)
    members = [
        Member(at, item.text, item.excerpt.occurred_at, item.turn.heard.place)
        for at, item in enumerate(items)
        if item.excerpt is not None and item.turn is not None and item.excerpt.role != _ASSISTANT
    ]
    moved = newest_first(members, ask.question.worth, ask.question.scope, ask.question.recipe)
    return [replace(items[moved[at]], moved=moved[at] - at) if at in moved else item for at, item in enumerate(items)]
