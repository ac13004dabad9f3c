"""Which frames may rule on one another (design: D-24, R-35). Knows words, identities and types; no points, no time.

Only function words may differ between two that are ruled on, and even these no more than the kind's overlap allows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from stemma.core.claims import MASK, split_values
from stemma.records import Frame
from stemma.state import FramePoint, Point
from stemma.text import hash_parts

# Stands before a word of a frame whose difference alone keeps no pair from being ruled on.
FUNCTION_MARK = "<f>"
# Stands before a word that only limits a value ("only 3"): it keeps frames apart and counts in no comparison.
LIMIT_MARK = "<l>"
PER_MILLE = 1000
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

    Voice, kind, ordered identity and the set of content words decide together who may be a neighbour; that is an
    equality, so one hash finds every neighbour, where a prefix filter would find every near wording as well.
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
    content = sorted(word for word in compared_words(frame.words) if not word.startswith(FUNCTION_MARK))
    named = (str(len(frame.identities)), *frame.identities)
    return hash_parts("block", frame.voice, frame.kind, *named, "|", *content)


def compared_words(words: Iterable[str]) -> frozenset[str]:
    """Give the set of words that two frames are compared on: without masks and limits, with function words."""
    return frozenset(word for word in words if word != MASK and not word.startswith(LIMIT_MARK))


def overlap(one: frozenset[str], other: frozenset[str]) -> tuple[int, int]:
    """Give the Jaccard overlap of two sets of words as shared and all; two empty sets are equal, as 1 of 1."""
    every = len(one | other)
    return (len(one & other), every) if every else (1, 1)


def reaches(found: tuple[int, int], threshold: float) -> bool:
    """Say whether an overlap reaches a share, in integers per mille: 3/5 and 0.6 differ in binary."""
    shared, every = found
    return shared * PER_MILLE >= round(threshold * PER_MILLE) * every


def are_neighbours(one: FramePoint, other: FramePoint, threshold: float) -> bool:
    """Say whether two frames may rule on one another: one block, the overlap reached, a value type in common."""
    if block_of(one) != block_of(other) or set(one.types).isdisjoint(other.types):
        return False
    return reaches(overlap(compared_words(one.words), compared_words(other.words)), threshold)


def values_by_type(frame: Frame, value: str) -> Mapping[str, tuple[str, ...]]:
    """Give the values of a frame's statement by their type, each type's in sorted order."""
    parts = split_values(value)
    if len(parts) != len(frame.types):
        return {"": (value,)} if value else {}
    found: dict[str, list[str]] = {}
    for kind, part in zip(frame.types, parts, strict=True):
        found.setdefault(kind, []).append(part)
    return {kind: tuple(sorted(listed)) for kind, listed in found.items()}
