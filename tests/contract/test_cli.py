"""The path from an episode to a memory with its evidence, by commands alone (R-83, issue 2)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.serving import Done, Shell, run

ANA = [
    {"subject_id": "ana", "text": "I live in Lisbon.", "key": "1", "occurred_at": "2026-01-01T10:00:00Z"},
    {"subject_id": "ana", "text": "I am allergic to peanuts.", "key": "2", "occurred_at": "2026-01-02T10:00:00Z"},
]


class Commands:
    """The command line on one store."""

    def __init__(self, shell: Shell, address: str) -> None:
        self._shell = shell
        self._address = address

    def shown(self, *arguments: str, send: bytes = b"", **more: str) -> Done:
        return self._shell(*arguments, "--store", self._address, send=send, **more)

    def __call__(self, *arguments: str, send: bytes = b"") -> Any:
        return self.shown(*arguments, "--json", send=send).answer


@pytest.fixture
def stemma(shell: Shell, address: str) -> Commands:
    """The command line on a store of the test's own."""
    return Commands(shell, address)


def lines(*episodes: Any) -> bytes:
    """Write JSON lines."""
    return b"".join(json.dumps(one).encode() + b"\n" for one in episodes)


def test_processes_hand_a_store_to_one_another(address: str) -> None:
    """Issue 2: each command is a process of its own; stdout is the answer alone."""
    first = run("add", "-", "--json", send=lines(*ANA), STEMMA_STORE=address)
    assert [one["outcome"] for one in first.answer["results"]] == ["created", "created"]
    assert run("compile", "--json", STEMMA_STORE=address).answer["memories_created"] == 2
    asked = ("recall", "What is Ana allergic to?", "--subject", "ana", "--k", "1")
    found = run(*asked, "--json", "--store", address).answer["items"]
    assert [one["memory"]["text"] for one in found] == ["I am allergic to peanuts"]
    assert [one["key"] for one in found[0]["memory"]["episodes"]] == ["2"]


def test_adding_twice_is_adding_once(stemma: Commands) -> None:
    """R-1, through the command line."""
    first = stemma("add", "-", send=lines(*ANA))["results"]
    second = stemma("add", "-", send=lines(*ANA))["results"]
    assert [one["outcome"] for one in first] == ["created", "created"]
    assert [one["outcome"] for one in second] == ["duplicate", "duplicate"]
    assert [one["episode_id"] for one in first] == [one["episode_id"] for one in second]


def test_a_bad_line_is_named_by_its_place_and_stops_nothing(stemma: Commands, tmp_path: Path) -> None:
    """R-11, R-23: and the command ends with 1, so that a script notices."""
    file = tmp_path / "episodes.jsonl"
    file.write_bytes(lines(ANA[0]) + b"\n{nonsense\n" + lines({"subject_id": "ana", "txet": "x"}, ANA[1]))
    done = stemma.shown("add", str(file), "--json")
    results = json.loads(done.stdout)["results"]
    assert done.returncode == 1
    assert [(one["index"], one["outcome"]) for one in results] == [
        (0, "created"),
        (1, "rejected"),
        (2, "rejected"),
        (3, "created"),
    ]
    assert [one["error"]["code"] for one in results[1:3]] == ["malformed_json", "unknown_field"]


def test_many_lines_are_answered_one_by_one(stemma: Commands) -> None:
    """R-23: over several batches the places go on counting."""
    episodes = [
        {"subject_id": "ana", "text": f"Note {number} on the pump.", "key": str(number)} for number in range(450)
    ]
    results = stemma("add", "-", send=lines(*episodes))["results"]
    assert [(one["index"], one["key"]) for one in results] == [(number, str(number)) for number in range(450)]
    assert {one["outcome"] for one in results} == {"created"}


def test_one_text_is_added_without_a_file(stemma: Commands) -> None:
    """R-83: stderr stays empty where nobody looks at a bar."""
    done = stemma.shown("add", "--subject", "ana", "--text", "I live in Lisbon.", "--source", "cli")
    (held,) = stemma("episodes", "--subject", "ana")["items"]
    assert done == Done(0, f"1 created\n  episode {held['episode_id']}\n".encode(), b"")


def test_the_tenant_is_taken_from_the_option(stemma: Commands) -> None:
    """R-12: two tenants of one store see nothing of one another."""
    stemma("add", "-", "--tenant", "a", send=lines(*ANA))
    stemma("compile", "--tenant", "a")
    assert stemma("memories", "--subject", "ana", "--tenant", "b")["items"] == []
    assert len(stemma("memories", "--subject", "ana", "--tenant", "a")["items"]) == 2
    assert stemma("memories", "--subject", "ana")["items"] == []


def test_a_second_compile_says_that_nothing_changed(stemma: Commands) -> None:
    """R-2, through the command line."""
    stemma("add", "-", send=lines(*ANA))
    first = stemma("compile", "--subject", "ana")
    second = stemma("compile", "--subject", "ana")
    assert first["memories_created"] == 2
    assert second.pop("state_hash") == first["state_hash"]
    assert set(second.values()) == {0}


