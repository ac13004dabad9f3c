"""`verify --repair`: what is derived is derived anew and put right; the log is never written (R-2, R-13).

A subject whose log has a fault is left whole: what was derived of a lost record is the last that tells of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from functools import partial

from stemma.app import derivation, document_states, verify_documents, verify_held, verify_state
from stemma.app.compile import extract_content
from stemma.app.runtime import Runtime
from stemma.app.verify import MOST_FAULTS, VerifyResult, look, told
from stemma.app.verify_faults import Fault, Found
from stemma.app.verify_held import Held
from stemma.app.verify_log import Whole
from stemma.core import canon, codec
from stemma.core.derive import Log
from stemma.core.plan import difference
from stemma.records import Extraction, LogEpisode
from stemma.state import MemoryRow
from stemma.store import acts, index, log, memories, mend, scan
from stemma.store import points as stored_points
from stemma.store.transaction import Transaction

Extractions = dict[tuple[str, str], Extraction]


class LackingError(Exception):
    """A content arrived that was not extracted yet; nothing was written."""


class DamagedError(Exception):
    """The log of the subject has a fault, so nothing is derived from it; nothing was written."""


def repair(
    runtime: Runtime, tenant: str, *, subject: str | None = None, advance: Callable[[int], None] | None = None
) -> VerifyResult:
    """Put right what is derived, of every subject that needs it or of one, and verify again; the log is never written.

    `advance` is told after each subject of both verifications how many are done. Raises NotFound as `verify` does.
    """
    before = look(runtime, tenant, subject=subject, advance=advance)
    wanting = {each.subject_id for each in before.faults if each.subject_id is not None and not each.in_log}
    damaged = {each.subject_id for each in before.faults if each.in_log}
    for name in sorted(wanting - damaged):
        repair_subject(runtime, tenant, name)
    if any(each.subject_id is None for each in before.faults):
        _repair_beside(runtime, tenant, before.faults)
    if any(each.kind in verify_documents.DERIVED for each in before.faults):
        verify_documents.mend(runtime, tenant)
    after = look(runtime, tenant, subject=subject, advance=advance)
    left = {(each.subject_id, each.kind, each.id) for each in after.faults}
    done = [each for each in before.faults if (each.subject_id, each.kind, each.id) not in left]
    return told(after).model_copy(update={"repaired_count": len(done), "repaired": tuple(done[:MOST_FAULTS])})


def repair_subject(runtime: Runtime, tenant: str, subject: str) -> bool:
    """Derive a subject anew and put right whatever is stored otherwise; False where its log has a fault."""
    fresh: Extractions = {}
    while True:
        extractor = runtime.store.run(tenant, lambda t: runtime.registered(t)[1], read_only=True)
        fresh = {name: each for name, each in fresh.items() if each.extractor == extractor.version}
        lacking = runtime.store.run(tenant, partial(_lacking, subject=subject, fresh=fresh), read_only=True)
        fresh |= {(each.key, name): extract_content(extractor, each, each.revisions[name]) for each, name in lacking}
        rebuild = partial(_rebuild, runtime=runtime, subject=subject, fresh=fresh, at=runtime.now())
        try:
            runtime.store.run(tenant, rebuild, lock=subject)
        except LackingError:
            continue
        except DamagedError:
            return False
        return True


def _lacking(t: Transaction, subject: str, fresh: Extractions) -> list[tuple[LogEpisode, str]]:
    stored = scan.episodes(t, subject).episodes
    return [(each, name) for each in stored for name in each.revisions if (each.key, name) not in fresh]


def _rebuild(t: Transaction, runtime: Runtime, subject: str, fresh: Extractions, at: datetime) -> None:
    """Write everything that one subject's log yields over what is stored of it. The caller holds the subject."""
    mend.subject(t, subject)
    whole = _whole(t, runtime, subject, fresh)
    if whole is None:
        return
    _put_extractions(t, whole, at)
    wanted = verify_state.derived(whole)
    held = verify_held.read(t, subject)
    found = Found(subject)
    verify_held.check_columns(t, subject, held, wanted, found)
    _clear(t, subject, held, wanted, {each.id for each in found.faults}, at, whole.extractor.version)
    stored_points.wipe(t, subject)
    points = {name: (point, derivation.block(point)) for name, point in wanted.points.items()}
    stored_points.put(t, subject, points)
    plan = difference(wanted.units(), held.units())
    derivation.apply(t, subject, plan, at=at, extractor=whole.extractor.version)
    _put_index(t, whole, wanted)
    mend.act_episodes(t, subject, _named(t.tenant, whole.log))
    memories.set_state(t, subject, canon.state_hash(wanted.units().values()), whole.extractor.version)
    log.clear_dirty(t, subject, [dirty_id for dirty_id, _ in whole.dirty])


def _whole(t: Transaction, runtime: Runtime, subject: str, fresh: Extractions) -> Whole | None:
    """Read the whole log, in the order that lets a later arrival keep its own mark for the next compile."""
    head = log.news(t, subject)
    if head is None:
        return None
    registry, extractor = runtime.registered(t)
    waiting = scan.dirty(t, subject)
    stored = scan.episodes(t, subject)
    if stored.unreadable:
        raise DamagedError
    made = (fresh.get((each.key, name)) for each in stored.episodes for name in each.revisions)
    if any(each is None or each.extractor != extractor.version for each in made):
        raise LackingError
    done = Log(
        tenant=t.tenant,
        subject=subject,
        episodes=stored.episodes,
        extractions=fresh,
        acts=log.acts(t, subject),
        documents=document_states.of_episodes(t, stored.episodes),
    )
    names = set(stored.groups)
    return Whole(head, registry, extractor, done, set(), set(), names, set(), waiting)


