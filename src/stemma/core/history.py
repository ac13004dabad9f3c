"""The record of a fold: dated transitions of each memory, decisions, conflicts. Rules on nothing; it dates."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime

from stemma.core.events import FLAG, TIME_AHEAD, Beat, Closed, Event, Left, Opened, Settlement, Turn
from stemma.core.order import point_id
from stemma.records import Status
from stemma.state import Conflict, Decision, Point, Transition
from stemma.text import hash_parts

Item = Point | Settlement
Pair = tuple[str, str]
Spell = tuple[datetime | None, datetime | None]


class History:
    """Collects what the steps of one unit or block report, in order.

    `reaches_back` says of a point whether its memory held before it was first said (the first spell does, D §6).
    """

    def __init__(self, reaches_back: Callable[[Point], bool]) -> None:
        """Begin with nothing heard."""
        self.transitions: dict[str, list[Transition]] = {}
        self.decisions: list[Decision] = []
        self._conflicts: dict[str, Conflict] = {}
        self._reaches_back = reaches_back
        self._last: dict[str, Point] = {}
        self._open: dict[str, dict[Pair, str]] = {}
        self._times_opened: dict[tuple[str, ...], int] = {}
        self._ruling = ""

    def conflicts(self) -> list[Conflict]:
        """Return every conflict, open or not."""
        return list(self._conflicts.values())

    def hear(self, point: Point) -> None:
        """Note who said a memory last."""
        self._last[point.memory_id] = point

    def take(self, item: Item, events: Iterable[Event]) -> None:
        """Date the events of one step."""
        if isinstance(item, Settlement):
            # A side may be chosen before the instant that its statement counts at.
            for side in item.sides:
                self._last.setdefault(side.memory_id, side)
        for event in events:
            match event:
                case Turn():
                    self._turn(item, event)
                case Beat():
                    self.decide(item, event)
                case Opened():
                    self._open_pair(item, event)
                case Closed():
                    self._close(item, event)
                case Left():
                    self._leave(item, event)
        if isinstance(item, Settlement):
            self._ruling = item.id

    def _turn(self, item: Item, turn: Turn) -> None:
        listed = self.transitions.setdefault(turn.memory, [])
        now = listed[-1] if listed else None
        # What is over is not over again: the first end of a spell is the one that counts.
        if now is not None and now.status is turn.status and turn.status is not Status.QUARANTINED:
            return
        # What is held for its stamp is held from the beginning: a marked stamp comes before all others.
        at = None if turn.reason == TIME_AHEAD else self._moment(item)
        if now is not None and at is None and now.at is not None:
            at = now.at
        new = Transition(at, turn.status, turn.reason, turn.by)
        if now is not None and now.at == at:
            listed.pop()
        if not listed or (listed[-1].status, listed[-1].reason, listed[-1].by) != (new.status, new.reason, new.by):
            listed.append(new)
        if turn.beat is not None:
            self.decide(item, turn.beat)

    def _moment(self, item: Item) -> datetime | None:
        """Date an item; None is the beginning. A marked stamp dates nothing, and a first spell reaches back."""
        if isinstance(item, Settlement):
            return item.at
        if not item.sound or (item.time != item.valid_from and self._reaches_back(item)):
            return None
        return item.time

    def decide(self, item: Item, beat: Beat) -> None:
        """Record a decision, with the last statement of both sides that was heard."""
        winner = self._last.get(beat.winner) if beat.winner else None
        self.decisions.append(decision_of(item, beat, winner, self._last[beat.loser]))

    def _open_pair(self, item: Item, opened: Opened) -> None:
        pair = (opened.stands, opened.contests)
        if pair in self._open.get(opened.contests, {}):
            return
        # The last ruling is part of the name, so that a pair opened anew is not the one that was resolved (D-20).
        name = ("conflict", opened.reason, *sorted(pair), self._ruling)
        again = self._times_opened.get(name, 0)
        self._times_opened[name] = again + 1
        conflict_id = hash_parts(*name, str(again))
        contests = self._last[opened.contests]
        at = item.at if isinstance(item, Settlement) else item.time
        self._conflicts[conflict_id] = Conflict(
            id=conflict_id,
            unit=contests.unit,
            reason=opened.reason,
            claim_key=contests.claim_key,
            memory_ids=pair,
            opened_by=contests.key,
            opened_at=at,
        )
        for side in pair:
            self._open.setdefault(side, {})[pair] = conflict_id

    def _leave(self, item: Item, left: Left) -> None:
        """End a memory's pairs, and pair those it was in conflict with, each with the nearest before it."""
        pairs = self._open.get(left.memory, {})
        others = {side: None for pair in pairs for side in pair if side != left.memory}
        self._close(item, Closed(left.memory))
        heirs = [left.heir] if left.heir is not None and left.heir not in others else []
        chain: list[str] = []
        for other in (*heirs, *others):
            said = self._last[other]
            before = next((each for each in reversed(chain) if left.contest(self._last[each], said)), None)
            if before is None and other in others:
                before = left.first(said)
            if before is not None:
                self._open_pair(item, Opened(before, other, FLAG))
            chain.append(other)

    def _close(self, item: Item, closed: Closed) -> None:
        at = item.at if isinstance(item, Settlement) else item.time
        for pair, conflict_id in list(self._open.get(closed.memory, {}).items()):
            if closed.other is not None and closed.other not in pair:
                continue
            for side in pair:
                del self._open[side][pair]
            known = self._conflicts[conflict_id]
            self._conflicts[conflict_id] = _ended(known, at, closed.resolution)


def spells_of(transitions: Iterable[Transition]) -> tuple[Spell, ...]:
    """Give the half-open spans in which a memory stands."""
    spells: list[Spell] = []
    start: datetime | None = None
    stands = False
    for turn in transitions:
        if turn.status is Status.ACTIVE and not stands:
            start, stands = turn.at, True
        elif turn.status is not Status.ACTIVE and stands:
            spells.append((start, turn.at))
            stands = False
    return (*spells, (start, None)) if stands else tuple(spells)


def decision_of(item: Item, beat: Beat, winner: Point | None, loser: Point) -> Decision:
    """Make the decision that an item brought about; its id says what was decided, not who said it (D-28)."""
    at, by = (item.at, item.id) if isinstance(item, Settlement) else (item.time, point_id(item))
    figures = (_figure(beat.score), _figure(beat.threshold))
    return Decision(
        id=hash_parts("decision", beat.rule, beat.winner or "", beat.loser, by, *figures),
        unit=loser.unit,
        rule=beat.rule,
        winner_id=beat.winner,
        loser_id=beat.loser,
        at=at,
        winner_episodes=beat.keys or ((winner.key,) if winner else ()),
        loser_episodes=(loser.key,),
        score=beat.score,
        threshold=beat.threshold,
    )


def _ended(conflict: Conflict, at: datetime, resolution: str | None) -> Conflict:
    return Conflict(
        id=conflict.id,
        unit=conflict.unit,
        reason=conflict.reason,
        claim_key=conflict.claim_key,
        memory_ids=conflict.memory_ids,
        opened_by=conflict.opened_by,
        opened_at=conflict.opened_at,
        closed_at=at,
        resolution=resolution,
    )


def _figure(number: float | None) -> str:
    return "" if number is None else repr(number)
