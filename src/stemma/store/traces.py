"""Counting what a subject holds, and keeping the records of answers. What a record says is `core/traced`'s."""

from __future__ import annotations

import re
import zlib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from stemma.store.transaction import Row, Transaction

_LEVEL: Final = 1
_DIGEST_BYTES: Final = 32
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
_DIGESTS: Final = re.compile(r"[0-9a-f]*")


@dataclass(frozen=True, slots=True)
class StoredTrace:
    """A trace as it is written: its place among others, every id that it names, and the rest of it as text.

    Of a bundle, `query` is the digest of what was asked, `given` the memories that came, `forced` those among them that
    another rule than relevance brought; both by their place in `names`, from 1.
    """

    trace_id: str
    subject_id: str | None
    recorded_at: datetime
    names: Sequence[str]
    body: str
    query: str | None = None
    given: Sequence[int] | None = None
    forced: Sequence[int] | None = None


def held(
    t: Transaction, subject: str, now: datetime, *, kinds: Sequence[str] | None, listed: int
) -> tuple[dict[str, int], list[tuple[str, str]]]:
    """Count a subject's memories by what becomes of them at `now`, and give (id, reason) of the first left out."""
    asked = {"subject_id": subject, "now": now, "kinds": None if kinds is None else list(kinds), "listed": listed}
    rows = t.all("held_memories", asked)
    counts = {row["reason"]: int(row["n"]) for row in rows if row["id"] is None}
    return counts, [(row["id"], row["reason"]) for row in rows if row["id"] is not None]


def stamp(t: Transaction, subject: str) -> str | None:
    """Return what is another after every change of a subject's memories; None for a subject without a row."""
    row = t.maybe("subject_stamp", {"subject_id": subject})
    return None if row is None else str(row["stamp"])


def next_turn(t: Transaction, subject: str, now: datetime) -> datetime | None:
    """Return when the first memory of a subject begins or ceases to stand after `now`; None where none ever does."""
    found: datetime | None = t.one("next_turn", {"subject_id": subject, "now": now})["at"]
    return found


def turning(t: Transaction, subject: str, now: datetime) -> list[Row]:
    """Return the memories that do not stand at `now` and whose last turn is still to come."""
    return t.all("turning_memories", {"subject_id": subject, "now": now})


def count_episodes(t: Transaction, subject: str) -> int:
    """Count a subject's episodes."""
    return int(t.one("count_episodes", {"subject_id": subject})["n"])


def put(t: Transaction, listed: Iterable[StoredTrace]) -> int:
    """Store traces, and say how many were new."""
    return t.many(
        "put_trace",
        [
            {
                "trace_id": one.trace_id,
                "subject_id": one.subject_id,
                "recorded_at": one.recorded_at,
                "names": _raw(one.names),
                "body": zlib.compress(one.body.encode(), _LEVEL),
                "query": one.query,
                "given": None if one.given is None else list(one.given),
                "forced": None if one.forced is None else list(one.forced),
            }
            for one in listed
        ],
    )


def read(t: Transaction, trace_id: str) -> tuple[list[str], str] | None:
    """Return the ids that a stored trace names and the rest of it; None where there is none."""
    row = t.maybe("trace_by_id", {"trace_id": trace_id})
    if row is None:
        return None
    return named(row["names"]), zlib.decompress(bytes(row["body"])).decode()


def named(raw: Iterable[bytes]) -> list[str]:
    """Return ids as they are written in a row of a trace."""
    return [_name(bytes(each)) for each in raw]


def hold_subjects(t: Transaction, subjects: Collection[str]) -> set[str]:
    """Keep erasures of subjects out until the transaction ends; return those that are there."""
    return {row["subject_id"] for row in t.all("hold_subjects_named", {"subjects": sorted(subjects)})}


def hold_documents(t: Transaction, document_ids: Collection[str]) -> set[str]:
    """Keep erasures of documents out until the transaction ends; return those that are there."""
    if not document_ids:
        return set()
    return {row["document_id"] for row in t.all("hold_documents_named", {"documents": sorted(document_ids)})}


def known(t: Transaction, names: Collection[str]) -> set[str]:
    """Return those ids under which a memory, an episode or a conflict is there."""
    return {row["id"] for row in t.all("known_names", {"names": sorted(names)})}


def erase_of_subject(t: Transaction, subject: str) -> int:
    """Delete every trace of a subject, and say how many."""
    return t.execute("erase_traces_of_subject", {"subject_id": subject})


def erase_naming(t: Transaction, names: Iterable[str], *, subject: str | None = None) -> int:
    """Delete the traces, of one subject or of all, that name any of some ids; say how many."""
    return t.execute("erase_traces_naming", {"subject_id": subject, "names": _raw(names)})


def prune(t: Transaction, *, oldest: datetime, kept: int) -> int:
    """Delete the traces that are older than `oldest` or beyond the newest `kept`; say how many."""
    return t.execute("prune_traces", {"oldest": oldest, "kept": kept})


def memories(t: Transaction, ids: Collection[str]) -> dict[str, Row]:
    """Return memories by id, as far as a trace asks about them."""
    return {row["id"]: row for row in t.all("memories_to_judge", {"ids": sorted(ids)})}


def passages(t: Transaction, ids: Collection[str]) -> dict[str, Row]:
    """Return passages by id with their texts and their documents."""
    return {row["passage_id"]: row for row in t.all("passages_to_judge", {"ids": sorted(ids)})}


def episodes(t: Transaction, ids: Collection[str]) -> dict[str, Row]:
    """Return episodes by id."""
    return {row["episode_id"]: row for row in t.all("episodes_to_judge", {"ids": sorted(ids)})}


def _raw(names: Iterable[str]) -> list[bytes]:
    """Write ids in as few bytes as tell them apart: most are digests, and nothing else is 32 bytes long here."""
    listed = list(names)
    joined = "".join(listed)
    # Read at once where all are digests, as in nearly every trace: a tenth of the cost of one after the other.
    if all(len(name) == 2 * _DIGEST_BYTES for name in listed) and _DIGESTS.fullmatch(joined):
        raw = bytes.fromhex(joined)
        return [raw[at : at + _DIGEST_BYTES] for at in range(0, len(raw), _DIGEST_BYTES)]
    return [bytes.fromhex(name) if _DIGEST.fullmatch(name) else _marked(name.encode()) for name in listed]


def _marked(name: bytes) -> bytes:
    return b"==" + name if len(name) + 1 == _DIGEST_BYTES else b"=" + name


def _name(raw: bytes) -> str:
    return raw.hex() if len(raw) == _DIGEST_BYTES else raw.lstrip(b"=").decode()
