"""`stemma mcp install`: a client's file with this server in it, all else kept, and a copy of what was (R-82)."""

from __future__ import annotations

import json
import os
import stat
import tomllib
from pathlib import Path
from typing import Any

import pytest

from stemma.edges import mcp_clients, mcp_install
from stemma.edges.json_text import read
from tests.serving import Shell

CLIENTS = ["claude-desktop", "claude-code", "cursor", "vscode", "codex"]
LINUX = {
    "claude-desktop": ".config/Claude/claude_desktop_config.json",
    "claude-code": ".claude.json",
    "cursor": ".cursor/mcp.json",
    "vscode": ".config/Code/User/mcp.json",
    "codex": ".codex/config.toml",
}
MAC = LINUX | {
    "claude-desktop": "Library/Application Support/Claude/claude_desktop_config.json",
    "vscode": "Library/Application Support/Code/User/mcp.json",
}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of nobody, with nothing in it."""
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize(("system", "files"), [("linux", LINUX), ("darwin", MAC)])
def test_each_client_has_its_own_file_on_each_system(
    shell: Shell, home: Path, monkeypatch: pytest.MonkeyPatch, client: str, system: str, files: dict[str, str]
) -> None:
    """R-82: what the client starts names this installation and its store by whole paths."""
    monkeypatch.setattr(mcp_clients.sys, "platform", system)
    told = shell("mcp", "install", client, "--store", "memory", "--subject", "ana", "--tools", "all", "--json").answer
    file = home / files[client]
    assert (told["file"], told["changed"], told["backup"]) == (str(file), True, None)
    entry = _servers(file)["stemma"]
    assert Path(entry["command"]).is_absolute()
    wanted = ["mcp", "--store", str(home / "memory"), "--subject", "ana", "--tools", "all"]
    assert entry["args"][-len(wanted) :] == wanted
    assert entry.get("type", "stdio") == "stdio"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600

    again = shell("mcp", "install", client, "--store", "memory", "--subject", "ana", "--tools", "all", "--json").answer
    assert (again["changed"], again["backup"], again["difference"]) == (False, None, "")


def test_what_was_there_stays_and_a_copy_is_kept(shell: Shell, home: Path) -> None:
    """R-82: other entries, comments, the mode of the file and a link to it."""
    real = home / "dotfiles.json"
    before = '{\n  // the team uses it\n  "servers": {\n    "other": {"command": "x"}, // mine\n  },\n}\n'
    real.write_text(before)
    real.chmod(0o640)
    (home / ".vscode").mkdir()
    (home / ".vscode/mcp.json").symlink_to(real)
    told = shell("mcp", "install", "vscode", "--project", "--json").answer
    assert Path(told["backup"]).read_text() == before
    assert (home / ".vscode/mcp.json").is_symlink()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    after = real.read_text()
    assert "// the team uses it" in after
    assert "// mine" in after
    assert set(_servers(real)) == {"other", "stemma"}

    second = shell("mcp", "install", "vscode", "--project", "--subject", "ana", "--json").answer
    assert second["backup"] != told["backup"]
    assert Path(second["backup"]).read_text() == after


def test_print_shows_what_would_be_written_and_writes_nothing(shell: Shell, home: Path) -> None:
    """R-82: a dry run."""
    (home / ".codex").mkdir()
    file = home / ".codex/config.toml"
    file.write_text('model = "o"  # mine\n')
    shown = shell("mcp", "install", "codex", "--print")
    assert (shown.returncode, file.read_text()) == (0, 'model = "o"  # mine\n')
    added = [line[1:] for line in shown.stdout.decode().splitlines() if line.startswith("+") and line[1:2] != "+"]
    assert "[mcp_servers.stemma]" in added
    assert tomllib.loads("\n".join(added))["mcp_servers"]["stemma"]["args"][-1] == "mcp"
    assert list(home.rglob("*before-stemma*")) == []


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("{", "malformed_json"),
        ('{"mcpServers": []}', "malformed_json"),
        ('{"mcpServers": {"stemma": 1}, "mcpServers": {}}', "malformed_json"),
        ("\udcff", "source_unreadable"),
    ],
)
def test_a_file_that_cannot_be_changed_for_certain_is_left(shell: Shell, home: Path, text: str, code: str) -> None:
    """R-82: never a guess, never half a file."""
    file = home / "mine.json"
    file.write_bytes(os.fsencode(text))
    done = shell("mcp", "install", "cursor", "--config", str(file), "--json")
    assert (done.returncode, json.loads(done.stderr)["code"]) == (2, code)
    assert file.read_bytes() == os.fsencode(text)
    assert list(home.iterdir()) == [file]


def test_a_file_that_cannot_be_written_is_told(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """R-82: the old file stays whole where the new one cannot be put in its place."""
    file = home / "mine.json"
    file.write_text("{}")
    change = mcp_install.planned(mcp_clients.Client.CURSOR, file, "stemma", ["mcp"])

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(mcp_install.TargetUnwritable, match="No space left"):
        mcp_install.write(change)
    assert file.read_bytes() == b"{}"
    assert [one.name for one in home.iterdir() if one.name.startswith(".mine")] == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["install"],
        ["install", "netscape"],
        ["remove", "cursor"],
        ["install", "cursor", "more"],
        ["install", "claude-desktop", "--project"],
        ["install", "cursor", "--project", "--config", "x"],
        ["install", "cursor", "--name", "a b"],
        ["install", "cursor", "--subject", "*"],
        ["install", "cursor", "--tools", "some"],
        ["install", "cursor", "--tenant", " "],
    ],
)
def test_a_wrong_use_is_told_and_changes_nothing(shell: Shell, home: Path, arguments: list[str]) -> None:
    """R-83."""
    done = shell("mcp", *arguments)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"stemma: invalid: ")
    assert list(home.iterdir()) == []


def _servers(file: Path) -> Any:
    text = file.read_text()
    found = tomllib.loads(text) if file.suffix == ".toml" else read(text).value
    return next(found[name] for name in ("mcpServers", "servers", "mcp_servers") if name in found)
