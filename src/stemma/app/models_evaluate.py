"""The lines of a golden file, of a fixture and of waivers, as they are checked. The report stands beside them."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

from pydantic import Field, model_validator

from stemma.app.models_base import (
    AnswerModel,
    Flag,
    Moment,
    Name,
    Query,
    RequestModel,
    SubjectId,
    Text,
    fault,
)
from stemma.core.golden.probe import ProbeClass

Rank = Annotated[int, Field(ge=1, strict=True)]
Offset = Annotated[int, Field(ge=0, strict=True)]


class SpanLine(RequestModel):
    """A place in an episode: code points from `start` up to `end`, in message `message` or (None) in its text."""

    start: Offset
    end: Annotated[int, Field(ge=1, strict=True)]
    message: Offset | None = None

    @model_validator(mode="after")
    def _ordered(self) -> SpanLine:
        if self.end <= self.start:
            raise fault("end", "a span ends after it starts")
        return self


class EvidenceLine(RequestModel):
    """Evidence: the key of an episode, and where need be a place in it or words of the memory that rests on it."""

    key: Name
    words: tuple[Text, ...] = ()
    span: SpanLine | None = None


Named = Name | EvidenceLine


class AnchorLine(EvidenceLine):
    """Evidence that must come; with `any_of` one of several is enough."""

    max_rank: Rank | None = None
    must_survive: Flag = False
    any_of: tuple[Named, ...] = ()


class ForbidLine(EvidenceLine):
    """Evidence that may not come before the anchors; with `at_all` it may not come anywhere in the text."""

    at_all: Flag = False


class ExpectLine(RequestModel):
    """What is expected of a bundle."""

    anchors: tuple[AnchorLine, ...] = ()
    forbid: tuple[ForbidLine, ...] = ()
    items_max: Offset | None = None
    verdict: Literal["grounded", "partial", "abstain"] | None = None
    conflict: Annotated[tuple[Named, ...], Field(min_length=2, max_length=2)] | None = None


class ProbeLine(RequestModel):
    """One line of a golden file; `class` says what it tests. See docs/guides/evaluate.md."""

    id: Name
    type: Annotated[ProbeClass, Field(alias="class")]
    subject_id: SubjectId
    query: Query
    expect: ExpectLine
    language: Name | None = None
    now: Moment | None = None
    budget: Annotated[int, Field(ge=1, strict=True)] = 800
    before: tuple[Query, ...] = ()
    relevant: tuple[Named, ...] = ()
    irrelevant: tuple[Named, ...] | None = None
    why: Text | None = None
    paraphrase: Flag = False
    cross_language: Flag = False

    @model_validator(mode="after")
    def _expects_something(self) -> ProbeLine:
        asked = self.expect
        if not (asked.anchors or asked.forbid or asked.conflict or asked.verdict) and asked.items_max is None:
            raise fault("expect", "nothing is expected; give anchors, forbid, items_max, verdict or conflict")
        if self.type is ProbeClass.NEGATIVE and asked.anchors:
            raise fault("expect", "a negative probe has no anchors: nothing should come")
        return self


class FixtureLine(RequestModel):
    """One statement of a fixture. Those after `text` are what its author expects of it; nothing is made of them here.

    `core` puts the memory on the reviewed list before the core probes run.
    """

    subject_id: SubjectId
    key: Name
    occurred_at: Moment
    text: Annotated[Text, Field(min_length=1)]
    kind: Name | None = None
    language: Name | None = None
    supersedes: Name | None = None
    restates: Name | None = None
    contradicts: Name | None = None
    core: Flag = False
    source: Name | None = None
    role: Name | None = None


class WaiverLine(RequestModel):
    """Lets one probe be worse until a day: which, why, who says so."""

    probe: Name
    reason: Annotated[Text, Field(min_length=1)]
    by: Name
    until: date


class RejectedLine(AnswerModel):
    """Why a line of a file was not taken; `line` counts from 1."""

    line: int
    code: str
    detail: str
