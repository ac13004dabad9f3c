"""The guide to MCP says what is so: its commands run, its tools are the tools (R-82, issue 6: snippets are tested)."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
from mcp.types import LATEST_PROTOCOL_VERSION
from mcp.types.version import HANDSHAKE_PROTOCOL_VERSIONS

from stemma.app.tools import TOOLS
from stemma.config import Settings
from stemma.edges.mcp_clients import Client
from tests.serving import STEMMA, Shell, fork, fork_server

GUIDE = (Path(__file__).parents[2] / "docs/guides/mcp.md").read_text(encoding="utf-8")


def test_each_install_command_of_the_guide_does_what_it_says(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R-82."""
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.chdir(tmp_path)
    commands = [shlex.split(line)[1:] for line in re.findall(r"^    (stemma mcp install .*)$", GUIDE, re.MULTILINE)]
    first, *commands = commands
    done = shell(*first)
    assert (first[-1], done.returncode, (tmp_path / "memory").exists()) == ("--print", 0, False)
    assert b"mcpServers" in done.stdout
    assert not list(tmp_path.iterdir())
    assert [one[2] for one in commands] == list(Client)
    for one in commands:
        done = shell(*one)
        assert (done.returncode, done.stdout) == (0, b"")
        file = Path(done.stderr.decode().splitlines()[0].rpartition(": ")[2])
        assert str(tmp_path / "memory") in file.read_text()


def test_each_script_of_the_guide_recalls_over_its_own_way(
    address: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """R-82: as printed, but for the addresses; over HTTP without a key, then with one that the store asks for."""
    over_stdio, over_http = re.findall(r"```python\n(.*?)```", GUIDE, re.S)
    command = f"command={STEMMA[0]!r}, args=[*{STEMMA[1:]!r}, "
    own = over_stdio.replace('command="stemma", args=[', command).replace('"./memory"', repr(address))
    exec(compile(own, "docs/guides/mcp.md", "exec"), {})
    assert '"I am allergic to peanuts."' in capsys.readouterr().out
    running = fork_server(address, tmp_path / "log")
    try:
        own = over_http.replace("http://127.0.0.1:8765", running.address)
        monkeypatch.delenv("KEY", raising=False)
        exec(compile(own, "docs/guides/mcp.md", "exec"), {})
        assert "I am allergic to peanuts." in capsys.readouterr().out
        made = fork("keys", "create", "--tenant", "default", "--scopes", "read", "--json", "--store", address).answer
        with pytest.raises(BaseExceptionGroup):
            exec(compile(own, "docs/guides/mcp.md", "exec"), {})
        monkeypatch.setenv("KEY", made["key"])
        exec(compile(own, "docs/guides/mcp.md", "exec"), {})
        assert "I am allergic to peanuts." in capsys.readouterr().out
    finally:
        assert running.stop() == 0


def test_the_tables_and_figures_of_the_guide_hold() -> None:
    """R-82, API.md."""
    named = re.findall(r"^\| `(\w+)` \|", GUIDE, re.MULTILINE)
    assert named == [one.name for one in TOOLS if one.by_default]
    assert all(f"`{one.name}`" in GUIDE for one in TOOLS)
    entry = json.loads(re.findall(r"```json\n(.*?)```", GUIDE, re.DOTALL)[0])
    assert entry["mcpServers"]["stemma"]["args"][0] == "mcp"
    assert Settings().mcp_reply_bytes == 64 * 1024
    assert f"from {min(HANDSHAKE_PROTOCOL_VERSIONS)} to {LATEST_PROTOCOL_VERSION}" in " ".join(GUIDE.split())
