"""The guide on Python: every snippet in it is run by itself, as it stands (issue 6)."""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path

import pytest

from stemma.adapters.extras import ExtraMissing
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
    said = []
    for snippet in SNIPPETS:
        own = snippet.replace("http://127.0.0.1:8765", served.address).replace('"ana"', repr(ana))
        own = own.replace('"handbook"', '"guide-handbook"')
        exec(compile(own, "docs/guides/python.md", "exec"), {"__name__": "guide"})
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


@pytest.mark.parametrize(
    ("module", "package", "extra"),
    [
        ("langgraph", "langgraph", "langgraph"),
        ("langchain", "langchain_core", "langchain"),
        ("openai_agents", "agents", "openai-agents"),
        ("pydantic_ai", "pydantic_ai", "pydantic-ai"),
    ],
)
def test_an_adapter_without_its_library_names_the_extra(
    module: str, package: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R-86: what to install, and not the name of a module that a reader has never heard of."""
    for name in [one for one in sys.modules if one.partition(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(sys.modules, f"stemma.adapters.{module}", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Without(package), *sys.meta_path])
    with pytest.raises(ExtraMissing, match=re.escape(f"pip install 'stemma-memory[{extra}]'")) as caught:
        importlib.import_module(f"stemma.adapters.{module}")
    assert isinstance(caught.value, ImportError)
    assert caught.value.code == "extra_missing"


class Without:
    """Finds nothing of one package, as where it is not installed."""

    def __init__(self, package: str) -> None:
        self._package = package

    def find_spec(self, name: str, *_: object) -> None:
        """Say that the package is not there, and nothing of any other."""
        if name.partition(".")[0] == self._package:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def test_the_guide_names_every_list_every_verb_and_all_that_is_sent_once() -> None:
    """Issue 6: the reference is complete."""
    lists = {name for name in dir(Face) if name.startswith("iter_")}
    assert lists == set(re.findall(r"`(iter_\w+)`", GUIDE))
    verbs = {name for name in vars(Memory) if not name.startswith("_")}
    assert verbs == set(re.findall(r"^\| `(\w+)\(", GUIDE[GUIDE.index("| verb |") :], re.M))
    table = GUIDE[GUIDE.index("These are not") : GUIDE.index("## Familiar verbs")]
    once = {name for name, route in ROUTES.items() if route.once}
    assert once == set(re.findall(r"`(\w+)`", "".join(re.findall(r"^\| (`.*?) \|", table, re.M)))) - {"session_id"}
