"""F13: the ledger says "done" and the index has lost it. A sync mends it, and `verify` names it before (R-2, R-13)."""

from __future__ import annotations

import json
from pathlib import Path

import psycopg

from tests.serving import Shell
from tests.stores import Server

DOCUMENTS, LOST = 50, 20


def test_a_sync_puts_back_what_the_index_has_lost(
    shell: Shell, served_server: Server, address: str, tmp_path: Path
) -> None:
    """F13: 20 of 50 are lost from the index; verify names 20, the same sync repairs 20, and all 50 are found."""
    for number in range(DOCUMENTS):
        (tmp_path / f"note-{number:02d}.txt").write_text(f"Berth {number} belongs to boat number{number}.")
    sync = ("sync", str(tmp_path), "--corpus", "berths", "--store", address, "--json")
    assert shell(*sync).answer["created"] == DOCUMENTS
    assert shell("verify", "--store", address, "--json").returncode == 0
    with psycopg.connect(served_server.admin(address.rpartition("/")[2]), autocommit=True) as connection:
        gone = "SELECT document_id FROM documents ORDER BY external_id LIMIT %s"
        connection.execute(f"DELETE FROM passages WHERE document_id IN ({gone})", [LOST])
    checked = shell("verify", "--store", address, "--json")
    assert checked.returncode == 1
    assert checked.stdout.count(b"passage_missing") == LOST
    again = shell(*sync).answer
    assert (again["repaired"], again["unchanged"], again["created"]) == (LOST, DOCUMENTS - LOST, 0)
    assert shell("verify", "--store", address, "--json").returncode == 0
    with psycopg.connect(served_server.admin(address.rpartition("/")[2]), autocommit=True) as connection:
        connection.execute("DELETE FROM passages WHERE heading = ''")
        connection.execute("UPDATE documents SET origin_id = 'nobody'")
    repaired = shell("verify", "--repair", "--store", address, "--json")
    assert (repaired.returncode, json.loads(repaired.stdout)["repaired_count"]) == (0, 2 * DOCUMENTS)
    for number in range(0, DOCUMENTS, 7):
        found = shell("search", f"number{number}", "--corpora", "berths", "--store", address, "--json").answer
        assert [one["external_id"] for one in found["citations"]] == [f"note-{number:02d}.txt"]
