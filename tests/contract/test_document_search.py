"""Search among documents by its citations: numbers, copies, filters, caps, order (R-6, R-41, R-62, R-65)."""

from __future__ import annotations

import re
import threading

import pytest

from stemma import Stemma
from stemma.errors import UnknownCorpus
from tests.corpora import Ticking

FILLER = "The crew checks the weather report at the beginning of every watch and writes it into the book. " * 12
HANDBOOK = "\n\n".join(
    f"# Chapter {number}\n\nRule {number}: {rule}"
    for number, rule in enumerate(
        (
            "Every visitor signs the harbour book and wears a badge until leaving the pier.",
            "Fuel is stored in the northern shed, away from ropes, paint and the workshop's stove.",
            "The siren is tested on the first Monday of each month at noon by the duty officer.",
            "Boats longer than twelve metres report to the pilot before they pass the breakwater.",
            "Lost property is kept for ninety days in the office and then given to the lifeboat fund.",
        ),
        start=1,
    )
)


def test_six_passages_with_two_from_one_runbook_are_five_citations(memory: Stemma) -> None:
    """R-6, R-62, the seed's query: the runbook stands under one number with its two passages in reading order."""
    runbook = f"# Valve\n\nOpen the relief valve slowly.\n\n# Weather\n\n{FILLER}\n\n"
    runbook += "# Close\n\nClose the relief valve after use."
    memory.put_document("ops", "runbook.md", text=runbook, title="Runbook")
    for number in range(4):
        memory.put_document("ops", f"note {number}", text=f"Note {number}: the relief valve was seen on day {number}.")
    found = memory.search_documents("relief valve", corpora=["ops"], k=6)
    assert [one.number for one in found.citations] == [1, 2, 3, 4, 5]
    assert sum(len(one.passages) for one in found.citations) == 6
    [cited] = [one for one in found.citations if one.external_id == "runbook.md"]
    assert (len(cited.passages), cited.title) == (2, "Runbook")
    assert cited.passages[0].start < cited.passages[1].start
    assert "Open the relief valve" in cited.passages[0].text
    assert "Close the relief valve" in cited.passages[1].text
    assert cited.score == max(passage.score for passage in cited.passages)
    assert found.independent_origins == 5
    assert found.passages_considered >= 6
    scores = [one.score for one in found.citations]
    assert scores == sorted(scores, reverse=True)


def test_two_files_of_one_name_stand_under_two_numbers(memory: Stemma) -> None:
    """R-6: documents are told apart by id, never by what they are called."""
    memory.put_document("ops", "north/readme.md", text="The northern pump is green.", title="readme.md")
    memory.put_document("ops", "south/readme.md", text="The southern pump is red and old.", title="readme.md")
    found = memory.search_documents("pump", corpora=["ops"])
    assert [(one.number, one.title) for one in found.citations] == [(1, "readme.md"), (2, "readme.md")]
    assert len({one.document_id for one in found.citations}) == 2
    assert (found.independent_origins, [one.copy_of for one in found.citations]) == (2, [None, None])


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2)])
def test_a_handbook_under_three_names_is_three_documents_of_one_origin(
    memory: Stemma, clock: Ticking, order: tuple[int, ...]
) -> None:
    """R-6, R-65: an exact copy and one with another cover; whatever arrives first, they share an origin."""
    copies = [
        ("handbook", HANDBOOK),
        ("handbook copy", HANDBOOK),
        ("handbook 2025", HANDBOOK.replace("Rule 1:", "Rule one:")),
    ]
    for place in order:
        memory.put_document("ops", copies[place][0], text=copies[place][1])
        clock.pass_days(1)
    memory.put_document("ops", "other", text="The siren is loud and is heard as far as the island.")
    found = memory.search_documents("When is the siren tested?", corpora=["ops"], k=20)
    handbooks = [one for one in found.citations if one.external_id != "other"]
    assert len(handbooks) == 3
    assert len({one.origin_id for one in handbooks}) == 1
    assert found.independent_origins == 2
    first = handbooks[0]
    assert (first.copy_of, first.document_id) == (None, first.origin_id)
    assert [one.copy_of for one in handbooks[1:]] == [first.number, first.number]
    assert first.external_id == copies[order[0]][0]


def test_copies_part_when_one_becomes_another_text(memory: Stemma) -> None:
    """R-65: an origin is a function of what the documents say now."""
    for name in ("a", "b", "c"):
        memory.put_document("ops", name, text=HANDBOOK)
    assert _origins(memory) == 1
    memory.put_document("ops", "a", text="Something else altogether about the siren.")
    assert _origins(memory) == 2
    memory.delete_document("ops", "b")
    assert {one.external_id: one.origin_id == one.document_id for one in memory.list_documents("ops").items} == {
        "a": True,
        "c": True,
    }
    memory.put_document("ops", "a", text=HANDBOOK)
    assert _origins(memory) == 1


def _origins(memory: Stemma) -> int:
    return len({one.origin_id for one in memory.list_documents("ops").items})


