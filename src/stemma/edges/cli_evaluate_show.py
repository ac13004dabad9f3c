"""How a golden run reads on a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rich.console import Group, RenderableType
from rich.text import Text

from stemma.app.models_evaluation import EvalReport, FigureLine, FixtureReading, ProbeReport

_SHOWN_PROBES = 40
_WIDTH = 26


def show_report(report: EvalReport) -> RenderableType:
    """Show a run: figures beside baseline and target, what failed and where, and what is worse."""
    return Group(*(Text(line) for line in _lines(report)))


def _lines(report: EvalReport) -> Iterator[str]:
    store = report.store
    yield (
        f"{report.probes} probes over {store.memories} memories; embedder {store.embedder or 'none'}, {store.extractor}"
    )
    if report.reading is not None:
        yield from _reading(report.reading)
    yield f"\n{'figure':{_WIDTH}} {'now':>9} {'baseline':>9} {'target':>9}"
    yield from map(_figure, report.figures)
    yield "\nprobes that pass: " + ", ".join(f"{each.name} {each.passed}/{each.probes}" for each in report.classes)
    yield "by language: " + ", ".join(f"{each.name} {each.passed}/{each.probes}" for each in report.languages)
    yield "items: " + _counts(report.cells)
    if report.losses:
        yield "anchors lost at: " + _counts(report.reasons)
    for hub in report.hubs:
        yield f"hub: {', '.join(hub.keys) or hub.memory_id} came for {hub.probes} unrelated probes"
    failed = [each for each in report.results if not each.passed]
    if failed:
        yield f"\n{len(failed)} probes do not pass"
        yield from (f"  {_probe(each)}" for each in failed[:_SHOWN_PROBES])
        if len(failed) > _SHOWN_PROBES:
            yield f"  and {len(failed) - _SHOWN_PROBES} more; --json has them all"
    yield from _ending(report)


def _reading(read: FixtureReading) -> Iterator[str]:
    refused = ", ".join(f"{reason} {len(keys)}" for reason, keys in read.refused.items())
    yield f"{read.remembered} of {read.statements} statements are remembered; not: {refused or 'none'}"
    pairs = (("superseded", read.supersedes), ("restated", read.restates), ("contradicted", read.contradicts))
    told = ", ".join(f"{name} {each.held}/{each.pairs}" for name, each in pairs)
    yield f"read as their author expects: kinds {read.kinds_right}/{read.remembered}, {told}"
    if read.foreign_active:
        yield f"said by others and recalled as memories: {', '.join(read.foreign_active)}"


def _figure(line: FigureLine) -> str:
    sign = {None: "", True: "", False: "  misses"}[line.meets_target]
    bound = {"higher": ">= ", "lower": "<= ", "neither": "<= "}[line.better]
    target = "" if line.target is None else f"{bound}{line.target:g}"
    return f"{line.name:{_WIDTH}} {_value(line.value):>9} {_value(line.baseline):>9} {target:>9}{sign}"


def _value(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}".rstrip("0").rstrip(".")


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {count}" for name, count in counts.items())


def _probe(each: ProbeReport) -> str:
    told = [f"{each.probe} [{each.type}, {each.language or '-'}] {each.query!r}: {', '.join(each.faults)}"]
    for place in each.anchors:
        if place.rank is None:
            told.append(f"{place.key} lost at {place.stage} ({place.reason})")
        elif place.max_rank is not None and place.rank > place.max_rank:
            told.append(f"{place.key} is number {place.rank}")
    if each.forbidden:
        told.append(f"shown: {', '.join(each.forbidden)}")
    if each.irrelevant:
        told.append(f"{len(each.irrelevant)} of {len(each.gated)} items off topic")
    return "; ".join(told)


def _ending(report: EvalReport) -> Iterator[str]:
    found = report.comparison
    for waiver in report.waivers:
        expired = "" if waiver.holds else ", which is over: it counts for nothing"
        yield f"waived: {waiver.probe} until {waiver.until}{expired} ({waiver.by}: {waiver.reason})"
    if report.differing:
        yield f"asked twice, these did not give the same bytes: {', '.join(report.differing)}"
    if not report.is_complete:
        yield "incomplete: too many items that nobody has judged; label them"
    if not report.abstains:
        yield "the verdict to abstain says nothing here: coverage does not tell what is known from what is not"
    for each in found.warnings:
        yield f"perhaps worse: {each.detail}"
    for each in found.blocks:
        yield f"worse: {each.rule}{f' in {each.probe}' if each.probe else ''}: {each.detail}"
    if found.gains or found.losses:
        yield f"gained: {', '.join(found.gains) or 'none'}; lost: {', '.join(found.losses) or 'none'}"
    if found.missing_probes:
        yield f"no longer asked: {', '.join(found.missing_probes)}"
    if found.baseline is None:
        yield "no baseline to compare with; --write-baseline FILE keeps this run as one"
    elif not report.has_failed:
        yield "no worse than the baseline"
