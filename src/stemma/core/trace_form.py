"""The stored form of a trace: the ids that it names apart from the rest, which refers to them by place."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, groupby, repeat
from typing import Any, Final

from stemma.core.budget import Cost, Costs
from stemma.core.score import ScoreKind
from stemma.core.trace import Fate, Miss, Reason, StageRecord
from stemma.core.traced import Note, Trace, TracedItems, TracedRequest, TracedResult, parts_of
from stemma.record_json import decode, encode

_FORM: Final = 2
# The form that wrote each candidate and each fate by itself; such traces are kept for a while yet.
_FIRST: Final = 1
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
        fates = [*_alike(record.fates, names)]
        stages.append([record.name, record.entered, record.left, items, fates, record.counts, round(record.ms, 3)])
    body = {
        "form": _FORM,
        "id": trace.id,
        "at": trace.at.isoformat(),
        "request": encode(trace.request),
        "stages": stages,
        "items": _plain_items(trace.items, names),
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
    if body["form"] not in (_FIRST, _FORM):
        raise ValueError(f"a trace of form {body['form']!r}; this version reads {_FIRST} and {_FORM}")
    if body["form"] == _FIRST:
        _rewrite(body)
    names = packed.names
    return Trace(
        id=body["id"],
        at=datetime.fromisoformat(body["at"]),
        request=decode(TracedRequest, body["request"]),
        stages=tuple(_stages(body["stages"], names)),
        items=_items(body["items"], names),
        index_state=body["index_state"],
        notes=tuple(Note(names[place], section, _fate(fate, names)) for place, section, fate in body["notes"]),
        costs=body["costs"] and _costs(body["costs"], names),
        result=TracedResult(*body["result"]),
    )


def _plain_items(items: TracedItems, names: _Names) -> dict[str, Any]:
    return {
        "ids": names.all(items.ids),
        "types": [[kind, sum(1 for _ in same)] for kind, same in groupby(items.types)],
        "owners": [[place, names.of(owner)] for place, owner in items.owners.items()],
        "forced": sorted(items.forced),
        "scores": items.scores,
    }


def _alike(fates: Iterable[Fate], names: _Names) -> Iterator[Plain]:
    """Write fates down by runs of one reason and one bound: hundreds of candidates miss the same one."""
    for (reason, is_merged, bound), same in groupby(fates, key=_reason_and_bound):
        run = list(same)
        into = [names.of(fate.into) for fate in run] if is_merged else None
        missed = [fate.detail.value for fate in run if fate.detail is not None] if bound else None
        yield [reason.value, names.all([fate.id for fate in run]), into, bound, missed]


def _reason_and_bound(fate: Fate) -> tuple[Reason, bool, tuple[str, float] | None]:
    miss = fate.detail
    return fate.reason, fate.into is not None, None if miss is None else (miss.measure, miss.needed)


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


def _items(items: dict[str, Any], names: Sequence[str]) -> TracedItems:
    return TracedItems(
        tuple(names[place] for place in items["ids"]),
        tuple(chain.from_iterable(repeat(kind, count) for kind, count in items["types"])),
        {place: names[owner] for place, owner in items["owners"]},
        frozenset(items["forced"]),
        {kind: tuple(column) for kind, column in items["scores"].items()},
    )


def _fates(runs: Sequence[Plain], names: Sequence[str]) -> Iterator[Fate]:
    for reason, places, into, bound, missed in runs:
        merged = [names[place] for place in into] if into else repeat(None)
        details = repeat(None) if bound is None else (Miss(bound[0], value, bound[1]) for value in missed)
        for place, other, detail in zip(places, merged, details, strict=False):
            yield Fate(names[place], Reason(reason), other, detail)


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


def _rewrite(body: dict[str, Any]) -> None:
    """Bring a body of the first form into the present one."""
    for stage in body["stages"]:
        stage[4] = [
            [reason, [place], None if into is None else [into], miss and [miss[0], miss[2]], miss and [miss[1]]]
            for place, reason, into, miss in stage[4]
        ]
    items = body["items"]
    scores = [dict(each[2]) for each in items]
    kinds = set(chain.from_iterable(scores))
    body["items"] = {
        "ids": [each[0] for each in items],
        "types": [[each[1], 1] for each in items],
        "owners": [[place, each[3]] for place, each in enumerate(items) if each[3] is not None],
        "forced": [place for place, each in enumerate(items) if each[4:]],
        "scores": {kind.value: [parts_of(each.get(kind)) for each in scores] for kind in ScoreKind if kind in kinds},
    }