def _put_extractions(t: Transaction, whole: Whole, at: datetime) -> None:
    bodies = {
        (each.episode_id, name): codec.to_json(whole.log.extractions[each.key, name])
        for each in whole.log.episodes
        for name in each.revisions
    }
    version = whole.extractor.version
    mend.extractions(t, bodies, version)
    log.put_extractions(t, bodies, extractor=version, recorded_at=at)


def _clear(
    t: Transaction, subject: str, held: Held, wanted: Held, untrue: set[str], at: datetime, extractor: str
) -> None:
    """Take out of the store, and of what is held, each row that no difference would put right by itself."""
    _clear_memories(t, subject, held, wanted, untrue)
    strange = [name for name in held.evidence if name not in wanted.evidence or "/".join(name) in untrue]
    mend.delete_evidence(t, [*held.unreadable["evidence"], *strange])
    for pair in strange:
        del held.evidence[pair]
    _clear_decisions(t, subject, held, wanted, untrue, at, extractor)
    altered = [name for name in (*held.conflicts, *held.closed) if name in untrue]
    mend.delete_conflicts(t, [*held.unreadable["conflicts"], *altered])
    for name in altered:
        held.conflicts.pop(name, None)


def _clear_memories(t: Transaction, subject: str, held: Held, wanted: Held, untrue: set[str]) -> None:
    # A row that is put again keeps its place in the journal; one that was never derived has none.
    strange = [name for name, row in held.memories.items() if not _may_be_kept(t.tenant, name, row, wanted)]
    strange += [name for name, row in held.journal.items() if not _may_be_kept(t.tenant, name, row, wanted)]
    gone = [*strange, *(name for name in held.unreadable["memories"] if name not in wanted.memories)]
    mend.delete_memories(t, gone)
    journal = [row for name, row in held.journal.items() if name not in gone and name in untrue]
    mend.journal_columns(t, subject, journal)
    for name in [name for name in held.memories if name in untrue or name in gone]:
        del held.memories[name]


def _may_be_kept(tenant: str, name: str, row: MemoryRow, wanted: Held) -> bool:
    return name in wanted.memories or verify_held.is_kept_as(tenant, name, row)


def _clear_decisions(
    t: Transaction, subject: str, held: Held, wanted: Held, untrue: set[str], at: datetime, extractor: str
) -> None:
    """A standing decision that was altered is written again as of when it was decided."""
    rows = held.rows["decisions"]
    unreadable = set(held.unreadable["decisions"])
    bad = [
        name
        for name in rows
        if name in unreadable
        or (name in held.undone and name[0] in untrue)
        or _stands_wrong(held, wanted, untrue, name)
    ]
    mend.delete_decisions(t, bad)
    for name, decided in bad:
        held.decisions.pop(name, None)
        right = wanted.decisions.get(name)
        if right is not None and rows[name, decided]["undone_at"] is None:
            digest = canon.digest(canon.decision_bytes(right))
            memories.put_decisions(t, subject, [(right, digest)], at=decided, extractor=extractor)
            held.decisions[name] = right


def _stands_wrong(held: Held, wanted: Held, untrue: set[str], name: tuple[str, datetime]) -> bool:
    if name in held.undone or name[0] not in held.decisions:
        return False
    right = wanted.decisions.get(name[0])
    return name[0] in untrue or (right is not None and right != held.decisions[name[0]])


def _put_index(t: Transaction, whole: Whole, wanted: Held) -> None:
    """Write the lexical rows that are missing or other than they should be, and delete those that name nothing."""
    subject = whole.log.subject
    items = verify_state.wanted_items(t.tenant, whole, wanted.memories.values())
    stored = scan.lexical_owners(t, subject)
    bad = [*(stored.keys() - items.keys()), *verify_state.differing_items(t, subject, items)]
    gone = mend.delete_lexical(t, bad)
    kept = scan.lexical_owners(t, subject)
    index.put_lexical(t, [forms[0] for name, forms in sorted(items.items()) if name not in kept])
    mend.delete_vectors_without_text(t, gone)


def _named(tenant: str, of: Log) -> set[tuple[str, str]]:
    return {(act, episode) for each in of.acts for episode, act in acts.episodes_named(tenant, each)}


def _repair_beside(runtime: Runtime, tenant: str, faults: Iterable[Fault]) -> None:
    """Delete derived rows that belong to nothing: of subjects that are not there, and of what nobody owns."""
    lengths = [each.id for each in faults if each.kind == "vector_length_differs"]
    for name in runtime.store.run(tenant, _lone_subjects, read_only=True):
        runtime.store.run(tenant, partial(mend.delete_lone, name=name), lock=name)
    # An extraction of a content that is gone tells of it, as long as anything of the log is missing.
    is_whole = not any(each.in_log for each in faults)

    def write(t: Transaction) -> None:
        mend.delete_vectors(t, lengths)
        mend.delete_orphans(t, extractions=is_whole)

    runtime.store.run(tenant, write)


def _lone_subjects(t: Transaction) -> list[str]:
    return sorted({each.subject for each in scan.orphans(t) if each.subject is not None})
