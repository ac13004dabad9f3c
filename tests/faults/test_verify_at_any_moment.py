"""`verify` raises no false alarm while others write, and a backlog hides no fault (R-2, R-13)."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from stemma import Stemma
from tests.faults.planted import NOW, START, claim, said, told
from tests.simulation.histories import CLAIM_KEYS, SOURCES, draw
from tests.spine_clock import Clock


@pytest.fixture
def stemma(address: str) -> Iterator[Stemma]:
    """An empty store."""
    with Stemma(address, clock=Clock(NOW), embedder="none") as one:
        one.put_claim_key("channel", cardinality="single", policy="flag")
        yield one


def by_hand(stemma: Stemma, statement: str) -> None:
    """Alter the store as nobody should."""
    with stemma.runtime.store.transaction("default") as t:
        assert t.connection.execute(statement.encode()).rowcount == 1


def kinds(stemma: Stemma) -> list[str]:
    """Verify and give the kinds of what is found."""
    return [f"{one.kind}: {one.id}: {one.detail}" for one in stemma.verify().faults]


def write(stemma: Stemma) -> int:
    """Send a drawn history in small batches, compile, forget, erase a key and a whole subject; say how many batches."""
    history = [{**one, "subject_id": "harbour"} for one in draw(4471).episodes]
    batches = [history[at : at + 10] for at in range(0, len(history), 10)]
    for number, batch in enumerate(batches):
        stemma.add_episodes(batch)
        stemma.add_episodes([said(f"guest {number}", number, "1", text="I live in Faro.")])
        if number % 2:
            stemma.compile_memories()
        if number % 5 == 4:
            stemma.forget_memory(stemma.list_memories("harbour").items[0].id, by="Ada")
            stemma.erase("harbour", episode_key=stemma.find_episodes("harbour").items[0].key)
            stemma.erase(f"guest {number - 1}")
        if number % 7 == 6:
            stemma.put_source("phone", authority=40 + number)
    return len(batches)


def test_nothing_is_a_fault_while_others_write(stemma: Stemma, address: str) -> None:
    """R-13: each subject is seen at one instant, whole; so no acknowledged write looks half done, and no erased one.

    Breaks when the check of one subject reads in several snapshots, or takes what waits for a compile for a fault.
    """
    for name, authority in SOURCES.items():
        stemma.put_source(name, authority=authority)
    for name, rules in CLAIM_KEYS.items():
        stemma.put_claim_key(name, cardinality="single", **rules)
    waited = 0
    with Stemma(address, clock=Clock(NOW), embedder="none") as other, ThreadPoolExecutor(1) as beside:
        writing = beside.submit(write, other)
        while not writing.done():
            found = stemma.verify()
            assert [one.model_dump() for one in found.faults] == []
            waited += found.uncompiled > 0
        assert writing.result() == 20
    assert waited > 0
    stemma.compile_memories()
    assert (kinds(stemma), stemma.verify().uncompiled) == ([], 0)


def test_a_backlog_is_told_and_is_no_fault(stemma: Stemma) -> None:
    """R-30: `uncompiled: n` counts what waits; a change of the registry that waits is no fault either."""
    stemma.add_episodes(told("ana")[:8])
    found = stemma.verify()
    assert (found.sound, found.uncompiled, found.memories) == (True, 8, 0)
    stemma.compile_memories()
    stemma.add_episodes(told("ana")[8:])
    found = stemma.verify()
    assert (found.sound, found.uncompiled) == (True, 7)
    stemma.put_source("api", authority=80)
    assert kinds(stemma) == []
    stemma.compile_memories()
    assert (kinds(stemma), stemma.verify().uncompiled) == ([], 0)


def test_a_backlog_hides_no_fault_beside_it(stemma: Stemma) -> None:
    """R-2: what does not wait is still derived anew. Breaks when a subject with a backlog is not compared at all."""
    stemma.add_episodes(told("ana"))
    stemma.compile_memories()
    stemma.add_episodes([claim("ana", 30, "home", "Faro"), said("ana", 31, text="I prefer dark mode.")])
    assert kinds(stemma) == []
    ranked = """UPDATE points SET body = replace(body, '"authority":50', '"authority":99')"""
    by_hand(stemma, f"""{ranked} WHERE body LIKE '%"key":"job:6"%'""")
    counted = """UPDATE memories SET body = replace(body, '"times_said":1', '"times_said":5')"""
    by_hand(stemma, f"{counted} WHERE body LIKE '%peanuts%'")
    found = stemma.verify()
    assert [(one.kind, one.detail) for one in found.faults] == [
        ("point_differs", "authority is 99, derived is 50"),
        ("memory_differs", "times_said is 5, derived is 1"),
    ]
    assert found.uncompiled == 2
    # A repair derives the whole subject, what waits included.
    repaired = stemma.verify(repair=True)
    assert (repaired.sound, repaired.uncompiled, repaired.repaired_count) == (True, 0, 2)
    assert [one.claim.value for one in stemma.list_memories("ana").items if one.claim and one.claim.key == "home"] == [
        "Faro"
    ]
    assert stemma.compile_memories("ana").memories_created == 0


def test_a_repair_keeps_the_journal(stemma: Stemma) -> None:
    """D-29: when a decision was made, what was undone and how often something was recalled outlive a repair.

    Breaks when a repair empties the tables and fills them again.
    """
    stemma.add_episodes([claim("ana", 1, "home", "Lisbon"), claim("ana", 3, "home", "Porto")])
    stemma.compile_memories()
    stemma.add_episodes([claim("ana", 2, "home", "Faro")])
    stemma.runtime.clock = Clock(NOW + timedelta(days=1))
    stemma.compile_memories()
    for _ in range(3):
        stemma.recall("ana", "Where does Ana live?")
    stemma.runtime.uses.write(stemma.runtime.store)
    before = stemma.list_decisions("ana").items, stemma.list_memories("ana", status="all").items
    assert [one.undone_at is not None for one in before[0]].count(True) == 1
    assert max(one.recall_count for one in before[1]) == 3
    stemma.runtime.clock = Clock(NOW + timedelta(days=9))
    by_hand(stemma, "UPDATE decisions SET loser_id = winner_id WHERE undone_at IS NULL AND body LIKE '%home:3%'")
    by_hand(stemma, "UPDATE memories SET kind = 'fact' WHERE body LIKE '%Porto%'")
    assert [one.kind for one in stemma.verify().faults] == ["memory_columns_differ", "decision_columns_differ"]
    assert stemma.verify(repair=True).sound
    assert (stemma.list_decisions("ana").items, stemma.list_memories("ana", status="all").items) == before


def test_an_altered_journal_is_seen(stemma: Stemma) -> None:
    """R-3: a ruling that no longer stands is evidence too; one that was altered is named, and a repair takes it out."""
    stemma.add_episodes([claim("ana", 1, "home", "Lisbon"), claim("ana", 3, "home", "Porto")])
    stemma.compile_memories()
    stemma.add_episodes([claim("ana", 2, "home", "Faro")])
    stemma.compile_memories()
    (undone,) = (one for one in stemma.list_decisions("ana").items if one.undone_at is not None)
    by_hand(stemma, "UPDATE decisions SET body = replace(body, 'home:1', 'home:9') WHERE undone_at IS NOT NULL")
    (fault,) = stemma.verify().faults
    assert (fault.kind, fault.id, fault.in_log) == ("journal_differs", undone.id, False)
    repaired = stemma.verify(repair=True)
    assert (repaired.sound, repaired.repaired) == (True, (fault,))


def test_only_the_subject_that_is_asked_for_is_derived(stemma: Stemma) -> None:
    """API.md: `--subject`; another subject's fault is neither told nor put right."""
    stemma.add_episodes([said("ana", 1, "1", text="I live in Faro."), said("bo", 1, "1", text="I live in Porto.")])
    stemma.compile_memories()
    by_hand(stemma, "UPDATE memories SET kind = 'note' WHERE subject_id = 'ana'")
    assert stemma.verify("bo", repair=True).sound
    assert not stemma.verify("ana").sound
    assert stemma.verify("ana", repair=True).sound
    assert stemma.list_memories("ana").items[0].first_said_at == START + timedelta(days=1)