def test_a_recalled_memory_is_shown_with_its_id(stemma: Commands) -> None:
    """R-83: what is shown leads on to `history` and `forget`."""
    kept = stemma("remember", "I am allergic to peanuts.", "--subject", "ana", "--source", "chat")["memories"][0]
    (said,) = kept["episodes"]
    first, rests, last = stemma.shown("recall", "What is Ana allergic to?", "--subject", "ana").text.splitlines()
    day = said["occurred_at"][:10]
    assert first.endswith(" I am allergic to peanuts.")
    assert rests == (
        f"    memory {kept['id']} · episode {said['episode_id']} (chat, said {day}) · said once by 1 origin"
        f" · {kept['kind']} · active"
    )
    label, trace_id = last.split()
    why = stemma.shown("trace", trace_id, "--why", kept["id"])
    assert (label, why.text.partition(" at ")[0], why.returncode) == ("trace", "kept", 0)
    whole = stemma.shown("memory", kept["id"]).text.splitlines()[2]
    assert whole == f"    support: episode {said['episode_id']} (chat, said {day})"


def test_an_episode_is_shown_by_its_key_with_why_no_memory_came_of_it(stemma: Commands) -> None:
    """R-83: a reader is told in lines, not in records; one that is not there is told with how to look it up."""
    stemma("add", "-", send=lines({"subject_id": "ana", "key": "note:7", "text": "The weather was odd."}))
    made = stemma.shown("compile", "--subject", "ana")
    assert b"no new memory came of what was read" in made.stderr
    assert stemma.shown("compile", "--subject", "ana").stderr == b""
    (held,) = stemma("episodes", "--subject", "ana")["items"]
    shown = stemma.shown("episode", "note:7", "--subject", "ana").text.splitlines()
    assert shown[0].startswith(f"episode {held['episode_id']} · key note:7 · api · subject ana · said ")
    assert shown[1:] == ["The weather was odd.", "    no memory: past_state, 'The weather was odd'"]
    assert stemma.shown("episodes", "--subject", "ana").text.splitlines() == [shown[1], f"    {shown[0]}"]
    missed = stemma.shown("episode", "note:7")
    assert missed.returncode == 2
    assert b"stemma episode KEY --subject SUBJECT" in missed.stderr


def test_passages_are_shown_below_their_document(stemma: Commands, tmp_path: Path) -> None:
    """R-83: a search reads as text."""
    (tmp_path / "pump.md").write_text("# Pump\n\nStop the pump first, then restart it by hand.\n", encoding="utf-8")
    stemma("sync", str(tmp_path), "--corpus", "handbook")
    shown = stemma.shown("search", "How is the pump restarted?", "--corpora", "handbook").text.splitlines()
    assert shown[0].startswith("[1] pump.md · handbook/pump.md")
    assert shown[1].endswith("Stop the pump first, then restart it by hand.")
    assert shown[2:] == ["1 independent origins among 1 documents"]


def test_a_bundle_is_its_text_alone(stemma: Commands) -> None:
    """R-83: what is piped into a prompt is the text and nothing beside it; what it rests on is told on stderr."""
    stemma("add", "-", send=lines(*ANA))
    stemma("compile")
    options = ("bundle", "What is Ana allergic to?", "--subject", "ana", "--budget-tokens", "300")
    answer, shown = stemma(*options), stemma.shown(*options)
    assert "peanuts" in answer["text"]
    assert shown.stdout.decode().rstrip("\n") == answer["text"].rstrip("\n")
    resting = [
        f"    {item['id']} · episode {said['episode_id']} ("
        for section in answer["sections"]
        for item in section["items"]
        for said in item["provenance"][:1]
    ]
    assert resting
    assert all(line in shown.stderr.decode() for line in resting)


def test_what_is_shown_is_not_obeyed(stemma: Commands) -> None:
    """F59, on a terminal: markup in a text is text."""
    stemma("remember", "[red]Ana[/red] likes [link=file:///etc]tea[/link].", "--subject", "ana")
    shown = stemma.shown("memories", "--subject", "ana").stdout.decode()
    assert "[red]Ana[/red] likes [link=file:///etc]tea[/link]" in shown


def test_forgetting_is_recorded_and_stays(stemma: Commands) -> None:
    """R-37: forget by the command line."""
    kept = stemma("remember", "I am allergic to peanuts.", "--subject", "ana")["memories"][0]
    gone = stemma("forget", kept["id"], "--by", "ana", "--note", "not true")
    assert (gone["id"], gone["status"]) == (kept["id"], "tombstoned")
    assert stemma("memories", "--subject", "ana")["items"] == []
    assert stemma("compile", "--subject", "ana")["memories_created"] == 0
    assert [one["loser_id"] for one in stemma("history", kept["id"])["items"]] == [kept["id"]]


