"""Sources and claim keys as a tenant has registered them, over what is shipped. What they mean is `core/registry`'s."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from stemma.records import Cardinality, ClaimKey, KeyPolicy, Policy, Registry, Source
from stemma.store.transaction import Row, Transaction


def registry_of(t: Transaction, shipped: Registry) -> Registry:
    """Return everything registered for the tenant: what is shipped, and over it what was stored."""
    claim_keys = {row["name"]: claim_key_of(row) for row in t.all("all_claim_keys")}
    sources = {row["name"]: source_of(row) for row in t.all("all_sources")}
    return Registry(
        kinds=shipped.kinds,
        claim_keys={**shipped.claim_keys, **claim_keys},
        sources={**shipped.sources, **sources},
        thresholds=shipped.thresholds,
    )


def stamp(t: Transaction) -> str:
    """Return what changes whenever a source or a claim key of the tenant does."""
    return str(t.one("registry_stamp")["stamp"])


def key_policies(t: Transaction, sources: Sequence[str]) -> dict[str, KeyPolicy]:
    """Return the key policy of each of the sources that declares one."""
    if not sources:
        return {}
    rows = t.all("key_policies_of_sources", {"names": list(sources)})
    return {row["name"]: KeyPolicy(row["key_policy"]) for row in rows}


def stored_source(t: Transaction, name: str) -> tuple[Source, datetime] | None:
    """Return a source and when it was set, and keep others from changing it until the transaction ends."""
    row = t.maybe("source_by_name", {"name": name})
    return None if row is None else (source_of(row), row["set_at"])


def stored_claim_key(t: Transaction, name: str) -> tuple[ClaimKey, datetime] | None:
    """Return a claim key and when it was set, and keep others from changing it until the transaction ends."""
    row = t.maybe("claim_key_by_name", {"name": name})
    return None if row is None else (claim_key_of(row), row["set_at"])


def put_source(t: Transaction, source: Source, set_at: datetime) -> None:
    """Store a source over what stood there."""
    policy = source.key_policy.value if source.key_policy else None
    t.execute(
        "put_source", {"name": source.name, "key_policy": policy, "authority": source.authority, "set_at": set_at}
    )


def put_claim_key(t: Transaction, claim_key: ClaimKey, set_at: datetime) -> None:
    """Store a claim key over what stood there."""
    t.execute(
        "put_claim_key",
        {
            "name": claim_key.name,
            "cardinality": claim_key.cardinality.value,
            "kind": claim_key.kind,
            "policy": claim_key.policy.value if claim_key.policy else None,
            "corroboration": claim_key.corroboration,
            "half_life_days": claim_key.half_life_days,
            "set_at": set_at,
        },
    )


def mark_subjects_of_source(t: Transaction, name: str) -> int:
    """Say that every subject that a source spoke of has something new, and how many these are."""
    return t.execute("mark_subjects_of_source", {"name": name})


def mark_subjects_of_claim_key(t: Transaction, name: str) -> int:
    """Say that every subject with a memory under a claim key has something new, and how many these are."""
    return t.execute("mark_subjects_of_claim_key", {"name": name})


def sources_page(t: Transaction, *, after: str, limit: int) -> list[tuple[Source, datetime]]:
    """Return sources in order of name, each with when it was set, after the one named."""
    rows = t.all("sources_page", {"after": after, "limit": limit})
    return [(source_of(row), row["set_at"]) for row in rows]


def claim_keys_page(t: Transaction, *, after: str, limit: int) -> list[tuple[ClaimKey, datetime]]:
    """Return stored claim keys in order of name, each with when it was set, after the one named."""
    rows = t.all("claim_keys_page", {"after": after, "limit": limit})
    return [(claim_key_of(row), row["set_at"]) for row in rows]


def subjects_page(t: Transaction, *, after: str, limit: int) -> list[tuple[str, datetime]]:
    """Return subjects in order, each with when it was first heard of, after the one named."""
    rows = t.all("subjects_page", {"after": after, "limit": limit})
    return [(row["subject_id"], row["recorded_at"]) for row in rows]


def source_of(row: Row) -> Source:
    """Read a source."""
    policy = KeyPolicy(row["key_policy"]) if row["key_policy"] else None
    return Source(name=row["name"], key_policy=policy, authority=row["authority"])


def claim_key_of(row: Row) -> ClaimKey:
    """Read a claim key."""
    return ClaimKey(
        name=row["name"],
        cardinality=Cardinality(row["cardinality"]),
        kind=row["kind"],
        policy=Policy(row["policy"]) if row["policy"] else None,
        corroboration=row["corroboration"],
        half_life_days=row["half_life_days"],
    )
