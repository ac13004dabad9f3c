"""The tier of statements that end, beside a fold: what `bounded` finds, put into the record in its place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from stemma.core import bounded
from stemma.core.bounded_record import Outcome, never, outcome_of
from stemma.core.events import FLAG, RULING, TIME_AHEAD, Beat, Closed, Opened, Settlement, Turn
from stemma.core.history import History, Spell
from stemma.core.order import order
from stemma.core.standing import Rule
from stemma.records import Policy, Status
from stemma.state import Point, Transition


class Windows:
    """The statements of a unit or block that end, ruled unit by unit; call `settle` at each ruling, `finish` last.

    `closing` are the open statements and ends beside them. `ahead` rest on marked stamps alone and are held, save those
    that a ruling chose.
    """

    def __init__(
        self,
        points: Sequence[Point],
        ahead: Sequence[Point],
        closing: Sequence[Point],
        settlements: Sequence[Settlement],
        rule: Rule,
        history: History,
    ) -> None:
        """Take what ends; every list is in order."""
        chosen = {side.memory_id for settlement in settlements for side in settlement.sides}
        self._points = [*(point for point in ahead if point.memory_id in chosen), *points]
        self._ahead = [point for point in ahead if point.memory_id not in chosen]
        self._chosen_ahead = {point.memory_id for point in ahead} & chosen
        self._closing = closing
        self._settlements = settlements
        self._rule = rule
        self._history = history
        for point in (*ahead, *points):
            history.hear(point)

    def settle(self, settlement: Settlement) -> None:
        """Record the conflicts that a ruling resolves: those that were open just before it."""
        earlier = self._settlements[: self._settlements.index(settlement)]
        sides = {side.memory_id for side in settlement.sides}
        for memory in sorted(sides & self._chosen_ahead):
            for against in sorted(settlement.losers):
                # It was held for its stamp, and a person knows better.
                opened = Opened(against, memory, TIME_AHEAD)
                closed = Closed(memory, against, settlement.id)
                self._history.take(settlement, (Beat(TIME_AHEAD, against, memory), opened, closed))
        named = sides | settlement.losers
        until = [point for point in self._points if not point.sound or point.time <= settlement.at]
        for outcome in self._outcomes(until, earlier) if named and until else ():
            for opened in outcome.opened:
                if opened.stands in named or opened.contests in named:
                    self._history.take(outcome.item or outcome.said, (opened,))
                    closed = Closed(opened.stands, opened.contests, settlement.id)
                    self._history.take(settlement, (closed,))

    def finish(self, first: Point, said_last: str) -> Mapping[str, tuple[tuple[Transition, ...], tuple[Spell, ...]]]:
        """Record what became of everything that ends, and return it; marked stamps are held against what was said last.

        `first` is the first sound statement, from which on they are.
        """
        for memory in dict.fromkeys(point.memory_id for point in self._ahead):
            self._hold_ahead(memory, first, said_last)
        outcomes = self._outcomes(self._points, self._settlements)
        for outcome in outcomes:
            if outcome.item is not None and outcome.beat is not None:
                self._history.decide(outcome.item, outcome.beat)
            for opened in outcome.opened:
                self._history.take(outcome.item or outcome.said, (opened,))
        return {outcome.memory: (outcome.transitions, outcome.spells) for outcome in outcomes}

    def _hold_ahead(self, memory: str, first: Point, said_last: str) -> None:
        turn = Turn(memory, Status.QUARANTINED, TIME_AHEAD, None, Beat(TIME_AHEAD, said_last, memory))
        self._history.take(first, (turn, Opened(said_last, memory, TIME_AHEAD)))
        for settlement in self._settlements:
            if memory in settlement.losers:
                beat = Beat(RULING, settlement.winner, memory)
                over = Turn(memory, Status.SUPERSEDED, RULING, settlement.winner, beat)
                self._history.take(settlement, (Closed(memory, resolution=settlement.id), over))

    def _outcomes(self, points: Sequence[Point], settlements: Sequence[Settlement]) -> list[Outcome]:
        by_unit: dict[str, list[Point]] = {}
        for point in sorted(points, key=order):
            by_unit.setdefault(point.unit, []).append(point)
        named = {settlement.id: settlement for settlement in settlements}
        found: list[Outcome] = []
        for unit, listed in by_unit.items():
            closing = [point for point in self._closing if point.unit == unit]
            bounds = bounded.bounds_of(listed, closing, settlements, self._rule)
            held = bounded.hold(bounds, self._rule)
            seen = {each.bound.memory for each in held}
            contests = bounded.flagged(bounds) if self._rule.policy is Policy.FLAG else {}
            for each in held:
                stands = contests.get(each.bound.memory)
                opened = (Opened(stands, each.bound.memory, FLAG),) if stands is not None else ()
                found.append(outcome_of(each, self._rule, named, opened))
            found += [never(bound) for bound in bounds if bound.memory not in seen]
        return found
