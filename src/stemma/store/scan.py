"""What `verify` looks at in the store: whole subjects as they are stored, readable or not. Writes nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar
from uuid import UUID

from stemma.record_json import decode
from stemma.records import Content, LogEpisode, Saying
from stemma.state import MemoryRow
from stemma.store import index, log, memories
from stemma.store.index import LexicalRow
from stemma.store.transaction import Row, Transaction

T = TypeVar("T")
Item = tuple[str, str]
_TO_CHECK: Final = {
    "points": "points_to_check",
    "memories": "memories_to_check",
    "evidence": "evidence_to_check",
    "decisions": "decisions_to_check",
    "conflicts": "conflicts_to_check",
    "notes": "notes_to_check",
}
# How the columns of a turn are bound, and what they are called as arrays.
_TURN_COLUMNS: Final = {
    "unit": "units",
    "session": "sessions",
    "said_at": "said_ats",
    "place": "places",
    "role": "roles",
    "speaker": "speakers",
    "words": "words",
    "asks": "asks",
    "length": "lengths",
    "starts": "starts",
    "ends": "ends",
}


@dataclass(slots=True)
class StoredLog:
    """The episodes of a subject with the group that each is stored under; `unreadable` are (episode, content hash)."""

    episodes: list[LogEpisode] = field(default_factory=list)
    groups: dict[str, str] = field(default_factory=dict)
    unreadable: list[tuple[str, str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Orphan:
    """A row whose owner is not there; `subject` where the row names one."""

    part: str
    id: str
    subject: str | None


def read(kind: type[T], body: str) -> T | None:
    """Read a stored record; None where it cannot be read."""
    try:
        return decode(kind, body)
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


def episodes(t: Transaction, subject: str) -> StoredLog:
    """Return every episode of a subject; a content or saying that cannot be read is left out and named."""
    heads = t.all("episodes_to_check", {"subject_id": subject})
    ids = {"episode_ids": [head["episode_id"] for head in heads]}
    found = StoredLog(groups={head["episode_id"]: head["group_id"] for head in heads})
    contents: dict[str, dict[str, Content]] = {}
    for row in t.all("revisions_of_episodes", ids):
        content = read(Content, row["content"])
        if content is None:
            found.unreadable.append((row["episode_id"], row["content_hash"]))
        else:
            contents.setdefault(row["episode_id"], {})[row["content_hash"]] = content
    sayings: dict[str, list[Saying]] = {}
    for row in t.all("sayings_of_episodes", ids):
        try:
            sayings.setdefault(row["episode_id"], []).append(log.saying_of(row))
        except (ValueError, TypeError):
            found.unreadable.append((row["episode_id"], row["content_hash"]))
    found.episodes = [
        log.episode_of(head, contents.get(head["episode_id"], {}), sayings.get(head["episode_id"], ()))
        for head in heads
    ]
    return found


def acts(t: Transaction, subject: str) -> list[Row]:
    """Return the rows of the human acts on a subject, in order of (time, id)."""
    return t.all("acts_to_check", {"subject_id": subject})


def act_episodes(t: Transaction, subject: str) -> tuple[set[tuple[str, str]], set[str]]:
    """Return (act id, episode id) of what is stored on which episodes a subject's acts name, and acts that are gone."""
    found = t.all("act_episodes_to_check", {"subject_id": subject})
    known = {(row["act_id"], row["episode_id"]) for row in found if row["known"]}
    return known, {row["act_id"] for row in found if not row["known"]}


def dirty(t: Transaction, subject: str) -> list[tuple[UUID, str]]:
    """Return (id, group) of everything that waits for a compile."""
    return [(row["dirty_id"], row["group_id"]) for row in t.all("dirty_to_check", {"subject_id": subject})]


def rows(t: Transaction, part: str, subject: str) -> list[Row]:
    """Return the stored rows of a subject: `part` is points, memories, evidence, decisions, conflicts or notes."""
    return t.all(_TO_CHECK[part], {"subject_id": subject})


def has_tombstones(t: Transaction) -> bool:
    """Say whether the tenant has ever erased anything."""
    return bool(t.one("any_tombstone")["found"])


def missing_subjects(t: Transaction) -> list[str]:
    """Return the subjects that the log speaks of and that have no row of their own."""
    return [row["subject_id"] for row in t.all("subjects_that_are_missing")]


def orphans(t: Transaction) -> list[Orphan]:
    """Return the rows whose owner is not there."""
    return [Orphan(row["part"], row["id"], row["subject_id"]) for row in t.all("orphans")]


def wrong_vectors(t: Transaction, model_id: str | None, dimensions: int | None) -> list[tuple[str, int, int]]:
    """Return (model/text hash, length, right length) of vectors that cannot be compared with their model's."""
    found = t.all("vectors_of_wrong_length", {"model_id": model_id, "dimensions": dimensions})
    return [(row["id"], row["found"], row["wanted"]) for row in found]


def tombstones(t: Transaction) -> list[tuple[str, str]]:
    """Return (digest, missing | alone | differs) of tombstones whose two entries are not the same."""
    return [(row["id"], row["found"]) for row in t.all("tombstones_that_differ")]


def missing_secrets(t: Transaction) -> list[str]:
    """Return the secrets that tombstones name and that are not there."""
    return [row["id"] for row in t.all("secrets_that_are_missing")]


def memory_columns(t: Transaction, subject: str, listed: Sequence[tuple[MemoryRow, bytes]]) -> list[str]:
    """Return the ids of stored memories whose columns are not what their row says; an empty hash is not compared."""
    named = memories.columns(listed)
    found = t.all("memory_columns_that_differ", {"subject_id": subject, **named})
    return [row["id"] for row in found]


def lexical_owners(t: Transaction, subject: str) -> dict[Item, str]:
    """Return the owner of every lexical row of a subject, by (item kind, item id)."""
    found = t.all("lexical_of_subject", {"subject_id": subject})
    return {(row["item_kind"], row["item_id"]): row["owner_id"] for row in found}


def extracted_episodes(t: Transaction, episode_ids: Iterable[str]) -> set[str]:
    """Return those of some episodes of which an extraction is kept, by whatever extractor."""
    return {row["episode_id"] for row in t.all("extracted_episodes", {"episode_ids": list(episode_ids)})}


def lexical_columns(t: Transaction, subject: str, listed: Sequence[LexicalRow]) -> list[Item]:
    """Return (item kind, item id) of stored lexical rows of a subject that are not what they should be."""
    bound = [index.bound(row) for row in listed]
    named = {
        "item_kinds": [row.item_kind for row in listed],
        "item_ids": [row.item_id for row in listed],
        "owner_ids": [row.owner_id for row in listed],
        "stands": [row.stands for row in listed],
        "text_hashes": [row.text_hash for row in listed],
        "analysers": [row.analyser for row in listed],
        "terms": ["{" + ",".join(map(str, each["terms"])) + "}" for each in bound],
        "weights": [each["weights"] for each in bound],
        **{many: [each[one] for each in bound] for one, many in _TURN_COLUMNS.items()},
    }
    found = t.all("lexical_that_differ", {"subject_id": subject, **named})
    return [(row["item_kind"], row["item_id"]) for row in found]
