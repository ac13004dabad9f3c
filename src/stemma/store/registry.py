"""Sources and claim keys as a tenant has registered them. What they mean is `core/registry`'s."""

from __future__ import annotations

from collections.abc import Sequence

from stemma.records import KeyPolicy
from stemma.store.transaction import Transaction


def key_policies(t: Transaction, sources: Sequence[str]) -> dict[str, KeyPolicy]:
    """Return the key policy of each of the sources that declares one."""
    if not sources:
        return {}
    rows = t.all("key_policies_of_sources", {"names": list(sources)})
    return {row["name"]: KeyPolicy(row["key_policy"]) for row in rows}
