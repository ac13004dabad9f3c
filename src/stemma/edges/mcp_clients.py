"""The clients that `stemma mcp install` knows: where each keeps its servers, and in which form."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from stemma.edges import json_text, toml_text


class Client(StrEnum):
    """A client, as it is named on the command line."""

    CLAUDE_DESKTOP = "claude-desktop"
    CLAUDE_CODE = "claude-code"
    CURSOR = "cursor"
    VSCODE = "vscode"
    CODEX = "codex"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """How a client keeps its servers: the key above them, the file of the user and the one of a project."""

    title: str
    under: str
    user: Callable[[Path], Path]
    project: str | None
    afterwards: str
    named_type: bool = False
    is_toml: bool = False

    def entry(self, command: Sequence[str]) -> dict[str, Any]:
        """Write what starts the server in this client's form."""
        kind = {"type": "stdio"} if self.named_type else {}
        return {**kind, "command": command[0], "args": list(command[1:])}

    def with_entry(self, text: str, name: str, entry: dict[str, Any]) -> str:
        """Return the client's file with the entry in it."""
        change = toml_text.set_table if self.is_toml else json_text.set_member
        return change(text, (self.under, name), entry)

    def read(self, text: str) -> Any:
        """Read the client's file."""
        if self.is_toml:
            return toml_text.read(text)
        return json_text.read(text).value if text.strip() else {}


def _in_applications(name: str) -> Callable[[Path], Path]:
    """Name a file in the folder where desktop programs keep theirs."""

    def find(home: Path) -> Path:
        return (home / "Library" / "Application Support" if sys.platform == "darwin" else home / ".config") / name

    return find


PLACES: Final[dict[Client, Place]] = {
    Client.CLAUDE_DESKTOP: Place(
        title="Claude Desktop",
        under="mcpServers",
        user=_in_applications("Claude/claude_desktop_config.json"),
        project=None,
        afterwards="Quit Claude Desktop and start it again.",
    ),
    Client.CLAUDE_CODE: Place(
        title="Claude Code",
        under="mcpServers",
        user=lambda home: home / ".claude.json",
        project=".mcp.json",
        afterwards="Start a new session; /mcp lists the server.",
        named_type=True,
    ),
    Client.CURSOR: Place(
        title="Cursor",
        under="mcpServers",
        user=lambda home: home / ".cursor" / "mcp.json",
        project=".cursor/mcp.json",
        afterwards="Cursor Settings, MCP lists the server; switch it on there.",
    ),
    Client.VSCODE: Place(
        title="VS Code",
        under="servers",
        user=_in_applications("Code/User/mcp.json"),
        project=".vscode/mcp.json",
        afterwards="The command MCP: List Servers starts it; chat in agent mode uses it.",
        named_type=True,
    ),
    Client.CODEX: Place(
        title="Codex",
        under="mcp_servers",
        user=lambda home: home / ".codex" / "config.toml",
        project=".codex/config.toml",
        afterwards="Start a new session; /mcp lists the server.",
        is_toml=True,
    ),
}
