"""How an answer came about: the twelve stages, what they keep of it, for how long (R-10, R-42, R-44, API traces)."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from psycopg import sql

from stemma import Stemma
from stemma.app.models_traces import TraceView
from stemma.errors import NotFound
from tests.corpora import Ticking

STAGES = [
    "request",
    "scope",
    "candidates",
    "fusion",
    "collapse",
    "time",
    "score",
    "admission",
    "diversity",
    "grounding",
    "budget",
    "render",
]
RULES = [f"Rule {number}: keeper number {number} lights the lamp at dusk." for number in range(30)]


@pytest.fixture
def told(memory: Stemma) -> Stemma:
    """Homes that took over from one another, notes of a lamp, and a handbook."""
    for day, town in enumerate(("Lisbon", "Porto", "Faro"), start=1):
        say(memory, f"I live in {town}.", day)
    for number in range(8):
        note(memory, f"Keeper number {number} lights the lamp of tower {number}.", 10 + number)
    memory.compile_memories("ana")
    memory.put_document("ops", "rules", text="\n\n".join(RULES))
    return memory


def say(memory: Stemma, text: str, day: int, subject: str = "ana", **fields: Any) -> None:
    """Let somebody say something on a day of January."""
    episode = {"subject_id": subject, "text": text, "occurred_at": f"2026-01-{day:02d}T09:00:00Z", **fields}
    assert memory.add_episodes([episode]).results[0].outcome == "created"


def note(memory: Stemma, text: str, day: int, **fields: Any) -> None:
    """Let a tool state something on a day of January, in these words."""
    claim = {"key": f"note {text}"[:200], "value": text, "text": text, "kind": "fact", **fields}
    episode = {"subject_id": "ana", "claims": [claim], "occurred_at": f"2026-01-{day:02d}T09:00:00Z"}
    assert memory.add_episodes([episode]).results[0].outcome == "created"


def ids_of(memory: Stemma, subject: str = "ana") -> dict[str, str]:
    """Give the id of every memory by its text."""
    return {each.text: each.id for each in memory.list_memories(subject, status="all", limit=500).items}


def conserved(trace: TraceView) -> None:
    """Hold a trace to what API.md says of every one."""
    assert [stage.name for stage in trace.stages] == STAGES
    before = None
    for stage in trace.stages:
        assert stage.entered == stage.left + stage.dropped_count + stage.merged
        assert stage.dropped_count == sum(stage.dropped_by_reason.values())
        assert len(stage.dropped) == min(stage.dropped_count, 200)
        assert stage.ms >= 0
        if before is not None and stage.name != "candidates":
            assert stage.entered == before.left
        if STAGES.index(stage.name) >= 2:
            assert len(stage.items) == stage.left
        before = stage


def stage_of(trace: TraceView, name: str) -> Any:
    """Return a stage by its name."""
    return trace.stages[STAGES.index(name)]


def test_a_recall_is_traced_stage_by_stage(told: Stemma) -> None:
    """R-42: what the subject holds is counted by reason; what came through stands in the order of the answer."""
    answer = told.recall("ana", "Who lights the lamp?", k=3)
    assert answer.trace_id is not None
    trace = told.get_trace(answer.trace_id)
    conserved(trace)
    assert trace.request.operation == "recall"
    assert (trace.request.subject_id, trace.request.k, trace.request.overridden) == ("ana", 3, ())
    assert trace.request.query.chars == len("Who lights the lamp?")
    scope = stage_of(trace, "scope")
    assert (scope.entered, scope.dropped_by_reason) == (11, {"superseded": 2})
    homes = ids_of(told)
    assert {each.id for each in scope.dropped} == {homes["I live in Lisbon"], homes["I live in Porto"]}
    assert stage_of(trace, "candidates").left == 8
    assert stage_of(trace, "diversity").dropped_by_reason == {"k_reached": 5}
    assert list(trace.stages[-1].items) == [item.memory.id for item in answer.items]
    assert [each.detail.value for each in stage_of(trace, "diversity").dropped] == [4, 5, 6, 7, 8]
    first = next(one for one in trace.candidates if one.id == trace.stages[-1].items[0])
    assert first.text is not None and first.text.startswith("Keeper number")
    assert {score.kind: score.range for score in first.scores}["similarity"] == (0, 1)
    assert all(score.direction == "higher" for score in first.scores)


def test_a_bundle_is_traced_with_its_passages_and_its_budget(told: Stemma) -> None:
    """R-42, R-45: passages are items; what did not fit says how many tokens it wanted."""
    answer = told.bundle("Who lights the lamp at dusk?", subject_id="ana", corpora=["ops"], budget_tokens=150)
    trace = told.get_trace(str(answer.trace_id))
    conserved(trace)
    assert {one.type for one in trace.candidates} >= {"memory", "passage"}
    assert (trace.request.budget_tokens, trace.result.tokens) == (150, answer.tokens)
    assert trace.request.versions["tokenizer"] == answer.tokenizer
    assert trace.result.verdict == answer.grounding.verdict
    parts = [part for part in answer.sections if part.name in ("memories", "episodes", "documents")]
    delivered = [item.id for part in parts for item in part.items]
    assert list(trace.stages[-1].items) == delivered
    dropped = stage_of(trace, "budget").dropped
    assert dropped
    for each in dropped:
        assert each.reason in ("budget_exhausted", "item_too_large")
        assert each.detail.needed - 150 == each.detail.short_by > 0
    assert trace.index_state["complete"] is True


def test_a_subject_that_nobody_knows_is_traced_too(memory: Stemma) -> None:
    """API traces: every recall has a trace, one that finds nothing as well."""
    trace = memory.get_trace(str(memory.recall("nobody", "lamp").trace_id))
    conserved(trace)
    assert [stage.left for stage in trace.stages] == [0] * 12


def test_a_kept_trace_holds_no_text(told: Stemma) -> None:
    """Study 4.7: ids, numbers and reasons; neither the words of a memory, a passage or a query stand in the table."""
    told.bundle("Who lights the lamp at dusk?", subject_id="ana", corpora=["ops"], budget_tokens=90)
    told.runtime.traces.write(told.runtime.store)
    with told.runtime.store.transaction(told.tenant, read_only=True) as t:
        rows = t.connection.execute("SELECT names, body FROM traces").fetchall()
    assert len(rows) == 1
    body = zlib.decompress(bytes(rows[0]["body"]))
    named = b"".join(bytes(name) for name in rows[0]["names"])
    assert b"ana" in body
    for word in (b"lamp", b"lights", b"dusk", b"Lisbon", b"tower"):
        assert word not in body + named


def test_the_same_request_gives_the_same_trace_but_for_its_id_and_times(told: Stemma) -> None:
    """R-44: reproducible."""

    def ask() -> dict[str, Any]:
        answer = told.bundle("Who lights the lamp at dusk?", subject_id="ana", corpora=["ops"], budget_tokens=150)
        found = told.get_trace(str(answer.trace_id)).model_dump()
        del found["trace_id"]
        for stage in found["stages"]:
            del stage["ms"]
        return found

    assert ask() == ask()


def test_a_trace_is_found_by_another_process_once_it_is_written(told: Stemma, target: str | Path) -> None:
    """API traces: what one process answered, another one explains; a process that ends leaves its traces behind."""
    with Stemma(target, tenant=told.tenant, embedder="none") as other:
        trace_id = str(other.recall("ana", "lamp").trace_id)
        with pytest.raises(NotFound):
            told.get_trace(trace_id)
    conserved(told.get_trace(trace_id))


def test_another_tenant_knows_nothing_of_a_trace(told: Stemma, target: str | Path) -> None:
    """R-12: not even that the id exists."""
    trace_id = str(told.recall("ana", "lamp").trace_id)
    overridden = str(told.recall("ana", "lamp", now="2026-01-02T10:00:00Z").trace_id)
    told.get_trace(trace_id)
    with Stemma(target, tenant="somebody else", embedder="none") as other:
        other.runtime.traces = told.runtime.traces
        for name in (trace_id, overridden):
            for look in (other.get_trace, lambda one: other.why(one, "x"), lambda one: other.diff_traces(one, one)):
                with pytest.raises(NotFound):
                    look(name)


def test_an_unknown_trace_is_named(told: Stemma) -> None:
    """API traces: 404 by name, with the field."""
    trace_id = str(told.recall("ana", "lamp").trace_id)
    asks: list[tuple[Callable[[], object], str]] = [
        (lambda: told.get_trace("feed"), "trace_id"),
        (lambda: told.why("feed", "x"), "trace_id"),
        (lambda: told.why(trace_id, "beef"), "memory_id"),
        (lambda: told.diff_traces(trace_id, "feed"), "other"),
    ]
    for ask, field in asks:
        with pytest.raises(NotFound) as refused:
            ask()
        assert refused.value.fields == (field,)


def test_an_override_changes_no_byte_of_the_store(told: Stemma) -> None:
    """R-44: every table before is every table after, and no later answer differs; its trace lives in this process."""
    told.runtime.uses.write(told.runtime.store)
    told.runtime.traces.write(told.runtime.store)
    before, hash_before = dumped(told), told.compile_memories("ana").state_hash
    plain = told.recall("ana", "Where do I live?").items
    told.runtime.uses.write(told.runtime.store)
    told.runtime.traces.write(told.runtime.store)
    before = dumped(told)
    clocks = ({"now": "2026-01-01T10:00:00Z"}, {"as_of": "2026-02-01T00:00:00Z"}, {"now": "2030-01-01T00:00:00Z"})
    for clock in clocks:
        answer = told.recall("ana", "Where do I live?", explain=True, **clock)
        bundle = told.bundle("Where do I live?", subject_id="ana", explain=True, **clock)
        for one in (answer, bundle):
            assert one.trace is not None
            assert one.trace.request.overridden == (next(iter(clock)),)
            assert told.get_trace(str(one.trace_id)) == one.trace
            conserved(one.trace)
    told.runtime.uses.write(told.runtime.store)
    told.runtime.traces.write(told.runtime.store)
    assert dumped(told) == before
    assert told.compile_memories("ana").state_hash == hash_before
    assert [each.memory.id for each in told.recall("ana", "Where do I live?").items] == [e.memory.id for e in plain]


def dumped(memory: Stemma) -> dict[str, list[str]]:
    """Read every row of every table of the tenant."""
    found = {}
    with memory.runtime.store.transaction(memory.tenant, read_only=True) as t:
        tables = t.connection.execute("SELECT relname FROM pg_class WHERE relkind = 'r' AND relrowsecurity").fetchall()
        for name in sorted(row["relname"] for row in tables):
            query = sql.SQL("SELECT {0}::text AS row FROM {0}").format(sql.Identifier(name))
            found[name] = sorted(row["row"] for row in t.connection.execute(query).fetchall())
    return found


def test_traces_are_kept_for_some_days_and_so_many_of_them(
    clock: Ticking, told: Stemma, target: str | Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Study 4.7: 30 days, or so many of a tenant; the oldest go first."""
    old = str(told.recall("ana", "lamp").trace_id)
    told.get_trace(old)
    clock.pass_days(29)
    told.runtime.traces_pruned(told.tenant)
    told.get_trace(old)
    clock.pass_days(2)
    assert told.runtime.traces_pruned(told.tenant) == 1
    with pytest.raises(NotFound):
        told.get_trace(old)
    monkeypatch.setenv("STEMMA_TRACES_KEPT", "3")
    with Stemma(target, clock=clock, tenant=told.tenant, embedder="none") as few:
        made = []
        for _ in range(5):
            made.append(str(few.recall("ana", "lamp").trace_id))
            clock.pass_days(0.01)
        kept = [name for name in made if is_kept(few, name)]
    assert kept == made[2:]


