"""What is asked and answered about sources, claim keys, kinds and subjects (API.md)."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import Field

from stemma.app.models_base import AnswerModel, Name, PageRequest, RequestModel
from stemma.records import Cardinality, Injection, KeyPolicy, Policy

Authority = Annotated[int, Field(ge=0, le=100, strict=True, description="Higher is trusted more")]
Corroboration = Annotated[
    int, Field(ge=1, le=100, strict=True, description="Independent origins that a challenger needs")
]
HalfLife = Annotated[float, Field(gt=0, le=36_500, strict=True, description="Days")]


class PutSource(RequestModel):
    """Register a source, over what it was registered as."""

    name: Name
    key_policy: KeyPolicy | None = None
    authority: Authority = 50


class SourceEntry(AnswerModel):
    """One registered source; a None policy leaves it to each episode."""

    name: str
    key_policy: KeyPolicy | None
    authority: int
    set_at: datetime


class ListSources(PageRequest):
    """Read the registered sources in order of name."""


class SourcePage(AnswerModel):
    """One page of sources."""

    items: tuple[SourceEntry, ...]
    next_cursor: str | None = None


class PutClaimKey(RequestModel):
    """Register a claim key, over what it was registered as; what is left out falls back to its kind."""

    key: Name
    cardinality: Cardinality = Cardinality.SINGLE
    policy: Policy | None = None
    corroboration: Corroboration | None = None
    kind: Name | None = None
    half_life_days: HalfLife | None = None


class ClaimKeyEntry(AnswerModel):
    """One claim key; `set_at` None: it is as shipped."""

    key: str
    cardinality: Cardinality
    kind: str
    policy: Policy | None
    corroboration: int | None
    half_life_days: float | None
    set_at: datetime | None = None


class ListClaimKeys(PageRequest):
    """Read the claim keys, shipped and registered, in order of name."""


class ClaimKeyPage(AnswerModel):
    """One page of claim keys."""

    items: tuple[ClaimKeyEntry, ...]
    next_cursor: str | None = None


class ListKinds(PageRequest):
    """Read the kinds of memory in order of name."""


class KindEntry(AnswerModel):
    """One kind of memory; without a half-life its age does not count."""

    name: str
    policy: Policy
    half_life_days: float | None
    injection: Injection
    corroboration: int
    overlap: float
    description: str


class KindPage(AnswerModel):
    """One page of kinds."""

    items: tuple[KindEntry, ...]
    next_cursor: str | None = None


class ListSubjects(PageRequest):
    """Read the subjects in order of name."""


class SubjectEntry(AnswerModel):
    """One subject and when it was first heard of."""

    subject_id: str
    recorded_at: datetime


class SubjectPage(AnswerModel):
    """One page of subjects."""

    items: tuple[SubjectEntry, ...]
    next_cursor: str | None = None
