"""Documents leave with the log and join another; erased ones stay out (R-2, R-92)."""

from __future__ import annotations

import io
from datetime import UTC, datetime

import pytest

from stemma import Stemma
from stemma.errors import Erased, NotFound
from tests.corpora import Ticking

SAID = datetime(2026, 2, 1, tzinfo=UTC)
OLD, NEW = "Logs are kept for 180 days.", "Logs are kept for 90 days."
EVENTS = [
    {"event_id": "e1", "op": "upsert", "corpus": "ops", "external_id": "7", "text": "Seven.", "position": 4},
    {"event_id": "e2", "op": "delete", "corpus": "ops", "external_id": "8", "position": 9},
    {"event_id": "e3", "op": "upsert", "corpus": "ops", "external_id": "9"},
]


def export(memory: Stemma) -> str:
    """Return the whole log as it is written."""
    out = io.StringIO()
    memory.export_log(out.write)
    return out.getvalue()


def fill(memory: Stemma, clock: Ticking) -> None:
    """Documents with a history, events, and a memory that was learned from one."""
    memory.put_document("ops", "policy", text=OLD, title="Policy", metadata={"team": "a"})
    clock.pass_days(1)
    memory.put_document("ops", "policy", text=NEW, title="Policy", metadata={"team": "b"})
    memory.put_document("ops", "copy", text=NEW, derived_from="policy")
    memory.put_document("ops", "gone", text="Gone.")
    memory.delete_document("ops", "gone")
    memory.add_events(EVENTS)
    document = {"corpus": "ops", "external_id": "policy"}
    memory.add_episodes([{"subject_id": "s", "key": "k", "text": NEW, "occurred_at": SAID, "document": document}])
    memory.compile_memories("s")


def other(memory: Stemma) -> Stemma:
    """Return a second, empty store's face: the same server, a tenant beside."""
    beside = object.__new__(Stemma)
    beside.runtime, beside.tenant = memory.runtime, f"{memory.tenant} beside"
    return beside


def test_a_rebuild_elsewhere_has_every_document(memory: Stemma, clock: Ticking) -> None:
    """R-2, R-92: contents, heads, positions, origins, events and the pinned memory; importing again changes nothing."""
    fill(memory, clock)
    log, beside = export(memory), other(memory)
    came = beside.import_log(io.StringIO(log))
    assert (came.rejected, came.refused) == (0, 0)
    again = beside.import_log(io.StringIO(log))
    assert (again.changed, again.rejected) == (0, 0)
    assert sorted(export(beside).splitlines()[1:]) == sorted(log.splitlines()[1:])
    assert [one.external_id for one in beside.list_documents("ops").items] == ["7", "copy", "policy"]
    policy = beside.get_document("ops", "policy")
    assert (policy.text, policy.metadata, len(policy.revisions)) == (NEW, {"team": "b"}, 2)
    assert beside.get_document("ops", "policy", revision=policy.revisions[0].revision).text == OLD
    found = beside.search_documents("logs", corpora=["ops"], metadata={"team": "b"})
    assert [one.external_id for one in found.citations] == ["policy"]
    assert beside.search_documents("logs", corpora=["ops"]).independent_origins == 1
    assert [one.status.value for one in beside.add_events(EVENTS).results] == ["duplicate", "duplicate", "rejected"]
    late = {"event_id": "e4", "op": "upsert", "corpus": "ops", "external_id": "8", "text": "Late.", "position": 8}
    assert beside.add_events([late]).results[0].status.value == "superseded"
    assert beside.compile_memories("s").episodes_compiled == 1
    [learned] = beside.list_memories("s").items
    assert (learned.stale, learned.documents[0].state) == (None, "current")


def test_two_logs_join_alike_in_either_order(memory: Stemma, clock: Ticking) -> None:
    """R-2: the later head stands and every content stays, whichever log comes first."""
    memory.put_document("ops", "d", text=OLD)
    first = export(memory)
    clock.pass_days(2)
    memory.put_document("ops", "d", text=NEW, title="Newer")
    second = export(memory)
    results = []
    for number, logs in enumerate(((first, second), (second, first))):
        beside = other(memory)
        beside.tenant += str(number)
        for log in logs:
            assert beside.import_log(io.StringIO(log)).rejected == 0
        read = beside.get_document("ops", "d")
        results.append((read.text, read.title, read.changed_at, [one.revision for one in read.revisions]))
        assert len(beside.search_documents("logs", corpora=["ops"], k=50).citations[0].passages) == 1
    assert results[0] == results[1]
    assert results[0][:2] == (NEW, "Newer")


def test_erasing_a_document_leaves_nothing_and_stops_a_sync(memory: Stemma, clock: Ticking) -> None:
    """R-92: every content, the passages, what was learned; a put is 410, an event rejected, an import refused."""
    fill(memory, clock)
    log = export(memory)
    receipt = memory.erase(corpus="ops", external_id="policy")
    assert (receipt.documents, receipt.document_revisions, receipt.episodes) == (1, 2, 1)
    assert receipt.passages >= 1
    with pytest.raises(NotFound):
        memory.get_document("ops", "policy")
    assert memory.list_memories("s", status="all").items == ()
    assert memory.erase(corpus="ops", external_id="policy").documents == 0
    with pytest.raises(Erased):
        memory.put_document("ops", "policy", text="Again.")
    sent = {"event_id": "back", "op": "upsert", "corpus": "ops", "external_id": "policy", "text": "Again."}
    [result] = memory.add_events([sent]).results
    assert result.error is not None
    assert result.error.code == "erased"
    assert memory.import_log(io.StringIO(log)).refused >= 3
    assert [one.external_id for one in memory.list_documents("ops").items] == ["7", "copy"]
    assert "180 days" not in export(memory)
    beside = other(memory)
    beside.import_log(io.StringIO(log))
    beside.import_log(io.StringIO(export(memory)))
    assert [one.external_id for one in beside.list_documents("ops").items] == ["7", "copy"]
    with pytest.raises(NotFound):
        memory.erase(corpus="ops", external_id="never there")
