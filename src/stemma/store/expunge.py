"""Deleting what rests on erased episodes, or a whole subject, from every table. What to erase is `app/erase`'s."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from stemma.record_json import decode
from stemma.state import Conflict, Decision
from stemma.store import acts, episodes, log, sessions, traces
from stemma.store.transaction import Row, Transaction

Counts = dict[str, int]
_SPACE = 1 << 256


@dataclass(frozen=True, slots=True)
class ErasedKey:
    """A key that is to go, with what its tombstone has to know."""

    key: str
    business_key: str | None
    policy: str
    last_said_at: datetime | None


def keys_of_subject(t: Transaction, subject: str) -> list[ErasedKey]:
    """Return every key of a subject."""
    return [_key(row) for row in t.all("keys_of_subject", {"subject_id": subject})]


def keys_of_episodes(t: Transaction, episode_ids: Iterable[str]) -> list[ErasedKey]:
    """Return the keys of episodes."""
    return [_key(row) for row in t.all("keys_of_episodes", {"episode_ids": list(episode_ids)})]


def events_of(t: Transaction, subject: str, groups: Iterable[str]) -> dict[str, str]:
    """Return the episodes of business events, with all twins: id to group."""
    rows = t.all("episodes_of_events", {"subject_id": subject, "groups": list(groups)})
    return {row["episode_id"]: row["group_id"] for row in rows}


def act_ids_of_subject(t: Transaction, subject: str) -> list[str]:
    """Return the ids of the human acts on a subject."""
    return [row["act_id"] for row in t.all("act_ids_of_subject", {"subject_id": subject})]


def expunge_subject(t: Transaction, subject: str) -> Counts:
    """Delete everything about a subject, and say how much by table. The caller holds the log and the subject."""
    named = {"subject_id": subject}
    counts = {
        "sayings": t.execute("erase_subject_sayings", named),
        "revisions": t.execute("erase_subject_revisions", named),
        "extractions": t.execute("erase_subject_extractions", named),
        "episodes": t.execute("erase_subject_episodes", named),
        "acts": acts.delete(t, act_ids_of_subject(t, subject)),
        "evidence": t.execute("erase_subject_evidence", named),
    }
    t.execute("erase_subject_uses", named)
    counts["memories"] = t.execute("erase_subject_memories", named)
    counts["decisions"] = t.execute("erase_subject_decisions", named)
    counts["conflicts"] = t.execute("erase_subject_conflicts", named)
    counts["points"] = t.execute("erase_subject_points", named)
    for name in ("erase_subject_notes", "erase_subject_dirty"):
        t.execute(name, named)
    hashes = [row["text_hash"] for row in t.all("erase_subject_lexical", named)]
    counts["passages"] = len(hashes)
    counts["vectors"] = t.execute("delete_vectors_without_text", {"text_hashes": hashes})
    t.execute("erase_subject_row", named)
    # Last: a trace or a conversation's bundle that is written meanwhile waits for the subject's row, or was before it.
    counts["traces"] = traces.erase_of_subject(t, subject)
    sessions.erase_of_subject(t, subject)
    return counts


def expunge_events(t: Transaction, subject: str, found: dict[str, str], keys: Iterable[str]) -> Counts:
    """Delete episodes (id to group) and everything that rests on them, and say how much by table.

    Rows that rest on other episodes too go as well, since their wording may be the erased one: the subject is marked
    to be derived anew, which brings them back as the others say it. The caller holds the log and the subject.
    """
    ids = sorted(found)
    resting = t.all("memories_resting_on", {"subject_id": subject, "episode_ids": ids})
    alone = {row["id"] for row in resting if row["alone"]}
    rulings = _Rulings(t, subject, alone, {*ids, *keys})
    gone = [bytes(row["row_hash"]) for row in resting if row["derived"]]
    _subtract(t, subject, [*gone, *rulings.summands])
    named = {"episode_ids": ids}
    counts = {
        "sayings": t.execute("erase_sayings", named),
        "revisions": t.execute("erase_revisions", named),
        "extractions": t.execute("erase_extractions", named),
        "episodes": t.execute("erase_episodes", named),
        **rulings.delete(),
        **_delete_memories(t, [row["id"] for row in resting], sorted(alone)),
        **_delete_points(t, subject, sorted(set(found.values()))),
    }
    owners = [*ids, *(row["id"] for row in resting)]
    hashes = [row["text_hash"] for row in t.all("delete_lexical", {"owner_ids": owners})]
    counts["passages"] = len(hashes)
    counts["vectors"] = t.execute("delete_vectors_without_text", {"text_hashes": hashes})
    counts["traces"] = traces.erase_naming(t, [*owners, *rulings.conflict_ids], subject=subject)
    sessions.take_out(t, subject, owners)
    episodes.mark_groups_dirty(t, [(subject, log.WHOLE_SUBJECT)])
    return counts


class _Rulings:
    """The decisions and conflicts of a subject, standing and undone, that name what is erased."""

    def __init__(self, t: Transaction, subject: str, memories: set[str], keys: set[str]) -> None:
        self._t = t
        named = {"subject_id": subject}
        self._decisions = [row for row in t.all("decisions_to_search", named) if _rules_on(row, memories, keys)]
        self._conflicts = [row for row in t.all("conflicts_to_search", named) if _opens_on(row, memories, keys)]

    @property
    def summands(self) -> list[bytes]:
        """What they add to the subject's hash."""
        standing = [row["row_hash"] for row in self._decisions if row["undone_at"] is None]
        return [bytes(each) for each in (*standing, *(row["row_hash"] for row in self._conflicts if row["derived"]))]

    @property
    def conflict_ids(self) -> list[str]:
        """The conflicts among them."""
        return [row["id"] for row in self._conflicts]

    def delete(self) -> Counts:
        """Delete them."""
        decisions = {
            "ids": [row["id"] for row in self._decisions],
            "decided_ats": [row["decided_at"] for row in self._decisions],
        }
        return {
            "decisions": self._t.execute("erase_decisions", decisions),
            "conflicts": self._t.execute("erase_conflicts", {"ids": self.conflict_ids}),
        }


