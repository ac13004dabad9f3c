"""`stemma sync`: a folder as a corpus, with deletions and a stop before a landslide; and the commands beside it."""

from __future__ import annotations

import json
from pathlib import Path

from tests.serving import Shell


def test_a_folder_becomes_a_corpus_and_stays_it(shell: Shell, address: str, tmp_path: Path) -> None:
    """Issue 4: files to documents, again nothing, changes and deletions followed, one bad file named."""
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "pump.md").write_text("# Pump\n\nThe pump restarts in 90 seconds.")
    (tmp_path / "beacon.txt").write_text("The beacon is cleaned with vinegar.")
    (tmp_path / "siren.txt").write_text("The siren sounds at noon.")
    (tmp_path / ".hidden.txt").write_text("Nobody reads this.")
    sync = ("sync", str(tmp_path), "--corpus", "ops", "--store", address, "--json")
    first = shell(*sync)
    assert (first.returncode, first.answer["created"], first.answer["failed"]) == (0, 3, [])
    assert shell(*sync).answer["unchanged"] == 3
    shell("put-document", "ops", "by hand", "--text", "Put by hand.", "--store", address)
    (tmp_path / "siren.txt").unlink()
    (tmp_path / "beacon.txt").write_text("The beacon is cleaned with soap.")
    (tmp_path / "bad.txt").write_bytes(b"\x00\x01\x02\xff\xfe" * 40)
    done = shell(*sync)
    answer = json.loads(done.stdout)
    assert done.returncode == 1
    assert (answer["updated"], answer["deleted"], answer["unchanged"]) == (1, 1, 1)
    assert [one["external_id"] for one in answer["failed"]] == ["bad.txt"]
    listed = shell("documents", "ops", "--store", address, "--json").answer["items"]
    assert [one["external_id"] for one in listed] == ["beacon.txt", "by hand", "deep/pump.md"]
    found = shell("search", "How long does the pump take?", "--corpora", "ops", "--store", address, "--json").answer
    assert found["citations"][0]["external_id"] == "deep/pump.md"
    told = shell("ask", "With what is the beacon cleaned?", "--corpora", "ops", "--store", address, "--json").answer
    assert told["answer"].startswith("The beacon is cleaned with soap. [1]")


def test_a_folder_that_lost_most_of_its_files_stops_the_sync(shell: Shell, address: str, tmp_path: Path) -> None:
    """Issue 4: more than a set share vanishing at once is an unmounted disk until somebody says otherwise."""
    for number in range(10):
        (tmp_path / f"{number}.txt").write_text(f"Note number {number}.")
    sync = ("sync", str(tmp_path), "--corpus", "ops", "--store", address, "--json")
    assert shell(*sync).answer["created"] == 10
    for number in range(6):
        (tmp_path / f"{number}.txt").unlink()
    stopped = shell(*sync)
    assert stopped.returncode == 2
    assert json.loads(stopped.stderr)["code"] == "sync_stopped"
    assert len(shell("documents", "ops", "--store", address, "--json").answer["items"]) == 10
    assert shell(*sync, "--most-gone", "0.6").answer["deleted"] == 6
    assert len(shell("documents", "ops", "--store", address, "--json").answer["items"]) == 4
    assert shell("sync", str(tmp_path / "no such"), "--corpus", "ops", "--store", address).returncode == 2


def test_events_come_from_lines(shell: Shell, address: str, tmp_path: Path) -> None:
    """R-64 on the command line: one bad line never stops the rest; a second run is all duplicates."""
    shell("put-document", "ops", "zero", "--text", "Zero.", "--store", address)
    events = [
        {"event_id": f"e{n}", "op": "upsert", "corpus": "ops", "external_id": f"{n}", "text": f"N {n}."} for n in (1, 2)
    ]
    lines = tmp_path / "events.jsonl"
    lines.write_text("\n".join([json.dumps(events[0]), "{no json", json.dumps(events[1])]))
    done = shell("send-events", str(lines), "--store", address, "--json")
    assert done.returncode == 1
    statuses = [one["status"] for one in json.loads(done.stdout)["results"]]
    assert statuses == ["applied", "rejected", "applied"]
    lines.write_text("\n".join(map(json.dumps, events)))
    again = shell("send-events", str(lines), "--store", address, "--json").answer
    assert [one["status"] for one in again["results"]] == ["duplicate", "duplicate"]
    listed = shell("events", "ops", "--store", address, "--json").answer["items"]
    assert [one["event_id"] for one in listed] == ["e1", "e2"]
