"""What is asked and answered about the gates on a user's own labels: the report, and the sample to label."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import Field

from stemma.app.models_base import AnswerModel, Flag, Moment, Name, RequestModel, SubjectId, Text
from stemma.core.separation import Rates, Use

Seed = Annotated[int, Field(ge=0, le=2**32 - 1, strict=True, description="Makes chance repeatable")]


class CalibrateRequest(RequestModel):
    """How labels are judged: `kind` is that of lines that name none, `shuffle` a seed that deals the labels anew."""

    kind: Name | None = Field(default=None, description="The kind of lines that name none")
    base_rate: float = Field(
        default=0.02, gt=0, lt=1, strict=True, description="How many candidates are real, of all that come by, 0 to 1"
    )
    shuffle: Seed | None = Field(default=None, description="Deal the labels anew by this seed: nothing must be left")
    seed: Seed = Field(default=1, description="Makes intervals and the control repeatable")


class SampleRequest(RequestModel):
    """Which candidates of the store to write for labelling: half accepted as the kind, half refused."""

    kind: Name = Field(description="The kind that the labels are to be about")
    size: int = Field(ge=2, le=100_000, strict=True, description="How many lines")
    seed: Seed = Field(default=1, description="Makes the choice repeatable")


class LabelledLine(RequestModel):
    """One line of a labelled file; a line whose label is still null is counted and left out."""

    text: Text = Field(min_length=1, max_length=16_384)
    label: Flag | None = None
    kind: Name | None = None
    language: Name | None = None
    at: Moment | None = None
    subject: SubjectId | None = None
    id: Name | None = None


class BlindLine(AnswerModel):
    """One line to label: the original words and the question's kind, the same for all; nothing of what a gate said."""

    id: str
    kind: str
    text: str
    at: datetime | None
    subject: str
    label: None = None


class SampleResult(AnswerModel):
    """The lines to label, in an order that says nothing, and how many were taken of how many there are."""

    kind: str
    extractor: str
    accepted: int
    refused: int
    of_accepted: int
    of_refused: int
    lines: tuple[BlindLine, ...]


class Interval(AnswerModel):
    """A figure with its bootstrap interval of 95 %."""

    value: float
    low: float
    high: float


class Passing(AnswerModel):
    """What passes a condition; `precision` is that at the base rate, null where nothing passes."""

    recall: float
    false_pass_rate: float
    precision: float | None


class AtThreshold(Passing):
    """What passes a threshold on the score alone."""

    threshold: float


class KeywordReport(AnswerModel):
    """The necessary condition by itself.

    `recall_without` plays each keyword being unknown. `retroactive_ok` says whether it may judge stored items: only
    where of at least 150 that it refuses at most 2 are real.
    """

    passing: Passing
    recall_without: dict[str, float]
    refused: int
    refused_but_real: int
    retroactive_ok: bool


class OperatingPoint(AnswerModel):
    """The threshold that the labels bear out, and what passes it: with its second condition, alone, and in the gate."""

    threshold: float
    second_condition: str | None
    passing: Passing
    alone: Passing
    whole_gate: Passing


class Control(AnswerModel):
    """The same labels dealt anew: a procedure that finds something there finds it everywhere."""

    seed: int
    auc: float
    names_threshold: bool


class Slice(AnswerModel):
    """One part of the labels, where it holds at least ten of each."""

    name: str
    positives: int
    negatives: int
    auc: float


class Histogram(AnswerModel):
    """Counts of the scores of both sets in bins of equal width from 0 to 1."""

    positives: tuple[int, ...]
    negatives: tuple[int, ...]


class ScoreReport(AnswerModel):
    """How the similarity to the kind's prototypes parts the two sets."""

    histogram: Histogram
    overlap: float
    auc: Interval
    average_precision: Interval
    thresholds: tuple[AtThreshold, ...]
    calibration_error: float
    is_calibrated: bool
    control: Control
    slices: tuple[Slice, ...]


class KindReport(AnswerModel):
    """One kind in one language. `score` is null without an embedder, without prototypes, or without labels of both."""

    kind: str
    language: str
    n: int
    positives: int
    negatives: int
    threshold_in_force: float
    keyword: KeywordReport | None
    form: Passing | None
    whole_gate: Passing | None
    score: ScoreReport | None
    verdict: Use
    reasons: tuple[str, ...]
    operating_point: OperatingPoint | None


class BadLine(AnswerModel):
    """A line that could not be read, by its number from 1."""

    line: int
    code: str
    detail: str


class CalibrationReport(AnswerModel):
    """What the labels say of the gates. `registry` is what to write into the own registry file, "" for nothing."""

    labels_sha256: str
    embedder: str | None
    extractor: str
    base_rate: float
    seed: int
    shuffled: int | None
    lines: int
    unlabelled: int
    contradicted: int
    rejected: tuple[BadLine, ...]
    kinds: tuple[KindReport, ...]
    registry: str


def passing(rates: Rates) -> Passing:
    """Give rates as they are answered, rounded to four places."""
    return Passing(
        recall=round(rates.recall, 4),
        false_pass_rate=round(rates.false_pass_rate, 4),
        precision=None if rates.precision is None else round(rates.precision, 4),
    )
