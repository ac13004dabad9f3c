"""The stored form of a trace: the ids that it names apart from the rest, which refers to them by place."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from stemma.core.budget import Cost, Costs
from stemma.core.trace import Fate, Miss, Reason, StageRecord
from stemma.core.traced import Note, Trace, TracedItem, TracedRequest, TracedResult
from stemma.record_json import decode, encode

_FORM: Final = 1
Plain = list[Any]


@dataclass(frozen=True, slots=True)
class Packed:
    """A trace without a repeated id: `names` are all ids of it in the order they are met, `body` is JSON."""

    names: tuple[str, ...]
    body: str


class _Names:
    """Gives each id its place, by the order in which they are met."""

    def __init__(self) -> None:
        self.places: dict[str, int] = {}

    def of(self, name: str | None) -> int | None:
        """Return the place of an id."""
        return None if name is None else self.places.setdefault(name, len(self.places))

    def all(self, names: Iterable[str]) -> list[int]:
        """Return the places of ids."""
        places = self.places
        return [places.setdefault(name, len(places)) for name in names]


def pack(trace: Trace) -> Packed:
    """Write a trace down."""
    names = _Names()
    listed: tuple[str, ...] | None = None
    stages = []
    for record in trace.stages:
        # Most stages leave what the one before them left.
        items = None if record.items == listed else names.all(record.items)
        listed = record.items
        fates = [_plain_fate(fate, names) for fate in record.fates]
        stages.append([record.name, record.entered, record.left, items, fates, record.counts, round(record.ms, 3)])
    body = {
        "form": _FORM,
        "id": trace.id,
        "at": trace.at.isoformat(),
        "request": encode(trace.request),
        "stages": stages,
        "items": [_plain_item(one, names) for one in trace.items],
        "index_state": dict(trace.index_state),
        "notes": [[names.of(one.id), one.section, one.fate and _plain_fate(one.fate, names)] for one in trace.notes],
        "costs": trace.costs and _plain_costs(trace.costs, names),
        "result": [trace.result.tokens, trace.result.verdict, trace.result.coverage],
    }
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    return Packed(tuple(names.places), text)


def unpack(packed: Packed) -> Trace:
    """Read a trace back, equal to the one that was packed but for the last digits of the times. Raises ValueError."""
    body = json.loads(packed.body)
    if body["form"] != _FORM:
        raise ValueError(f"a trace of form {body['form']!r}; this version reads {_FORM}")
    names = packed.names
    return Trace(
        id=body["id"],
        at=datetime.fromisoformat(body["at"]),
        request=decode(TracedRequest, body["request"]),
        stages=tuple(_stages(body["stages"], names)),
        items=tuple(
            TracedItem(names[place], kind, tuple((n, value) for n, value in scores), _named(owner, names), bool(forced))
            for place, kind, scores, owner, *forced in body["items"]
        ),
        index_state=body["index_state"],
        notes=tuple(Note(names[place], section, _fate(fate, names)) for place, section, fate in body["notes"]),
        costs=body["costs"] and _costs(body["costs"], names),
        result=TracedResult(*body["result"]),
    )


def _plain_item(item: TracedItem, names: _Names) -> Plain:
    # Few are forced: the others have no word for it.
    forced = [True] if item.forced else []
    return [names.of(item.id), item.type, item.scores, names.of(item.owner), *forced]


def _plain_fate(fate: Fate, names: _Names) -> Plain:
    miss = fate.detail
    told = None if miss is None else [miss.measure, miss.value, miss.needed]
    return [names.of(fate.id), fate.reason.value, names.of(fate.into), told]


def _plain_costs(costs: Costs, names: _Names) -> Plain:
    lines = [[names.of(one.id), one.section, one.tokens, one.heading_tokens] for one in costs.lines]
    return [costs.frame_tokens, costs.bare_tokens, lines]


def _stages(stages: Sequence[Plain], names: Sequence[str]) -> Iterable[StageRecord]:
    items: tuple[str, ...] = ()
    for name, entered, left, listed, fates, counts, ms in stages:
        items = items if listed is None else tuple(names[place] for place in listed)
        yield StageRecord(name, entered, left, items, tuple(_fates(fates, names)), dict(counts), ms)


def _fates(fates: Sequence[Plain], names: Sequence[str]) -> Iterable[Fate]:
    return (found for fate in fates if (found := _fate(fate, names)) is not None)


def _fate(fate: Plain | None, names: Sequence[str]) -> Fate | None:
    if fate is None:
        return None
    place, reason, into, miss = fate
    return Fate(names[place], Reason(reason), _named(into, names), None if miss is None else Miss(*miss))


def _named(place: int | None, names: Sequence[str]) -> str | None:
    return None if place is None else names[place]


def _costs(costs: Plain, names: Sequence[str]) -> Costs:
    frame, bare, lines = costs
    return Costs(
        frame, bare, tuple(Cost(names[place], section, tokens, head) for place, section, tokens, head in lines)
    )
