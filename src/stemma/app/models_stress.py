"""What a growth run is asked and answers: one row a size, the forecast beside it, and where each anchor stood."""

from __future__ import annotations

from stemma.app.models_base import AnswerModel

STRESS_FORM = "golden-stress/1"


class SizeLine(AnswerModel):
    """The golden set at one size; `forecast` is what the first size made one expect of `anchor_recall`.

    `memories` counts what stands, `distractors` what was sent by what it is to its base, `forgotten` those that had
    replaced what a probe names; ms are of one bundle.
    """

    factor: float
    memories: int
    distractors: dict[str, int]
    forgotten: int
    anchor_recall: float | None
    forecast: float | None
    must_survive_lost: int
    anchors_within_rank: float | None
    mean_reciprocal_rank: float | None
    rank_p50: float | None
    rank_p95: float | None
    off_topic_items: float | None
    echo_index: float | None
    false_abstention: float | None
    abstention_recall: float | None
    losses: dict[str, int]
    reasons: dict[str, int]
    ms_p50: float
    ms_p95: float


class AnchorGrowth(AnswerModel):
    """The ranks of one anchor by size (None: lost), and the first factor at which it did not come."""

    probe: str
    key: str
    ranks: tuple[int | None, ...]
    lost_at: float | None
    stage: str | None
    reason: str | None


class StressReport(AnswerModel):
    """A growth run; `forecast_error` is the greatest difference between forecast and run, as a share of anchors."""

    form: str = STRESS_FORM
    probes: int
    probes_sha256: str
    seed: int
    embedder: str | None
    room: int
    sizes: tuple[SizeLine, ...]
    forecast_error: float | None
    is_forecast_trusted: bool
    anchors: tuple[AnchorGrowth, ...]
