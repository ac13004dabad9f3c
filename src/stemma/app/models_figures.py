"""What is asked of figures over time and what they show (SPEC R-53)."""

from __future__ import annotations

from datetime import date
from typing import Annotated

from pydantic import Field

from stemma.app.models_base import AnswerModel, Count, OptionalSubject, RequestModel
from stemma.core.figures_over_time import HUB_SHARE

DAYS_DEFAULT = 30
DAYS_MOST = 366


class FiguresRequest(RequestModel):
    """Count how memories came to be and were used, day by day up to today; of one subject, or of all."""

    subject_id: OptionalSubject = None
    days: Annotated[int, Field(ge=1, le=DAYS_MOST, strict=True, description="How many days, today among them")] = (
        DAYS_DEFAULT
    )
    hub_share: Annotated[
        float, Field(gt=0, lt=1, description="From over which share of different questions on a memory is a hub")
    ] = HUB_SHARE


class FoundedFigure(AnswerModel):
    """How many memories of a kind and an extractor version the day's episodes founded."""

    kind: str
    extractor: str
    memories: Count
    quarantined: Count


class GateFigure(AnswerModel):
    """What a gate refused of the statements judged that day, and the share, 0 to 1, that it let pass."""

    gate: str
    refused: Count
    pass_rate: float


class KindShare(AnswerModel):
    """The largest kind and its share of all, 0 to 1."""

    kind: str
    share: float


class DayFigures(AnswerModel):
    """One day of UTC; None where there was nothing to take a share of.

    `forced_per_bundle` is a mean number of memories. `stored` is the largest kind of what stood at the day's end,
    `injected` that of what bundles gave. `quarantine_share` is of the memories founded that day, as they stand now.
    """

    day: date
    memories: tuple[FoundedFigure, ...]
    judged: Count
    gates: tuple[GateFigure, ...]
    bundles: Count
    forced_items: Count
    forced_per_bundle: float | None
    stored: KindShare | None
    injected: KindShare | None
    quarantine_share: float | None


class HubFigure(AnswerModel):
    """A memory that comes whatever is asked: for how many different questions it came, and their share, 0 to 1."""

    memory_id: str
    queries: Count
    share: float


class Figures(AnswerModel):
    """The days in order, today last, and the hubs of all of them. `queries` counts the different questions asked."""

    subject_id: str | None
    days: tuple[DayFigures, ...]
    queries: Count
    hub_share: float
    hubs: tuple[HubFigure, ...]
