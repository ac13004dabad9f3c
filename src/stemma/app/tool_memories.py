"""The tools of memory: keep, find, retract, look into, and rule on what is in conflict."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeVar

from stemma.app import memory_view
from stemma.app import models_tool_answers as told
from stemma.app import models_tools as asked
from stemma.app import tool_text as text
from stemma.app import tool_views as views
from stemma.app.caller import Scope
from stemma.app.cursors import cursor_of, cursor_parts, moment_in, number_in
from stemma.app.models_memories import (
    CompileResult,
    Conflict,
    ConflictPage,
    Decision,
    HistoryPage,
    Memory,
    MemoryPage,
    RememberResult,
)
from stemma.app.models_recall import RecallResult
from stemma.app.paging import PageOf
from stemma.app.tool_asker import Asker
from stemma.app.tool_reply import Reply, bounded, fitting
from stemma.errors import NotFound
from stemma.store.transaction import Transaction

SOURCE: Final = "mcp"
# The list whose pages end here.
_RECALLED: Final = "recalled"
_MORE: Final = "There is more: call again with cursor {cursor!r}."
Item = TypeVar("Item")


def remember(asker: Asker, request: asked.RememberTool) -> Reply:
    """Keep one text, stamped with the time of the call where it names none."""
    fields = request.model_dump(mode="json", exclude_none=True)
    # A saying needs a time: without one the same words said again would not count as said again.
    fields.setdefault("occurred_at", asker.runtime.now().isoformat())
    kept = asker.ask("remember", RememberResult, source=SOURCE, **fields)

    def make(room: views.Room) -> Reply:
        answer = told.ToolRemembered(
            outcome=kept.episode.outcome,
            episode_id=kept.episode.episode_id or "",
            key=kept.episode.key or "",
            memories=views.memories(kept.memories, room),
        )
        head = f"Outcome: {answer.outcome} (episode {answer.episode_id})."
        lines = text.fenced(text.memory_line(each) for each in answer.memories)
        return Reply(answer, text.lines_of([head], lines if answer.memories else []))

    return fitting(views.ROOMS, make, asker.reply_bytes)


def recall(asker: Asker, request: asked.RecallTool) -> Reply:
    """Find what answers a query, the best first; `cursor` goes on where a reply was full."""
    skipped, now = 0, request.now
    if request.cursor is not None:
        count, moment = cursor_parts(request.cursor, _RECALLED, 2)
        skipped, now = number_in(count), moment_in(moment)
    found = asker.ask("recall", RecallResult, **request.model_dump(exclude={"cursor", "now"}), now=now)
    items = found.items[skipped:]
    read_at = now or asker.runtime.now()

    def make(count: int, room: views.Room) -> Reply:
        is_cut = count < len(items)
        answer = told.ToolRecall(
            items=tuple(views.recalled(each, room) for each in items[:count]),
            uncompiled=found.uncompiled,
            trace_id=found.trace_id,
            truncated=is_cut,
            next_cursor=cursor_of(_RECALLED, str(skipped + count), read_at.isoformat()) if is_cut else None,
        )
        return Reply(answer, _recalled_text(answer))

    def made(room: views.Room) -> Reply:
        return bounded(lambda count: make(count, room), len(items), asker.reply_bytes)[0]

    return fitting(views.ROOMS, made, asker.reply_bytes)


def _recalled_text(answer: told.ToolRecall) -> str:
    notes = [f"trace_id: {answer.trace_id}"]
    if answer.uncompiled:
        notes.append(f"{answer.uncompiled} episodes are not compiled yet, so what they say is not among the memories.")
    if not answer.items:
        return text.lines_of([text.NOTHING], notes)
    lines = [text.recalled_line(each) for each in answer.items]
    return text.lines_of(text.fenced(lines), notes, _more(answer.next_cursor))


def forget(asker: Asker, request: asked.ForgetTool) -> Reply:
    """Retract one memory; what was said stays in the log."""
    if asker.subject is not None:
        asker.memory(request.memory_id)
    gone = asker.ask("forget_memory", Memory, **request.model_dump())

    def make(room: views.Room) -> Reply:
        answer = told.ToolForgotten(memory=views.memory(gone, room))
        return Reply(answer, text.lines_of(["Forgotten:"], text.fenced([text.memory_line(answer.memory)])))

    return fitting(views.ROOMS, make, asker.reply_bytes)


def history(asker: Asker, request: asked.HistoryTool) -> Reply:
    """Read one memory with its decisions, or a page of a subject's memories."""
    if request.memory_id is None:
        return _listed(asker, request)
    found = asker.memory(request.memory_id)
    if request.subject_id is not None and found.subject_id != request.subject_id:
        raise NotFound(f"there is no memory {request.memory_id!r} of this subject")

    def page(limit: int) -> HistoryPage:
        named = {"memory_id": request.memory_id, "limit": limit, "cursor": request.cursor}
        return asker.ask("memory_history", HistoryPage, **named)

    def make(items: Sequence[Decision], cursor: str | None, room: views.Room) -> Reply:
        one = views.memory(found, room)
        decisions = tuple(views.decision(each, room) for each in items)
        answer = told.ToolHistory(memories=(one,), items=decisions, truncated=cursor is not None, next_cursor=cursor)
        said = [
            f"  - said {each.occurred_at:%Y-%m-%d}, {each.role}: {text.quoted(each.key)} (episode {each.episode_id})"
            for each in one.episodes
        ]
        decided = [text.decision_line(each) for each in decisions]
        lines = text.fenced([text.memory_line(one, clip=None), *said, *decided])
        return Reply(answer, text.lines_of(lines, _more(cursor)))

    return _one_page(asker, page, make, request.limit, views.WHOLE)