def test_an_import_that_shortens_an_episode_leaves_no_index_row_behind(stemma: Stemma, address: str) -> None:
    """R-92: a passage is found by the date of a saying; one that an imported tombstone took no longer dates it."""
    early, late = (said("ana", day, text="I prefer dark mode.") for day in (1, 90))
    lines: list[str] = []
    with Stemma(address, clock=Clock(START + timedelta(days=20)), embedder="none", tenant="other") as other:
        (known,) = other.add_episodes([early]).results
        assert known.key is not None
        assert other.erase("ana", episode_key=known.key).episodes == 1
        other.export_log(lines.append)
    stemma.add_episodes([early, late])
    stemma.compile_memories()
    assert stemma.import_log("".join(lines).splitlines(keepends=True)).erased == 1
    assert kinds(stemma) == []
    stemma.compile_memories()
    assert [one.first_said_at for one in stemma.list_memories("ana").items] == [START + timedelta(days=90)]
    assert kinds(stemma) == []


def test_a_row_that_is_no_longer_derived_keeps_its_words(stemma: Stemma) -> None:
    """D-29: the columns of a journal row are copies too; a repair writes them anew and keeps the row.

    Breaks when a repair deletes what the log does not yield, or leaves a journal row as it was altered.
    """
    stemma.add_episodes([said("ana", 2, "2", text="I prefer tea.", business_key="order 7")])
    stemma.compile_memories()
    (tea,) = stemma.list_memories("ana").items
    # The earlier publication of the same event speaks for it; what the later one said is derived no longer.
    stemma.add_episodes([said("ana", 1, "1", text="I prefer dark mode.", business_key="order 7")])
    stemma.compile_memories()
    before = stemma.get_memory(tea.id)
    assert (before.text, before.status) == ("I prefer tea", "tombstoned")
    by_hand(stemma, f"UPDATE memories SET kind = 'fact', spells = '{{}}' WHERE id = '{tea.id}'")
    (fault,) = stemma.verify().faults
    assert (fault.kind, fault.id) == ("memory_columns_differ", tea.id)
    assert stemma.verify(repair=True).sound
    assert stemma.get_memory(tea.id) == before
