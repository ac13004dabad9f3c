"""The one total order over points, and the order in which things were said. Compares; decides nothing."""

from __future__ import annotations

from datetime import datetime

from stemma.state import Point
from stemma.text import hash_parts, stamp

PointOrder = tuple[bool, datetime, datetime, str, str, int]
SaidOrder = tuple[bool, datetime, str, str, int]


def order(point: Point) -> PointOrder:
    """Give the key of a point in the one order (D-9): marked stamps first, then by time, as numbers and bytes.

    Python compares text by code points, which is the order of its UTF-8 bytes.
    """
    return point.sound, point.time, point.occurred_at, point.key, point.content_hash, point.place


def said_order(point: Point) -> SaidOrder:
    """Give the key of a point in the order of saying, whatever instant it counts at."""
    return point.sound, point.occurred_at, point.key, point.content_hash, point.place


def point_id(point: Point) -> str:
    """Name a point by its statement and its instant."""
    said = stamp(point.occurred_at), stamp(point.time)
    return hash_parts("point", point.key, point.content_hash, str(point.place), *said, point.act.value)
