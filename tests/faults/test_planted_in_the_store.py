"""What somebody alters in a filled store by hand: `verify` names each fault precisely, `--repair` puts right what is
derived, and what lies in the log is left with what to do about it (R-2, R-3, R-13).
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from psycopg import sql

from stemma import Stemma
from stemma.app.verify import VerifyResult
from tests.faults.embedding_server import embedding_server
from tests.faults.planted import MODEL, NOW, SECRET_WORDS, Plant, fill
from tests.faults.planted_log import IN_LOG
from tests.faults.planted_state import DERIVED
from tests.serving import Shell
from tests.spine_clock import Clock
from tests.stores import Server, open_folder

LOG = ("episodes", "revisions", "sayings", "acts", "act_episodes", "tombstones", "tombstone_witnesses")
# What a repair must bring back to the letter. When a row was derived, or undone, is journal.
STATE = {
    "subjects": "subject_id, encode(state_hash, 'hex'), extractor, recorded_at",
    "points": "*",
    "memories": "id, subject_id, unit, kind, claim_key, value_hash, spells, valid, last_said_at, body, row_hash",
    "evidence": "*",
    "decisions": "CASE WHEN undone_at IS NULL THEN (id, subject_id, unit, winner_id, loser_id, body)::text END",
    "conflicts": "*",
    "unit_notes": "*",
    "lex": "*",
    "extractions": "*",
    "embeddings": "*",
    "uses": "memory_id, recall_count",
    "act_episodes": "*",
    "dirty": "*",
}
TABLES = sorted({*LOG, *STATE})


@dataclass(slots=True)
class Filled:
    """A filled store and the state that it must come back to."""

    target: str
    embedder: str
    stemma: Stemma
    hashes: dict[str, str]
    state: dict[str, list[str]]
    columns: dict[str, str] = field(default_factory=dict)
    altered: bool = False

    def run(self, statement: str, **named: Any) -> list[dict[str, Any]]:
        """Run a statement by hand, as the tenant whose store it is."""
        with self.stemma.runtime.store.transaction("default") as t:
            done = t.connection.execute(statement.encode(), named or None)
            return done.fetchall() if done.description else []

    def plant(self, *plants: Plant) -> list[str]:
        """Plant faults and give the ids that they must be named by."""
        self.altered = True
        names: list[str] = []
        for plant in plants:
            (row,) = self.run(plant.find, subject=plant.subject or "ana")
            names += row.values()
        for plant, name in zip(plants, names, strict=True):
            for statement in plant.sql:
                self.run(statement, id=name)
        return names

    def keep(self) -> None:
        """Keep a copy of everything."""
        written = "SELECT string_agg(column_name, ', ') AS listed FROM information_schema.columns "
        written += "WHERE table_name = %(table)s AND is_generated = 'NEVER'"
        for table in TABLES:
            self.columns[table] = self.run(written, table=table)[0]["listed"]
            self.run(f"CREATE TABLE kept_{table} AS SELECT {self.columns[table]} FROM {table}")

    def restore(self, tables: Iterable[str]) -> None:
        """Put tables back, as from a backup."""
        for each in tables:
            self.run(f"DELETE FROM {each}; INSERT INTO {each} ({self.columns[each]}) SELECT * FROM kept_{each}")

    def is_as_before(self, subject: str | None = None) -> None:
        """Assert that every derived row is back to the letter, and the hash with it as a compile answers it."""
        self.stemma.make_vectors(limit=100)
        assert state_of(self.stemma) == self.state
        for name in [subject] if subject else self.hashes:
            assert hash_of(self.stemma, name) == self.hashes[name]
        self.altered = False


def state_of(stemma: Stemma) -> dict[str, list[str]]:
    """Dump what is derived, table by table."""
    found = {}
    with stemma.runtime.store.transaction("default", read_only=True) as t:
        for table, columns in STATE.items():
            query = sql.SQL("SELECT {} FROM {}").format(sql.SQL(columns), sql.Identifier(table))
            rows = t.connection.execute(query).fetchall()
            found[table] = sorted(str(row) for row in rows if any(each is not None for each in row.values()))
    return found


def hash_of(stemma: Stemma, subject: str) -> str:
    """Give a subject's hash as a compile answers it."""
    found = stemma.compile_memories(subject).state_hash
    assert found is not None
    return found


@pytest.fixture
def filled(once: Filled) -> Iterator[Filled]:
    """A filled store as it was, whatever an earlier test did to it."""
    yield once
    if once.altered:
        once.restore(TABLES)


@pytest.fixture(scope="module", params=["embedded", "served"])
def once(request: pytest.FixtureRequest) -> Iterator[Filled]:
    """One filled store, embedded, then served."""
    with embedding_server(MODEL) as address:
        embedder = f"{address}#small"
        if request.param == "embedded":
            folder = open_folder()
            yield from opened(str(folder / "store"), embedder)
            shutil.rmtree(folder)
        else:
            server: Server = request.getfixturevalue("served_server")
            name = server.fresh()
            yield from opened(str(server.target).rpartition("/")[0] + f"/{name}", embedder)
            server.drop(name)


def opened(target: str, embedder: str) -> Iterator[Filled]:
    """Fill a store and keep what it must come back to."""
    fill(target, embedder)
    with Stemma(target, clock=Clock(NOW), embedder=embedder) as stemma:
        hashes = {subject: hash_of(stemma, subject) for subject in ("ana", "bo", "cy")}
        one = Filled(target, embedder, stemma, hashes, state_of(stemma))
        one.keep()
        assert named(stemma.verify()) == []
        yield one


