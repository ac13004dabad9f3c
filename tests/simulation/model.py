"""The specification's rules for single-valued claim keys, written down a second time as plainly as they can be: points
in one order, one loop a policy, dictionaries. Slow and without an index; what the product derives must agree with it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

Episode = dict[str, Any]
Window = tuple[str | None, str | None]


@dataclass(frozen=True, slots=True)
class Forgotten:
    """A memory that somebody had forgotten at a time: its value and, where it ends, its window."""

    claim_key: str
    value: str
    polarity: str
    window: Window


@dataclass(frozen=True, slots=True)
class Point:
    """One claim at one instant."""

    time: datetime
    occurred_at: datetime
    key: str
    value: str
    polarity: str
    authority: int
    origin: tuple[str, str | None, str]

    @property
    def place(self) -> tuple[datetime, datetime, bytes]:
        """Return where it stands in the one order."""
        return self.time, self.occurred_at, self.key.encode()


@dataclass(slots=True)
class Standing:
    """What a policy holds after some points."""

    values: list[str] = field(default_factory=list)
    rank: int = 0
    challengers: dict[str, set[tuple[str, str | None, str]]] = field(default_factory=dict)
    denied: dict[str, int] = field(default_factory=dict)


def standing_values(
    episodes: Iterable[Episode],
    claim_key: str,
    policy: dict[str, Any],
    authorities: dict[str, int],
    *,
    receipt: datetime,
    now: datetime,
    forgotten: Iterable[Forgotten] = (),
    forgotten_at: datetime | None = None,
) -> set[str]:
    """Return the values of a claim key that stand at `now`, windows that end left aside."""
    gone = {one.value for one in forgotten if one == Forgotten(claim_key, one.value, "affirmed", (None, None))}
    denials_gone = {one.value for one in forgotten if one == Forgotten(claim_key, one.value, "negated", (None, None))}
    points = []
    for episode in speaking(episodes):
        said = datetime.fromisoformat(episode["occurred_at"])
        for claim in episode.get("claims", ()):
            if claim["key"] != claim_key or "valid_to" in claim or said > receipt:
                continue
            point = _point(episode, claim, authorities)
            buried = gone if point.polarity == "affirmed" else denials_gone
            if forgotten_at and point.value in buried and said <= forgotten_at:
                continue
            points.append(point)
    state = Standing()
    for point in sorted(points, key=lambda one: one.place):
        if point.time <= now:
            _step(state, point, policy)
    return set(state.values)


def speaking(episodes: Iterable[Episode]) -> list[Episode]:
    """Return the episodes that speak: of one business event the first, by time and key; the rest once each."""
    events: dict[str, Episode] = {}
    alone: dict[str, Episode] = {}
    for episode in episodes:
        if "key" not in episode or episode.get("key_policy"):
            continue
        business = episode.get("business_key")
        if business is None:
            alone[episode["key"]] = episode
        elif business not in events or _first(episode) < _first(events[business]):
            events[business] = episode
    return [*alone.values(), *events.values()]


def _first(episode: Episode) -> tuple[datetime, bytes]:
    return datetime.fromisoformat(episode["occurred_at"]), episode["key"].encode()


def _point(episode: Episode, claim: Episode, authorities: dict[str, int]) -> Point:
    said = datetime.fromisoformat(episode["occurred_at"])
    begins = claim.get("valid_from")
    day = said.astimezone(UTC).date().isoformat()
    return Point(
        time=datetime.fromisoformat(begins) if begins else said,
        occurred_at=said,
        key=episode["key"],
        value=claim["value"],
        polarity=claim.get("polarity", "affirmed"),
        authority=authorities.get(episode["source"], 50),
        origin=(episode["source"], episode.get("speaker"), episode.get("session_id") or day),
    )


def _step(state: Standing, point: Point, policy: dict[str, Any]) -> None:
    """Let one point come; a denial is a row like others, so who affirms again needs no lower authority (R-39)."""
    if point.polarity == "negated":
        if point.value not in state.values:
            state.denied[point.value] = max(point.authority, state.denied.get(point.value, 0))
        elif point.authority >= state.rank:
            state.denied[point.value] = point.authority
            state.values.remove(point.value)
            state.rank = state.rank if state.values else 0
        return
    if point.authority < state.denied.get(point.value, 0):
        return
    state.denied.pop(point.value, None)
    if point.value in state.values:
        state.rank = max(state.rank, point.authority)
        state.challengers.clear()
    elif not state.values or policy["policy"] in ("flag", "keep_all"):
        _stand(state, [*state.values, point.value], max(state.rank, point.authority))
    elif policy["policy"] == "corroborated":
        origins = state.challengers.setdefault(point.value, set())
        origins.add(point.origin)
        if len(origins) >= policy["corroboration"]:
            _stand(state, [point.value], point.authority)
    elif point.authority >= state.rank:
        _stand(state, [point.value], point.authority)


def _stand(state: Standing, values: list[str], rank: int) -> None:
    state.values, state.rank = values, rank
    state.challengers.clear()
