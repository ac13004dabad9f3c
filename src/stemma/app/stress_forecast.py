"""What today's scores make one expect of a larger store: for each anchor the chance to stay in the text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from stemma.app.evaluate_holdings import Holdings
from stemma.app.models_base import LIMIT_MOST
from stemma.app.models_recall import RecallItem, RecallRequest
from stemma.app.recall import recall
from stemma.app.runtime import Runtime
from stemma.core.golden.figures import DIGITS
from stemma.core.golden.forecast import Tail, fit, stays
from stemma.core.golden.judged import Judged, Place
from stemma.core.golden.probe import Delivered, Saying

_LEAST_ROOM: Final = 1


@dataclass(frozen=True, slots=True)
class Watched:
    """One anchor today: its score and rank, and the tail of the others' scores for its query. None: it is lost."""

    rank: int | None
    score: float
    tail: Tail | None
    total: int
    room: int


@dataclass(frozen=True, slots=True)
class Outlook:
    """All anchors today; `room` is how many items a text of the usual budget takes."""

    watched: tuple[Watched, ...]
    room: int

    def recall_at(self, factor: float) -> float | None:
        """Give the expected anchor recall of a store of `factor` times the size; None without anchors."""
        if not self.watched:
            return None
        return round(sum(_chance(each, factor) for each in self.watched) / len(self.watched), DIGITS)


def _chance(watched: Watched, factor: float) -> float:
    if watched.rank is None:
        return 0.0
    return stays(watched.tail, watched.score, rank=watched.rank, room=watched.room, total=watched.total, factor=factor)


def outlook(runtime: Runtime, tenant: str, judged: Sequence[Judged], holdings: Holdings) -> Outlook:
    """Read the scores of every probe with anchors."""
    tokens = sum(each.answer.tokens for each in judged)
    items = sum(len(each.answer.items) for each in judged)
    each_tokens = max(1.0, tokens / items) if items else 1.0
    totals: dict[str, int] = {}
    for memory in holdings.memories.values():
        totals[memory.subject_id] = totals.get(memory.subject_id, 0) + (memory.status.value == "active")
    watched = []
    rooms = []
    for each in judged:
        if not each.places:
            continue
        room = max(_LEAST_ROOM, int(each.probe.budget_tokens / each_tokens))
        rooms.append(room)
        scored = _scored(runtime, tenant, each)
        watched += [_watch(place, scored, totals.get(each.probe.subject_id, 0), room) for place in each.places]
    return Outlook(tuple(watched), max(rooms, default=0))


def _scored(runtime: Runtime, tenant: str, judged: Judged) -> list[tuple[Delivered, float]]:
    """Give what a recall of the probe finds near, with its scores."""
    probe = judged.probe
    request = RecallRequest(subject_id=probe.subject_id, query=probe.query, k=LIMIT_MOST, now=probe.now)
    found = recall(runtime, tenant, request).items
    return [
        (
            Delivered(
                item.memory.id,
                "memories",
                item.memory.text,
                tuple(
                    Saying(each.key, each.span.start, each.span.end, each.span.message) for each in item.memory.episodes
                ),
            ),
            item.score,
        )
        for item in found
        if isinstance(item, RecallItem) and item.similarity > 0
    ]


def _watch(place: Place, scored: Sequence[tuple[Delivered, float]], total: int, room: int) -> Watched:
    own = [score for item, score in scored if place.anchor.is_under(item)]
    others = [score for item, score in scored if not place.anchor.is_under(item)]
    return Watched(place.rank, max(own, default=0.0), fit(others, max(total, len(others))), max(1, total), room)
