"""The use case of `eval`: a golden set asked twice, its figures beside the baseline, and what is worse (R-47)."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Final

from pydantic import ValidationError

from stemma.app.evaluate_files import Probes, Statements, Waivers, refuse
from stemma.app.evaluate_fixture import promote
from stemma.app.evaluate_holdings import Holdings, holdings_of, unknown_evidence
from stemma.app.evaluate_reading import reading_of
from stemma.app.evaluate_report import comparison, counted, figure_lines, hub_lines, probe_report, reasons_of, written
from stemma.app.evaluate_run import Advance, run_probes
from stemma.app.models_evaluation import (
    BASELINE_FORM,
    Baseline,
    BaselineResult,
    EvalReport,
    FixtureReading,
    StoreFacts,
    WaivedLine,
)
from stemma.app.problems import refusal
from stemma.app.runtime import Runtime
from stemma.core.golden import figures, regression
from stemma.core.golden.judged import Judged
from stemma.core.golden.probe import ProbeClass
from stemma.core.golden.regression import Result, result_of
from stemma.errors import InvalidInput
from stemma.models.tokens import tokenizer_name

# Above so many items that nobody has judged a run says too little to be called passed.
UNJUDGED_MOST: Final = 0.02
# Below it coverage does not tell what is known from what is not, so the verdict to abstain says nothing.
ABSTAINS_FROM: Final = 0.65


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalRequest:
    """What is asked: probes, the fixture that the store was made from (None: the user's own), what to compare with."""

    probes: Probes
    fixture: Statements | None = None
    baseline: Baseline | None = None
    waivers: Waivers | None = None
    seed: int = 1


def evaluate(runtime: Runtime, tenant: str, request: EvalRequest, *, advance: Advance | None = None) -> EvalReport:
    """Ask every probe twice and report. The store is the same afterwards, but for the core list of a fixture.

    Raises InvalidInput that names every probe whose evidence the store does not hold (`unknown_evidence`).
    """
    asked = asked_twice(runtime, tenant, request, advance)
    judged, holdings = asked.judged, asked.holdings
    today = runtime.now().date()
    waivers = request.waivers.items if request.waivers else ()
    waived = [each.probe for each in waivers if each.holds(today)]
    results = [result_of(each) for each in judged]
    before = [_result(each) for each in request.baseline.results] if request.baseline else []
    ruling = regression.compare(before, results, waived=waived, seed=request.seed)
    measured = figures.measure(judged)
    unjudged, auc = measured["unjudged"], measured["abstention_auc"]
    return EvalReport(
        probes=len(judged),
        probes_sha256=request.probes.sha256,
        fixture_sha256=request.fixture.sha256 if request.fixture else None,
        seed=request.seed,
        store=_facts(runtime, tenant, holdings),
        reading=asked.reading,
        figures=figure_lines(measured, request.baseline),
        classes=counted(judged, lambda each: each.probe.type.value),
        languages=counted(judged, lambda each: each.probe.language or "unknown"),
        losses=figures.losses(judged),
        reasons=reasons_of(judged),
        cells=figures.cells(judged),
        faults=figures.faults(judged),
        hubs=hub_lines(judged, holdings),
        is_complete=unjudged is None or unjudged <= UNJUDGED_MOST,
        abstains=auc is None or auc >= ABSTAINS_FROM,
        differing=asked.differing,
        comparison=comparison(ruling, request.baseline),
        waivers=tuple(WaivedLine(**asdict(each), holds=each.holds(today)) for each in waivers),
        results=tuple(map(probe_report, judged)),
    )


@dataclass(frozen=True, slots=True)
class Asked:
    """What came of asking everything twice: in the order of the file, the probes whose bytes differ, what is held."""

    judged: list[Judged]
    differing: tuple[str, ...]
    holdings: Holdings
    reading: FixtureReading | None


def asked_twice(runtime: Runtime, tenant: str, request: EvalRequest, advance: Advance | None) -> Asked:
    """Ask every probe twice.

    The probes of the reviewed list are the last: only for them it is filled, where there is a fixture to fill it from.
    """
    probes = request.probes.items
    holdings = holdings_of(runtime, tenant, [each.subject_id for each in probes])
    refuse(unknown_evidence(probes, holdings), "probe")
    reading = reading_of(runtime, tenant, request.fixture.items, holdings) if request.fixture else None
    at = runtime.now()
    judged: list[Judged] = []
    differing: list[str] = []
    for is_core in (False, True):
        part = [each for each in probes if (each.type is ProbeClass.CORE) is is_core]
        if is_core and part and request.fixture:
            promote(runtime, tenant, request.fixture.items, holdings)
            holdings = holdings_of(runtime, tenant, [each.subject_id for each in probes])
        first, second = (run_probes(runtime, tenant, part, holdings, at=at, advance=advance) for _ in range(2))
        pairs = zip(first, second, strict=True)
        differing += [one.probe.id for one, other in pairs if written(one) != written(other)]
        judged += first
    order = {each.id: place for place, each in enumerate(probes)}
    return Asked(sorted(judged, key=lambda each: order[each.probe.id]), tuple(differing), holdings, reading)


def baseline_of(report: EvalReport) -> Baseline:
    """Make the baseline of a run; the same run makes the same bytes."""
    kept = BaselineResult.model_fields.keys()
    return Baseline(
        form=BASELINE_FORM,
        probes_sha256=report.probes_sha256,
        fixture_sha256=report.fixture_sha256,
        embedder=report.store.embedder,
        extractor=report.store.extractor,
        tokenizer=report.store.tokenizer,
        figures={each.name: each.value for each in report.figures},
        results=tuple(BaselineResult(**{name: getattr(each, name) for name in kept}) for each in report.results),
    )


def read_baseline(text: str) -> Baseline:
    """Read a baseline file; raises InvalidInput where it is none."""
    try:
        return Baseline.model_validate_json(text)
    except ValidationError as error:
        detail = f"this is no baseline of the form {BASELINE_FORM}: {refusal(error).detail}"
        raise InvalidInput(detail, field="baseline") from error


def _result(line: BaselineResult) -> Result:
    return Result(**{name: getattr(line, name) for name in BaselineResult.model_fields})


def _facts(runtime: Runtime, tenant: str, holdings: Holdings) -> StoreFacts:
    extractor = runtime.store.run(tenant, lambda t: runtime.registered(t)[1], read_only=True)
    return StoreFacts(
        memories=holdings.active,
        embedder=runtime.embedder.id if runtime.embedder else None,
        extractor=extractor.version,
        tokenizer=tokenizer_name(),
    )
