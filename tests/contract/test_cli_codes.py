"""What each command ends with: 0 done, 1 a check failed, 2 wrong use, 3 the store could not be reached (API.md)."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from stemma import Stemma
from stemma.app.operations import BY_NAME
from stemma.edges.cli import COMMANDS, Entry
from tests.serving import Done, Shell, environment, fork

DEAD = "postgresql://nobody@127.0.0.1:1/none?connect_timeout=1"
# What is no operation, with what it needs; {file} is a file of JSON lines, {probes} one of probes, {folder} a folder.
OTHERS = {
    "serve": "--port 0",
    "sync": "{folder} --corpus handbook",
    "export": "{out}",
    "import": "{file}",
    "calibrate": "--sample 10 --kind milestone --out {out}",
    "eval": "--probes {probes}",
    "stress": "--probes {probes}",
    "doctor": "",
    "verify": "",
    "migrate": "",
}
# They make their own store, or open one only when a client first asks.
WITHOUT_STORE = {"demo", "mcp"}
PROBE = {"id": "g-1", "class": "anchor", "subject_id": "ana", "query": "tea", "expect": {"anchors": [{"key": "tea:1"}]}}


def arguments(entry: Entry, place: Path) -> list[str]:
    """Return a right use of a command, without its store."""
    files = {name: place / name for name in ("file", "probes", "folder", "out")}
    files["file"].write_text(json.dumps({"subject_id": "ana", "text": "I like tea.", "key": "tea:1"}) + "\n")
    files["probes"].write_text(json.dumps(PROBE) + "\n")
    files["folder"].mkdir()
    if entry.operation is None:
        return [*entry.name.split(), *shlex.split(OTHERS[entry.name].format(**files))]
    words = shlex.split(BY_NAME[entry.operation].command.example)[1:]
    if "--store" in words:
        at = words.index("--store")
        del words[at : at + 2]
    return [str(files["file"]) if word.endswith(".jsonl") else word for word in words]


def one_line(done: Done) -> str:
    """Return the code that a failure is told with, in one line on stderr, and nothing on stdout."""
    assert (done.stdout, done.stderr.count(b"\n")) == (b"", 1), done
    return str(json.loads(done.stderr)["code"])


@pytest.mark.parametrize("entry", COMMANDS, ids=lambda entry: entry.name)
def test_an_option_that_a_command_does_not_have_is_wrong_use(shell: Shell, entry: Entry) -> None:
    """API.md: 2, for every command."""
    done = shell(*entry.name.split(), "--nonsense", "--json")
    assert (done.returncode, one_line(done)) == (2, "wrong_use")


@pytest.mark.parametrize(
    "entry", [one for one in COMMANDS if one.name not in WITHOUT_STORE], ids=lambda entry: entry.name
)
def test_a_store_that_cannot_be_reached_is_3(shell: Shell, tmp_path: Path, entry: Entry) -> None:
    """API.md: 3, for every command that has a store."""
    done = shell(*arguments(entry, tmp_path), "--json", "--store", DEAD, STEMMA_RESTORE_SECONDS="0.1")
    assert done.returncode == 3, done
    if entry.name != "doctor":
        assert one_line(done) == "store_unavailable"


@pytest.mark.parametrize("name", ["verify", "doctor"])
def test_a_check_that_fails_is_1_and_one_that_holds_is_0(shell: Shell, address: str, tmp_path: Path, name: str) -> None:
    """API.md: 1; what was found is the answer, on stdout. `eval` against a baseline has tests of its own."""
    with Stemma(address, embedder="none") as memory:
        memory.remember("ana", "I like tea.", key="tea:1")
    entry = next(one for one in COMMANDS if one.name == name)
    words = arguments(entry, tmp_path)
    assert shell(*words, "--json", "--store", address).returncode == 0
    if name == "verify":
        with Stemma(address, embedder="none") as memory:
            memory.runtime.store.run("default", lambda t: t.execute("delete_lexical", {"owner_ids": [_memory(memory)]}))
    more = {"STEMMA_EMBEDDER": "nosuch"} if name == "doctor" else {}
    done = shell(*words, "--json", "--store", address, **more)
    assert (done.returncode, bool(json.loads(done.stdout))) == (1, True), done


def _memory(memory: Stemma) -> str:
    return memory.list_memories("ana").items[0].id


def test_a_shell_completes_commands_and_their_options() -> None:
    """R-83: shell completion, whose command alone is loaded."""

    def completed(line: str) -> list[str]:
        words = {"COMP_WORDS": line, "COMP_CWORD": str(len(line.split()) - 1), "_STEMMA_COMPLETE": "complete_bash"}
        return fork(**words).stdout.decode().split()

    assert completed("stemma me") == ["memories", "memory"]
    assert completed("stemma keys c") == ["create"]
    assert completed("stemma recall --half") == ["--half-life-days"]
    assert "_STEMMA_COMPLETE" not in environment()