def is_kept(memory: Stemma, trace_id: str) -> bool:
    """Say whether a trace is found."""
    try:
        memory.get_trace(trace_id)
    except NotFound:
        return False
    return True


def test_many_traces_are_written_without_anybody_asking(told: Stemma) -> None:
    """The manner of use counters: nothing waits without end in a process that never ends."""
    for _ in range(40):
        told.recall("ana", "lamp", k=1)
    writer = told.runtime.traces._writer
    assert writer is not None
    writer.join(30)
    with told.runtime.store.transaction(told.tenant, read_only=True) as t:
        assert t.connection.execute("SELECT count(*) AS n FROM traces").fetchall()[0]["n"] >= 32


def test_scope_counts_what_the_subject_holds_at_each_moment(memory: Stemma, clock: Ticking) -> None:
    """R-42: superseded, quarantined, tombstoned and not in force, as memories are listed then; after every change."""
    clock.at = clock.at.replace(month=1, day=2)
    note(memory, "The lamp is green.", 1)
    note(memory, "The boat is blue.", 1, valid_from="2026-01-10T00:00:00Z", valid_to="2026-01-20T00:00:00Z")
    note(memory, "The shed is let.", 1, valid_to="2026-01-12T00:00:00Z")
    say(memory, "I live in Lisbon.", 1)
    memory.compile_memories("ana")
    counted = [held_now(memory)]
    for day in (5, 10, 11, 12, 15, 20, 25):
        clock.at = clock.at.replace(day=day)
        counted.append(held_now(memory))
    assert [each.get("not_in_force", 0) for each in counted] == [1, 1, 0, 0, 1, 1, 2, 2]
    clock.at = clock.at.replace(day=6)
    assert held_now(memory) == counted[1]
    say(memory, "I live in Porto.", 5)
    memory.compile_memories("ana")
    assert held_now(memory) == {"not_in_force": 1, "superseded": 1}
    memory.forget_memory(ids_of(memory)["The lamp is green."], by="ana")
    assert held_now(memory) == {"not_in_force": 1, "superseded": 1, "tombstoned": 1}
    memory.patch_memory(ids_of(memory)["The shed is let."], quarantine=True, by="ana")
    assert held_now(memory) == {"not_in_force": 1, "superseded": 1, "tombstoned": 1, "quarantined": 1}
    key = memory.get_memory(ids_of(memory)["The boat is blue."]).episodes[0].key
    memory.erase("ana", episode_key=key)
    assert held_now(memory) == {"superseded": 1, "tombstoned": 1, "quarantined": 1}


def held_now(memory: Stemma) -> dict[str, int]:
    """Give what a recall counts at `scope`, held to what is listed at that moment."""
    scope = stage_of(memory.get_trace(str(memory.recall("ana", "lamp").trace_id)), "scope")
    listed = memory.list_memories("ana", status="all", limit=500).items
    now = memory.runtime.now()
    wanted: dict[str, int] = {}
    for each in listed:
        stands = any((start is None or start <= now) and (end is None or now < end) for start, end in each.spells)
        reason = str(each.status) if each.status != "active" else "" if stands else "not_in_force"
        if reason:
            wanted[reason] = wanted.get(reason, 0) + 1
    assert scope.entered == len(listed)
    assert scope.dropped_by_reason == wanted
    found: dict[str, int] = scope.dropped_by_reason
    return found
