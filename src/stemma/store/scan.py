"""What `verify` looks at in the store: orphans, and columns that are no true copies. Writes nothing."""

from __future__ import annotations

from collections.abc import Sequence

from stemma.state import MemoryRow
from stemma.store import index, memories
from stemma.store.index import LexicalRow
from stemma.store.transaction import Transaction


def groups(t: Transaction, subject: str) -> list[tuple[str, str, str | None, str]]:
    """Return (episode id, key, business key, group) as stored, for every episode of a subject."""
    rows = t.all("episodes_with_groups", {"subject_id": subject})
    return [(row["episode_id"], row["key"], row["business_key"], row["group_id"]) for row in rows]


def orphans(t: Transaction, limit: int) -> list[tuple[str, str]]:
    """Return (part, id) of rows whose owner is not there."""
    return [(row["part"], row["id"]) for row in t.all("orphans", {"limit": limit})]


def memory_columns(t: Transaction, subject: str, rows: Sequence[tuple[MemoryRow, bytes]]) -> list[str]:
    """Return the ids of stored memories whose columns are not what their row says."""
    named = memories.columns(rows)
    found = t.all("memory_columns_that_differ", {"subject_id": subject, **named})
    return [row["id"] for row in found]


def lexical_names(t: Transaction, subject: str) -> set[tuple[str, str]]:
    """Return (item kind, item id) of every lexical row of a subject."""
    rows = t.all("lexical_of_subject", {"subject_id": subject})
    return {(row["item_kind"], row["item_id"]) for row in rows}


def lexical_columns(t: Transaction, subject: str, rows: Sequence[LexicalRow]) -> list[tuple[str, str]]:
    """Return (item kind, item id) of stored lexical rows that are not what they should be."""
    bound = [index.bound(row) for row in rows]
    named = {
        "item_kinds": [row.item_kind for row in rows],
        "item_ids": [row.item_id for row in rows],
        "owner_ids": [row.owner_id for row in rows],
        "stands": [row.stands for row in rows],
        "text_hashes": [row.text_hash for row in rows],
        "analysers": [row.analyser for row in rows],
        "terms": ["{" + ",".join(map(str, each["terms"])) + "}" for each in bound],
        "weights": [each["weights"] for each in bound],
    }
    found = t.all("lexical_that_differ", {"subject_id": subject, **named})
    return [(row["item_kind"], row["item_id"]) for row in found]
