"""What people do to memories: forget, patch, resolve. Each is a log entry that names evidence, then a compile."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from stemma.app import memory_view as view
from stemma.app import models_memories as wire
from stemma.app.admitting import core_rows
from stemma.app.compile import compile_subject
from stemma.app.memories import one_memory, stored_memory
from stemma.app.runtime import Runtime, require_kinds
from stemma.core import claims
from stemma.core.acts import identified, is_worded
from stemma.core.admit.core_list import MOST
from stemma.core.rules import Rules
from stemma.core.structured import canonical_value
from stemma.errors import ConflictSettled, CoreListFull, InvalidInput, NotFound
from stemma.record_json import decode
from stemma.records import ActKind, HumanAct, Injection, NamedMemory, NamedSaying, Polarity
from stemma.state import Conflict, Evidence, MemoryRow
from stemma.store import acts as stored_acts
from stemma.store import memories as stored
from stemma.store.transaction import Transaction


def forget_memory(runtime: Runtime, tenant: str, request: wire.ForgetRequest) -> wire.Memory:
    """Retract one memory up to now; the texts stay in the log, and a rebuild keeps it retracted."""
    return _act_on(runtime, tenant, request.memory_id, [(ActKind.FORGET, None, None)], request)


def patch_memory(runtime: Runtime, tenant: str, request: wire.PatchMemory) -> wire.Memory:
    """Record each named change of one memory, then derive it anew."""
    changes: list[tuple[ActKind, str | None, str | None]] = []
    if request.kind is not None:
        changes.append((ActKind.RETYPE, request.kind, None))
    if request.injection is not None:
        changes.append((ActKind.INJECTION, request.injection.value, None))
    if request.importance is not None:
        changes.append((ActKind.IMPORTANCE, repr(request.importance), None))
    if request.quarantine is not None:
        changes.append((ActKind.QUARANTINE if request.quarantine else ActKind.RELEASE, None, None))
    if request.merge_into is not None:
        if request.merge_into == request.memory_id:
            raise InvalidInput("a memory cannot be merged into itself", field="merge_into")
        changes.append((ActKind.MERGE, None, request.merge_into))
    return _act_on(runtime, tenant, request.memory_id, changes, request)


def _act_on(
    runtime: Runtime,
    tenant: str,
    memory_id: str,
    changes: Iterable[tuple[ActKind, str | None, str | None]],
    signed: wire.ForgetRequest | wire.PatchMemory,
) -> wire.Memory:
    """Write one act for each change (kind, argument, other memory), and let it take effect before answering."""
    now = runtime.now()

    def write(t: Transaction) -> str:
        named = _named(t, memory_id)
        subject = str(stored_memory(t, memory_id)["subject_id"])
        for kind, argument, other in changes:
            if kind is ActKind.RETYPE and argument is not None:
                require_kinds(runtime, [argument])
            if kind is ActKind.INJECTION and argument == Injection.CORE.value:
                _require_room(t, subject, memory_id, now)
            sides = (named,) if other is None else (named, _named(t, other, subject))
            act = _draft(kind, subject, now, sides)
            _put(t, replace(act, argument=argument, by=signed.by, note=signed.note))
        return subject

    subject = runtime.store.run(tenant, write)
    compile_subject(runtime, tenant, subject)
    return runtime.store.run(tenant, lambda t: one_memory(t, memory_id, runtime.now()), read_only=True)


def _require_room(t: Transaction, subject: str, memory_id: str, now: datetime) -> None:
    """Raise CoreListFull where the subject's core list has its five without this one; writers of acts take turns."""
    stored_acts.hold(t, subject)
    if sum(row["id"] != memory_id for row in core_rows(t, subject, now)) >= MOST:
        raise CoreListFull(f"the core list has {MOST} memories; take one off before another comes on")


