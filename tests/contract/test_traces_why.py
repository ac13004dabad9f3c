"""Why something is in an answer and why not: by stage, reason, distance, and what would have kept it (R-10, R-42)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from stemma import Stemma
from stemma.app.models_traces import WhyView
from stemma.errors import NotFound
from tests.contract.test_traces import RULES, ids_of, note, say, stage_of
from tests.corpora import Ticking


def told(view: WhyView) -> tuple[str, str, str | None]:
    """Give what decided."""
    return view.fate, view.stage, view.reason


def test_what_is_retired_says_by_what_and_until_when_it_stood(memory: Stemma) -> None:
    """R-42: superseded, forgotten, quarantined and not yet in force are drops of `scope`, each with its ruling."""
    say(memory, "I live in Lisbon.", 1)
    say(memory, "I live in Porto.", 2)
    note(memory, "The shed is green.", 3)
    note(memory, "Desk seven is mine.", 4, valid_from="2026-09-01T00:00:00Z")
    memory.compile_memories("ana")
    names = ids_of(memory)
    memory.forget_memory(names["The shed is green."], by="ana")
    trace_id = str(memory.recall("ana", "Where do I live?").trace_id)
    lost = memory.why(trace_id, names["I live in Lisbon"])
    assert told(lost) == ("dropped", "scope", "superseded")
    assert (lost.because, lost.by) == ("latest", names["I live in Porto"])
    assert lost.change is not None
    assert (lost.change.name, lost.change.bound) == ("now", "below")
    assert lost.change.value == datetime(2026, 1, 2, 9, tzinfo=UTC)
    assert told(memory.why(trace_id, names["The shed is green."])) == ("dropped", "scope", "tombstoned")
    to_come = memory.why(trace_id, names["Desk seven is mine."])
    assert told(to_come) == ("dropped", "scope", "not_in_force")
    assert to_come.change is not None
    assert (to_come.change.bound, to_come.change.value) == ("at_least", datetime(2026, 9, 1, tzinfo=UTC))
    kept = memory.why(trace_id, names["I live in Porto"])
    assert (told(kept), kept.rank, kept.text) == (("kept", "render", None), 1, "I live in Porto")
    # The clock that is named is one at which it would have been kept.
    at = lost.change.value.replace(hour=8).isoformat()
    then = memory.recall("ana", "Where do I live?", now=at)
    assert memory.why(str(then.trace_id), names["I live in Lisbon"]).fate == "kept"


def test_what_was_not_asked_for_and_what_was_not_found_are_told_apart(memory: Stemma, clock: Ticking) -> None:
    """R-42: `why` answers for any id: of another subject, another kind, later, or without a word of the query."""
    say(memory, "I live in Lisbon.", 1)
    note(memory, "The lamp of tower nine is broken.", 2)
    say(memory, "I live in Ghent.", 3, subject="ben")
    memory.compile_memories("ana")
    memory.compile_memories("ben")
    names, others = ids_of(memory), ids_of(memory, "ben")
    trace_id = str(memory.recall("ana", "Where do I live?", kinds=["profile"]).trace_id)
    trace = memory.get_trace(trace_id)
    lamp = names["The lamp of tower nine is broken."]
    assert told(memory.why(trace_id, lamp)) == ("dropped", "scope", "kind_filter")
    assert stage_of(trace, "scope").dropped_by_reason == {"kind_filter": 1}
    assert told(memory.why(trace_id, others["I live in Ghent"])) == ("dropped", "scope", "not_in_scope")
    whole = str(memory.recall("ana", "Where do I live?").trace_id)
    unseen = memory.why(whole, lamp)
    assert (told(unseen), unseen.recomputed) == (("dropped", "candidates", "not_found"), True)
    memory.put_document("ops", "rules", text=RULES[0])
    passage = memory.bundle("Who lights the lamp?", corpora=["ops"]).sections[0].items[0].id
    assert told(memory.why(whole, passage)) == ("dropped", "scope", "not_in_scope")
    clock.pass_days(1)
    memory.remember("ana", "The pump is in the cellar.", occurred_at=clock.at)
    late = memory.why(whole, ids_of(memory)["The pump is in the cellar."])
    assert told(late) == ("dropped", "scope", "not_yet_known")
    with pytest.raises(NotFound):
        memory.why(whole, "beef")


def test_what_k_cut_off_comes_with_the_k_that_is_named(memory: Stemma) -> None:
    """R-42: the smallest change is a number, and it is right."""
    for number in range(6):
        note(memory, f"Keeper number {number} lights the lamp of tower {number}.", 1 + number)
    memory.compile_memories("ana")
    answer = memory.recall("ana", "Who lights the lamp?", k=2)
    cut = stage_of(memory.get_trace(str(answer.trace_id)), "diversity").dropped
    assert [each.reason for each in cut] == ["k_reached"] * 4
    for each in cut:
        view = memory.why(str(answer.trace_id), each.id)
        assert view.detail is not None and view.change is not None
        assert view.detail.value - view.detail.needed == view.detail.short_by
        assert (view.change.name, view.change.bound) == ("k", "at_least")
        k = int(str(view.change.value).partition(".")[0])
        wider = memory.recall("ana", "Who lights the lamp?", k=k)
        assert wider.items[-1].memory.id == each.id


def test_what_did_not_fit_comes_with_the_budget_that_is_named(memory: Stemma) -> None:
    """R-42, R-45: the named budget keeps it, and one token less than it wanted does not."""
    for number in range(6):
        note(memory, f"Keeper number {number} lights the lamp of tower {number}.", 1 + number)
    memory.compile_memories("ana")

    def ask(budget: int) -> str:
        answer = memory.bundle("Who lights the lamp?", subject_id="ana", budget_tokens=budget)
        assert answer.tokens <= budget
        return str(answer.trace_id)

    trace_id = ask(100)
    dropped = stage_of(memory.get_trace(trace_id), "budget").dropped
    assert dropped
    for each in dropped:
        view = memory.why(trace_id, each.id)
        assert view.detail is not None and view.change is not None
        assert (view.detail.measure, view.detail.value) == ("tokens", 100)
        assert view.change.name == "budget_tokens"
        assert memory.why(ask(int(str(view.change.value).partition(".")[0])), each.id).fate == "kept"
        assert memory.why(ask(int(view.detail.needed) - 1), each.id).fate == "dropped"


def test_a_gate_and_a_class_say_what_they_kept_out(memory: Stemma) -> None:
    """R-43: `never` is no matter of degree; `on_request` and the gate say how near it was."""
    say(memory, "I live in Lisbon.", 1)
    say(memory, "My home address is kept in the harbour book of Lisbon.", 2)
    memory.compile_memories("ana")
    names = ids_of(memory)
    home = names["I live in Lisbon"]
    memory.patch_memory(home, injection="never", by="ana")
    trace_id = str(memory.recall("ana", "Where do I live?").trace_id)
    never = memory.why(trace_id, home)
    assert told(never) == ("dropped", "admission", "never_injected")
    assert (never.detail, never.change) == (None, None)


def test_passages_have_fates_of_their_own(memory: Stemma) -> None:
    """R-62, R-42: two passages a document; what is over says which it would have been."""
    sections = "\n\n".join(f"# Part {n}\n\n" + " ".join(RULES[n : n + 1] * 12) for n in range(6))
    memory.put_document("ops", "long", text=sections)
    memory.put_document("ops", "short", text="A keeper lights the lamp at dusk.")
    memory.put_document("ops", "other", text="The lamp is lit at dusk by the keeper.")
    answer = memory.bundle("Which keeper lights the lamp at dusk?", corpora=["ops"], budget_tokens=4_000)
    trace = memory.get_trace(str(answer.trace_id))
    for name in trace.stages[-1].items:
        view = memory.why(trace.trace_id, name)
        assert (view.type, view.fate) == ("passage", "kept")
        assert view.text
    documents = {one.owner for one in trace.candidates}
    assert len(documents) == 3
    for document in documents:
        assert memory.why(trace.trace_id, str(document)).fate == "kept"


def test_two_answers_are_compared_item_by_item(memory: Stemma) -> None:
    """Study 4.5: one row an item whose fate or rank changed, and what was asked otherwise."""
    say(memory, "I live in Lisbon.", 1)
    say(memory, "I live in Porto.", 20)
    memory.compile_memories("ana")
    names = ids_of(memory)
    first = memory.recall("ana", "Where do I live?")
    same = memory.recall("ana", "Where do I live?")
    then = memory.recall("ana", "Where do I live?", now="2026-01-10T00:00:00Z")
    nothing = memory.diff_traces(str(first.trace_id), str(same.trace_id))
    assert (nothing.asked, nothing.items) == ((), ())
    diff = memory.diff_traces(str(first.trace_id), str(then.trace_id))
    assert diff.asked == ("now", "overridden")
    fates: dict[str, Any] = {one.id: (one.before, one.after) for one in diff.items}
    before, after = fates[names["I live in Porto"]]
    assert (before.fate, before.rank, after.fate, after.reason) == ("kept", 1, "dropped", "not_in_force")
    before, after = fates[names["I live in Lisbon"]]
    assert (before.reason, after.fate, after.rank) == ("superseded", "kept", 1)
    assert len(fates) == 2
