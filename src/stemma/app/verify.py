"""The check of a store: derive everything anew beside what is stored, and say precisely what differs (R-2, R-13)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from stemma.app import verify_log, verify_state
from stemma.app.models_base import AnswerModel
from stemma.app.runtime import Runtime
from stemma.app.verify_log import Found
from stemma.errors import NotFound
from stemma.store import log, registry, scan
from stemma.store.connection import Isolation
from stemma.store.transaction import Transaction

T = TypeVar("T")
MOST_FAULTS = 1_000
SUBJECTS_AT_ONCE = 500


class Fault(AnswerModel):
    """One thing that is not as the log says: where, what kind, and which row."""

    subject_id: str | None
    kind: str
    id: str


class VerifyResult(AnswerModel):
    """What was looked at and what was found; `uncompiled` counts what waits for a compile, which is no fault."""

    sound: bool
    subjects: int
    episodes: int
    memories: int
    uncompiled: int
    faults: tuple[Fault, ...]


@dataclass(slots=True)
class Seen:
    """What was looked at, added up over subjects."""

    subjects: int = 0
    episodes: int = 0
    memories: int = 0
    uncompiled: int = 0
    faults: list[Fault] = field(default_factory=list)

    def add(self, subject: str | None, found: Found) -> None:
        """Take in what was found of one subject."""
        self.episodes += found.episodes
        self.memories += found.memories
        self.uncompiled += found.uncompiled
        self.faults += [Fault(subject_id=subject, kind=kind, id=name) for kind, name in found.faults]


def verify(
    runtime: Runtime, tenant: str, *, subject: str | None = None, advance: Callable[[int], None] | None = None
) -> VerifyResult:
    """Derive every subject of a tenant (or one) from its log and compare; nothing is written.

    `advance` is told after each subject how many are done. Raises NotFound for a subject that is not there.
    """
    seen = Seen()
    if subject is not None and _read(runtime, tenant, lambda t: log.news(t, subject)) is None:
        raise NotFound(f"there is no subject {subject!r}")
    for name in [subject] if subject is not None else _subjects(runtime, tenant):
        seen.add(name, _read(runtime, tenant, _verifier(runtime, name)))
        seen.subjects += 1
        if advance is not None:
            advance(seen.subjects)
    orphans = _read(runtime, tenant, lambda t: scan.orphans(t, MOST_FAULTS))
    seen.add(None, Found(faults=[(f"{part}_orphan", name) for part, name in orphans]))
    return VerifyResult(
        sound=not seen.faults,
        subjects=seen.subjects,
        episodes=seen.episodes,
        memories=seen.memories,
        uncompiled=seen.uncompiled,
        faults=tuple(seen.faults[:MOST_FAULTS]),
    )


def _subjects(runtime: Runtime, tenant: str) -> list[str]:
    found: list[str] = []
    while True:
        after = found[-1] if found else ""
        page = _read(runtime, tenant, partial(registry.subjects_page, after=after, limit=SUBJECTS_AT_ONCE))
        if not page:
            return found
        found += [name for name, _ in page]


def _verifier(runtime: Runtime, subject: str) -> Callable[[Transaction], Found]:
    def look(t: Transaction) -> Found:
        found = Found(uncompiled=log.uncompiled(t, subject))
        whole = verify_log.check(t, runtime, subject, found)
        verify_state.check(t, whole, found)
        return found

    return look


def _read(runtime: Runtime, tenant: str, look: Callable[[Transaction], T]) -> T:
    # One snapshot, so that a compile at the same time is seen whole or not at all.
    return runtime.store.run(tenant, look, read_only=True, isolation=Isolation.REPEATABLE_READ)
