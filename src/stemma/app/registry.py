"""The use cases on what is registered: sources, claim keys, kinds, and the list of subjects (R-20, R-33, R-36)."""

from __future__ import annotations

from datetime import datetime, timedelta

from stemma.app.cursors import cursor_of, name_after
from stemma.app.models_registry import (
    ClaimKeyEntry,
    ClaimKeyPage,
    KindEntry,
    KindPage,
    ListClaimKeys,
    ListKinds,
    ListSources,
    ListSubjects,
    PutClaimKey,
    PutSource,
    SourceEntry,
    SourcePage,
    SubjectEntry,
    SubjectPage,
)
from stemma.app.runtime import Runtime
from stemma.core.registry import DEFAULT_AUTHORITY, DEFAULT_KIND
from stemma.errors import UnknownKind
from stemma.records import ClaimKey, Kind, Source
from stemma.store import episodes, registry
from stemma.store.transaction import Transaction

_SOURCES, _CLAIM_KEYS, _KINDS, _SUBJECTS = "sources", "claim_keys", "kinds", "subjects"


def put_source(runtime: Runtime, tenant: str, request: PutSource) -> SourceEntry:
    """Register a source; the subjects it spoke of have something new where its authority changes."""
    wanted = Source(name=request.name, key_policy=request.key_policy, authority=request.authority)
    at = runtime.now()
    return runtime.store.run(tenant, lambda t: _put_source(t, wanted, at))


def put_claim_key(runtime: Runtime, tenant: str, request: PutClaimKey) -> ClaimKeyEntry:
    """Register a claim key; the subjects with a memory under it have something new where it changes.

    Without a kind it keeps the shipped key's, else it is a fact. Raises UnknownKind for one that is not registered.
    """
    shipped = runtime.shipped.claim_keys.get(request.key)
    kind = request.kind or (shipped.kind if shipped else DEFAULT_KIND)
    if kind not in runtime.shipped.kinds:
        raise UnknownKind(f"kind: {kind!r} is not registered; see GET /v1/kinds", field="kind")
    wanted = ClaimKey(
        name=request.key,
        cardinality=request.cardinality,
        kind=kind,
        policy=request.policy,
        corroboration=request.corroboration,
        half_life_days=request.half_life_days,
    )
    at = runtime.now()
    return runtime.store.run(tenant, lambda t: _put_claim_key(t, wanted, shipped, at))


def list_sources(runtime: Runtime, tenant: str, request: ListSources) -> SourcePage:
    """List the registered sources in order of name."""
    with runtime.store.transaction(tenant, read_only=True) as t:
        found = registry.sources_page(t, after=name_after(request.cursor, _SOURCES), limit=request.limit + 1)
    more = len(found) > request.limit
    items = tuple(_source_entry(source, set_at) for source, set_at in found[: request.limit])
    return SourcePage(items=items, next_cursor=cursor_of(_SOURCES, items[-1].name) if more else None)


def list_claim_keys(runtime: Runtime, tenant: str, request: ListClaimKeys) -> ClaimKeyPage:
    """List the claim keys in order of name: those that are shipped, and over them those that were registered."""
    after = name_after(request.cursor, _CLAIM_KEYS)
    with runtime.store.transaction(tenant, read_only=True) as t:
        stored = registry.claim_keys_page(t, after=after, limit=request.limit + 1)
    found = {name: _claim_key_entry(one, None) for name, one in runtime.shipped.claim_keys.items() if name > after}
    found |= {one.name: _claim_key_entry(one, set_at) for one, set_at in stored}
    items = tuple(found[name] for name in sorted(found)[: request.limit])
    following = cursor_of(_CLAIM_KEYS, items[-1].key) if len(found) > request.limit else None
    return ClaimKeyPage(items=items, next_cursor=following)


def list_kinds(runtime: Runtime, tenant: str, request: ListKinds) -> KindPage:
    """List the kinds of memory in order of name."""
    after = name_after(request.cursor, _KINDS)
    names = sorted(name for name in runtime.shipped.kinds if name > after)
    items = tuple(_kind_entry(runtime.shipped.kinds[name]) for name in names[: request.limit])
    return KindPage(items=items, next_cursor=cursor_of(_KINDS, items[-1].name) if len(names) > request.limit else None)


def list_subjects(runtime: Runtime, tenant: str, request: ListSubjects) -> SubjectPage:
    """List the subjects in order of name."""
    with runtime.store.transaction(tenant, read_only=True) as t:
        found = registry.subjects_page(t, after=name_after(request.cursor, _SUBJECTS), limit=request.limit + 1)
    items = tuple(SubjectEntry(subject_id=each, recorded_at=at) for each, at in found[: request.limit])
    following = cursor_of(_SUBJECTS, items[-1].subject_id) if len(found) > request.limit else None
    return SubjectPage(items=items, next_cursor=following)


def _put_source(t: Transaction, wanted: Source, at: datetime) -> SourceEntry:
    stored = registry.stored_source(t, wanted.name)
    if stored is not None and stored[0] == wanted:
        return _source_entry(*stored)
    at = _after(stored[1], at) if stored else at
    episodes.put_tenant(t, at)
    registry.put_source(t, wanted, at)
    if wanted.authority != (stored[0].authority if stored else DEFAULT_AUTHORITY):
        registry.mark_subjects_of_source(t, wanted.name)
    return _source_entry(wanted, at)


def _put_claim_key(t: Transaction, wanted: ClaimKey, shipped: ClaimKey | None, at: datetime) -> ClaimKeyEntry:
    stored = registry.stored_claim_key(t, wanted.name)
    if stored is not None and stored[0] == wanted:
        return _claim_key_entry(*stored)
    at = _after(stored[1], at) if stored else at
    episodes.put_tenant(t, at)
    registry.put_claim_key(t, wanted, at)
    if wanted != (stored[0] if stored else shipped):
        registry.mark_subjects_of_claim_key(t, wanted.name)
    return _claim_key_entry(wanted, at)


def _after(before: datetime, at: datetime) -> datetime:
    """Let what is set now be the later, though the clock stood or went back: where logs are joined the later counts."""
    return max(at, before + timedelta(microseconds=1))


def _source_entry(source: Source, set_at: datetime) -> SourceEntry:
    return SourceEntry(name=source.name, key_policy=source.key_policy, authority=source.authority, set_at=set_at)


def _claim_key_entry(claim_key: ClaimKey, set_at: datetime | None) -> ClaimKeyEntry:
    return ClaimKeyEntry(
        key=claim_key.name,
        cardinality=claim_key.cardinality,
        kind=claim_key.kind,
        policy=claim_key.policy,
        corroboration=claim_key.corroboration,
        half_life_days=claim_key.half_life_days,
        set_at=set_at,
    )


def _kind_entry(kind: Kind) -> KindEntry:
    return KindEntry(
        name=kind.name,
        policy=kind.policy,
        half_life_days=kind.half_life_days,
        injection=kind.injection,
        corroboration=kind.corroboration,
        overlap=kind.overlap,
        description=kind.description,
    )