def _listed(asker: Asker, request: asked.HistoryTool) -> Reply:
    def page(limit: int) -> MemoryPage:
        named = request.model_dump(exclude={"memory_id", "limit"})
        return asker.ask("list_memories", MemoryPage, limit=limit, **named)

    def make(items: Sequence[Memory], cursor: str | None, room: views.Room) -> Reply:
        memories = views.memories(items, room)
        answer = told.ToolHistory(memories=memories, items=(), truncated=cursor is not None, next_cursor=cursor)
        lines = [text.memory_line(each) for each in memories]
        return Reply(answer, text.lines_of(text.fenced(lines) if lines else [text.NOTHING], _more(cursor)))

    return _one_page(asker, page, make, request.limit)


def _one_page(
    asker: Asker,
    page: Callable[[int], PageOf[Item]],
    make: Callable[[Sequence[Item], str | None, views.Room], Reply],
    limit: int,
    rooms: Sequence[views.Room] = views.ROOMS,
) -> Reply:
    """Make a reply of one page of a list; where that is too long, of a shorter one, with the cursor of that."""
    whole = page(limit)
    most = len(whole.items)

    def made(room: views.Room) -> Reply:
        cut, count = bounded(lambda few: make(whole.items[:few], whole.next_cursor, room), most, asker.reply_bytes)
        if count == most:
            return cut
        shorter = page(count)
        return make(shorter.items, shorter.next_cursor, room)

    return fitting(rooms, made, asker.reply_bytes)


def compile_new(asker: Asker, request: asked.CompileTool) -> Reply:
    """Derive the memories of one subject, or of each with something new."""
    done = asker.ask("compile_memories", CompileResult, **request.model_dump())
    counts = done.model_dump(exclude={"state_hash"})
    return Reply(done, ", ".join(f"{name}: {count}" for name, count in counts.items()))


def conflicts(asker: Asker, request: asked.ConflictsTool) -> Reply:
    """List a subject's conflicts with both sides of each."""

    def page(limit: int) -> ConflictPage:
        named = request.model_dump(exclude={"limit"})
        return asker.ask("list_conflicts", ConflictPage, limit=limit, **named)

    sides: dict[str, Memory] = {}

    def make(items: Sequence[Conflict], cursor: str | None, room: views.Room) -> Reply:
        if any(name not in sides for each in items for name in each.memory_ids):
            sides.update(_sides(asker, items))
        found = tuple(_conflict(each, sides, room) for each in items)
        answer = told.ToolConflicts(items=found, truncated=cursor is not None, next_cursor=cursor)
        lines = [line for each in found for line in _conflict_lines(each)]
        shown = text.fenced(lines) if lines else ["There is no such conflict."]
        return Reply(answer, text.lines_of(shown, _more(cursor)))

    return _one_page(asker, page, make, request.limit)


def resolve(asker: Asker, request: asked.ResolveTool) -> Reply:
    """Rule on a conflict; it takes effect before it answers."""
    _require_conflict(asker, request.conflict_id)
    done = asker.ask("resolve_conflict", Conflict, **request.model_dump())
    # Who may only write is told of the ruling, and not what the sides say.
    sides = _sides(asker, [done]) if Scope.READ in asker.caller.scopes else {}

    def make(room: views.Room) -> Reply:
        answer = _conflict(done, sides, room)
        return Reply(answer, text.lines_of(text.fenced(_conflict_lines(answer))))

    return fitting(views.ROOMS, make, asker.reply_bytes)


def _require_conflict(asker: Asker, conflict_id: str) -> None:
    if asker.subject is None:
        return

    def read(t: Transaction) -> str | None:
        row = t.maybe("conflict_by_id", {"id": conflict_id})
        return None if row is None else str(row["subject_id"])

    subject = asker.runtime.store.run(asker.caller.tenant, read, read_only=True)
    asker.require(subject or "", f"there is no conflict {conflict_id!r}")


def _sides(asker: Asker, found: Iterable[Conflict]) -> dict[str, Memory]:
    ids = sorted({one for each in found for one in each.memory_ids})

    def read(t: Transaction) -> list[Memory]:
        return memory_view.memories(t, t.all("memories_by_id", {"ids": ids}), asker.runtime.now())

    rows = asker.runtime.store.run(asker.caller.tenant, read, read_only=True) if ids else []
    return {each.id: each for each in rows}


def _conflict(found: Conflict, sides: dict[str, Memory], room: views.Room) -> told.ToolConflict:
    memories = views.memories((sides[each] for each in found.memory_ids if each in sides), room)
    return told.ToolConflict(**views.shared(found, told.ToolConflict), memories=memories)


def _conflict_lines(found: told.ToolConflict) -> list[str]:
    about = f"conflict {found.id} ({found.status}; {found.reason})"
    return [about, *(f"  {text.memory_line(each)}" for each in found.memories)]


def _more(cursor: str | None) -> list[str]:
    return [] if cursor is None else [_MORE.format(cursor=cursor)]
