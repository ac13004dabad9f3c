"""Erasing: the record never was, what rests on it goes, and a tombstone stops a re-sync (R-3, R-92, D-22)."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, LiteralString

import pytest
from psycopg import sql
from pydantic import ValidationError

from stemma.app.acts import forget_memory
from stemma.app.compile import compile_subject
from stemma.app.erase import erase
from stemma.app.memories import list_memories
from stemma.app.models_erase import EraseReceipt, EraseRequest
from stemma.app.models_memories import ForgetRequest, ListMemories
from stemma.app.verify import verify
from stemma.core.acts import identified
from stemma.errors import CertifyNotAvailable, NotFound, TransactionConflict
from stemma.records import ActKind, HumanAct, NamedMemory, NamedSaying
from stemma.store import acts, log
from stemma.store.connection import Store
from tests.contract.log_door import START, Door
from tests.stores import Server

NOTHING = EraseReceipt()
_TABLES: LiteralString = """
    SELECT relname FROM pg_class
    WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY relname"""


@pytest.fixture
def door(store: Store) -> Iterator[Door]:
    """A store with a clock of its own."""
    yield Door(store)


def claim(value: str, day: int, **fields: Any) -> dict[str, Any]:
    """Make an episode that says where somebody lives."""
    return {
        "subject_id": "ana",
        "claims": [{"key": "home", "value": value}],
        "occurred_at": f"2026-05-{day:02}T09:00:00Z",
        **fields,
    }


def note(text: str, **fields: Any) -> dict[str, Any]:
    """Make an episode of text."""
    return {"subject_id": "ana", "text": text, **fields}


def traces(door: Door, word: str) -> dict[str, int]:
    """Count the rows of each table in which a word stands, in any column."""
    found = {}
    with door.store.transaction(door.tenant, read_only=True) as t:
        for row in t.connection.execute(_TABLES).fetchall():
            query = sql.SQL("SELECT count(*) AS n FROM {0} WHERE strpos({0}::text, %s) > 0")
            counted = t.connection.execute(query.format(sql.Identifier(row["relname"])), [word]).fetchone()
            assert counted is not None
            if counted["n"]:
                found[row["relname"]] = counted["n"]
    return found


def state(door: Door, subject: str = "ana") -> tuple[str, list[tuple[str, str]]]:
    """Give a subject's hash and what its memories say."""
    tally = compile_subject(door.runtime, door.tenant, subject)
    request = ListMemories(subject_id=subject, status="all", limit=500)
    rows = list_memories(door.runtime, door.tenant, request).items
    return tally.state_hash, sorted((row.text, row.status.value) for row in rows)


STORY = [
    note("My neighbour kestrel keeps bees.", key="n1", occurred_at="2026-05-01T09:00:00Z"),
    note("I live in kestrel-town.", key="t1", speaker="Ana", occurred_at="2026-05-02T09:00:00Z"),
    claim("kestrel-town", 3, key="c1"),
    claim("Lisbon", 4, key="c2", metadata={"seen": "kestrel"}),
    note("I prefer kestrel tea.", key="p1", key_policy="revision", occurred_at="2026-05-05T09:00:00Z"),
    note("I prefer green tea.", key="p1", key_policy="revision", occurred_at="2026-05-06T09:00:00Z"),
]


def test_erasing_a_subject_leaves_tombstones_alone(door: Door) -> None:
    """R-92: no row with its id or a word of its text remains in any table."""
    door.send(*STORY, note("I like bees.", subject_id="bo"))
    _, memories = state(door)
    assert len(memories) >= 4
    forgotten = list_memories(door.runtime, door.tenant, ListMemories(subject_id="ana")).items[0]
    forget_memory(door.runtime, door.tenant, ForgetRequest(memory_id=forgotten.id, note="kestrel again"))
    assert traces(door, "kestrel").keys() >= {"revisions", "memories", "points", "acts", "extractions"}
    receipt = door.erase("ana")
    assert (receipt.episodes, receipt.revisions, receipt.acts) == (5, 6, 1)
    assert receipt.memories >= 4
    assert receipt.tombstones == 6
    assert traces(door, "kestrel") == {}
    assert traces(door, "ana") == {}
    assert door.erase("ana") == NOTHING
    assert state(door, "bo")[1] != []


