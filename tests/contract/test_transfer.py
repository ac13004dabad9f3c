"""Carrying a log out and in: byte for byte, line by line, batch by batch (R-2, R-91, R-92)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from stemma.app.acts import forget_memory
from stemma.app.compile import compile_subject
from stemma.app.memories import list_memories
from stemma.app.models_memories import ForgetRequest, ListMemories
from stemma.app.models_registry import PutClaimKey, PutSource
from stemma.app.registry import put_claim_key, put_source
from stemma.config import Settings
from stemma.errors import UnknownFormat
from stemma.records import Cardinality, KeyPolicy, Policy
from tests.contract.log_door import Door
from tests.stores import Server


@pytest.fixture
def pair(server: Server) -> Iterator[tuple[Door, Door]]:
    """Two stores of one server."""
    names = [server.fresh(), server.fresh()]
    with server.open(names[0]) as one, server.open(names[1]) as other:
        yield Door(one), Door(other)
    for name in names:
        server.drop(name)


def fill(door: Door) -> None:
    """Put something of every kind into a store: all policies, marks, acts, a registry, an erasure."""
    put_source(door.runtime, "default", PutSource(name="crm", key_policy=KeyPolicy.REVISION, authority=80))
    wanted = PutClaimKey(key="plan", cardinality=Cardinality.SINGLE, policy=Policy.FLAG, half_life_days=7.5)
    put_claim_key(door.runtime, "default", wanted)
    door.send(
        *(
            {"subject_id": "ana", "key": "p", "source": "crm", "text": f"I prefer {tea} tea.", "occurred_at": at}
            for tea, at in (("green", "2026-05-01T09:00:00+02:00"), ("black", "2026-05-02T09:00:00-08:00"))
        ),
        {"subject_id": "ana", "text": 'line\u2028separator\u2029é🛶\t"quoted"', "metadata": {"z": 1, "a": [2.5, None]}},
        {"subject_id": "ana", "text": "Ahead.", "occurred_at": "2031-01-01T00:00:00Z", "session_id": "s 1"},
        {
            "subject_id": "bo",
            "messages": [{"role": "user", "content": "I live in Oslo.", "name": "Bo", "at": "2026-05-01T09:00:00Z"}],
            "business_key": "call:1",
            "said_by": "agent",
        },
        {"subject_id": "bo", "key": "gone", "text": "kestrel"},
        {
            "subject_id": "bo",
            "claims": [
                {"key": "plan", "value": "pro", "valid_from": "2026-01-01T00:00:00+05:30", "polarity": "negated"}
            ],
        },
    )
    for subject in ("ana", "bo"):
        compile_subject(door.runtime, "default", subject)
    rows = list_memories(door.runtime, "default", ListMemories(subject_id="ana")).items
    forget_memory(door.runtime, "default", ForgetRequest(memory_id=rows[0].id, by="ana", note="No more."))
    door.erase("bo", "gone")


def hashes(door: Door) -> list[str]:
    """Compile everything, and give the state's hashes."""
    return [compile_subject(door.runtime, "default", subject).state_hash for subject in ("ana", "bo")]


def test_an_export_is_the_same_bytes_and_makes_the_same_store(pair: tuple[Door, Door]) -> None:
    """R-2, R-91: twice out is once out; in again is the same log, and so the same state."""
    door, empty = pair
    fill(door)
    exported = door.export()
    assert door.export() == exported
    result = empty.take(exported)
    assert (result.rejected, result.refused, result.unchanged) == (0, 0, 0)
    assert result.changed == len(exported.splitlines()) - 1
    assert empty.export() == exported
    assert hashes(empty) == hashes(door)
    assert empty.take(exported).unchanged == result.changed
    assert "kestrel" not in exported
    assert empty.outcomes({"subject_id": "bo", "key": "gone", "text": "kestrel"}) == ["erased"]


def test_importing_again_writes_nothing(pair: tuple[Door, Door]) -> None:
    """R-1: no row is rewritten, and no subject has anything new."""
    door, other = pair
    fill(door)
    exported = door.export()
    other.take(exported)
    hashes(other)
    tables = ("episodes", "revisions", "sayings", "extractions", "acts", "sources", "claim_keys", "dirty", "lex")
    held = [other.rows(table) for table in tables]
    assert other.take(exported).changed == 0
    assert [other.rows(table) for table in tables] == held


def test_every_batch_size_gives_the_same_log(pair: tuple[Door, Door]) -> None:
    """R-2: an import may be cut anywhere."""
    door, other = pair
    fill(door)
    small = Door(other.store, settings=Settings(import_records=1))
    small.take(door.export())
    assert small.export() == door.export()


def test_one_file_may_tell_of_a_record_twice(pair: tuple[Door, Door]) -> None:
    """R-1: two exports behind one header are taken in as one."""
    door, other = pair
    fill(door)
    exported = door.export()
    header, rest = exported.split("\n", 1)
    assert other.take(f"{header}\n{rest}{rest}").rejected == 0
    assert other.export() == exported


def test_a_forget_is_replayed_as_a_record(pair: tuple[Door, Door]) -> None:
    """R-37: a human act made once holds wherever the log is taken."""
    door, other = pair
    fill(door)
    lines = door.export().splitlines(keepends=True)
    acts = [line for line in lines if json.loads(line).get("type") == "act"]
    assert len(acts) == 1
    other.take(lines[0] + "".join(line for line in lines[1:] if line not in acts))
    assert hashes(other) != hashes(door)
    other.take(lines[0] + acts[0])
    assert hashes(other) == hashes(door)


