"""The stored points of a subject: derived data, kept so that a compile reads only what it touches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from stemma.record_json import decode, encode
from stemma.state import Point
from stemma.store.transaction import Row, Transaction


def of_groups(t: Transaction, subject: str, groups: Sequence[str]) -> dict[str, Point]:
    """Return the stored points of groups, by id."""
    return _read(t.all("points_of_groups", {"subject_id": subject, "groups": list(groups)}))


def of_subject(t: Transaction, subject: str) -> dict[str, Point]:
    """Return every stored point of a subject, by id."""
    return _read(t.all("points_of_subject", {"subject_id": subject}))


def of_units(t: Transaction, subject: str, units: Iterable[str]) -> dict[str, list[Point]]:
    """Return the stored points of units, by unit; a unit without points has no entry."""
    found: dict[str, list[Point]] = {}
    for row in t.all("points_of_units", {"subject_id": subject, "units": list(units)}):
        found.setdefault(row["unit"], []).append(decode(Point, row["body"]))
    return found


def of_conversations(t: Transaction, subject: str, conversations: Iterable[str]) -> dict[str, Point]:
    """Return the stored points of conversations, by id."""
    return _read(t.all("points_of_conversations", {"subject_id": subject, "conversations": list(conversations)}))


def conversations_with_wrong(t: Transaction, subject: str, conversations: Iterable[str]) -> set[str]:
    """Return those conversations in which a stored statement takes another one back."""
    rows = t.all("conversations_with_wrong", {"subject_id": subject, "conversations": list(conversations)})
    return {row["conversation"] for row in rows}


def of_blocks(t: Transaction, subject: str, blocks: Iterable[str]) -> dict[str, list[Point]]:
    """Return the stored points of blocks of frames, by unit."""
    found: dict[str, list[Point]] = {}
    for row in t.all("points_of_blocks", {"subject_id": subject, "blocks": list(blocks)}):
        found.setdefault(row["unit"], []).append(decode(Point, row["body"]))
    return found


def put(t: Transaction, subject: str, points: Mapping[str, tuple[Point, str | None]]) -> None:
    """Store points by id, each with the block of its frame if it has one, over what stood there."""
    if points:
        listed = [point for point, _ in points.values()]
        t.execute(
            "put_points",
            {
                "subject_id": subject,
                "point_ids": list(points),
                "groups": [each.group for each in listed],
                "units": [each.unit for each in listed],
                "blocks": [block for _, block in points.values()],
                "conversations": [each.conversation for each in listed],
                "acts": [each.act.value for each in listed],
                "bodies": [encode(each) for each in listed],
            },
        )


def delete(t: Transaction, subject: str, ids: Iterable[str]) -> None:
    """Delete points by id."""
    if named := list(ids):
        t.execute("delete_points", {"subject_id": subject, "point_ids": named})


def wipe(t: Transaction, subject: str) -> None:
    """Delete every point of a subject, to derive them anew."""
    t.execute("wipe_points", {"subject_id": subject})


def _read(rows: Iterable[Row]) -> dict[str, Point]:
    return {row["point_id"]: decode(Point, row["body"]) for row in rows}
