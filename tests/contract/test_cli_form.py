"""The form of the command line: help that teaches, errors in one line, streams and exit codes (R-83, API.md)."""

from __future__ import annotations

import json

import pytest

from stemma.edges.cli import COMMANDS, GROUPS
from tests.serving import Shell, run


def test_version_and_help_go_to_stdout_of_a_process() -> None:
    """R-83."""
    assert run("--version").stdout == b"stemma 0.1.0\n"
    shown = " ".join(run("--help").stdout.decode().split())
    assert all(one.name in shown and one.summary in shown for one in COMMANDS if " " not in one.name)
    assert all(name in shown and told in shown for name, told in GROUPS.items())


@pytest.mark.parametrize("group", GROUPS)
def test_the_help_of_a_group_lists_its_commands(shell: Shell, group: str) -> None:
    """R-83: commands of two words, as `keys create`."""
    shown = " ".join(shell(group, "--help").stdout.decode().split())
    within = [one for one in COMMANDS if one.name.startswith(f"{group} ")]
    assert within
    assert all(one.name.partition(" ")[2] in shown and one.summary in shown for one in within)
    assert shell(group).returncode == shell(group, "nothing").returncode == 2


@pytest.mark.parametrize("name", [one.name for one in COMMANDS])
def test_the_help_of_a_command_teaches_by_an_example(shell: Shell, name: str) -> None:
    """R-83: help that teaches."""
    done = shell(*name.split(), "--help")
    shown = " ".join(done.stdout.decode().split())
    assert (done.returncode, done.stderr) == (0, b"")
    assert f"Example: stemma {name}" in shown
    assert "--json" in shown
    assert "--store" in shown


@pytest.mark.parametrize(
    ("arguments", "code", "exit_code"),
    [
        (["recal", "tea", "--subject", "ana"], "wrong_use", 2),
        (["recall", "tea"], "wrong_use", 2),
        (["recall", "tea", "--subject", "ana", "--depth", "3"], "wrong_use", 2),
        (["recall", "tea", "--subject", "ana", "--k", "many"], "wrong_use", 2),
        (["recall", "tea", "--subject", "ana", "--k", "0"], "invalid", 2),
        (["recall", " ", "--subject", "ana"], "invalid", 2),
        (["recall", "tea", "--subject", "*"], "invalid", 2),
        (["recall", "tea", "--subject", "ana", "--now", "2026-01-01T00:00:00"], "naive_datetime", 2),
        (["remember", "I like tea.", "--subject", "ana", "--metadata", "{"], "invalid", 2),
        (["compile", "--subject", "*"], "invalid", 2),
        (["erase"], "invalid", 2),
        (["keys", "create"], "invalid", 2),
        (["keys", "create", "--scopes", "read,all"], "invalid", 2),
        (["keys", "create", "--scopes", "read", "--rate-limit", "0"], "invalid", 2),
        (["keys", "create", "--scopes", "read", "--expires", "2026-01-01T00:00:00"], "naive_datetime", 2),
        (["keys", "list", "--all-tenants", "--tenant", "acme"], "wrong_use", 2),
        (["keys", "revoke"], "wrong_use", 2),
        (["memories", "--subject", "ana", "--tenant", ""], "invalid", 2),
        (["memories", "--subject", "ana", "--tenant", "*"], "invalid", 2),
        (["add"], "invalid", 2),
        (["add", "nowhere.jsonl"], "source_unreadable", 2),
        (["import", "nowhere.jsonl"], "source_unreadable", 2),
        (["memories", "--subject", "ana", "--store", "mysql://127.0.0.1/none"], "invalid_store_target", 3),
        (["migrate", "--store", "mysql://127.0.0.1/none"], "invalid_store_target", 3),
    ],
)
def test_a_failure_is_one_line_on_stderr_with_its_code(
    shell: Shell, arguments: list[str], code: str, exit_code: int
) -> None:
    """R-83: 2 wrong use, 3 the store could not be reached; and the same as JSON."""
    plain = shell(*arguments)
    assert (plain.returncode, plain.stdout) == (exit_code, b"")
    assert plain.stderr.decode().startswith(f"stemma: {code}: ")
    assert plain.stderr.count(b"\n") == 1
    as_json = shell(*arguments, "--json")
    told = json.loads(as_json.stderr)
    assert (as_json.returncode, as_json.stdout, told["code"]) == (exit_code, b"", code)
    assert set(told) == {"code", "detail", "errors"}


def test_a_store_that_cannot_be_reached_ends_a_process_with_3() -> None:
    """R-83."""
    done = run("memories", "--subject", "ana", "--store", "postgresql://nobody@127.0.0.1:1/none?connect_timeout=1")
    assert (done.returncode, done.stdout) == (3, b"")
    assert done.stderr.decode().startswith("stemma: store_unavailable: ")
    assert done.stderr.count(b"\n") == 1


def test_an_unknown_setting_is_told(shell: Shell, address: str) -> None:
    """HOUSE_STYLE, configuration: unknown names are errors."""
    done = shell("memories", "--subject", "ana", "--store", address, STEMMA_STOER="x")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode().startswith("stemma: invalid_settings: STEMMA_STOER")
