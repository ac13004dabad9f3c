"""The statement that a ruling for a third value makes (design: D-20): its words stand in the act, and nowhere else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from stemma.core.order import order
from stemma.core.registry import DEFAULT_AUTHORITY
from stemma.records import Act, ActKind, HumanAct, SaidBy
from stemma.state import Point
from stemma.text import hash_parts

SOURCE = "ruling"


def third_values(points: Iterable[Point], settling: Sequence[HumanAct]) -> list[Point]:
    """Give one point for each ruling that words a third value, at its own time and on a person's authority.

    The first memory of the act is the third value, `argument` its text; the others are the sides, which must exist. The
    rank it stands at is the ruling's matter: the greatest of the sides by then.
    """
    acts = [act for act in settling if act.kind is ActKind.THIRD_VALUE and act.argument is not None]
    if not acts:
        return []
    named = {memory.memory_id for act in acts for memory in act.memories[1:]}
    sides: dict[str, list[Point]] = {}
    for point in points:
        if point.act is Act.SAY and point.memory_id in named:
            sides.setdefault(point.memory_id, []).append(point)
    found = [_stated(act, sides) for act in acts]
    return [point for point in found if point is not None]


def key_of(act_id: str) -> str:
    """Give the key under which a ruling's own statement stands in evidence."""
    return f"act:{act_id}"


def _stated(act: HumanAct, sides: dict[str, list[Point]]) -> Point | None:
    third, *settled = act.memories
    if not settled or any(memory.memory_id not in sides for memory in settled):
        return None
    said = [point for memory in settled for point in sides[memory.memory_id]]
    alike = [point for point in said if point.unit == third.unit]
    if not alike:
        return None
    return replace(
        min(alike, key=order),
        memory_id=third.memory_id,
        time=act.at,
        occurred_at=act.at,
        sound=True,
        key=key_of(act.id),
        content_hash=act.id,
        place=0,
        group=hash_parts("act", act.id),
        conversation=hash_parts("act", act.id),
        origin=hash_parts("act", act.id),
        source=SOURCE,
        speaker=act.by,
        said_by=SaidBy.USER,
        authority=DEFAULT_AUTHORITY,
        value=third.value,
        shown=third.value,
        polarity=third.polarity,
        text=act.argument or third.text,
        start=0,
        end=len(act.argument or third.text),
        message=None,
        valid_from=None,
        valid_to=None,
        confidence=1.0,
        importance=None,
        dead=None,
        suspect=None,
    )
