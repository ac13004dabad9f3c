"""How figures over time read on a terminal: a line a day, then what each day was made of, then the hubs."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.text import Text

from stemma.app.models_figures import DayFigures, Figures, KindShare


def show_figures(found: Figures) -> RenderableType:
    """Show the days on which anything was there; every name is shown as it is."""
    return Group(*(Text(line) for line in _lines(found)))


def _lines(found: Figures) -> Iterator[str]:
    shown = [day for day in found.days if day.memories or day.judged or day.bundles or day.stored]
    yield f"{'day':10}  founded  held  judged  bundles  forced  most stored             most injected"
    for day in shown:
        yield _day(day)
    if not shown:
        yield "nothing in these days"
    for day in shown:
        for one in day.memories:
            yield f"{day.day}  {one.memories} {one.kind}, {one.quarantined} quarantined · {one.extractor}"
        for gate in day.gates:
            yield f"{day.day}  gate {gate.gate}: {gate.pass_rate:.1%} passed, {gate.refused} of {day.judged} refused"
    yield f"{len(found.hubs)} hubs: memories in over {found.hub_share:.1%} of {found.queries} different questions"
    for hub in found.hubs:
        yield f"  {hub.memory_id} {hub.share:.1%}, {hub.queries} questions"


def _day(day: DayFigures) -> str:
    founded = sum(one.memories for one in day.memories)
    forced = "-" if day.forced_per_bundle is None else f"{day.forced_per_bundle:.2f}"
    held = "-" if day.quarantine_share is None else f"{day.quarantine_share:.0%}"
    return (
        f"{day.day}  {founded:7}  {held:>4}  {day.judged:6}  {day.bundles:7}  {forced:>6}  "
        f"{_kind(day.stored):22}  {_kind(day.injected)}"
    ).rstrip()


def _kind(found: KindShare | None) -> str:
    return "-" if found is None else f"{found.kind} {found.share:.0%}"
