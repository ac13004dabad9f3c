"""The README's first steps: each command and snippet of it is run as it is printed, in its order (issue 6)."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from pathlib import Path
from typing import Final

import pytest

from tests.serving import Served, Shell

ROOT: Final = Path(__file__).parents[2]
README: Final = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS: Final = re.findall(r"```sh\n(.*?)```", README, re.S)


def commands(start: str, end: str) -> list[str]:
    """Give the command lines of the blocks between two sentences, without their comments."""
    within = README[README.index(start) : README.index(end)]
    blocks = re.findall(r"```sh\n(.*?)```", within, re.S)
    lines = [re.sub(r"\s+#\s.*$", "", line) for block in blocks for line in block.splitlines() if line]
    return [line for line in lines if not line.startswith("export ")]


def test_the_five_minutes_run_as_they_are_printed(
    shell: Shell, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R-83: the ids that the last command asks for stand in what an earlier one printed."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("STEMMA_STORE", address)
    said: dict[str, str] = {}
    for line in commands("## Five minutes", "In Python, in one process"):
        if line.startswith("mkdir"):
            subprocess.run(["bash", "-c", line], check=True)
            continue
        if "MEMORY_ID" in line:
            found = re.search(r"memory (\w{64}) · episode (\w{64}) .*?trace (\w+)", said["recall"], re.S)
            assert found is not None
            assert shell("episode", found[2]).returncode == 0
            line = line.replace("MEMORY_ID", found[1]).replace("TRACE_ID", found[3])
        words = shlex.split(line)[1:]
        done = shell(*words)
        assert done.returncode == 0, (line, done.stderr)
        said[words[0]] = done.text
    assert "Stripe charges 2.9% + 30c" in said["recall"]
    assert "3.5%" not in said["recall"]
    assert "peanuts" in said["remember"]
    assert "Stop the pump first, then restart it by hand." in said["search"]
    assert "[1]" in said["ask"]
    assert said["trace"].startswith("kept")


def test_the_snippet_in_python_prints_where_ana_lives(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Issue 6."""
    (snippet,) = re.findall(r"```python\n(.*?)```", README, re.S)
    exec(compile(snippet.replace('"./memory"', repr(address)), "README.md", "exec"), {})
    assert "I live in Lisbon" in capsys.readouterr().out


def test_the_requests_are_answered_as_they_are_printed(served: Served, subject_id: str) -> None:
    """R-83: with curl itself."""
    (block,) = [one for one in BLOCKS if "curl" in one]
    asked = block.replace("localhost:8765", served.address).replace('"ana"', json.dumps(subject_id))
    requests = asked.replace("\\\n", " ").splitlines()
    assert len(requests) == 3
    done = subprocess.run(["bash", "-c", "\necho\n".join(requests)], capture_output=True, check=True, text=True)
    added, compiled, recalled = [json.loads(line) for line in done.stdout.splitlines() if line]
    assert [one["outcome"] for one in added["results"]] == ["created"]
    assert compiled["memories_created"] == 1
    assert [one["memory"]["text"] for one in recalled["items"]] == ["I prefer dark mode"]


def test_each_page_that_it_links_is_there() -> None:
    """Issue 6, and each guide is linked."""
    links = {link for link in re.findall(r"\]\(([^)#]+)\)", README) if "://" not in link}
    assert not [link for link in links if not (ROOT / link).exists()]
    guides = {f"docs/guides/{one.name}" for one in (ROOT / "docs/guides").iterdir()}
    assert guides <= links


def test_the_figures_of_recall_are_those_of_the_golden_set() -> None:
    """R-71: what the README owns up to is what was measured."""
    figures = json.loads((ROOT / "tests/contract/golden_baseline.json").read_text(encoding="utf-8"))["figures"]
    plain = " ".join(README.split())
    assert f"{figures['anchor_recall'] * 100:.1f} % of the anchors come" in plain
    assert f"{figures['off_topic_items'] * 100:.0f} % of the items shown are off topic" in plain
