"""How a calibration report and a sample read on a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.text import Text

from stemma.app.models_calibrate import CalibrationReport, KindReport, Passing, SampleResult, ScoreReport

_BAR = 24
_SHOWN_ERRORS = 20


def show_sample(drawn: SampleResult) -> RenderableType:
    """Show how many lines were written, of how many there are."""
    return Group(
        Text(f"{len(drawn.lines)} lines to label as {drawn.kind}: write true or false for every null"),
        Text(f"drawn from {drawn.of_accepted} accepted and {drawn.of_refused} refused candidates"),
    )


def show_report(report: CalibrationReport) -> RenderableType:
    """Show a report: for each kind what the words, the gate and the similarity do, the verdict, and what to write."""
    lines = [
        Text(
            f"{report.lines} lines, {report.unlabelled} without a label, {len(report.rejected)} bad; "
            f"embedder {report.embedder or 'none'}; base rate {report.base_rate:g}"
        )
    ]
    if report.shuffled is not None:
        lines.append(Text(f"labels dealt anew by seed {report.shuffled}: whatever is found here is an accident"))
    if report.contradicted:
        lines.append(Text(f"{report.contradicted} texts are labelled both ways"))
    lines += [Text(f"  line {one.line}: {one.code}: {one.detail}") for one in report.rejected[:_SHOWN_ERRORS]]
    for each in report.kinds:
        lines += [Text(line) for line in _kind(each)]
    if report.registry:
        lines += [Text(""), Text("for your registry file (STEMMA_REGISTRY); nothing was changed:"), Text("")]
        lines.append(Text(report.registry))
    return Group(*lines)


def _kind(report: KindReport) -> Iterator[str]:
    yield ""
    yield f"{report.kind}, {report.language}: {report.positives} real, {report.negatives} others"
    yield f"  {'':<24}{'recall':>8}{'junk passed':>13}{'precision':>11}"
    if report.keyword is not None:
        yield _passing("keyword alone", report.keyword.passing)
    if report.form is not None:
        yield _passing("gate without similarity", report.form)
    if report.whole_gate is not None:
        yield _passing(f"whole gate, from {report.threshold_in_force:g}", report.whole_gate)
    if report.keyword is not None:
        yield from _keyword(report)
    if report.score is not None:
        yield from _score(report.score)
    because = f" ({'; '.join(report.reasons)})" if report.reasons else ""
    yield f"  verdict: {report.verdict.value.replace('_', ' ')}{because}"
    if (point := report.operating_point) is not None:
        yield f"  threshold {point.threshold:.2f}"
        yield _passing(f"  with {point.second_condition}", point.passing)
        yield _passing("  alone", point.alone)
        yield _passing("  in the whole gate", point.whole_gate)


def _keyword(report: KindReport) -> Iterator[str]:
    keyword = report.keyword
    assert keyword is not None
    fewest = sorted(keyword.recall_without.items(), key=lambda each: (each[1], each[0]))
    told = ", ".join(f"{word} {recall:.3f}" for word, recall in fewest)
    yield f"  recall of the keywords without: {told or 'no word is missed'}"
    may = "may" if keyword.retroactive_ok else "may not"
    refused = f"{keyword.refused} refused for want of a keyword, {keyword.refused_but_real} of them real"
    yield f"  {refused}: {may} judge stored items"


def _score(score: ScoreReport) -> Iterator[str]:
    auc = f"AUC {score.auc.value:.3f} ({score.auc.low:.3f} to {score.auc.high:.3f})"
    rest = f"average precision {score.average_precision.value:.3f}, overlap {score.overlap:.3f}"
    yield f"  similarity: {auc}, {rest}"
    named = "a probability" if score.is_calibrated else "a score, no probability"
    yield f"  expected calibration error {score.calibration_error:.3f}: {named}"
    found = "finds a threshold too: trust nothing here" if score.control.names_threshold else "finds nothing"
    yield f"  control, labels dealt anew: AUC {score.control.auc:.3f}, {found}"
    yield from _histogram(score)
    yield f"  {'threshold':<24}{'recall':>8}{'junk passed':>13}{'precision':>11}"
    for each in score.thresholds:
        yield _passing(f"{each.threshold:.2f}", each)
    for part in score.slices:
        yield f"  {part.name}: AUC {part.auc:.3f} of {part.positives} real, {part.negatives} others"


def _histogram(score: ScoreReport) -> Iterator[str]:
    real, other = score.histogram.positives, score.histogram.negatives
    most = max(*(each / sum(real) for each in real), *(each / sum(other) for each in other))
    for at, (one, two) in enumerate(zip(real, other, strict=True)):
        left = "#" * round(_BAR * one / sum(real) / most)
        right = "-" * round(_BAR * two / sum(other) / most)
        yield f"  {at / len(real):.2f} {one:>6} {left:<{_BAR}} {two:>6} {right}".rstrip()


def _passing(name: str, passing: Passing) -> str:
    precision = "-" if passing.precision is None else f"{passing.precision:.3f}"
    return f"  {name:<24}{passing.recall:>8.3f}{passing.false_pass_rate:>13.3f}{precision:>11}"
