"""What a golden run answers: figures beside the baseline, what is worse, what each probe got; and the baseline."""

from __future__ import annotations

from datetime import date
from typing import Final, Literal

from stemma.app.models_base import AnswerModel

BASELINE_FORM: Final = "golden-baseline/1"
REPORT_FORM: Final = "golden-report/1"


class FigureLine(AnswerModel):
    """One figure beside the baseline's and what it should reach; None where nothing of its kind was asked."""

    name: str
    value: float | None
    baseline: float | None
    target: float | None
    better: Literal["higher", "lower", "neither"]
    meets_target: bool | None


class AnchorPlace(AnswerModel):
    """Where an anchor stands, from 1; where it did not come, the stage that lost it, and why."""

    key: str
    rank: int | None
    max_rank: int | None
    stage: str | None = None
    reason: str | None = None


class BaselineResult(AnswerModel):
    """What a baseline keeps of one probe."""

    probe: str
    type: str
    passed: bool
    ranks: dict[str, int | None]
    must_survive: tuple[str, ...]
    items: int
    relevant: int
    off_topic: int
    forced_other: int
    foreign: int
    forbidden: tuple[str, ...]
    verdict: str
    faults: tuple[str, ...] = ()


class ProbeReport(BaselineResult):
    """One probe as it went. `gated` are the items without core, `core` those of the reviewed list.

    Each is named by the key of the first saying under it; `coverage` is 0 to 1.
    """

    subject_id: str
    language: str | None
    query: str
    anchors: tuple[AnchorPlace, ...]
    coverage: float
    tokens: int
    gated: tuple[str, ...]
    irrelevant: tuple[str, ...]
    unjudged: tuple[str, ...]
    core: tuple[str, ...]


class ClassLine(AnswerModel):
    """How many probes of a class, or of a language, there are and pass."""

    name: str
    probes: int
    passed: int


class HubLine(AnswerModel):
    """A memory that comes for so many probes that have nothing to do with one another."""

    memory_id: str
    keys: tuple[str, ...]
    probes: int


class FindingLine(AnswerModel):
    """One thing that is worse than it was: which rule says so, in which probe, in words."""

    rule: str
    probe: str | None
    detail: str


class ChangeLine(AnswerModel):
    """The mean change of a figure over the paired probes with its 95 % interval; above zero is better."""

    name: str
    mean: float
    low: float
    high: float


class WaivedLine(AnswerModel):
    """A waiver, printed in every run; `holds` is False once it has expired, and then it counts for nothing."""

    probe: str
    reason: str
    by: str
    until: date
    holds: bool


class Comparison(AnswerModel):
    """A run held against its baseline, or, without one, against what may never happen."""

    baseline: str | None
    is_regression: bool
    blocks: tuple[FindingLine, ...]
    warnings: tuple[FindingLine, ...]
    gains: tuple[str, ...]
    losses: tuple[str, ...]
    p_value: float
    changes: tuple[ChangeLine, ...]
    new_probes: tuple[str, ...]
    missing_probes: tuple[str, ...]


class Expected(AnswerModel):
    """How many pairs of statements stand to one another as the fixture's author expects, and which do not."""

    pairs: int
    held: int
    missed: tuple[str, ...]


class FixtureReading(AnswerModel):
    """What became of the user's own statements of a fixture; `refused` are those that made no memory, by reason.

    `kinds_wrong` counts by "expected read as found"; `foreign_active` are statements of others than the user that are
    recalled as memories.
    """

    statements: int
    remembered: int
    refused: dict[str, tuple[str, ...]]
    kinds_right: int
    kinds_wrong: dict[str, int]
    foreign_active: tuple[str, ...]
    supersedes: Expected
    restates: Expected
    contradicts: Expected


class StoreFacts(AnswerModel):
    """What the figures depend on beside the probes."""

    memories: int
    embedder: str | None
    extractor: str
    tokenizer: str


class EvalReport(AnswerModel):
    """A whole run. `differing` are the probes whose two askings did not give the same bytes: there should be none."""

    form: str = REPORT_FORM
    probes: int
    probes_sha256: str
    fixture_sha256: str | None
    seed: int
    store: StoreFacts
    reading: FixtureReading | None
    figures: tuple[FigureLine, ...]
    classes: tuple[ClassLine, ...]
    languages: tuple[ClassLine, ...]
    losses: dict[str, int]
    reasons: dict[str, int]
    cells: dict[str, int]
    faults: dict[str, int]
    hubs: tuple[HubLine, ...]
    is_complete: bool
    abstains: bool
    differing: tuple[str, ...]
    comparison: Comparison
    waivers: tuple[WaivedLine, ...]
    results: tuple[ProbeReport, ...]

    @property
    def has_failed(self) -> bool:
        """Say whether the run is worse than its baseline, or does not agree with itself."""
        return self.comparison.is_regression or bool(self.differing)


class Baseline(AnswerModel):
    """A run as it is kept to compare the next ones with."""

    form: Literal["golden-baseline/1"]
    probes_sha256: str
    fixture_sha256: str | None
    embedder: str | None
    extractor: str
    tokenizer: str
    figures: dict[str, float | None]
    results: tuple[BaselineResult, ...]