def test_an_imported_tombstone_reaches_what_is_there_and_what_comes_later(pair: tuple[Door, Door]) -> None:
    """R-92: an erasure in one store is one in every store that takes its log in."""
    door, other = pair
    twins = [
        {"subject_id": "ana", "key": key, "business_key": "b", "text": f"My kestrel {key} sings."} for key in ("k", "l")
    ]
    door.send(twins[0])
    other.send(twins[1], twins[0], {"subject_id": "ana", "key": "m", "text": "I like tea."})
    compile_subject(other.runtime, "default", "ana")
    before = other.export()
    door.erase("ana", "k")
    result = other.take(door.export())
    assert result.erased == 2
    assert "kestrel" not in other.export()
    assert not [row for row in other.rows("memories") if "kestrel" in row["body"]]
    assert other.take(before).refused == 4
    assert "kestrel" not in other.export()
    assert door.take(before).refused == 4
    assert door.export() == other.export()
    assert other.outcomes(*twins) == ["erased", "erased"]


def test_a_bad_line_is_named_and_the_rest_goes_on(pair: tuple[Door, Door]) -> None:
    """R-11: by number, with a code, and nothing of it is written."""
    door, other = pair
    door.send({"subject_id": "ana", "key": "k", "text": "I like tea."})
    header, good = door.export().splitlines()
    changes: list[tuple[str, Any]] = [
        ("recorded_at", "2026-05-01T09:00:00"),
        ("subject_id", "a\u0007"),
        ("policy", "content"),
        ("policy", "always"),
        ("sayings", []),
        ("colour", "red"),
        ("key", 5),
    ]
    bad = [json.dumps({**json.loads(good), name: value}) for name, value in changes]
    forged = json.loads(good)
    forged["revisions"][0]["content"]["text"] = "I hate tea."
    typed = json.loads(good)
    typed["revisions"][0]["content"]["text"] = 5
    bad += [json.dumps(forged), json.dumps(typed), "{", "[]", '{"type":"nonsense"}', '{"a":NaN}', "[" * 100_000]
    bad.append(
        '{"type":"tombstone","secret_id":"aa","digest":"bb","covers_until":null,"erased_at":"2026-01-01T00:00:00Z"}'
    )
    bad.append('{"type":"act","act":{"id":"x"}}')
    result = other.take("\n".join([header, *bad, "", good]) + "\n")
    assert [(one.line, one.code) for one in result.errors] == list(
        enumerate(
            ["naive_datetime", "control_character", "invalid", "invalid", "invalid", "unknown_field", "invalid"]
            + ["invalid", "invalid", "malformed_json", "invalid", "invalid", "malformed_json", "malformed_json"]
            + ["invalid_record", "invalid"],
            start=2,
        )
    )
    assert (result.changed, result.rejected) == (1, len(bad))
    assert other.export() == door.export()


@pytest.mark.parametrize(
    "first", ["", "\n", "{}", '{"format":"stemma-log/2","tenant":"default"}', '{"format":"stemma-log/1"}', "x"]
)
def test_a_file_that_is_no_export_is_refused(pair: tuple[Door, Door], first: str) -> None:
    """R-87: a wrong file is named as such before anything is written."""
    door, _ = pair
    with pytest.raises(UnknownFormat):
        door.take(first)
    assert door.rows("tenants") == []


def test_another_tenants_acts_are_named_and_its_episodes_taken(pair: tuple[Door, Door]) -> None:
    """R-12: memories have ids of their tenant, so an act on them means nothing to another."""
    door, other = pair
    fill(door)
    other.tenant = "moved"
    result = other.take(door.export())
    assert [one.code for one in result.errors] == ["foreign_tenant"]
    assert len(other.rows("episodes")) == len(door.rows("episodes"))


def test_the_later_registration_stands(pair: tuple[Door, Door]) -> None:
    """R-2: of two registries the later entry, in either order; its subjects have something new."""
    door, other = pair
    for each, authority in ((door, 20), (other, 70)):
        put_source(each.runtime, "default", PutSource(name="crm", authority=authority))
        each.send({"subject_id": "ana", "source": "crm", "text": "I like tea.", "key": "k"})
        each.later(days=1)
    other.later(days=1)
    put_source(other.runtime, "default", PutSource(name="crm", authority=75))
    compile_subject(door.runtime, "default", "ana")
    exported = door.export()
    door.take(other.export())
    other.take(exported)
    assert [row["authority"] for each in (door, other) for row in each.rows("sources")] == [75, 75]
    assert "*" in {row["group_id"] for row in door.rows("dirty")}
    assert hashes(door) == hashes(other)


@pytest.mark.parametrize("back", [0, 3600])
def test_what_was_registered_last_is_so_everywhere_though_the_clock_stood_or_went_back(
    pair: tuple[Door, Door], back: int
) -> None:
    """R-2: the store that a registration was made in and one that takes its log in afterwards rule alike."""
    door, other = pair
    for authority, policy in ((80, Policy.KEEP_ALL), (10, Policy.FLAG), (80, Policy.AUTHORITY)):
        put_source(door.runtime, "default", PutSource(name="crm", authority=authority))
        put_claim_key(door.runtime, "default", PutClaimKey(key="plan", policy=policy))
        other.take(door.export())
        door.later(seconds=-back)
        assert other.export() == door.export()
    assert [row["authority"] for row in other.rows("sources")] == [80]
    assert [row["policy"] for row in other.rows("claim_keys")] == ["authority"]
