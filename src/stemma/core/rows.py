"""A memory's row and evidence from its statements: what is shown, how often said, by whom. Rules on nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from stemma.core.history import Spell
from stemma.core.order import order
from stemma.core.registry import injection_of
from stemma.records import Act, ActKind, HumanAct, Injection, Registry, SaidBy, Status
from stemma.state import Evidence, MemoryRow, Point, Transition

DEFAULT_IMPORTANCE = 0.5

_ROLES = {Act.SAY: "support", Act.END: "ends", Act.WRONG: "retracts", Act.WRONG_LAST: "retracts"}
_WIDTH = {injection: place for place, injection in enumerate(Injection)}


def row_of(
    points: Sequence[Point],
    record: tuple[tuple[Transition, ...], tuple[Spell, ...]],
    acts: Iterable[HumanAct],
    registry: Registry,
    *,
    subject: str,
) -> MemoryRow:
    """Make the row of one memory from what was said for it, live or not.

    `record` is its transitions and spells, `acts` what people set on it, in order. Dead statements count for nothing;
    where all are dead they still give text and times.
    """
    live = [point for point in points if point.dead is None]
    shown = min(live or points, key=_shown_first)
    first, last = _said_between(live or points)
    transitions, spells = record
    over = transitions[-1] if transitions and transitions[-1].status is Status.SUPERSEDED else None
    kind, injection, importance = _set_by_people(shown.kind, acts, registry)
    return MemoryRow(
        id=shown.memory_id,
        subject_id=subject,
        unit=shown.unit,
        voice=shown.voice,
        kind=kind,
        original_kind=shown.kind,
        claim_key=shown.claim_key,
        value=shown.value,
        shown=shown.shown,
        polarity=shown.polarity,
        text=shown.text,
        injection=injection.value,
        authority=shown.authority,
        importance=_importance(live) if importance is None else importance,
        confidence=max(point.confidence for point in live or points),
        first_said_at=first,
        last_said_at=last,
        times_said=len({(point.key, point.occurred_at) for point in live}),
        independent_origins=len({point.origin for point in live}),
        valid_from=min((point.valid_from for point in live or points if point.valid_from), default=None),
        valid_to=shown.valid_to,
        transitions=transitions,
        spells=spells,
        superseded_by=over.by if over else None,
        superseded_from=over.at if over else None,
        scope=shown.scope,
    )


def evidence_of(points: Iterable[Point]) -> tuple[Evidence, ...]:
    """Give one evidence row for each statement and saying, at the first instant it counts at, in canonical order."""
    found: dict[tuple[str, str, int, datetime], Point] = {}
    for point in sorted(points, key=order):
        found.setdefault((point.key, point.content_hash, point.place, point.occurred_at), point)
    return tuple(_evidence(found[name]) for name in sorted(found))


def _evidence(point: Point) -> Evidence:
    return Evidence(
        memory_id=point.memory_id,
        key=point.key,
        content_hash=point.content_hash,
        place=point.place,
        occurred_at=point.occurred_at,
        time=point.time,
        source=point.source,
        speaker=point.speaker,
        message=point.message,
        start=point.start,
        end=point.end,
        role=_ROLES[point.act],
        dead=point.dead,
    )


def _shown_first(point: Point) -> tuple[object, ...]:
    """Order statements by what is shown of them (D-7): authority, then the shortest, then the smallest text.

    No time is in it, so a late statement acts like any other and an untrusted echo cannot choose the wording.
    """
    return -point.authority, len(point.text), point.text, point.shown, point.kind, order(point)


def _said_between(points: Sequence[Point]) -> tuple[datetime, datetime]:
    """Give the first and the last saying: of sound stamps where there is one (D-9).

    An agent's saying is the last only where agents alone have said it (R-33a).
    """
    sound = [point for point in points if point.sound] or points
    by_people = [point for point in sound if point.said_by is SaidBy.USER] or sound
    return min(point.occurred_at for point in sound), max(point.occurred_at for point in by_people)


def _importance(live: Iterable[Point]) -> float:
    return max((point.importance for point in live if point.importance is not None), default=DEFAULT_IMPORTANCE)


def _set_by_people(kind: str, acts: Iterable[HumanAct], registry: Registry) -> tuple[str, Injection, float | None]:
    """Give kind, injection class and importance as people set them, the latest last; a retype never widens a class."""
    injection, importance = injection_of(registry, kind), None
    for act in acts:
        if act.argument is None:
            continue
        match act.kind:
            case ActKind.RETYPE:
                kind = act.argument
                injection = max(injection, injection_of(registry, kind), key=_WIDTH.__getitem__)
            case ActKind.INJECTION:
                injection = Injection(act.argument)
            case ActKind.IMPORTANCE:
                importance = float(act.argument)
            case _:
                pass
    return kind, injection, importance
