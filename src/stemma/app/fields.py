"""The optional fields of each operation as keyword arguments of the Python faces. Their rules stand in the models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, TypedDict

When = datetime | str


class Page(TypedDict, total=False):
    """Which page of a list."""

    limit: int
    cursor: str


class Act(TypedDict, total=False):
    """Who does something, and why."""

    by: str
    note: str


class CalibrateFields(TypedDict, total=False):
    """How labels are judged: the kind of lines that name none, the base rate, and what chance starts from."""

    kind: str
    base_rate: float
    shuffle: int
    seed: int


class ClaimKeyFields(TypedDict, total=False):
    """How the values of a claim key are ruled on; what is left out falls back to its kind."""

    cardinality: Literal["single", "multi"]
    policy: Literal["latest", "authority", "corroborated", "keep_all", "flag"]
    corroboration: int
    kind: str
    half_life_days: float


class RememberFields(TypedDict, total=False):
    """What may be said of a text beside its words."""

    kind: str
    importance: float
    occurred_at: When
    source: str
    key: str
    key_parts: Sequence[str]
    key_policy: Literal["identity", "content", "revision"]
    business_key: str
    session_id: str
    speaker: str
    said_by: Literal["user", "agent"]
    document: Mapping[str, str]
    metadata: Mapping[str, Any]


class ListMemoriesFields(Page, total=False):
    """Which memories are listed."""

    status: Literal["active", "superseded", "tombstoned", "quarantined", "all"]
    kind: str
    claim_key: str
    value: str


class PatchMemoryFields(Act, total=False):
    """What a person may change of a memory."""

    injection: Literal["core", "gated", "on_request", "never"]
    kind: str
    importance: float
    quarantine: bool
    merge_into: str


class ListConflictsFields(Page, total=False):
    """Which conflicts are listed."""

    status: Literal["open", "resolved", "closed", "all"]


class ResolveFields(Act, total=False):
    """A ruling: exactly one of `choose`, `value` and `keep_both`."""

    choose: str
    value: str
    text: str
    keep_both: bool


class RecallFields(TypedDict, total=False):
    """How recall is narrowed and where its clocks stand."""

    k: int
    kinds: Sequence[str]
    now: When
    as_of: When
    half_life_days: float
    session_id: str
    include: Sequence[Literal["memories", "episodes"]]
    explain: bool


class BundleFields(TypedDict, total=False):
    """What a bundle is made from and how large it may be."""

    subject_id: str
    corpora: Sequence[str]
    budget_tokens: int
    now: When
    as_of: When
    session_id: str
    explain: bool


class EraseFields(TypedDict, total=False):
    """What is erased of a subject, or which document; `certify` proves it gone."""

    episode_key: str
    corpus: str
    external_id: str
    certify: bool


class DocumentFields(TypedDict, total=False):
    """What a document is sent with: `text`, or a file's bytes in `content_base64`, and what is said of it."""

    title: str
    text: str
    content_base64: str
    media_type: str
    charset: str
    admit_hidden: bool
    uri: str
    metadata: Mapping[str, Any]
    derived_from: str


class SearchFields(TypedDict, total=False):
    """Where a search looks and how much it gives."""

    corpora: Sequence[str]
    k: int
    metadata: Mapping[str, Any]
