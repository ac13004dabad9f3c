"""The core list of a subject: what people put on it, by acts in the log, reviewed one by one (SPEC R-43)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from stemma.core.render import Line, written
from stemma.core.trace import Fate, Miss, Reason
from stemma.records import ActKind, HumanAct, Injection

MOST: Final = 5
# Of the tokens of a budget, what the list may take.
SHARE: Final = 0.5


def listed(acts: Iterable[HumanAct]) -> list[str]:
    """Give the ids of memories that the last act on their injection class made core, in the order of these acts.

    A class that comes from a memory's kind puts nothing on the list.
    """
    last: dict[str, str | None] = {}
    for act in acts:
        if act.kind is ActKind.INJECTION and act.memories:
            name = act.memories[0].memory_id
            last.pop(name, None)
            last[name] = act.argument
    return [name for name, argument in last.items() if argument == Injection.CORE.value]


def within_share(
    lines: Sequence[Line], core: AbstractSet[str], budget_tokens: int, count: Callable[[str], int]
) -> tuple[list[Line], list[Fate]]:
    """Leave out what the core list takes over its share of a budget, item by item in its order."""
    room = int(SHARE * budget_tokens)
    used = 0
    left: list[Line] = []
    fates: list[Fate] = []
    for line in lines:
        cost = count(written(line) + "\n") if line.id in core else 0
        if used + cost > room and line.id in core:
            fates.append(Fate(line.id, Reason.CORE_BUDGET, detail=Miss("tokens", room, used + cost)))
        else:
            used += cost
            left.append(line)
    return left, fates
