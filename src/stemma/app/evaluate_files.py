"""Reads golden files, fixtures and waivers, line by line; those that are shipped too. A bad line is named."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final, Generic, TypeVar

from stemma.app.models_base import ItemError, RequestModel
from stemma.app.models_evaluate import (
    AnchorLine,
    EvidenceLine,
    FixtureLine,
    ForbidLine,
    Named,
    ProbeLine,
    RejectedLine,
    WaiverLine,
)
from stemma.app.problems import ask
from stemma.core.golden.probe import Anchor, Evidence, Forbidden, Probe
from stemma.core.golden.regression import Waiver
from stemma.errors import InvalidInput
from stemma.text import hash_parts, utc

# None stands for a blank line, so that lines are counted as an editor counts them.
Line = Mapping[str, Any] | ItemError | None
Asked = TypeVar("Asked", bound=RequestModel)
Read = TypeVar("Read")
_MOST_TOLD: Final = 10


@dataclass(frozen=True, slots=True)
class GoldenFile(Generic[Read]):
    """What a file holds, with the hash of its lines as they were read."""

    items: tuple[Read, ...]
    sha256: str


Probes = GoldenFile[Probe]
Statements = GoldenFile[FixtureLine]
Waivers = GoldenFile[Waiver]


def read_probes(lines: Iterable[Line]) -> Probes:
    """Read probes; raises InvalidInput that names every bad line (`duplicate_id`, `unknown_field`, …)."""
    return _read(lines, ProbeLine, probe_of, lambda each: each.id, what="probe")


def read_fixture(lines: Iterable[Line]) -> Statements:
    """Read the statements of a fixture; raises InvalidInput that names every bad line."""
    return _read(lines, FixtureLine, lambda each: each, lambda each: f"{each.subject_id} {each.key}", what="statement")


def read_waivers(lines: Iterable[Line]) -> Waivers:
    """Read waivers; raises InvalidInput that names every bad line."""
    return _read(lines, WaiverLine, _waiver, lambda each: each.probe, what="waiver")


@cache
def example_probes() -> Probes:
    """Read the shipped probes."""
    return read_probes(_shipped("probes"))


@cache
def example_fixture() -> Statements:
    """Read the shipped fixture that the shipped probes are about."""
    return read_fixture(_shipped("fixture"))


def _shipped(name: str) -> Iterator[dict[str, Any]]:
    text = (files("stemma") / "data" / "golden" / f"{name}.jsonl").read_text(encoding="utf-8")
    return (json.loads(line) for line in text.splitlines() if line.strip())


def _read(
    lines: Iterable[Line], model: type[Asked], make: Callable[[Asked], Read], name: Callable[[Asked], str], *, what: str
) -> GoldenFile[Read]:
    read: list[Read] = []
    written: list[str] = []
    seen: set[str] = set()
    rejected: list[RejectedLine] = []
    for number, fields in enumerate(lines, start=1):
        if fields is None:
            continue
        if isinstance(fields, ItemError):
            rejected.append(RejectedLine(line=number, code=fields.code, detail=fields.detail))
            continue
        try:
            line = ask(model, fields)
        except InvalidInput as error:
            rejected.append(RejectedLine(line=number, code=error.code, detail=error.detail))
            continue
        if name(line) in seen:
            rejected.append(RejectedLine(line=number, code="duplicate_id", detail=f"{name(line)} stands twice"))
            continue
        seen.add(name(line))
        read.append(make(line))
        written.append(json.dumps(fields, sort_keys=True, ensure_ascii=True, default=str))
    refuse(rejected, what)
    if not read:
        raise InvalidInput(f"there is no {what} in the file")
    return GoldenFile(tuple(read), hash_parts(*written))


def refuse(rejected: list[RejectedLine], what: str) -> None:
    """Raise InvalidInput that names the lines, if there are any."""
    if not rejected:
        return
    told = "; ".join(f"line {each.line}: {each.code}: {each.detail}" for each in rejected[:_MOST_TOLD])
    more = f"; and {len(rejected) - _MOST_TOLD} more" if len(rejected) > _MOST_TOLD else ""
    raise InvalidInput(
        f"{len(rejected)} lines hold no {what} that can be used: {told}{more}",
        fields=tuple(f"{each.line}.{each.code}" for each in rejected[:_MOST_TOLD]),
    )


def probe_of(line: ProbeLine) -> Probe:
    """Make a probe of its checked line."""
    expect = line.expect
    return Probe(
        id=line.id,
        type=line.type,
        subject_id=line.subject_id,
        query=line.query,
        language=line.language,
        now=None if line.now is None else utc(line.now),
        budget_tokens=line.budget,
        earlier=line.before,
        anchors=tuple(map(_anchor, expect.anchors)),
        forbidden=tuple(map(_forbidden, expect.forbid)),
        items_max=expect.items_max,
        verdict=expect.verdict,
        conflict=tuple(map(_evidence, expect.conflict or ())),
        relevant=tuple(map(_evidence, line.relevant)),
        irrelevant=None if line.irrelevant is None else tuple(map(_evidence, line.irrelevant)),
    )


def _evidence(named: Named) -> Evidence:
    if isinstance(named, str):
        return Evidence(named)
    span = named.span
    return Evidence(
        named.key, named.words, None if span is None else (span.start, span.end), None if span is None else span.message
    )


def _anchor(line: AnchorLine) -> Anchor:
    first = _evidence(EvidenceLine(key=line.key, words=line.words, span=line.span))
    others = (_evidence(each) for each in line.any_of)
    return Anchor(tuple(dict.fromkeys((first, *others))), line.max_rank, line.must_survive)


def _forbidden(line: ForbidLine) -> Forbidden:
    return Forbidden(_evidence(EvidenceLine(key=line.key, words=line.words, span=line.span)), line.at_all)


def _waiver(line: WaiverLine) -> Waiver:
    return Waiver(line.probe, line.reason, line.by, line.until)