def test_an_erased_record_is_refused_for_ever(door: Door) -> None:
    """R-92, R-3: a re-sync brings nothing back, a year later neither; what is new comes in."""
    door.send(*STORY)
    door.erase("ana")
    door.later(days=400)
    assert door.outcomes(*STORY) == ["erased"] * 6
    assert door.outcomes(note("Edited.", key="n1")) == ["erased"]
    assert {table: len(door.rows(table)) for table in ("episodes", "subjects", "dirty")} == {
        "episodes": 0,
        "subjects": 0,
        "dirty": 0,
    }
    assert door.outcomes(note("Something new.", key="n9")) == ["created"]


def test_a_content_is_erased_up_to_the_erasure(door: Door) -> None:
    """R-92: under the content policy a later saying is a new one; one without a time is none."""
    text = "I like tea."
    door.send(note(text, occurred_at="2026-05-01T09:00:00Z"), note(text, occurred_at="2026-05-02T09:00:00Z"))
    (key,) = {row["key"] for row in door.rows("episodes")}
    assert door.erase("ana", key).sayings == 2
    door.later(days=1)
    late = (START.replace(day=2)).isoformat()
    answers = door.outcomes(
        note(text),
        note(text, occurred_at="2026-05-03T09:00:00Z"),
        note(text, occurred_at=START.isoformat()),
        note(text, occurred_at=late),
        note(text),
    )
    assert answers == ["erased", "erased", "erased", "created", "erased"]


def test_a_stamp_from_the_future_does_not_bring_an_erased_content_back(door: Door) -> None:
    """R-92, R-22: the tombstone covers the latest stamp that was erased."""
    ahead = note("I like tea.", occurred_at="2027-05-01T09:00:00Z")
    door.send(ahead)
    (key,) = {row["key"] for row in door.rows("episodes")}
    door.erase("ana", key)
    assert door.outcomes(ahead) == ["erased"]


def test_erasing_one_publication_erases_its_event(door: Door) -> None:
    """R-21, D-22: twins go with it, and none that comes later brings the text back."""
    twins = [note(f"Order 7 is kestrel {key}.", key=key, business_key="order:7") for key in ("a", "b")]
    door.send(*twins, note("Other.", key="c", business_key="order:8"))
    state(door)
    assert door.erase("ana", "b").episodes == 2
    assert traces(door, "kestrel") == {}
    late = note("Order 7 is kestrel c.", key="d", business_key="order:7")
    assert door.outcomes(*twins, late) == ["erased"] * 3
    assert door.outcomes(note("Order 7 is kestrel c.", key="d")) == ["erased"]
    assert door.outcomes(note("Once more.", key="e", business_key="order:7")) == ["erased"]
    assert [row["key"] for row in door.rows("episodes")] == ["c"]


def test_a_refused_record_lends_its_business_key_to_the_tombstones(door: Door) -> None:
    """D-22: the event became known only with the refused arrival."""
    door.send(note("kestrel", key="a"))
    door.erase("ana", "a")
    twin = note("kestrel too", key="b", business_key="order:7")
    assert door.outcomes(note("kestrel", key="a", business_key="order:7"), twin) == ["erased", "erased"]
    live = note("Live.", key="c", business_key="order:8")
    assert door.outcomes(live, note("kestrel", key="a", business_key="order:8"), live) == [
        "created",
        "erased",
        "duplicate",
    ]


