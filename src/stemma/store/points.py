"""The stored points and frames of a subject: derived data, kept so that a compile reads only what it touches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from stemma.record_json import decode, encode
from stemma.state import FramePoint, Point
from stemma.store.transaction import Row, Transaction
from stemma.text import hash_parts, stamp


def point_id(point: Point) -> str:
    """Name a point by what makes it: statement, saying, instant."""
    parts = (
        point.key,
        point.content_hash,
        str(point.place),
        stamp(point.occurred_at),
        stamp(point.time),
        point.act.value,
    )
    return hash_parts(*parts)


def of_groups(t: Transaction, subject: str, groups: Sequence[str]) -> dict[str, Point]:
    """Return the stored points of groups, by id."""
    return _read(t.all("points_of_groups", {"subject_id": subject, "groups": list(groups)}))


def of_units(t: Transaction, subject: str, units: Iterable[str]) -> dict[str, list[Point]]:
    """Return the stored points of units, by unit; a unit without points has no entry."""
    found: dict[str, list[Point]] = {}
    for row in t.all("points_of_units", {"subject_id": subject, "units": list(units)}):
        found.setdefault(row["unit"], []).append(decode(Point, row["body"]))
    return found


def of_conversations(t: Transaction, subject: str, conversations: Iterable[str]) -> dict[str, Point]:
    """Return the stored points of conversations, by id."""
    return _read(t.all("points_of_conversations", {"subject_id": subject, "conversations": list(conversations)}))


def conversations_with_wrong_last(t: Transaction, subject: str, conversations: Iterable[str]) -> set[str]:
    """Return those conversations in which a stored statement takes the last one back."""
    rows = t.all("conversations_with_wrong_last", {"subject_id": subject, "conversations": list(conversations)})
    return {row["conversation"] for row in rows}


def put(t: Transaction, subject: str, points: Mapping[str, Point]) -> None:
    """Store points by id, over what stood there."""
    if points:
        listed = list(points.values())
        t.execute(
            "put_points",
            {
                "subject_id": subject,
                "point_ids": list(points),
                "groups": [each.group for each in listed],
                "units": [each.unit for each in listed],
                "conversations": [each.conversation for each in listed],
                "acts": [each.act.value for each in listed],
                "bodies": [encode(each) for each in listed],
            },
        )


def delete(t: Transaction, subject: str, ids: Iterable[str]) -> None:
    """Delete points by id."""
    t.execute("delete_points", {"subject_id": subject, "point_ids": list(ids)})


def units_with_points(t: Transaction, subject: str, units: Iterable[str]) -> set[str]:
    """Return those of the units that have a stored point."""
    return {row["unit"] for row in t.all("units_with_points", {"subject_id": subject, "units": list(units)})}


def put_frames(t: Transaction, subject: str, frames: Iterable[FramePoint], tokens: Iterable[tuple[str, str]]) -> None:
    """Store frames and their postings, given as (token, unit)."""
    listed = list(frames)
    bodies = {"units": [each.unit for each in listed], "bodies": [encode(each) for each in listed]}
    t.execute("put_frames", {"subject_id": subject, **bodies})
    pairs = list(tokens)
    postings = {"tokens": [token for token, _ in pairs], "units": [unit for _, unit in pairs]}
    t.execute("put_frame_tokens", {"subject_id": subject, **postings})


def delete_frames(t: Transaction, subject: str, units: Iterable[str]) -> None:
    """Delete frames that have no point any more, with their postings."""
    t.execute("delete_frames", {"subject_id": subject, "units": list(units)})


def frames_of_units(t: Transaction, subject: str, units: Iterable[str]) -> dict[str, FramePoint]:
    """Return the frames among some units."""
    return _frames(t.all("frames_of_units", {"subject_id": subject, "units": list(units)}))


def frames_by_tokens(t: Transaction, subject: str, tokens: Iterable[str]) -> dict[str, FramePoint]:
    """Return the frames that share a posting with one of the tokens."""
    return _frames(t.all("frames_by_tokens", {"subject_id": subject, "tokens": list(tokens)}))


def wipe(t: Transaction, subject: str) -> None:
    """Forget every point and frame of a subject, to derive them anew."""
    for name in ("wipe_points", "wipe_frame_tokens", "wipe_frames"):
        t.execute(name, {"subject_id": subject})


def _read(rows: Iterable[Row]) -> dict[str, Point]:
    return {row["point_id"]: decode(Point, row["body"]) for row in rows}


def _frames(rows: Iterable[Row]) -> dict[str, FramePoint]:
    return {row["unit"]: decode(FramePoint, row["body"]) for row in rows}
