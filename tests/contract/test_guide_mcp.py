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
from tests.serving import Shell

GUIDE = (Path(__file__).parents[2] / "docs/guides/mcp.md").read_text(encoding="utf-8")


def test_each_install_command_of_the_guide_does_what_it_says(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R-82."""
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.chdir(tmp_path)
    commands = [shlex.split(line)[1:] for line in re.findall(r"^    (stemma mcp install .*)$", GUIDE, re.MULTILINE)]
    assert [one[2] for one in commands] == list(Client)
    for one in commands:
        done = shell(*one)
        assert (done.returncode, done.stdout) == (0, b"")
        file = Path(done.stderr.decode().splitlines()[0].rpartition(": ")[2])
        assert str(tmp_path / "memory") in file.read_text()


def test_the_tables_and_figures_of_the_guide_hold() -> None:
    """R-82, API.md."""
    named = re.findall(r"^\| `(\w+)` \|", GUIDE, re.MULTILINE)
    assert named == [one.name for one in TOOLS if one.by_default]
    assert all(f"`{one.name}`" in GUIDE for one in TOOLS)
    entry = json.loads(re.findall(r"```json\n(.*?)```", GUIDE, re.DOTALL)[0])
    assert entry["mcpServers"]["stemma"]["args"][0] == "mcp"
    assert Settings().mcp_reply_bytes == 64 * 1024
    assert f"from {min(HANDSHAKE_PROTOCOL_VERSIONS)} to {LATEST_PROTOCOL_VERSION}" in " ".join(GUIDE.split())