@pytest.mark.parametrize("erased", range(len(STORY) - 1))
def test_erasing_is_never_having_said(embedded_server: Server, erased: int) -> None:
    """D-22: rows, decisions, conflicts and the hash equal those of a store that never heard it."""
    story = [
        *STORY,
        claim("Porto", 7, key="c3"),
        claim("Lisbon", 8, key="c4"),
        claim("kestrel-town", 9, key="c5", source="low"),
        note("I don't live in kestrel-town any more.", key="t2", occurred_at="2026-05-10T09:00:00Z"),
        note("Stripe charges 2.9% + 30c.", key="f1", occurred_at="2026-05-11T09:00:00Z"),
        note("Stripe charges 3.5% + 35c.", key="f2", occurred_at="2026-05-12T09:00:00Z"),
    ]
    key = ("n1", "t1", "c1", "c2", "p1")[erased]
    names = [embedded_server.fresh(), embedded_server.fresh()]
    with embedded_server.open(names[0]) as one, embedded_server.open(names[1]) as other:
        heard, never = Door(one), Door(other)
        heard.send(*story[:5])
        state(heard)
        heard.send(*story)
        state(heard)
        heard.erase("ana", key)
        never.send(*(each for each in story if each["key"] != key))
        assert state(heard) == state(never)
        assert verify(heard.runtime, "default").sound
        assert heard.erase("ana", key) == NOTHING
    for name in names:
        embedded_server.drop(name)


def test_no_extraction_is_stored_behind_an_erasure(door: Door) -> None:
    """R-92: what was being extracted while its episode was erased does not come back as a cache."""
    (one,) = door.send(note("I like kestrel.", key="k"))
    content = door.rows("revisions")[0]["content_hash"]
    door.erase("ana", "k")
    assert one.episode_id is not None
    with door.store.transaction(door.tenant) as t:
        log.put_extractions(t, {(one.episode_id, content): "{}"}, extractor="any", recorded_at=door.clock)
    assert door.rows("extractions") == []


def test_an_act_on_what_was_erased_meanwhile_is_not_written(door: Door) -> None:
    """R-92, R-37: the words that an act repeats must not outlive what they were taken from."""
    door.send(claim("kestrel-town", 1, key="k"))
    state(door)
    saying = NamedSaying("k", door.rows("revisions")[0]["content_hash"], START, 0, 0, 1)
    memory = NamedMemory(unit="u", memory_id="m", kind="fact", text="kestrel", value="kestrel", sayings=(saying,))
    act = HumanAct(id="", kind=ActKind.FORGET, subject_id="ana", at=START, memories=(memory,), recorded_at=START)
    door.erase("ana", "k")
    with pytest.raises(TransactionConflict), door.store.transaction(door.tenant) as t:
        acts.put(t, identified(act))
    assert traces(door, "kestrel") == {}


def test_an_erasure_among_writers_leaves_nothing(store: Store) -> None:
    """R-92: whoever sends the record while it is erased, it does not come back."""
    door = Door(store)
    items = [note(f"kestrel {number}", key=f"k{number}", business_key=f"o{number % 3}") for number in range(12)]
    door.send(*items)

    def work(number: int) -> None:
        if number % 2:
            door.send(*items)
        else:
            door.erase("ana", f"k{number}")

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(work, range(12)))
    assert door.outcomes(*items) == ["erased"] * 12
    assert traces(door, "kestrel") == {}


def test_what_cannot_be_erased_is_named(door: Door) -> None:
    """R-92: a document that is not there, a certificate that cannot be given yet."""
    with pytest.raises(NotFound):
        erase(door.runtime, door.tenant, EraseRequest(corpus="wiki", external_id="home"))
    with pytest.raises(CertifyNotAvailable) as refused:
        erase(door.runtime, door.tenant, EraseRequest(subject_id="ana", certify=True))
    assert refused.value.code == "certify_not_available"
    assert door.erase("nobody") == NOTHING
    assert door.erase("nobody", "k") == NOTHING


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"subject_id": None},
        {"subject_id": "*"},
        {"subject_id": ""},
        {"corpus": "wiki"},
        {"subject_id": "ana", "corpus": "wiki", "external_id": "home"},
        {"corpus": "wiki", "external_id": "home", "episode_key": "k"},
        {"subject_id": "ana", "everything": True},
    ],
)
def test_an_erasure_that_does_not_name_one_thing_is_refused(asked: dict[str, Any]) -> None:
    """R-92: a lost field must not erase more than was meant."""
    with pytest.raises(ValidationError):
        EraseRequest.model_validate(asked)
