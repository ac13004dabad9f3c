"""A table set in TOML: comments, order and everything else stay, and what is written another way is refused."""

from __future__ import annotations

import tomllib

import pytest

from stemma.edges.toml_text import set_table
from stemma.errors import MalformedJson

ENTRY = {"command": "/opt/st emma", "args": ["mcp", "--store", 'a "b" \\ ü\x7f']}
PATH = ("mcp_servers", "stemma")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# mine\nmodel = 'o'\n",
        "model = 'o'",
        "[mcp_servers.other]\ncommand = 'a' # here\n\n[mcp_servers.other.env]\nA = '1'\n",
        "[mcp_servers.stemma]\ncommand = 'old'\n[mcp_servers.stemma.env]\nA = '1'\n# of z\n[z]\nb = 1\n",
        "[a]\r\nb = 1\r\n",
        '[mcp_servers."stemma"]\ncommand = "old"\n',
        "[[list]]\na = 1\n[[list]]\na = 2\n",
    ],
)
def test_a_table_is_set_and_all_else_means_what_it_meant(text: str) -> None:
    """R-82: other entries are kept."""
    before = tomllib.loads(text)
    made = set_table(text, PATH, ENTRY)
    assert tomllib.loads(made) == {**before, "mcp_servers": {**before.get("mcp_servers", {}), "stemma": ENTRY}}
    assert set_table(made, PATH, ENTRY) == made
    assert made.count("# mine") == text.count("# mine")
    assert made.count("# here") == text.count("# here")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a = ", "this is no TOML"),
        ("mcp_servers = {stemma = {command = 'a'}}\n", "not written as a table of its own"),
        ("mcp_servers = 1\n", "is no table"),
        ("[mcp_servers]\nstemma = {command = 'a'}\n", "not written as a table of its own"),
        ('a = """\n[mcp_servers.stemma]\n"""\n', "not written as a table of its own"),
    ],
)
def test_what_cannot_be_changed_for_certain_is_refused(text: str, told: str) -> None:
    """R-82: a file is never guessed at."""
    with pytest.raises(MalformedJson, match=told):
        set_table(text, PATH, ENTRY)
