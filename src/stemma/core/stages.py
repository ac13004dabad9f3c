"""The stages from candidates to an ordered answer. Each is `(items, ask) -> (items, fates)` and reads nothing else."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from datetime import datetime

from stemma.core import score
from stemma.core.admit.chosen import diversity
from stemma.core.admit.rules import admission_stage, scale_of
from stemma.core.analyse import fold
from stemma.core.dialogue.ordering import newest_first_after
from stemma.core.fuse import Fusion, fused_values
from stemma.core.overlays import overlays_first
from stemma.core.score import Scale, Score, ScoreKind
from stemma.core.status import in_force, status_at
from stemma.core.trace import Ask, Fate, Item, Reason, Stage
from stemma.records import Status
from stemma.state import MemoryRow

DEFAULT_IMPORTANCE = 0.5
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
        ranked = fused_values([item.hit for item in items if item.turn is None], ask.query, fusion)
        turns = [item.with_fused(item.turn.score) for item in items if item.turn is not None]
        return [by_id[name].with_fused(Score(ScoreKind.FUSED, value)) for name, value in ranked] + turns, []

    return fused


def collapse(items: Sequence[Item], ask: Ask) -> tuple[list[Item], list[Fate]]:
    """Merge items of equal folded words into the first memory of them, else the first; nothing else is made one."""
    words = [" ".join(fold(item.text).split()) for item in items]
    kept: dict[str, Item] = {}
    for text, item in zip(words, items, strict=True):
        if text not in kept or (kept[text].memory is None and item.memory is not None):
            kept[text] = item
    left = [item for text, item in zip(words, items, strict=True) if kept[text] is item]
    gone = [(item, kept[text].id) for text, item in zip(words, items, strict=True) if kept[text] is not item]
    return left, [Fate(item.id, Reason.SAME_TEXT, into=into) for item, into in gone]


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
    similarity = score.similarity(item.fused, scale_of(item, scale))
    importance = score.importance(item.memory.importance if item.memory else DEFAULT_IMPORTANCE)
    recency = score.recency(_age_days(item, ask.now), _half_life(item, ask))
    total = score.composite(similarity, importance, recency)
    return item.with_scores(similarity, importance, recency, total)


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


def _by_score(item: Item, scale: Scale) -> tuple[float, float, str]:
    # Among those of one score, zero and full matches above all, the fused score still tells the nearer one.
    near = scale_of(item, scale).reach(item.fused.value) if item.fused else 0.0
    return -(item.score.value if item.score else 0.0), -near, item.id


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
        ("diversity", newest_first_after(diversity)),
    ]
