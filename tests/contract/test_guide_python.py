"""The guide on Python: every snippet in it is run, in order, as it stands (issue 6)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from stemma.adapters.verbs import Memory
from stemma.app.face import Face
from stemma.client.routes import ROUTES
from tests.serving import Served

GUIDE = (Path(__file__).parents[2] / "docs/guides/python.md").read_text(encoding="utf-8")
SNIPPETS = re.findall(r"```python\n(.*?)```", GUIDE, re.S)


def test_every_snippet_runs(
    place: Path, served: Served, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], subject_id: str
) -> None:
    """Issue 6: every snippet is run by a test, and prints what a reader would expect."""
    monkeypatch.chdir(place)
    monkeypatch.setenv("STEMMA_EMBEDDER", "none")
    # A label of a namespace has no dot.
    ana = subject_id.replace(".", "-")
    names: dict[str, object] = {"__name__": "guide"}
    said = []
    for snippet in SNIPPETS:
        own = snippet.replace("http://127.0.0.1:8765", served.address).replace('"ana"', repr(ana))
        exec(compile(own.replace('"handbook"', '"guide-handbook"'), "docs/guides/python.md", "exec"), names)
        said.append(capsys.readouterr().out)
    in_process, client, awaited, streamed, refused, retried, verbs, graph, *tools = said
    assert in_process.startswith("I am allergic to peanuts - ")
    assert "Ana prefers oat milk." in client
    assert sorted(line.partition(" ")[2] for line in awaited.splitlines()) == [
        "Ana prefers oat milk.",
        "Ana works from Porto in June.",
    ]
    assert streamed == "Stop the pump first. [1] Then restart it by hand. [1]"
    assert refused == "not_found 404 there is no memory 'no such id'\n"
    assert retried == ""
    assert "'event': '" in verbs
    assert re.search(r"^0\.\d+ .*Porto.* \{'topic': 'home'\}$", verbs, re.M)
    assert graph == f"('users', {ana!r}) diet Ana is allergic to peanuts.\n"
    assert tools[0].count('"The user reads poems by Sophia."') == 2
    assert tools[0].endswith("\nThe user reads poems by Sophia.\n")
    assert tools[1:] == ["['remember', 'recall', 'forget', 'build_bundle']\n"] * 2


def test_the_guide_names_every_list_every_verb_and_all_that_is_sent_once() -> None:
    """Issue 6: the reference is complete."""
    lists = {name for name in dir(Face) if name.startswith("iter_")}
    assert lists == set(re.findall(r"`(iter_\w+)`", GUIDE))
    verbs = {name for name in vars(Memory) if not name.startswith("_")}
    assert verbs == set(re.findall(r"^\| `(\w+)\(", GUIDE[GUIDE.index("| verb |") :], re.M))
    table = GUIDE[GUIDE.index("These are not") : GUIDE.index("## Familiar verbs")]
    once = {name for name, route in ROUTES.items() if route.once}
    assert once == set(re.findall(r"`(\w+)`", "".join(re.findall(r"^\| (`.*?) \|", table, re.M)))) - {"session_id"}
