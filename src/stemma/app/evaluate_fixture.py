"""Puts a fixture into a store through the doors that everybody uses: sources, episodes, compile, and the core list."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from stemma.app import embed
from stemma.app.acts import patch_memory
from stemma.app.compile import compile_memories
from stemma.app.evaluate_holdings import Holdings
from stemma.app.ingest import add_episodes
from stemma.app.models_episodes import AddEpisodes
from stemma.app.models_evaluate import FixtureLine, RejectedLine
from stemma.app.models_memories import CompileRequest, PatchMemory
from stemma.app.models_registry import ListSubjects, PutSource
from stemma.app.registry import list_subjects, put_source
from stemma.app.runtime import Runtime
from stemma.errors import InvalidInput
from stemma.records import Injection

BATCH: Final = 200
# What another than the user says is trusted less than what the user says.
FOREIGN_AUTHORITY: Final = 10
_USER: Final = "user"
_BY: Final = "golden"

Advance = Callable[[int, int], None]


def load_fixture(
    runtime: Runtime, tenant: str, lines: Sequence[FixtureLine], *, advance: Advance | None = None
) -> list[RejectedLine]:
    """Ingest and compile a fixture, and wait for its vectors; the lines that the door refused come back, with why."""
    for source in sorted({each.source for each in lines if each.source is not None}):
        put_source(runtime, tenant, PutSource(name=source, authority=FOREIGN_AUTHORITY))
    rejected: list[RejectedLine] = []
    for start in range(0, len(lines), BATCH):
        part = lines[start : start + BATCH]
        done = add_episodes(runtime, tenant, AddEpisodes(episodes=[_episode(each) for each in part])).results
        rejected += [
            RejectedLine(line=start + each.index + 1, code=each.error.code, detail=each.error.detail)
            for each in done
            if each.error is not None
        ]
        if advance is not None:
            advance(start + len(part), len(lines))
    compile_memories(runtime, tenant, CompileRequest(), wait_for_vectors=False)
    while embed.fill(runtime, tenant, limit=BATCH):
        pass
    return rejected


def require_empty(runtime: Runtime, tenant: str) -> None:
    """Refuse a store that holds anything: a fixture would be mixed with what somebody said. Raises InvalidInput."""
    held = list_subjects(runtime, tenant, ListSubjects(limit=1)).items
    if held:
        raise InvalidInput("the store holds something already; a fixture goes into an empty one", field="store")


def _episode(line: FixtureLine) -> dict[str, Any]:
    fields: dict[str, Any] = {"subject_id": line.subject_id, "key": line.key, "occurred_at": line.occurred_at}
    if line.source is not None:
        fields["source"] = line.source
    if line.role in (None, _USER):
        return {**fields, "text": line.text}
    return {**fields, "messages": [{"role": line.role, "content": line.text}]}


def promote(runtime: Runtime, tenant: str, lines: Iterable[FixtureLine], holdings: Holdings) -> None:
    """Put the memories of the lines that say so on their subject's reviewed list; recorded in the log as any act."""
    for line in lines:
        if line.core:
            for memory in holdings.resting_on(line.subject_id, line.key):
                change = PatchMemory(memory_id=memory.id, injection=Injection.CORE, by=_BY, note="core of the fixture")
                patch_memory(runtime, tenant, change)