def named(result: VerifyResult) -> list[tuple[str | None, str, str]]:
    """Give the faults as (subject, kind, id)."""
    assert result.sound == (not result.faults)
    assert len(result.faults) == result.faults_found
    return [(one.subject_id, one.kind, one.id) for one in result.faults]


def check_words(result: VerifyResult, plant: Plant) -> None:
    """Assert that the words say what was altered, and quote nobody."""
    assert plant.words in "; ".join(one.detail for one in result.faults)
    assert [word for word in SECRET_WORDS if word in result.model_dump_json()] == []


@pytest.mark.parametrize("plant", DERIVED, ids=lambda one: one.name)
def test_a_derived_fault_is_named_and_put_right(filled: Filled, plant: Plant) -> None:
    """R-2, R-13: `verify` names the row, the subject and what differs, and no other; a repair restores all of it.

    Breaks when a table or a column is not compared, or when what follows from a fault is told as a fault of its own.
    """
    (name,) = filled.plant(plant)
    found = filled.stemma.verify()
    assert named(found) == [(plant.subject, kind, name) for kind in plant.kinds]
    assert [one.in_log for one in found.faults] == [False] * len(plant.kinds)
    assert found.advice is None
    check_words(found, plant)
    repaired = filled.stemma.verify(plant.subject, repair=True)
    assert named(repaired) == []
    assert repaired.repaired == found.faults
    filled.is_as_before(plant.subject)


@pytest.mark.parametrize("plant", IN_LOG, ids=lambda one: one.name)
def test_a_fault_of_the_log_is_named_and_left(filled: Filled, plant: Plant) -> None:
    """R-3, R-13: a repair neither touches the log nor derives anything from what is damaged; it says what to do.

    Breaks when a repair derives from the altered text or without the lost saying, and so loses what was derived of it.
    """
    (name,) = filled.plant(plant)
    before = {table: filled.run(f"SELECT * FROM {table} ORDER BY 1, 2, 3") for table in LOG}
    found = filled.stemma.verify(plant.subject)
    assert (plant.subject, plant.kinds[0], name) in named(found)
    assert sorted(one.kind for one in found.faults) == sorted(plant.kinds)
    assert found.faults[0].in_log
    check_words(found, plant)
    assert found.advice is not None
    assert "backup" in found.advice
    left = filled.stemma.verify(plant.subject, repair=True)
    assert named(left) == named(found)
    assert left.repaired == ()
    assert {table: filled.run(f"SELECT * FROM {table} ORDER BY 1, 2, 3") for table in LOG} == before
    filled.restore(LOG)
    assert named(filled.stemma.verify(plant.subject)) == []
    filled.is_as_before(plant.subject)


def test_a_subject_whose_log_is_damaged_is_left_whole(filled: Filled) -> None:
    """R-3: what was derived of an altered text is the last that tells of it, so a repair derives nothing from that log.

    Breaks when a repair takes a subject on because something derived is wrong with it besides.
    """
    filled.plant(IN_LOG[0])
    filled.run("UPDATE subjects SET state_hash = decode(repeat('ab', 32), 'hex') WHERE subject_id = 'bo'")
    left = filled.stemma.verify(repair=True)
    assert [(one.kind, one.in_log) for one in left.faults] == [("content_altered", True), ("state_hash_differs", False)]
    assert "I am allergic to peanuts" in [one.text for one in filled.stemma.list_memories("bo").items]
    filled.restore(LOG)
    assert filled.stemma.verify(repair=True).repaired_count == 1
    filled.is_as_before()


def test_all_at_once_by_the_command_line(filled: Filled, shell: Shell) -> None:
    """API.md: exit 1 with every fault named; `--repair` puts right what is derived, tells so, and ends with 1 as long
    as the log has a fault; with the log restored it is sound and ends with 0.
    """
    planted = [one for one in (*DERIVED, *IN_LOG) if not one.alone]
    wanted = {(one.kinds[0], name) for one, name in zip(planted, filled.plant(*planted), strict=True)}
    options = ("--store", filled.target, "--json")
    found = shell("verify", *options, STEMMA_EMBEDDER=filled.embedder)
    assert found.returncode == 1
    assert wanted <= {(one["kind"], one["id"]) for one in json.loads(found.stdout)["faults"]}
    assert len(wanted) >= 24
    left = shell("verify", "--repair", *options, STEMMA_EMBEDDER=filled.embedder)
    answer = json.loads(left.stdout)
    assert (left.returncode, answer["sound"]) == (1, False)
    in_log = {kind for one in IN_LOG for kind in one.kinds}
    assert {one["kind"] for one in answer["faults"]} <= in_log
    assert {one["subject_id"] for one in answer["faults"]} <= {"bo", None}
    assert {(one.kinds[0]) for one in DERIVED if not one.alone} <= {one["kind"] for one in answer["repaired"]}
    shown = shell("verify", "--repair", "--store", filled.target, STEMMA_EMBEDDER=filled.embedder)
    lines = shown.stdout.decode().splitlines()
    assert lines[0].startswith(f"not sound, {len(answer['faults'])} faults: 3 subjects")
    assert lines[-1].startswith("The log itself is damaged")
    filled.restore(LOG)
    assert shell("verify", "--repair", *options, STEMMA_EMBEDDER=filled.embedder).returncode == 0
    filled.is_as_before()


def test_a_vector_that_is_missing_is_counted_and_no_fault(filled: Filled) -> None:
    """R-95: what waits for a vector is outstanding; the next background pass makes it."""
    filled.altered = True
    filled.run("DELETE FROM embeddings WHERE text_hash = (SELECT min(text_hash) FROM embeddings)")
    found = filled.stemma.verify()
    assert (found.sound, found.vectors_outstanding) == (True, 1)
    filled.is_as_before()
    assert filled.stemma.verify().vectors_outstanding == 0
