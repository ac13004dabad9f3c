"""The stage that stands behind diversity: of what was chosen, turns of one slot of the answer stand newest first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from stemma.core.dialogue.newest import Member, is_about_now, newest_first
from stemma.core.trace import Ask, Fate, Item, Stage

_ASSISTANT: Final = "assistant"


def newest_first_after(choosing: Stage) -> Stage:
    """Make the stage that chooses as another does, and then lets the newest turn of a group stand first."""

    def chosen(items: Sequence[Item], ask: Ask) -> tuple[list[Item], list[Fate]]:
        left, fates = choosing(items, ask)
        return ordered(left, ask), fates

    return chosen


def ordered(items: Sequence[Item], ask: Ask) -> list[Item]:
    """Let turns of the user that fill one slot of a question about the present change places; nothing else moves."""
    if ask.question is None or not is_about_now(ask.question.text):
        return list(items)
    members = [
        Member(at, item.text, item.excerpt.occurred_at, item.turn.heard.place)
        for at, item in enumerate(items)
        if item.excerpt is not None and item.turn is not None and item.excerpt.role != _ASSISTANT
    ]
    moved = newest_first(members, ask.question.worth, ask.question.scope, ask.question.recipe)
    return [replace(items[moved[at]], moved=moved[at] - at) if at in moved else item for at, item in enumerate(items)]
