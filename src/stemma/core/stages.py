"""The stages from candidates to an ordered answer. Each is `(items, ask) -> (items, fates)` and reads nothing else."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from stemma.core import score
from stemma.core.analyse import fold
from stemma.core.claims import ASSISTANT
from stemma.core.fuse import Fusion, fuse
from stemma.core.score import Scale
from stemma.core.status import in_force, narrowness, status_at
from stemma.core.trace import Ask, Fate, Item, Miss, Reason, Stage
from stemma.records import Injection, Status
from stemma.state import MemoryRow

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
    return _sift(items, lambda item: _retired(item, ask))


def _retired(item: Item, ask: Ask) -> Reason | None:
    reason = None if item.memory is None else out_of_scope(item.memory, ask.now, ask.kinds)
    # What is accepted and not in force is the stage of time's to drop.
    return None if reason is Reason.NOT_IN_FORCE else reason


def out_of_scope(row: MemoryRow, now: datetime, kinds: Collection[str] | None) -> Reason | None:
    """Say why a memory may not be found at `now`, whatever is asked; None where it may."""
    status, _, _ = status_at(row, now)
    if status is not Status.ACTIVE:
        return _RETIRED[status]
    if not in_force(row, now):
        return Reason.NOT_IN_FORCE
    return Reason.KIND_FILTER if kinds is not None and row.kind not in kinds else None


def fusion_stage(fusion: Fusion) -> Stage:
    """Make the stage that gives every item its fused score."""

    def fused(items: Sequence[Item], ask: Ask) -> tuple[list[Item], list[Fate]]:
        by_id = {item.id: item for item in items}
        ranked = fuse([item.hit for item in items if item.turn is None], ask.query, fusion)
        turns = [replace(item, fused=item.turn.score) for item in items if item.turn is not None]
        return [replace(by_id[each.item], fused=each.score) for each in ranked] + turns, []

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
        ordered = sorted(done, key=lambda item: _by_score(item, scale))
        return overlays_first(ordered), []

    return scored


def _scored(item: Item, ask: Ask, scale: Scale) -> Item:
    if item.fused is None:
        raise AssertionError(f"{item.id} reached the score stage without a fused score")
    similarity = score.similarity(item.fused, _scale_of(item, scale))
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


def _scale_of(item: Item, scale: Scale) -> Scale:
    return scale if item.turn is None else item.turn.scale


def _by_score(item: Item, scale: Scale) -> tuple[float, float, str]:
    # Among those of one score, zero and full matches above all, the fused score still tells the nearer one.
    near = _scale_of(item, scale).reach(item.fused.value) if item.fused else 0.0
    return -(item.score.value if item.score else 0.0), -near, item.id


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


def admission_stage(scale: Scale) -> Stage:
    """Make the stage that admits by relevance alone: importance and recency order, they never admit (SPEC R-43)."""

    def admitted(items: Sequence[Item], ask: Ask) -> tuple[list[Item], list[Fate]]:
        left, fates = _sift(items, lambda item: _refused(item, ask))
        by_id = {item.id: item for item in items}
        return left, [replace(fate, detail=_miss(by_id[fate.id], fate.reason, scale)) for fate in fates]

    return admitted


def _miss(item: Item, reason: Reason, scale: Scale) -> Miss | None:
    """Say by how much an item was not near enough; a class that keeps it out is no matter of degree."""
    if reason is Reason.BELOW_GATE and item.fused is not None:
        return Miss(item.fused.kind.value, item.fused.value, _scale_of(item, scale).zero)
    if reason is Reason.NOT_REQUESTED and item.similarity is not None:
        return Miss(item.similarity.kind.value, item.similarity.value, ASKED_FROM)
    return None


def _refused(item: Item, ask: Ask) -> Reason | None:
    is_near = item.similarity is not None and item.similarity.value > 0
    # Whoever searches is shown what holds a word of the query, last; into a prompt nothing comes that is not near.
    # A turn is spoken of by the words beside it too: an answer holds none of its question.
    holds = item.hit.bm25 or (item.turn is not None and item.turn.heard.shared > 0)
    if not is_near and (ask.for_prompt or not holds):
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
    over = enumerate(items[ask.k :], start=ask.k + 1)
    fates = [Fate(item.id, Reason.K_REACHED, detail=Miss("rank", rank, ask.k)) for rank, item in over]
    return list(items[: ask.k]), fates


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
        ("admission", admission_stage(scale)),
        ("diversity", first_k),
    ]
