"""The stages from candidates to an ordered answer. Each is `(items, ask) -> (items, fates)` and reads nothing else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from stemma.core import score
from stemma.core.analyse import fold
from stemma.core.claims import ASSISTANT
from stemma.core.fuse import Fusion, fuse
from stemma.core.score import Scale
from stemma.core.status import in_force, narrowness, status_at
from stemma.core.trace import Ask, Fate, Item, Reason, Stage
from stemma.records import Injection, Status

DEFAULT_IMPORTANCE = 0.5
ASKED_FROM = 0.5
_SECONDS_A_DAY = 86_400.0
# These fade from the day that they are about, not from the day that they were said on.
_DATED_KINDS = frozenset({"event", "date"})
_RETIRED = {
    Status.SUPERSEDED: Reason.SUPERSEDED,
    Status.QUARANTINED: Reason.QUARANTINED,
    Status.TOMBSTONED: Reason.TOMBSTONED,
}


def scope(items: Sequence[Item], ask: Ask) -> tuple[list[Item], list[Fate]]:
    """Drop what does not stand at `now`, and kinds that were not asked for."""
    return _sift(items, lambda item: _out_of_scope(item, ask))


def _out_of_scope(item: Item, ask: Ask) -> Reason | None:
    if item.memory is None:
        return None
    status, _, _ = status_at(item.memory, ask.now)
    if status is not Status.ACTIVE:
        return _RETIRED[status]
    if ask.kinds is not None and item.memory.kind not in ask.kinds:
        return Reason.KIND_FILTER
    return None


def fusion_stage(fusion: Fusion) -> Stage:
    """Make the stage that gives every item its fused score."""

    def fused(items: Sequence[Item], ask: Ask) -> tuple[list[Item], list[Fate]]:
        by_id = {item.id: item for item in items}
        ranked = fuse([item.hit for item in items], ask.query, fusion)
        return [replace(by_id[each.item], fused=each.score) for each in ranked], []

    return fused


def collapse(items: Sequence[Item], ask: Ask) -> tuple[list[Item], list[Fate]]:
    """Merge items of equal folded words into the first of them; nothing else is made one here."""
    seen: dict[str, str] = {}
    left: list[Item] = []
    fates: list[Fate] = []
    for item in items:
        words = " ".join(fold(item.text).split())
        if words in seen:
            fates.append(Fate(item.id, Reason.SAME_TEXT, into=seen[words]))
        else:
            seen[words] = item.id
            left.append(item)
    return left, fates


def time(items: Sequence[Item], ask: Ask) -> tuple[list[Item], list[Fate]]:
    """Drop what is not in force at `now`: a window that is over, or has not begun."""

    def out(item: Item) -> Reason | None:
        return Reason.NOT_IN_FORCE if item.memory is not None and not in_force(item.memory, ask.now) else None

    return _sift(items, out)


def score_stage(scale: Scale) -> Stage:
    """Make the stage that scores by similarity, importance and recency, and orders by that (SPEC R-40)."""

    def scored(items: Sequence[Item], ask: Ask) -> tuple[list[Item], list[Fate]]:
        done = [_scored(item, ask, scale) for item in items]
        ordered = sorted(done, key=_by_score)
        return overlays_first(ordered), []

    return scored


def _scored(item: Item, ask: Ask, scale: Scale) -> Item:
    if item.fused is None:
        raise AssertionError(f"{item.id} reached the score stage without a fused score")
    similarity = score.similarity(item.fused, scale)
    importance = score.importance(item.memory.importance if item.memory else DEFAULT_IMPORTANCE)
    recency = score.recency(_age_days(item, ask.now), _half_life(item, ask))
    total = score.composite(similarity, importance, recency)
    return replace(item, similarity=similarity, importance=importance, recency=recency, score=total)


def _age_days(item: Item, now: datetime) -> float:
    said = now
    if item.memory is not None:
        said = item.memory.last_said_at
        if item.memory.kind in _DATED_KINDS:
            said = max(said, item.memory.valid_to or item.memory.valid_from or said)
    elif item.excerpt is not None:
        said = item.excerpt.occurred_at
    return (now - said).total_seconds() / _SECONDS_A_DAY


def _half_life(item: Item, ask: Ask) -> float | None:
    if ask.half_life_days is not None:
        return ask.half_life_days
    return ask.half_lives.get(item.id)


def _by_score(item: Item) -> tuple[float, float, str]:
    # Among those of one score, zero above all, the fused score still tells the nearer one.
    score_value = item.score.value if item.score else 0.0
    return -score_value, -(item.fused.value if item.fused else 0.0), item.id


def overlays_first(items: Sequence[Item]) -> list[Item]:
    """Let what holds for a while stand before what it overlays: Berlin this week before Lisbon.

    Only items of one claim key change places among themselves, narrowest window first.
    """
    ordered = list(items)
    places: dict[tuple[str, str], list[int]] = {}
    for place, item in enumerate(ordered):
        if item.memory is not None and item.memory.claim_key is not None:
            places.setdefault((item.memory.voice, item.memory.claim_key), []).append(place)
    for shared in places.values():
        members = sorted((ordered[place] for place in shared), key=_narrowness)
        for place, member in zip(shared, members, strict=True):
            ordered[place] = member
    return ordered


def _narrowness(item: Item) -> tuple[bool, timedelta]:
    return narrowness(item.memory) if item.memory is not None else (True, timedelta.max)


def admission(items: Sequence[Item], ask: Ask) -> tuple[list[Item], list[Fate]]:
    """Admit by relevance alone: importance and recency order, they never admit (SPEC R-43)."""
    return _sift(items, lambda item: _refused(item, ask))


def _refused(item: Item, ask: Ask) -> Reason | None:
    is_near = item.similarity is not None and item.similarity.value > 0
    # Whoever searches is shown what holds a word of the query, last; into a prompt nothing comes that is not near.
    if not is_near and (ask.for_prompt or not item.hit.bm25):
        return Reason.BELOW_GATE
    if item.memory is None:
        return None
    # An assistant's words about itself are kept as evidence; whoever reads them back would take them for the user's.
    if item.memory.voice == ASSISTANT:
        return Reason.ASSISTANT_VOICE
    if item.memory.injection == Injection.NEVER:
        return Reason.NEVER_INJECTED
    # Asked for means by a word of it, or by a question that is about little else.
    is_asked = item.hit.bm25 or (item.similarity is not None and item.similarity.value >= ASKED_FROM)
    if item.memory.injection == Injection.ON_REQUEST and not is_asked:
        return Reason.NOT_REQUESTED
    return None


def first_k(items: Sequence[Item], ask: Ask) -> tuple[list[Item], list[Fate]]:
    """Keep the best k."""
    return list(items[: ask.k]), [Fate(item.id, Reason.K_REACHED) for item in items[ask.k :]]


def _sift(items: Sequence[Item], out: Callable[[Item], Reason | None]) -> tuple[list[Item], list[Fate]]:
    left: list[Item] = []
    fates: list[Fate] = []
    for item in items:
        reason = out(item)
        if reason is None:
            left.append(item)
        else:
            fates.append(Fate(item.id, reason))
    return left, fates


def chain(fusion: Fusion, scale: Scale) -> list[tuple[str, Stage]]:
    """Return the stages of a recall, in order."""
    return [
        ("scope", scope),
        ("fusion", fusion_stage(fusion)),
        ("collapse", collapse),
        ("time", time),
        ("score", score_stage(scale)),
        ("admission", admission),
        ("diversity", first_k),
    ]
