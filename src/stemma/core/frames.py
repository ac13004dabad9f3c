"""Which frames may rule on one another (design: D-24, R-35). Knows words, identities and types; no points, no time.

Only function words may differ between two that are ruled on, and a frame has dropped them: neighbours have equal words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from stemma.core.claims import frame_words, split_values
from stemma.records import Frame
from stemma.state import FramePoint, Point
from stemma.text import hash_parts

# Over so many frames in one block nothing is ruled between them: never a choice of the first so many.
BLOCK_LIMIT = 200


def frame_point(point: Point) -> FramePoint | None:
    """Give what the ruling reads of a point's frame, None for a claim."""
    if point.frame is None:
        return None
    frame = point.frame
    return FramePoint(
        unit=point.unit,
        voice=point.voice,
        kind=point.kind,
        words=frame.words,
        identities=frame.identities,
        types=frame.types,
    )


def index_tokens(frame: FramePoint) -> tuple[str, ...]:
    """Give the postings a frame is stored and found under: one, its block.

    Voice, kind, ordered identity and the set of words decide together who may be a neighbour; that is an equality, so
    one hash finds every neighbour and nobody else, where a prefix filter would find every near wording as well.
    """
    return (block_of(frame),)


def tokens_of(points: Iterable[Point]) -> set[str]:
    """Give the postings of all frames among points.

    Of a change take the points withdrawn as well as those put: a frame that has gone leaves neighbours behind.
    """
    frames = {point.unit: frame for point in points if (frame := frame_point(point)) is not None}
    return {token for frame in frames.values() for token in index_tokens(frame)}


def block_of(frame: FramePoint) -> str:
    """Name the block of a frame: all frames that differ from it in function words, word order and values alone."""
    words = sorted(frame_words(Frame(words=frame.words, identities=frame.identities, types=frame.types)))
    named = (str(len(frame.identities)), *frame.identities)
    return hash_parts("block", frame.voice, frame.kind, *named, "|", *words)


def are_neighbours(one: FramePoint, other: FramePoint) -> bool:
    """Say whether two frames may rule on one another: one block, and a value type in common."""
    return block_of(one) == block_of(other) and not set(one.types).isdisjoint(other.types)


def values_by_type(frame: Frame, value: str) -> Mapping[str, tuple[str, ...]]:
    """Give the values of a frame's statement by their type, each type's in sorted order."""
    parts = split_values(value)
    if len(parts) != len(frame.types):
        return {"": (value,)} if value else {}
    found: dict[str, list[str]] = {}
    for kind, part in zip(frame.types, parts, strict=True):
        found.setdefault(kind, []).append(part)
    return {kind: tuple(sorted(listed)) for kind, listed in found.items()}
