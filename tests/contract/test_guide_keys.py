"""The guide on keys against what the commands and the door do (R-83, R-93)."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from stemma.app.caller import Scope
from tests.contract.keyed import CODES
from tests.serving import Shell, fork_server

GUIDE = (Path(__file__).parents[2] / "docs/guides/keys.md").read_text(encoding="utf-8")


def test_the_guide_names_each_code_and_each_scope_and_no_other() -> None:
    """API.md, auth: stable codes."""
    rows = [line for line in GUIDE.splitlines() if re.match(r"\| \d{3} \|", line)]
    assert {code for row in rows for code in re.findall(r"`([a-z_]+)`", row.split("|")[2])} == CODES | {"not_found"}
    assert re.findall(r"^\| `(\w+)` \|", GUIDE, re.MULTILINE) == [scope.value for scope in Scope]


def test_each_command_of_the_guide_does_what_it_says(shell: Shell, address: str) -> None:
    """R-83: they are run as they are printed, but for the id and a date that would be over one day."""
    written = [line.partition("  #")[0] for line in GUIDE.splitlines() if line.startswith("    stemma keys ")]
    assert [line.split()[2] for line in written] == ["create", "list", "list", "revoke"]
    key_id = ""
    for line in written:
        line = line.replace("KEY_ID", key_id).replace("2030-", "9999-")
        done = shell(*shlex.split(line)[1:], "--json", "--store", address)
        assert done.returncode == 0, done.stderr
        told = json.loads(done.stdout)
        key_id = told.get("id", key_id)
        listed = [(one["id"], one["name"], one["status"]) for one in told.get("items", [])]
        assert listed in ([], [(key_id, "crawler", "active")])
    assert told["status"] == "revoked"
    assert told["rate_limit"] == 600


def test_the_walk_from_a_key_to_a_recalled_memory_runs_as_it_is_printed(
    address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """R-93: what the shell and then Python do with the key of the first line."""
    running = fork_server(address, tmp_path / "log")
    try:
        (walk,) = re.findall(r"```sh\n(.*?)```", GUIDE, re.S)
        (snippet,) = re.findall(r"```python\n(.*?)```", GUIDE, re.S)
        script = walk.replace("localhost:8765", running.address.removeprefix("http://")) + 'echo; echo "$KEY"\n'
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        done = subprocess.run(
            ["bash", "-ec", script],
            capture_output=True,
            check=True,
            text=True,
            env={**os.environ, "PATH": path, "STEMMA_STORE": address},
        )
        assert '"text":"I prefer dark mode."' in done.stdout
        monkeypatch.setenv("KEY", done.stdout.split()[-1])
        exec(compile(snippet.replace("http://127.0.0.1:8765", running.address), "docs/guides/keys.md", "exec"), {})
        assert capsys.readouterr().out == "I prefer dark mode.\n"
    finally:
        assert running.stop() == 0