def resolve_conflict(runtime: Runtime, tenant: str, request: wire.ResolveRequest) -> wire.Conflict:
    """Rule on a conflict: a side, a third value, or both; it settles what was said up to now."""
    now = runtime.now()

    def write(t: Transaction) -> str:
        row = t.maybe("conflict_by_id", {"id": request.conflict_id})
        if row is None:
            raise NotFound(f"there is no conflict {request.conflict_id!r}")
        found, subject = decode(Conflict, row["body"]), str(row["subject_id"])
        if view.conflict(subject, row, now).status != "open":
            raise ConflictSettled(f"conflict {found.id!r} is not open any more; read the open ones again")
        ruling = _ruling(t, found, subject, now, request, runtime.rules)
        signed = replace(ruling, conflict_id=found.id, by=request.by, note=request.note)
        _put(t, signed)
        return subject

    subject = runtime.store.run(tenant, write)
    compile_subject(runtime, tenant, subject)

    def read(t: Transaction) -> wire.Conflict:
        return view.conflict(subject, t.one("conflict_by_id", {"id": request.conflict_id}), runtime.now())

    return runtime.store.run(tenant, read, read_only=True)


def _ruling(
    t: Transaction, found: Conflict, subject: str, now: datetime, request: wire.ResolveRequest, rules: Rules
) -> HumanAct:
    sides = tuple(_named(t, each, subject) for each in found.memory_ids)
    if request.choose is not None:
        if request.choose not in found.memory_ids:
            raise InvalidInput(f"choose one of the conflict's memories: {', '.join(found.memory_ids)}", field="choose")
        chosen = sorted(sides, key=lambda each: each.memory_id != request.choose)
        return _draft(ActKind.CHOOSE, subject, now, tuple(chosen))
    if request.value is not None:
        third = _third(t.tenant, subject, sides[0], canonical_value(sides[0].claim_key or "", request.value, rules))
        text = request.text or f"{sides[0].claim_key or sides[0].kind}: {request.value}"
        return replace(_draft(ActKind.THIRD_VALUE, subject, now, (third, *sides)), argument=text)
    return _draft(ActKind.KEEP_BOTH, subject, now, sides)


def _third(tenant: str, subject: str, side: NamedMemory, value: str) -> NamedMemory:
    """Name the memory of a third value: of the sides' unit, resting on no saying but the ruling itself."""
    named = claims.memory_id(tenant, subject, side.unit, value, Polarity.AFFIRMED, "")
    return replace(side, memory_id=named, value=value, text=value, polarity=Polarity.AFFIRMED, sayings=())


def _put(t: Transaction, act: HumanAct) -> None:
    """Store an act as the last one of its subject's instant: a clock may stand still between two of them."""
    stored_acts.hold(t, act.subject_id)
    stored_acts.put(t, identified(replace(act, place=stored_acts.count_at(t, act.subject_id, act.at))))


def _draft(kind: ActKind, subject: str, at: datetime, memories: tuple[NamedMemory, ...]) -> HumanAct:
    return HumanAct(id="", kind=kind, subject_id=subject, at=at, memories=memories, recorded_at=at)


def _named(t: Transaction, memory_id: str, subject: str | None = None) -> NamedMemory:
    """Name a memory by what it says and by every saying under it; one of another subject is not there."""
    row = stored_memory(t, memory_id)
    if subject is not None and row["subject_id"] != subject:
        raise NotFound(f"there is no memory {memory_id!r} of this subject")
    memory = decode(MemoryRow, row["body"])
    evidence = stored.evidence_of(t, [memory_id]).get(memory_id, [])
    return NamedMemory(
        unit=memory.unit,
        memory_id=memory.id,
        kind=memory.kind,
        # Not the words: they may be those of one episode alone, and outlive it when that is erased.
        text="",
        value=memory.value,
        polarity=memory.polarity,
        claim_key=memory.claim_key,
        # What a ruling worded stands in no episode; such a memory is named by what it says alone.
        sayings=tuple(sorted({_named_saying(each) for each in evidence if not is_worded(each)}, key=_in_order)),
    )


def _named_saying(evidence: Evidence) -> NamedSaying:
    return NamedSaying(
        key=evidence.key,
        content_hash=evidence.content_hash,
        occurred_at=evidence.occurred_at,
        place=evidence.place,
        start=evidence.start,
        end=evidence.end,
        message=evidence.message,
    )


def _in_order(saying: NamedSaying) -> tuple[str, str, datetime, int]:
    return saying.key, saying.content_hash, saying.occurred_at, saying.place
