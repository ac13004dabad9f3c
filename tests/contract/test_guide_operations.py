"""The guide to running a server says what is so: its figures, settings and commands are there (issue 6, docs)."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from stemma.config import PREFIX, Settings
from stemma.edges import cli_serve
from tests.contract.keyed import Keyed, fresh_runtime
from tests.serving import Shell
from tests.stores import Server

GUIDE = (Path(__file__).parents[2] / "docs/guides/operations.md").read_text(encoding="utf-8")


def test_the_figures_that_it_names_are_those_that_are_told(served_server: Server) -> None:
    """R-94: a row for every figure, and none that is not there."""
    with fresh_runtime(served_server) as runtime:
        text = Keyed(runtime).ask("GET", "/metrics").text
    told = set(re.findall(r"^# TYPE (stemma_\w+) ", text, re.MULTILINE))
    named = set(re.findall(r"`(stemma_\w+)`", GUIDE))
    assert named == told
    assert set(re.findall(r"`(process_\w+)`", GUIDE)) <= set(re.findall(r"^# TYPE (process_\w+) ", text, re.MULTILINE))


def test_the_settings_that_it_names_are_there() -> None:
    """HOUSE_STYLE, configuration."""
    known = {f"{PREFIX}{name.upper()}" for name in Settings.model_fields}
    named = set(re.findall(r"STEMMA_[A-Z_]+", GUIDE))
    assert {"STEMMA_SPANS", "STEMMA_CORS_ORIGINS", "STEMMA_CONNECTIONS"} <= named <= known


def test_the_line_that_is_no_json_is_the_one_that_it_names(capsys: pytest.CaptureFixture[str]) -> None:
    """Issue 6: who reads the log by a program has to skip it."""
    cli_serve._say("http://127.0.0.1:8765")
    assert capsys.readouterr().err.startswith("stemma answers on ")
    cli_serve._say_as_json("http://127.0.0.1:8765")
    assert json.loads(capsys.readouterr().out) == {"address": "http://127.0.0.1:8765"}
    assert "`stemma answers on …`" in GUIDE


def test_its_commands_run(shell: Shell, served_server: Server, tmp_path: Path) -> None:
    """Issue 6: every command in a guide is run."""
    lines = re.findall(r"^    (stemma .*)$", GUIDE, re.MULTILINE)
    assert lines == ["stemma doctor --store ./memory", "stemma --install-completion"]
    name = served_server.fresh()
    address = str(served_server.target).rpartition("/")[0] + f"/{name}"
    assert shell("doctor", "--store", address).returncode == 0
    served_server.drop(name)
    shown = shell("--show-completion", "bash", _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1")
    assert (shown.returncode, b"complete -o default -F _stemma_completion stemma" in shown.stdout) == (0, True)
