"""`stemma stress`: a copy grows three times with near distractors; the original stays as it is (R-48)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from stemma import Stemma
from stemma.app.evaluate_files import example_fixture, example_probes
from stemma.core.golden.distractors import SOURCE
from tests.serving import Shell
from tests.stores import Server

SUBJECT = "s-lea"
SHIPPED = Path(__file__).parents[2] / "src" / "stemma" / "data" / "golden"


def kept(name: str, folder: Path) -> str:
    """Keep of a shipped file the lines of one subject, and return the file's name."""
    lines = (SHIPPED / name).read_text(encoding="utf-8").splitlines(keepends=True)
    path = folder / name
    path.write_text("".join(line for line in lines if json.loads(line)["subject_id"] == SUBJECT), encoding="utf-8")
    return str(path)


@pytest.fixture(scope="module")
def grown(served_server: Server) -> Iterator[str]:
    """An empty store, which the run fills and grows."""
    name = served_server.fresh()
    yield str(served_server.target).rpartition("/")[0] + f"/{name}"
    served_server.drop(name)


def test_a_store_grows_three_times_and_its_anchors_are_asked_at_each_size(
    grown: str, shell: Shell, tmp_path: Path
) -> None:
    """R-48: table, plot and forecast; what is made is marked by its source and is no anchor's text."""
    files = ("--fixture", kept("fixture.jsonl", tmp_path), "--probes", kept("probes.jsonl", tmp_path))
    plot = tmp_path / "growth.svg"
    asked = ("stress", *files, "--store", grown, "--factor", "1,3", "--seed", "7", "--plot", str(plot), "--json")
    report: dict[str, Any] = shell(*asked).answer
    first, second = report["sizes"]
    assert (first["factor"], second["factor"]) == (1.0, 3.0)
    assert first["distractors"] == {}
    assert 2.7 <= second["memories"] / first["memories"] <= 3.6
    assert set(second["distractors"]) == {
        "near_repeat",
        "other_value",
        "other_subject",
        "boot_text",
        "other_language",
        "unrelated",
    }
    sent = sum(second["distractors"].values())
    assert second["distractors"]["near_repeat"] == pytest.approx(0.35 * sent, rel=0.3)
    assert first["forecast"] == first["anchor_recall"]
    assert 0 <= second["anchor_recall"] <= 1
    assert all(len(each["ranks"]) == 2 for each in report["anchors"])
    assert report["forecast_error"] == pytest.approx(abs(second["forecast"] - second["anchor_recall"]), abs=1e-6)
    assert ElementTree.parse(plot).getroot().tag.endswith("svg")
    with Stemma(grown, embedder="none") as memory:
        own = {each.text for each in example_fixture().items if each.subject_id == SUBJECT}
        made, cursor = [], None
        while True:
            page = memory.find_episodes(SUBJECT, limit=500, **({"cursor": cursor} if cursor else {}))
            made += [each for each in page.items if each.source == SOURCE]
            cursor = page.next_cursor
            if cursor is None:
                break
        assert len(made) == sent
        texts = [each.revisions[0].text or each.revisions[0].messages[0]["content"] for each in made]
        assert len(set(texts)) == sent
        last = max(each.occurred_at for each in example_fixture().items if each.subject_id == SUBJECT)
        assert max(each.sayings[0].occurred_at for each in made) <= last
        named = {key for each in example_probes().items if each.subject_id == SUBJECT for key in each.about}
        held = memory.list_memories(SUBJECT, status="all", limit=500).items
        made_up = {each.id for each in held if all(saying.source == SOURCE for saying in each.episodes)}
        assert not [each for each in held if each.superseded_by in made_up and named & {s.key for s in each.episodes}]
        assert not set(texts) & own


@pytest.mark.parametrize("factors", ["3,1", "2,4", "1,one", "1,1"])
def test_factors_grow_from_one(shell: Shell, factors: str) -> None:
    """Exit 2, with an example."""
    done = shell("stress", "--example", "--factor", factors)
    assert done.returncode == 2
    assert b"1,3,10,30" in done.stderr


def test_your_own_store_is_copied_and_not_grown(address: str, shell: Shell, tmp_path: Path) -> None:
    """The log of the store that is named is the same afterwards."""
    probe = {
        "id": "editor",
        "class": "anchor",
        "subject_id": "ana",
        "query": "Which editor do I use?",
        "expect": {"anchors": [{"key": "k1"}]},
    }
    probes = tmp_path / "probes.jsonl"
    probes.write_text(json.dumps(probe))
    lines: list[str] = []
    with Stemma(address, embedder="none") as memory:
        said = ["My editor is Helix.", "My landlord is Mr Lopez.", "My dentist is Dr Weber.", "I prefer green tea."]
        memory.add_episodes(
            [
                {"subject_id": "ana", "key": f"k{number}", "text": text, "occurred_at": "2026-02-01T10:00:00Z"}
                for number, text in enumerate(said, start=1)
            ]
        )
        memory.compile_memories()
        memory.export_log(lines.append)
    report = shell("stress", "--probes", str(probes), "--store", address, "--factor", "1,2", "--json").answer
    assert [each["anchor_recall"] for each in report["sizes"]][:1] == [1.0]
    assert report["sizes"][1]["memories"] > report["sizes"][0]["memories"]
    after: list[str] = []
    with Stemma(address, embedder="none") as memory:
        memory.export_log(after.append)
    assert after == lines
