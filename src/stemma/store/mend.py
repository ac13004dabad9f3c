"""Putting derived rows right that the log yields otherwise, for `verify --repair`. The log itself is never written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final

from stemma.state import MemoryRow
from stemma.store import memories
from stemma.store.transaction import Transaction

# The owner of evidence and of uses is a memory, so these go first.
_OF_SUBJECT: Final = (
    "erase_subject_evidence",
    "erase_subject_uses",
    "erase_subject_memories",
    "erase_subject_decisions",
    "erase_subject_conflicts",
    "erase_subject_notes",
    "erase_subject_points",
    "erase_subject_dirty",
)


def subject(t: Transaction, name: str) -> None:
    """Give a subject that the log speaks of its own row again, where that is missing."""
    t.execute("mend_subject", {"subject_id": name})


def extractions(t: Transaction, found: Mapping[tuple[str, str], str], extractor: str) -> None:
    """Put the cached extractions of one extractor right, by (episode id, content hash)."""
    t.execute(
        "mend_extractions",
        {
            "episode_ids": [episode for episode, _ in found],
            "content_hashes": [content for _, content in found],
            "bodies": list(found.values()),
            "extractor": extractor,
        },
    )


def act_episodes(t: Transaction, name: str, pairs: Iterable[tuple[str, str]]) -> None:
    """Write anew which episodes a subject's acts name, as (act id, episode id)."""
    listed = sorted(set(pairs))
    t.execute("mend_act_episodes", {"subject_id": name})
    t.execute(
        "put_act_episodes",
        {"episode_ids": [episode for _, episode in listed], "act_ids": [act for act, _ in listed]},
    )


def journal_columns(t: Transaction, name: str, rows: Sequence[MemoryRow]) -> None:
    """Make the columns of journal rows copies of what they say again."""
    if rows:
        t.execute("mend_memory_columns", {"subject_id": name, **memories.columns([(row, b"") for row in rows])})


def delete_memories(t: Transaction, ids: Sequence[str]) -> None:
    """Delete rows that say nothing that could be kept."""
    t.execute("erase_memories", {"ids": list(ids)})


def delete_evidence(t: Transaction, names: Iterable[tuple[str, str]]) -> None:
    """Delete evidence rows by (memory id, evidence id) as stored."""
    listed = list(names)
    columns = {"memory_ids": [memory for memory, _ in listed], "evidence_ids": [said for _, said in listed]}
    t.execute("mend_evidence", columns)


def delete_decisions(t: Transaction, names: Iterable[tuple[str, datetime]]) -> None:
    """Delete decisions by (id, when decided)."""
    listed = list(names)
    t.execute("erase_decisions", {"ids": [name for name, _ in listed], "decided_ats": [at for _, at in listed]})


def delete_conflicts(t: Transaction, ids: Sequence[str]) -> None:
    """Delete conflicts."""
    t.execute("erase_conflicts", {"ids": list(ids)})


def delete_lexical(t: Transaction, items: Iterable[tuple[str, str]]) -> list[bytes]:
    """Delete lexical rows by (item kind, item id), and return the hashes of their texts."""
    listed = sorted(set(items))
    columns = {"item_kinds": [kind for kind, _ in listed], "item_ids": [item for _, item in listed]}
    return [bytes(row["text_hash"]) for row in t.all("mend_lexical", columns)]


def delete_vectors_without_text(t: Transaction, hashes: Sequence[bytes]) -> None:
    """Delete the vectors of texts that no lexical row has any more."""
    t.execute("delete_vectors_without_text", {"text_hashes": list(hashes)})


def delete_lone(t: Transaction, name: str) -> None:
    """Delete every derived row of a subject of which the log knows nothing."""
    named = {"subject_id": name}
    for query in _OF_SUBJECT:
        t.execute(query, named)
    delete_vectors_without_text(t, [bytes(row["text_hash"]) for row in t.all("erase_subject_lexical", named)])


def delete_vectors(t: Transaction, ids: Sequence[str]) -> None:
    """Delete vectors by model/text hash; their texts wait for new ones."""
    t.execute("mend_vectors", {"ids": list(ids)})


def delete_orphans(t: Transaction, *, extractions: bool) -> None:
    """Delete vectors, evidence and use counters that belong to nothing, and extractions of no content if asked."""
    for query in ("mend_orphaned_vectors", "mend_orphaned_evidence", "mend_orphaned_uses"):
        t.execute(query)
    if extractions:
        t.execute("mend_orphaned_extractions")
