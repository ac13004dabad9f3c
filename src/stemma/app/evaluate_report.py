"""Writes what a golden run found as its report says it. What is found stands in `core/golden`."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict

from stemma.app.evaluate_holdings import Holdings
from stemma.app.models_evaluation import (
    AnchorPlace,
    Baseline,
    ChangeLine,
    ClassLine,
    Comparison,
    FigureLine,
    FindingLine,
    HubLine,
    ProbeReport,
)
from stemma.core.golden import figures, spread
from stemma.core.golden.judged import Judged
from stemma.core.golden.probe import Delivered
from stemma.core.golden.regression import Ruling, result_of


def written(judged: Judged) -> str:
    """Write everything that came for a probe and what was made of it, in one form: equal runs give equal bytes."""
    answer = judged.answer
    shown = {**asdict(judged), "answer": {**asdict(answer), "earlier": sorted(answer.earlier)}}
    return json.dumps(shown, sort_keys=True, ensure_ascii=True, default=str)


def probe_report(judged: Judged) -> ProbeReport:
    """Report one probe."""
    answer = judged.answer
    return ProbeReport(
        **asdict(result_of(judged)),
        subject_id=judged.probe.subject_id,
        language=judged.probe.language,
        query=judged.probe.query,
        anchors=tuple(
            AnchorPlace(
                key=place.anchor.key,
                rank=place.rank,
                max_rank=place.anchor.max_rank,
                stage=place.stage,
                reason=place.reason,
            )
            for place in judged.places
        ),
        coverage=answer.coverage,
        tokens=answer.tokens,
        gated=_keys(answer.gated),
        irrelevant=_keys(judged.off_topic),
        unjudged=_keys(judged.unjudged),
        core=_keys(item for item in answer.items if item.is_core),
    )


def _keys(items: Iterable[Delivered]) -> tuple[str, ...]:
    return tuple(item.sayings[0].key if item.sayings else item.id for item in items)


def figure_lines(measured: Mapping[str, float | None], baseline: Baseline | None) -> tuple[FigureLine, ...]:
    """Put every figure beside the baseline's and its target."""
    before = baseline.figures if baseline else {}
    return tuple(
        FigureLine(
            name=figure.name,
            value=measured[figure.name],
            baseline=before.get(figure.name),
            target=figure.target,
            better=figure.better.value,
            meets_target=figures.meets(figure.name, measured[figure.name]),
        )
        for figure in figures.FIGURES
    )


def counted(judged: Iterable[Judged], name: Callable[[Judged], str]) -> tuple[ClassLine, ...]:
    """Count the probes that pass, by what `name` says of each."""
    asked: Counter[str] = Counter()
    passed: Counter[str] = Counter()
    for each in judged:
        asked[name(each)] += 1
        passed[name(each)] += each.passed
    return tuple(ClassLine(name=each, probes=asked[each], passed=passed[each]) for each in sorted(asked))


def reasons_of(judged: Iterable[Judged]) -> dict[str, int]:
    """Count the lost anchors by stage and reason, most first."""
    counts = Counter(
        f"{place.stage or 'unknown'}: {place.reason or 'unknown'}" for each in judged for place in each.lost
    )
    return dict(sorted(counts.items(), key=lambda entry: (-entry[1], entry[0])))


def hub_lines(judged: Sequence[Judged], holdings: Holdings) -> tuple[HubLine, ...]:
    """Name the memories that come for much that has nothing to do with one another."""
    return tuple(
        HubLine(
            memory_id=name,
            keys=tuple(dict.fromkeys(each.key for each in holdings.memories[name].episodes))
            if name in holdings.memories
            else (),
            probes=count,
        )
        for name, count in spread.hubs(judged).items()
    )


def comparison(ruling: Ruling, baseline: Baseline | None) -> Comparison:
    """Say what is worse, and by which rule."""
    return Comparison(
        baseline=None if baseline is None else baseline.probes_sha256,
        is_regression=ruling.is_regression,
        blocks=tuple(FindingLine(**asdict(each)) for each in ruling.blocks),
        warnings=tuple(FindingLine(**asdict(each)) for each in ruling.warnings),
        gains=ruling.gains,
        losses=ruling.losses,
        p_value=round(ruling.p_value, figures.DIGITS),
        changes=tuple(
            ChangeLine(
                name=each.name,
                mean=round(each.mean, figures.DIGITS),
                low=round(each.low, figures.DIGITS),
                high=round(each.high, figures.DIGITS),
            )
            for each in ruling.changes
        ),
        new_probes=ruling.new if baseline else (),
        missing_probes=ruling.missing,
    )