def test_an_erased_episode_does_not_come_back(stemma: Commands) -> None:
    """R-3: erase leaves what stops a re-sync from bringing it back."""
    stemma("add", "-", send=lines(*ANA))
    assert stemma("erase", "--subject", "ana", "--key", "2")["episodes"] == 1
    again = stemma("add", "-", send=lines(*ANA))["results"]
    assert [one["outcome"] for one in again] == ["duplicate", "erased"]


def test_an_exported_log_is_whole_and_its_owners_alone(stemma: Commands, tmp_path: Path) -> None:
    """R-2, R-92: two exports are the same bytes; nothing half-written is left."""
    stemma("add", "-", send=lines(*ANA))
    file = tmp_path / "log.jsonl"
    counted = stemma("export", str(file))["records"]
    streamed = stemma.shown("export").stdout
    assert file.read_bytes() == streamed
    assert file.stat().st_mode & 0o777 == 0o600
    assert [one.name for one in tmp_path.iterdir()] == ["log.jsonl"]
    assert streamed.count(b"\n") == counted + 1


def test_importing_twice_changes_nothing(stemma: Commands) -> None:
    """R-2: in any order, any number of times."""
    stemma("add", "-", send=lines(*ANA))
    log = stemma.shown("export").stdout
    answer = stemma("import", "-", send=log)
    assert (answer["changed"], answer["rejected"]) == (0, 0)
    assert answer["unchanged"] > 0
    bad = stemma.shown("import", "-", "--json", send=log + b'{"type": "nothing"}\n')
    assert bad.returncode == 1
    assert json.loads(bad.stdout)["rejected"] == 1


def test_what_is_registered_is_listed(stemma: Commands) -> None:
    """R-20, R-36: sources, claim keys, kinds by the command line."""
    stemma("source", "github", "--key-policy", "identity", "--authority", "70")
    assert [(one["name"], one["authority"]) for one in stemma("sources")["items"]] == [("github", 70)]
    stemma("claim-key", "fee", "--cardinality", "single", "--policy", "corroborated", "--corroboration", "3")
    fee = next(one for one in stemma("claim-keys")["items"] if one["key"] == "fee")
    assert (fee["cardinality"], fee["policy"], fee["corroboration"]) == ("single", "corroborated", 3)
    assert "preference" in [one["name"] for one in stemma("kinds")["items"]]


def test_migrate_says_what_it_did(stemma: Commands) -> None:
    """R-92, API.md: migrate; twice is once."""
    done = stemma("migrate")
    assert done["applied"] == []
    assert done["already"][0] == "0001_log"


def test_a_sound_store_is_told_from_one_that_is_not(stemma: Commands, address: str) -> None:
    """API.md: verify ends with 0 where the store is sound, with 1 where it is not."""
    stemma("add", "-", send=lines(*ANA))
    stemma("compile")
    assert stemma("verify")["sound"] is True
    with psycopg.connect(address, autocommit=True) as tamper:
        tamper.execute("SELECT set_config('stemma.tenant', 'default', false)")
        tamper.execute("DELETE FROM memories WHERE body LIKE '%peanuts%'")
    done = stemma.shown("verify", "--json")
    found = json.loads(done.stdout)
    assert (done.returncode, found["sound"]) == (1, False)
    assert {one["subject_id"] for one in found["faults"]} <= {"ana", None}
    assert found["faults"]
    shown = stemma.shown("verify")
    assert (shown.returncode, shown.stdout.decode().partition(",")[0]) == (1, "not sound")


def test_a_conflict_is_listed_and_resolved(stemma: Commands) -> None:
    """R-36, R-37: what policy leaves open, a person rules on by the command line."""
    stemma("claim-key", "fee", "--cardinality", "single", "--policy", "flag")
    said = [
        {"subject_id": "acme", "key": str(day), "occurred_at": f"2026-01-0{day}T10:00:00Z", "claims": [claim]}
        for day, claim in ((1, {"key": "fee", "value": "2.9%"}), (2, {"key": "fee", "value": "3.5%"}))
    ]
    stemma("add", "-", send=lines(*said))
    stemma("compile")
    (conflict,) = stemma("conflicts", "--subject", "acme")["items"]
    assert (conflict["status"], conflict["claim_key"], len(conflict["memory_ids"])) == ("open", "fee", 2)
    active = {one["claim"]["value"]: one["id"] for one in stemma("memories", "--subject", "acme")["items"]}
    ruled = stemma("resolve", conflict["id"], "--choose", active["3.5%"], "--by", "ana")
    assert (ruled["id"], ruled["status"]) == (conflict["id"], "resolved")
    assert [one["claim"]["value"] for one in stemma("memories", "--subject", "acme")["items"]] == ["3.5%"]
    assert stemma("conflicts", "--subject", "acme")["items"] == []
    (decision,) = stemma("decisions", "--subject", "acme")["items"]
    assert (decision["winner_id"], decision["loser_id"]) == (active["3.5%"], active["2.9%"])
