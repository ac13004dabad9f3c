"""What of the admitted is delivered: nothing twice, not too much of one conversation or kind, the best k (R-42)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from stemma.core.admit.diversity import Spoken, is_near_copy, over_cap, spread
from stemma.core.admit.rules import ASKED_FROM, CORE, place_of
from stemma.core.analyse import overlap_words
from stemma.core.overlays import overlays_first
from stemma.core.trace import Ask, Fate, Item, Miss, Reason

# A prompt's first so many are put in a diverse order; further down the budget decides.
_REACH: Final = 30


@dataclass(frozen=True, slots=True)
class Caps:
    """How much of one sort a prompt takes: of excerpts in all and of one session, of weak memories of one kind.

    A memory is weak where its similarity is below that of what a query asks for. `weight` is that of worth against
    likeness to what was chosen before.
    """

    excerpts: int = 3
    of_session: int = 2
    weak_of_kind: int = 2
    weight: float = 0.9


CAPS: Final = Caps()


def diversity(items: Sequence[Item], ask: Ask) -> tuple[list[Item], list[Fate]]:
    """Keep the best k; into a prompt nothing comes twice, and little that only touches the query."""
    fates: list[Fate] = []
    left = list(items)
    if ask.for_prompt:
        for sieve in (_said_already, _capped, _excerpts_capped):
            left, dropped = sieve(left, ask)
            fates += dropped
        left = _diverse(left)
    over = enumerate(left[ask.k :], start=ask.k + 1)
    fates += [Fate(item.id, Reason.K_REACHED, detail=Miss("rank", rank, ask.k)) for rank, item in over]
    return left[: ask.k], fates


def _said_already(items: Sequence[Item], ask: Ask) -> tuple[list[Item], list[Fate]]:
    """Merge an excerpt into the memory that was learned there, or into an earlier excerpt that says the same."""
    memories = [(item.id, place) for item in items if item.memory for place in ask.evidence.get(item.id, ())]
    left: list[Item] = []
    fates: list[Fate] = []
    told: list[Spoken] = [_spoken(item) for item in items if item.memory is not None] if ask.evidence else []
    for item in items:
        if item.excerpt is None:
            left.append(item)
            continue
        place = place_of(item.excerpt)
        into = next((name for name, other in memories if place.meets(other)), None)
        own = _spoken(item)
        copied = next((one.id for one in told if is_near_copy(own, one)), None)
        if into is not None:
            fates.append(Fate(item.id, Reason.SAME_EVIDENCE, into=into))
        elif copied is not None:
            fates.append(Fate(item.id, Reason.NEAR_COPY, into=copied))
        else:
            told.append(own)
            left.append(item)
    return left, fates


def _capped(items: Sequence[Item], ask: Ask) -> tuple[list[Item], list[Fate]]:
    kinds = [item.memory.kind if item.memory is not None and _is_weak(item) else None for item in items]
    return _without(items, over_cap(kinds, CAPS.weak_of_kind), Reason.KIND_CAP, CAPS.weak_of_kind)


def _is_weak(item: Item) -> bool:
    return item.rule != CORE and (item.similarity is None or item.similarity.value < ASKED_FROM)


def _excerpts_capped(items: Sequence[Item], ask: Ask) -> tuple[list[Item], list[Fate]]:
    sessions = [item.excerpt.session if item.excerpt is not None else None for item in items]
    left, fates = _without(items, over_cap(sessions, CAPS.of_session), Reason.SESSION_CAP, CAPS.of_session)
    excerpts = ["excerpt" if item.excerpt is not None else None for item in left]
    left, over = _without(left, over_cap(excerpts, CAPS.excerpts), Reason.SESSION_CAP, CAPS.excerpts)
    return left, fates + over


def _without(items: Sequence[Item], places: Sequence[int], reason: Reason, most: int) -> tuple[list[Item], list[Fate]]:
    gone = set(places)
    left = [item for place, item in enumerate(items) if place not in gone]
    return left, [Fate(items[place].id, reason, detail=Miss("items", most + 1, most)) for place in places]


def _diverse(items: Sequence[Item]) -> list[Item]:
    """Put what a list forces first, then the others by worth and newness; overlays stay before what is wider."""
    core = [item for item in items if item.rule == CORE]
    rest = [item for item in items if item.rule != CORE]
    by_id = {item.id: item for item in rest}
    best = max((item.score.value for item in rest if item.score), default=0.0)
    spoken = [_spoken(item, best) for item in rest[:_REACH]]
    ordered = spread(spoken, CAPS.weight, _REACH) + [item.id for item in rest[_REACH:]]
    return overlays_first([*core, *(by_id[name] for name in ordered)])


def _spoken(item: Item, best: float = 1.0) -> Spoken:
    worth = item.score.value / best if item.score is not None and best > 0 else 0.0
    return Spoken(item.id, overlap_words(item.text), worth)