def test_what_is_derived_from_a_document_shares_its_origin(memory: Stemma) -> None:
    """R-65: declared derivatives, named within the corpus or by corpus and id, also before their root arrives."""
    memory.put_document("ops", "summary", text="Short: the siren sounds at noon.", derived_from="rules/handbook")
    memory.put_document("ops", "leaflet", text="Visitors wear badges on the pier.", derived_from="summary")
    assert _origins(memory) == 1
    root = memory.put_document("rules", "handbook", text=HANDBOOK)
    items = memory.list_documents("ops").items
    assert {one.origin_id for one in items} == {root.document_id}
    memory.put_document("ops", "leaflet", text="Visitors wear badges on the pier.")
    assert _origins(memory) == 2


def test_a_filter_comes_before_the_ranking(memory: Stemma) -> None:
    """R-41: a document that holds the words less often is found where the filter leaves it alone, with all its k."""
    for number in range(60):
        memory.put_document("ops", f"loud {number}", text=f"Pump pump pump number {number}.", metadata={"team": "sea"})
    memory.put_document(
        "ops", "quiet", text="A pump is in the shed behind the office.", metadata={"team": "land", "tags": ["x", "y"]}
    )
    for metadata in ({"team": "land"}, {"tags": "y"}, {"team": ["land", "air"]}, {"team": "land", "tags": "x"}):
        found = memory.search_documents("pump", corpora=["ops"], metadata=metadata)
        assert [one.external_id for one in found.citations] == ["quiet"]
    assert memory.search_documents("pump", corpora=["ops"], metadata={"team": "air"}).citations == ()
    assert memory.search_documents("pump", corpora=["ops"], metadata={"team": "land", "tags": "z"}).citations == ()
    memory.put_document("ops", "quiet", text="A pump is in the shed behind the office.", metadata={"team": "air"})
    assert memory.search_documents("pump", corpora=["ops"], metadata={"team": "land"}).citations == ()


def test_corpora_are_searched_apart_or_together(memory: Stemma) -> None:
    """API: the corpora named, every one where none is; an unknown one is an error."""
    memory.put_document("a", "1", text="The pump in corpus a.")
    memory.put_document("b", "1", text="The pump in corpus b.")
    for corpora, wanted in ((["a"], ["a"]), (["b"], ["b"]), (["a", "b"], ["a", "b"])):
        found = memory.search_documents("pump", corpora=corpora).citations
        assert sorted(one.corpus for one in found) == wanted
    assert len(memory.search_documents("pump").citations) == 2
    with pytest.raises(UnknownCorpus, match="no such"):
        memory.search_documents("pump", corpora=["a", "no such"])


def test_one_long_document_leaves_room_for_others(memory: Stemma) -> None:
    """R-62: two passages a document; what nothing else takes is filled up."""
    long = "\n\n".join(f"# Pump {number}\n\nThe pump {number} pump pump.\n\n{FILLER}" for number in range(8))
    memory.put_document("ops", "long", text=long)
    memory.put_document("ops", "a.txt", text="Pump pump pump.")
    memory.put_document("ops", "b.txt", text="Pump pump pump!")
    counts = {one.external_id: len(one.passages) for one in memory.search_documents("pump", k=4).citations}
    assert counts == {"long": 2, "a.txt": 1, "b.txt": 1}
    counts = {one.external_id: len(one.passages) for one in memory.search_documents("pump", k=6).citations}
    assert counts == {"long": 4, "a.txt": 1, "b.txt": 1}


def test_wildcard_letters_are_letters(memory: Stemma) -> None:
    """F34: `100%` and `file_name` find their own line first; `_`, `%` and a backslash alone find nothing."""
    lines = ("rate 100% of quota", "rate 1000 of quota", "file_name column", "file-name column")
    for line in lines:
        memory.put_document("quota", line, text=line)
    for query, line in (("100%", lines[0]), ("file_name", lines[2])):
        assert memory.search_documents(query).citations[0].external_id == line
    for query in ("_", "%", "\\", "%%", "_%_"):
        assert memory.search_documents(query).citations == ()
    for name in ("%", "rate 100%", "file_name_column", "file%"):
        assert memory.delete_document("quota", name).deleted == 0
    assert [one.external_id for one in memory.list_documents("quota").items] == sorted(lines)
    assert memory.search_documents("rate", metadata={"%": "%"}).citations == ()


def test_a_reader_never_sees_none_or_two_revisions(memory: Stemma) -> None:
    """R-64: a document of 240 passages is replaced 50 times; whoever searches meanwhile sees one whole revision."""
    tick = {"done": False}
    seen: list[tuple[int, set[str]]] = []

    def text(version: int) -> str:
        return "\n\n".join(f"# Part {part}\n\nBeacon v{version} part {part}." for part in range(240))

    def look() -> None:
        while not tick["done"]:
            found = memory.search_documents("beacon", corpora=["ops"], k=100).citations
            words = {word for one in found for p in one.passages for word in re.findall(r"v\d+", p.text)}
            seen.append((len(found), words))

    memory.put_document("ops", "swapped", text=text(0))
    reader = threading.Thread(target=look)
    reader.start()
    try:
        for version in range(1, 51):
            memory.put_document("ops", "swapped", text=text(version))
    finally:
        tick["done"] = True
        reader.join()
    assert len(seen) > 3
    assert all(count == 1 and len(words) == 1 for count, words in seen), seen
