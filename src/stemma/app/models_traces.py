"""What is asked about traces and what they show (API.md). How one is made and kept stands in `tracing` and `traces`."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from stemma.app.models_base import AnswerModel, Count, Name, RequestModel

TraceId = Annotated[Name, Field(description="The trace_id of an answer")]


class TraceById(RequestModel):
    """Read how an answer came about."""

    trace_id: TraceId


class WhyRequest(RequestModel):
    """Ask what became of one memory, episode, passage, conflict or disagreement in an answer."""

    trace_id: TraceId
    memory_id: Annotated[Name, Field(description="The id of a memory; of a passage or an episode too")]


class DiffRequest(RequestModel):
    """Compare two answers."""

    trace_id: TraceId
    other: Annotated[Name, Field(description="The trace_id of the answer that it is compared with")]


class TracedMiss(AnswerModel):
    """By how much something missed: its value in a measure, and the bound that it did not meet."""

    measure: str
    value: float
    needed: float
    short_by: float


class DroppedItem(AnswerModel):
    """One item that a stage dropped, and why."""

    id: str
    reason: str
    detail: TracedMiss | None = None


class MergedItem(AnswerModel):
    """One item that lives on in another."""

    id: str
    into: str
    reason: str


class StageView(AnswerModel):
    """One stage: entered = left + dropped_count + merged. `items` are the ids that left, best first.

    `request` and `scope` count what the subject holds and list none of it; `ms` is how long the stage took.
    """

    name: str
    entered: Count
    left: Count
    merged: Count
    items: tuple[str, ...]
    dropped_count: Count
    dropped_by_reason: dict[str, int]
    dropped: tuple[DroppedItem, ...]
    merges: tuple[MergedItem, ...]
    ms: float


class ScoreView(AnswerModel):
    """A score with what its number means."""

    kind: str
    value: float
    direction: str
    range: tuple[float, float]


class CandidateView(AnswerModel):
    """One candidate with its scores; `text` is looked up now, None where it is gone or is an episode's.

    `forced`: another rule than relevance admitted it.
    """

    id: str
    type: Literal["memory", "episode", "passage"]
    owner: str | None
    text: str | None
    scores: tuple[ScoreView, ...]
    forced: bool = False


class NoteView(AnswerModel):
    """A conflict or a disagreement that an answer would name, and why it does not."""

    id: str
    section: str
    kept: bool
    reason: str | None = None
    detail: TracedMiss | None = None


class QueryMark(AnswerModel):
    """What is kept of a query: its digest and its length in characters, not its words."""

    sha256: str
    chars: int


class AskedView(AnswerModel):
    """What a request was; `overridden` names the clocks that were set by hand, `versions` all that took part."""

    operation: Literal["recall", "bundle"]
    query: QueryMark
    subject_id: str | None
    corpora: tuple[str, ...]
    include: tuple[str, ...]
    kinds: tuple[str, ...]
    k: int | None
    half_life_days: float | None
    session_id: str | None
    budget_tokens: int | None
    now: datetime
    as_of: datetime | None
    overridden: tuple[str, ...]
    versions: dict[str, str | None]


class ResultView(AnswerModel):
    """What came out of a bundle: its tokens, and how far it covers the query."""

    tokens: int | None
    verdict: str | None
    coverage: float | None


class TraceView(AnswerModel):
    """How an answer came about: its twelve stages in order, its candidates, and what it was asked with."""

    trace_id: str
    recorded_at: datetime
    request: AskedView
    stages: tuple[StageView, ...]
    candidates: tuple[CandidateView, ...]
    notes: tuple[NoteView, ...]
    result: ResultView
    index_state: dict[str, Any]


class Change(AnswerModel):
    """The smallest single change that would have kept an item: a setting, from or under which value."""

    name: str
    bound: Literal["at_least", "at_most", "below"]
    value: float | datetime


class WhyView(AnswerModel):
    """What became of one item, decided by which stage, for which reason.

    `rank` is its place in the answer, from 1. `because` and `by` are the ruling on a memory that is not in force, and
    the memory that brought it about. `recomputed`: no stage saw it, so it is judged by what is stored now.
    """

    trace_id: str
    id: str
    type: str
    text: str | None
    fate: Literal["kept", "dropped", "merged"]
    stage: str
    reason: str | None = None
    into: str | None = None
    rank: int | None = None
    detail: TracedMiss | None = None
    change: Change | None = None
    because: str | None = None
    by: str | None = None
    recomputed: bool = False


class FateView(AnswerModel):
    """What became of an item in one of two answers."""

    fate: Literal["kept", "dropped", "merged"]
    stage: str
    reason: str | None
    rank: int | None


class ChangedItem(AnswerModel):
    """One item whose fate or rank is another; None in the answer that says nothing of it."""

    id: str
    type: str
    text: str | None
    before: FateView | None
    after: FateView | None


class TraceDiff(AnswerModel):
    """What differs between two answers: `asked` names what they were asked with, `items` whose fate or rank changed."""

    trace_id: str
    other: str
    asked: tuple[str, ...]
    items: tuple[ChangedItem, ...]
