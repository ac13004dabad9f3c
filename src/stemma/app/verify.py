"""The check of a store: derive everything anew beside what is stored, and say precisely what differs (R-2, R-13)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from stemma.app import verify_documents, verify_log, verify_state
from stemma.app.models_base import AnswerModel
from stemma.app.runtime import Runtime
from stemma.app.verify_faults import ADVICE, Fault, Found
from stemma.errors import NotFound
from stemma.store import index, log, passages, registry, scan
from stemma.store.connection import Isolation
from stemma.store.transaction import Transaction

T = TypeVar("T")
MOST_FAULTS = 1_000
SUBJECTS_AT_ONCE = 500

# Parts of the log that an orphan bears witness to; every other orphan is a derived row too many.
_LOST = {"revision": "episode_missing", "saying": "episode_missing", "act": "act_missing"}


class VerifyResult(AnswerModel):
    """What was looked at and what was found.

    `uncompiled` counts what waits for a compile and `vectors_outstanding` what waits for a vector: no faults. `faults`
    are the first 1,000 of `faults_found`. After a repair they are what is left, and `repaired` what is no fault any
    more; `advice` says what to do about faults of the log itself, which no repair touches.
    """

    sound: bool
    subjects: int
    episodes: int
    memories: int
    uncompiled: int
    vectors_outstanding: int
    faults_found: int
    faults: tuple[Fault, ...]
    advice: str | None = None
    repaired_count: int = 0
    repaired: tuple[Fault, ...] = ()


@dataclass(slots=True)
class Seen:
    """What was looked at, added up over subjects."""

    subjects: int = 0
    episodes: int = 0
    memories: int = 0
    uncompiled: int = 0
    outstanding: int = 0
    faults: list[Fault] = field(default_factory=list)

    def add(self, found: Found) -> None:
        """Take in what was found of one subject."""
        self.episodes += found.episodes
        self.memories += found.memories
        self.uncompiled += found.uncompiled
        self.faults += found.faults


def verify(
    runtime: Runtime, tenant: str, *, subject: str | None = None, advance: Callable[[int], None] | None = None
) -> VerifyResult:
    """Derive every subject of a tenant (or one) from its log and compare; nothing is written.

    `advance` is told after each subject how many are done. Raises NotFound for a subject that is not there.
    """
    return told(look(runtime, tenant, subject=subject, advance=advance))


def look(
    runtime: Runtime, tenant: str, *, subject: str | None = None, advance: Callable[[int], None] | None = None
) -> Seen:
    """Look at every subject of a tenant, or one, and at what belongs to none; give every fault."""
    seen = Seen()
    if subject is not None and not _read(runtime, tenant, partial(_is_known, subject=subject)):
        raise NotFound(f"there is no subject {subject!r}")
    for name in [subject] if subject is not None else _subjects(runtime, tenant):
        seen.add(_read(runtime, tenant, partial(_look_at, runtime=runtime, subject=name)))
        seen.subjects += 1
        if advance is not None:
            advance(seen.subjects)
    if subject is None:
        seen.add(verify_documents.check(runtime, tenant))
    rest, seen.outstanding = _read(runtime, tenant, partial(_look_beside, runtime=runtime))
    rest.faults = [each for each in rest.faults if not _is_explained(each, seen.faults)]
    seen.add(rest)
    return seen


def told(seen: Seen) -> VerifyResult:
    """Give the answer."""
    return VerifyResult(
        sound=not seen.faults,
        subjects=seen.subjects,
        episodes=seen.episodes,
        memories=seen.memories,
        uncompiled=seen.uncompiled,
        vectors_outstanding=seen.outstanding,
        faults_found=len(seen.faults),
        faults=tuple(seen.faults[:MOST_FAULTS]),
        advice=ADVICE if any(each.in_log for each in seen.faults) else None,
    )


def _is_known(t: Transaction, subject: str) -> bool:
    return log.news(t, subject) is not None or subject in scan.missing_subjects(t)


def _subjects(runtime: Runtime, tenant: str) -> list[str]:
    found: list[str] = []
    while True:
        after = found[-1] if found else ""
        page = _read(runtime, tenant, partial(registry.subjects_page, after=after, limit=SUBJECTS_AT_ONCE))
        if not page:
            return found
        found += [name for name, _ in page]


def _look_at(t: Transaction, runtime: Runtime, subject: str) -> Found:
    found = Found(subject)
    # A subject that was erased since it was listed has nothing to look at.
    whole = verify_log.check(t, runtime, subject, found)
    if whole is not None:
        verify_state.check(t, whole, found)
    return found


def _look_beside(t: Transaction, runtime: Runtime) -> tuple[Found, int]:
    """Look at what belongs to no subject: rows without an owner, tombstones, vectors."""
    found = Found()
    for subject in scan.missing_subjects(t):
        told_of = "the log speaks of this subject and it is not listed: no compile would visit it"
        found.faults.append(Fault(subject_id=subject, kind="subject_missing", id=subject, detail=told_of, in_log=False))
    for orphan in scan.orphans(t):
        if orphan.part in _LOST:
            told_of = (
                f"a {orphan.part} of it is there alone" if orphan.part != "act" else "what it named is there alone"
            )
            found.add(_LOST[orphan.part], orphan.id, f"the log does not hold it any more: {told_of}")
        else:
            whose = f" of the subject {orphan.subject!r}" if orphan.subject is not None else ""
            found.add(f"{orphan.part}_orphan", orphan.id, f"this {orphan.part}{whose} belongs to nothing that is there")
    for digest, how in scan.tombstones(t):
        found.add(*_tombstone(digest, how))
    for secret in scan.missing_secrets(t):
        found.add("tombstone_secret_missing", secret)
    embedder = runtime.embedder
    asked = (embedder.id, embedder.dimensions) if embedder else (None, None)
    for name, length, right in scan.wrong_vectors(t, *asked):
        found.add("vector_length_differs", name, f"it has {length} numbers, the others of its model have {right}")
    if embedder is None:
        return found, 0
    return found, index.count_vectors_missing(t, embedder.id) + passages.count_vectors_missing(t, embedder.id)


def _is_explained(orphan: Fault, named: Iterable[Fault]) -> bool:
    """Say whether a row that lost its owner is a part of what a subject's own check has named already."""
    if orphan.kind in {"evidence_orphan", "use_orphan"}:
        owner = orphan.id.partition("/")[0]
        return any(each.kind == "memory_missing" and each.id == owner for each in named) or any(
            each.kind == "evidence_not_derived" and each.id == orphan.id for each in named
        )
    return orphan.in_log and any(each.kind == orphan.kind and orphan.id.startswith(each.id) for each in named)


def _tombstone(digest: str, how: str) -> tuple[str, str, str | None]:
    match how:
        case "missing":
            return "tombstone_missing", digest, None
        case "differs":
            return "tombstone_altered", digest, None
    return "tombstone_altered", digest, "this tombstone was entered once, where every erasure enters one twice"


def _read(runtime: Runtime, tenant: str, reading: Callable[[Transaction], T]) -> T:
    # One snapshot, so that a compile at the same time is seen whole or not at all.
    return runtime.store.run(tenant, reading, read_only=True, isolation=Isolation.REPEATABLE_READ)
