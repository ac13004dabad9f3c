"""Reading memories, their history, rulings and conflicts. What changes them: `acts`, `remember`, `compile`."""

from __future__ import annotations

from datetime import UTC, datetime

from stemma.app import memory_view as view
from stemma.app import models_memories as wire
from stemma.app.cursors import cursor_of, cursor_parts, moment_in, name_after
from stemma.app.runtime import Runtime, require_kinds
from stemma.core.structured import canonical_value
from stemma.errors import NotFound
from stemma.record_json import decode
from stemma.state import MemoryRow
from stemma.store import memories as stored
from stemma.store.transaction import Row, Transaction

_FIRST = datetime.min.replace(tzinfo=UTC)
# The lists whose pages end here.
_MEMORIES, _DECISIONS, _CONFLICTS = "memories", "decisions", "conflicts"


def list_memories(runtime: Runtime, tenant: str, request: wire.ListMemories) -> wire.MemoryPage:
    """List memories of a subject, or those of a typed fact; active ones unless a status is named."""
    require_kinds(runtime, [request.kind] if request.kind else [])
    now = runtime.now()
    scope = {
        "subject_id": request.subject_id,
        "kind": request.kind,
        "claim_key": request.claim_key,
        "value_hash": _asked_value(runtime, request),
    }

    def wanted(row: Row) -> bool:
        if request.status == "all":
            return True
        status, _, _ = view.status_of(decode(MemoryRow, row["body"]), derived=row["derived"], now=now)
        return status == request.status

    def read(t: Transaction) -> wire.MemoryPage:
        after = name_after(request.cursor, _MEMORIES)
        found: list[Row] = []
        more = True
        # Status is read from each row, so pages of the store are sifted until one page of the answer is full.
        while more and len(found) <= request.limit:
            rows = t.all("list_memories", {**scope, "after": after, "limit": request.limit + 1})
            more = len(rows) > request.limit
            after = rows[-1]["id"] if rows else after
            found.extend(row for row in rows if wanted(row))
        page = found[: request.limit]
        more = more or len(found) > request.limit
        following = cursor_of(_MEMORIES, page[-1]["id"]) if more and page else None
        return wire.MemoryPage(items=tuple(view.memories(t, page, now)), next_cursor=following)

    return runtime.store.run(tenant, read, read_only=True)


def _asked_value(runtime: Runtime, request: wire.ListMemories) -> bytes | None:
    """Give what a typed fact is looked up by: its value as a claim of that key would be compared."""
    if request.value is None or request.claim_key is None:
        return None
    return stored.value_hash(canonical_value(request.claim_key, request.value, runtime.rules))


def get_memory(runtime: Runtime, tenant: str, request: wire.MemoryById) -> wire.Memory:
    """Read one memory as it stands now."""

    def read(t: Transaction) -> wire.Memory:
        return one_memory(t, request.memory_id, runtime.now())

    return runtime.store.run(tenant, read, read_only=True)


def one_memory(t: Transaction, memory_id: str, now: datetime) -> wire.Memory:
    """Read a memory by id; NotFound where this tenant has none."""
    return view.memories(t, [stored_memory(t, memory_id)], now)[0]


def stored_memory(t: Transaction, memory_id: str) -> Row:
    """Return the stored row of a memory; NotFound where this tenant has none."""
    row = t.maybe("memories_by_id", {"ids": [memory_id]})
    if row is None:
        raise NotFound(f"there is no memory {memory_id!r}")
    return row


def memory_history(runtime: Runtime, tenant: str, request: wire.HistoryRequest) -> wire.HistoryPage:
    """List the rulings that one memory won or lost, undone ones too, the earliest first."""

    def read(t: Transaction) -> wire.HistoryPage:
        subject = stored_memory(t, request.memory_id)["subject_id"]
        return _decisions(t, request, "decisions_of_memory", {"memory_id": request.memory_id}, subject)

    return runtime.store.run(tenant, read, read_only=True)


def list_decisions(runtime: Runtime, tenant: str, request: wire.ListDecisions) -> wire.DecisionPage:
    """List the rulings of a subject, undone ones too, the earliest first."""
    scope = {"subject_id": request.subject_id}

    def read(t: Transaction) -> wire.DecisionPage:
        return _decisions(t, request, "list_decisions", scope, request.subject_id)

    return runtime.store.run(tenant, read, read_only=True)


def _decisions(
    t: Transaction,
    request: wire.HistoryRequest | wire.ListDecisions,
    query: str,
    scope: dict[str, str],
    subject: str,
) -> wire.DecisionPage:
    after_at, after_id = _FIRST, ""
    if request.cursor:
        moment, after_id = cursor_parts(request.cursor, _DECISIONS, 2)
        after_at = moment_in(moment)
    rows = t.all(query, {**scope, "after_at": after_at, "after_id": after_id, "limit": request.limit + 1})
    page = rows[: request.limit]
    following = None
    if len(rows) > request.limit:
        following = cursor_of(_DECISIONS, page[-1]["decided_at"].isoformat(), page[-1]["id"])
    return wire.DecisionPage(items=tuple(view.decisions(t, subject, page)), next_cursor=following)


def list_conflicts(runtime: Runtime, tenant: str, request: wire.ListConflicts) -> wire.ConflictPage:
    """List the conflicts of a subject, open ones unless a status is named."""
    now = runtime.now()

    def read(t: Transaction) -> wire.ConflictPage:
        after = name_after(request.cursor, _CONFLICTS)
        found: list[wire.Conflict] = []
        more = True
        while more and len(found) <= request.limit:
            scope = {"subject_id": request.subject_id, "after": after, "limit": request.limit + 1}
            rows = t.all("list_conflicts", scope)
            more = len(rows) > request.limit
            after = rows[-1]["id"] if rows else after
            read_rows = (view.conflict(request.subject_id, row, now) for row in rows)
            found.extend(each for each in read_rows if request.status in ("all", each.status))
        page = found[: request.limit]
        more = more or len(found) > request.limit
        return wire.ConflictPage(
            items=tuple(page), next_cursor=cursor_of(_CONFLICTS, page[-1].id) if more and page else None
        )

    return runtime.store.run(tenant, read, read_only=True)
