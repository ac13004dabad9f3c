"""The use case of `calibrate`: how a user's own labels bear the gates out, per kind and language (R-32)."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from stemma.app.calibrate_labels import Advance, Judged, conditions_of, judge, read_labels
from stemma.app.calibrate_scores import score_report
from stemma.app.models_base import ItemError
from stemma.app.models_calibrate import (
    CalibrateRequest,
    CalibrationReport,
    KeywordReport,
    KindReport,
    OperatingPoint,
    Passing,
    ScoreReport,
    passing,
)
from stemma.app.runtime import Runtime, require_kinds
from stemma.core import separation
from stemma.core.gate import THRESHOLD
from stemma.core.keywords import Condition
from stemma.core.separation import Use
from stemma.text import hash_parts

# A gate judges stored items only where a blind sample of so many that it refuses holds at most two real ones.
RETROACTIVE_FROM = 150
RETROACTIVE_MOST_REAL = 2

Meets = Callable[[Judged], bool]


@dataclass(frozen=True, slots=True)
class Group:
    """The labels of one kind in one language, with what is in force for it."""

    kind: str
    language: str
    judged: Sequence[Judged]
    condition: Condition | None
    has_scores: bool
    threshold: float
    request: CalibrateRequest

    @property
    def positives(self) -> list[Judged]:
        """Give the texts that are labelled true."""
        return [each for each in self.judged if each.label]

    @property
    def negatives(self) -> list[Judged]:
        """Give the texts that are labelled false."""
        return [each for each in self.judged if not each.label]

    def passing(self, meets: Meets) -> Passing:
        """Give what passes a condition, at the base rate."""
        real, other = self.positives, self.negatives
        found = separation.rates(
            sum(map(meets, real)), len(real), sum(map(meets, other)), len(other), base_rate=self.request.base_rate
        )
        return passing(found)

    def meets_keyword(self, judged: Judged) -> bool:
        """Say whether a text holds the words; True where the kind asks for none."""
        return self.condition is None or self.condition.is_met(judged.words)

    def passes_gate(self, judged: Judged, threshold: float) -> bool:
        """Say whether the whole gate makes it a memory of the kind, with a threshold in place of the one in force."""
        if judged.is_plain or not self.has_scores:
            return judged.has_form
        return bool(judged.doubtful) and judged.doubtful_score >= threshold


def calibrate(
    runtime: Runtime,
    tenant: str,
    labels: Iterable[Mapping[str, Any] | ItemError],
    request: CalibrateRequest,
    *,
    advance: Advance | None = None,
) -> CalibrationReport:
    """Report how the gates and the similarity part what a person called real from the rest; nothing is changed.

    `labels` are lines `{"text", "label", "kind"?, "language"?, "at"?, "subject"?}`. `advance` is told (done, of) while
    vectors are made. Raises UnknownKind for a kind of the request that is not registered.
    """
    require_kinds(runtime, [request.kind] if request.kind is not None else [])
    extractor = runtime.store.run(tenant, lambda t: runtime.registered(t)[1], read_only=True)
    kept = list(labels)
    read = read_labels(runtime, kept, request.kind)
    judged = judge(runtime, extractor, read, advance)
    conditions = conditions_of(extractor.rules, judged)
    reports = []
    for (kind, language), condition in conditions.items():
        own = [each for each in judged if (each.kind, each.language) == (kind, language)]
        group = Group(
            kind=kind,
            language=language,
            judged=own if request.shuffle is None else dealt(own, request.shuffle),
            condition=condition,
            has_scores=runtime.prototypes is not None and bool(extractor.rules.prototypes(kind)),
            threshold=extractor.thresholds.get(kind, THRESHOLD),
            request=request,
        )
        reports.append(_report(group))
    embedder = runtime.embedder.id if runtime.embedder and runtime.prototypes else None
    return CalibrationReport(
        labels_sha256=hash_parts(*(_written(each) for each in kept)),
        embedder=embedder,
        extractor=extractor.version,
        base_rate=request.base_rate,
        seed=request.seed,
        shuffled=request.shuffle,
        lines=read.lines,
        unlabelled=read.unlabelled,
        contradicted=read.contradicted(),
        rejected=tuple(read.rejected),
        kinds=tuple(reports),
        registry=_registry(embedder, reports),
    )


def dealt(judged: Sequence[Judged], seed: int) -> list[Judged]:
    """Deal the labels anew over the same texts: as many real ones, and nothing that tells them from the others."""
    labels = [each.label for each in judged]
    random.Random(seed).shuffle(labels)
    return [
        replace(each, line=each.line.model_copy(update={"label": label}))
        for each, label in zip(judged, labels, strict=True)
    ]


def _report(group: Group) -> KindReport:
    real, other = group.positives, group.negatives
    has_both = bool(real) and bool(other)
    scores = score_report(group.judged, group.request) if has_both and group.has_scores else None
    use, reasons = _verdict(group, scores)
    return KindReport(
        kind=group.kind,
        language=group.language,
        n=len(group.judged),
        positives=len(real),
        negatives=len(other),
        threshold_in_force=group.threshold,
        keyword=_keyword(group) if has_both and group.condition is not None else None,
        form=group.passing(lambda each: each.has_form) if has_both else None,
        whole_gate=group.passing(lambda each: group.passes_gate(each, group.threshold)) if has_both else None,
        score=scores,
        verdict=use,
        reasons=reasons,
        operating_point=_operating_point(group) if scores is not None and use.decides else None,
    )


def _verdict(group: Group, scores: ScoreReport | None) -> tuple[Use, tuple[str, ...]]:
    """Say what the similarity may be used for, and why not for more."""
    real, other = len(group.positives), len(group.negatives)
    if scores is None:
        why = "no_scores" if real and other else "one_sided_labels"
        return Use.TOO_FEW if why == "one_sided_labels" else Use.MAY_ORDER, (why,)
    use = separation.verdict(scores.auc.value, scores.overlap, real, other)
    reasons = []
    if use is Use.TOO_FEW:
        reasons.append(f"labels {real}+{other} < {separation.LEAST_POSITIVES}+{separation.LEAST_NEGATIVES}")
    if scores.auc.value < separation.MAY_DECIDE[0]:
        reasons.append(f"auc {scores.auc.value:.3f} < {separation.MAY_DECIDE[0]:.2f}")
    if scores.overlap > separation.MAY_DECIDE[1]:
        reasons.append(f"overlap {scores.overlap:.3f} > {separation.MAY_DECIDE[1]:.2f}")
    if use.decides and scores.control.names_threshold:
        return Use.MAY_ORDER, ("control_failed",)
    return use, tuple(reasons)


def _keyword(group: Group) -> KeywordReport:
    condition = group.condition
    assert condition is not None
    real = group.positives
    refused = [each for each in group.judged if not group.meets_keyword(each)]
    refused_real = sum(each.label for each in refused)
    met = [each.words for each in real if group.meets_keyword(each)]
    without = {}
    for word in condition.keywords:
        parts = word.split()
        # Only a text that holds a keyword can need it.
        lost = sum(not condition.is_met(words, word) for words in met if words.issuperset(parts))
        if lost:
            without[word] = round((len(met) - lost) / len(real), 4)
    return KeywordReport(
        passing=group.passing(group.meets_keyword),
        recall_without=without,
        refused=len(refused),
        refused_but_real=refused_real,
        retroactive_ok=len(refused) >= RETROACTIVE_FROM and refused_real <= RETROACTIVE_MOST_REAL,
    )


def _operating_point(group: Group) -> OperatingPoint | None:
    """Find the threshold where F1 at the base rate is greatest among what meets the second condition."""
    second = "keyword" if group.condition is not None else "form"
    meets: Meets = group.meets_keyword if group.condition is not None else lambda each: each.has_form
    threshold = separation.best_threshold(
        [each.score for each in group.positives if meets(each)],
        [each.score for each in group.negatives if meets(each)],
        base_rate=group.request.base_rate,
        of=(len(group.positives), len(group.negatives)),
    )
    if threshold is None:
        return None
    return OperatingPoint(
        threshold=threshold,
        second_condition=second,
        passing=group.passing(lambda each: meets(each) and each.score >= threshold),
        alone=group.passing(lambda each: each.score >= threshold),
        whole_gate=group.passing(lambda each: group.passes_gate(each, threshold)),
    )


def _registry(embedder: str | None, reports: Sequence[KindReport]) -> str:
    """Write the section for the own registry file; where languages differ the strictest threshold stands."""
    found: dict[str, float] = {}
    for each in reports:
        if each.operating_point is not None:
            found[each.kind] = max(found.get(each.kind, 0.0), each.operating_point.threshold)
    if embedder is None or not found:
        return ""
    lines = [f"[thresholds.{json.dumps(embedder)}]", *(f"{kind} = {value}" for kind, value in sorted(found.items()))]
    return "\n".join(lines)


def _written(line: Mapping[str, Any] | ItemError) -> str:
    plain = line.model_dump() if isinstance(line, ItemError) else dict(line)
    return json.dumps(plain, sort_keys=True, ensure_ascii=True, default=str)