def _rules_on(row: Row, memories: set[str], keys: set[str]) -> bool:
    if row["winner_id"] in memories or row["loser_id"] in memories:
        return True
    decision = decode(Decision, row["body"])
    return not keys.isdisjoint((*decision.winner_episodes, *decision.loser_episodes))


def _opens_on(row: Row, memories: set[str], keys: set[str]) -> bool:
    conflict = decode(Conflict, row["body"])
    return not memories.isdisjoint(conflict.memory_ids) or conflict.opened_by in memories | keys


def _delete_memories(t: Transaction, ids: Sequence[str], alone: Sequence[str]) -> Counts:
    # How often a row was recalled outlives it where others bring it back.
    t.execute("erase_uses", {"ids": list(alone)})
    return {
        "evidence": t.execute("erase_evidence", {"ids": list(ids)}),
        "memories": t.execute("erase_memories", {"ids": list(ids)}),
    }


def _delete_points(t: Transaction, subject: str, groups: Sequence[str]) -> Counts:
    named = {"subject_id": subject, "groups": list(groups)}
    points = t.execute("erase_points", named)
    t.execute("erase_lone_notes", {"subject_id": subject})
    t.execute("erase_dirty", named)
    return {"points": points}


def _subtract(t: Transaction, subject: str, summands: Iterable[bytes]) -> None:
    row = t.maybe("state_hash_for_update", {"subject_id": subject})
    if row is None:
        return
    left = int.from_bytes(row["state_hash"], "big") - sum(int.from_bytes(each, "big") for each in summands)
    t.execute("set_state_hash", {"subject_id": subject, "state_hash": (left % _SPACE).to_bytes(32, "big")})


def _key(row: Row) -> ErasedKey:
    return ErasedKey(row["key"], row["business_key"], row["policy"], row["last_said_at"])
