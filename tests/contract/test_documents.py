"""Documents through the Python face: put, read, delete, list, and what each leaves behind (R-7, R-61)."""

from __future__ import annotations

import base64

import pytest

from stemma import Stemma
from stemma.errors import InvalidInput, NotFound, UnknownCorpus
from tests.corpora import Ticking

LONG = "The pump restarts in ninety seconds, and the second one after it. " * 16
FIRST = f"# Restart\n\nStop the pump first. {LONG}\n\n# Limits\n\n{LONG}\n\n# Logs\n\nLogs are kept for 180 days."
NEWS = "A new pump came and stands beside the old one, which is painted green. " * 5
SECOND = FIRST.replace("180", "90")


def texts(memory: Stemma, query: str, **narrow: object) -> list[str]:
    """Return the texts of cited passages, number by number."""
    found = memory.search_documents(query, **narrow)  # type: ignore[arg-type]
    return [passage.text for citation in found.citations for passage in citation.passages]


def test_putting_says_what_it_changed(memory: Stemma) -> None:
    """API: created, unchanged, updated; the metadata of an unchanged text still applies."""
    first = memory.put_document("handbook", "runbook.md", text=FIRST)
    assert (first.outcome, first.passages >= 3) == ("created", True)
    again = memory.put_document("handbook", "runbook.md", text=FIRST)
    assert (again.outcome, again.revision, again.document_id) == ("unchanged", first.revision, first.document_id)
    named = memory.put_document("handbook", "runbook.md", text=FIRST, title="Runbook", metadata={"team": "ops"})
    assert (named.outcome, named.revision) == ("updated", first.revision)
    read = memory.get_document("handbook", "runbook.md")
    assert (read.title, read.metadata, read.text) == ("Runbook", {"team": "ops"}, FIRST)
    changed = memory.put_document("handbook", "runbook.md", text=SECOND, title="Runbook")
    assert (changed.outcome, changed.revision != first.revision) == ("updated", True)
    assert memory.get_document("handbook", "runbook.md").metadata is None


def test_a_text_that_comes_back_is_the_revision_that_it_was(memory: Stemma) -> None:
    """180, 90, 180: the third is the first again."""
    revisions = [memory.put_document("h", "d", text=text).revision for text in (FIRST, SECOND, FIRST)]
    assert revisions[0] == revisions[2] != revisions[1]
    assert [one.revision for one in memory.get_document("h", "d").revisions] == revisions[:2]


def test_every_revision_stays_openable_after_an_update_and_a_delete(memory: Stemma) -> None:
    """R-3, R-62: what a citation names can be opened for as long as it was not erased."""
    old = memory.put_document("h", "d", text=FIRST, title="Old name").revision
    cited = memory.search_documents("How long are logs kept?", corpora=["h"]).citations[0]
    new = memory.put_document("h", "d", text=SECOND, title="New name").revision
    memory.delete_document("h", "d")
    read = memory.get_document("h", "d", revision=cited.revision)
    assert (read.revision, read.state, read.text, read.title) == (old, "gone", FIRST, "Old name")
    span = cited.passages[-1]
    assert read.text[span.start : span.end] == span.text
    assert memory.get_document("h", "d", revision=new).text == SECOND
    with pytest.raises(NotFound):
        memory.get_document("h", "d")
    with pytest.raises(NotFound):
        memory.get_document("h", "d", revision="no such")


def test_deleting_again_changes_nothing(memory: Stemma) -> None:
    """API: 204, again 204; what is deleted is found no more and can be put anew."""
    memory.put_document("h", "d", text=FIRST)
    assert [memory.delete_document("h", "d").deleted for _ in range(3)] == [1, 0, 0]
    assert texts(memory, "pump", corpora=["h"]) == []
    assert memory.put_document("h", "d", text=FIRST).outcome == "created"
    assert texts(memory, "pump restarts", corpora=["h"])


def test_an_update_leaves_nothing_of_the_old_text_to_find(memory: Stemma) -> None:
    """The seed: an update from 180 to 90 days leaves no old passage that still says 180."""
    memory.put_document("h", "d", text=FIRST)
    memory.put_document("h", "d", text=SECOND)
    found = " ".join(texts(memory, "How long are logs kept?", corpora=["h"], k=50))
    assert "90 days" in found
    assert "180" not in found


def test_passages_that_say_the_same_keep_their_names(memory: Stemma) -> None:
    """R-61: an insertion at the top moves places, not identities, so that few vectors are made again."""
    parts = [f"Part {number}. " + f"The crew of boat {number} mends its nets. " * 4 for number in range(160)]
    first = memory.put_document("h", "d", text="\n\n".join(parts))
    before = _rows(memory, first.document_id)
    memory.put_document("h", "d", text="\n\n".join([NEWS, *parts]))
    after = _rows(memory, first.document_id)
    kept = before.keys() & after.keys()
    assert len(kept) >= 0.7 * len(before)
    moved = len(NEWS) + 2
    assert all(after[name]["text_start"] == before[name]["text_start"] + moved for name in kept)
    assert all(after[name]["text_hash"] == before[name]["text_hash"] for name in kept)


def _rows(memory: Stemma, document_id: str) -> dict[str, dict[str, object]]:
    with memory.runtime.store.transaction(memory.tenant, read_only=True) as t:
        return {row["passage_id"]: row for row in t.all("passages_of_document", {"document_id": document_id})}


def test_documents_and_corpora_are_listed(memory: Stemma) -> None:
    """API: lists page by name; the first put of a document makes its corpus."""
    for number in range(5):
        memory.put_document("b", f"doc {number}", text=f"Text number {number}.")
    memory.put_document("a", "only", text="Alone.")
    assert [(one.corpus, one.documents) for one in memory.list_corpora().items] == [("a", 1), ("b", 5)]
    page = memory.list_documents("b", limit=3)
    assert [one.external_id for one in page.items] == ["doc 0", "doc 1", "doc 2"]
    rest = memory.list_documents("b", limit=3, cursor=page.next_cursor or "")
    assert ([one.external_id for one in rest.items], rest.next_cursor) == (["doc 3", "doc 4"], None)
    with pytest.raises(NotFound):
        memory.list_documents("no such")


def test_deleting_a_corpus_takes_its_documents_along(memory: Stemma) -> None:
    """API: DELETE of a corpus; its revisions stay openable, and a put makes it anew."""
    old = memory.put_document("h", "d", text=FIRST).revision
    memory.put_document("h", "e", text=SECOND)
    assert [memory.delete_corpus("h").deleted for _ in range(2)] == [2, 0]
    assert memory.list_corpora().items == ()
    with pytest.raises(UnknownCorpus):
        memory.search_documents("pump", corpora=["h"])
    assert memory.get_document("h", "d", revision=old).text == FIRST
    assert memory.put_document("h", "d", text=FIRST).outcome == "created"
    assert [one.documents for one in memory.list_corpora().items] == [1]


def test_offsets_count_code_points_of_the_text_as_sent(memory: Stemma) -> None:
    """API: text is stored as sent; start and end count its code points, line ends and astral letters included."""
    text = "𝔘𝔫𝔦 first paragraph with 🚢.\r\n\r\nSecond: the härbor opens at 07:40. 🚢\r\n\r\nThird one."
    memory.put_document("h", "d", text=text)
    [citation] = memory.search_documents("When does the harbor open?", corpora=["h"]).citations
    for passage in citation.passages:
        assert text[passage.start : passage.end] == passage.text
    assert any("härbor" in passage.text for passage in citation.passages)
    assert memory.get_document("h", "d").text == text


def test_bytes_are_read_and_what_cannot_be_is_refused_by_name(memory: Stemma) -> None:
    """R-60: a file's bytes; a named error for what no reader can turn into text, and nothing of it stays."""
    sent = base64.b64encode(b"Tidal log: high water at 07:40.").decode()
    memory.put_document("h", "log.txt", content_base64=sent, media_type="text/plain")
    assert texts(memory, "high water", corpora=["h"]) == ["Tidal log: high water at 07:40."]
    with pytest.raises(InvalidInput, match="base64"):
        memory.put_document("h", "bad", content_base64="%%%")
    with pytest.raises(InvalidInput):
        memory.put_document("h", "blank", text=" \n ")
    with pytest.raises(InvalidInput):
        memory.put_document("h", "none")
    assert [one.external_id for one in memory.list_documents("h").items] == ["log.txt"]


def test_a_clock_that_was_set_back_does_not_undo_an_update(memory: Stemma, clock: Ticking) -> None:
    """R-1: the newer put stands, whatever the clock says."""
    memory.put_document("h", "d", text=FIRST)
    clock.pass_days(-30)
    memory.put_document("h", "d", text=SECOND)
    read = memory.get_document("h", "d")
    assert (read.text, read.changed_at > read.recorded_at) == (SECOND, True)


def test_a_tenant_sees_nothing_of_another(memory: Stemma) -> None:
    """R-12: neither documents, corpora, passages nor events, nor that an id exists."""
    memory.put_document("h", "d", text=FIRST)
    memory.add_events([{"event_id": "1", "op": "upsert", "corpus": "h", "external_id": "e", "text": SECOND}])
    own, memory.tenant = memory.tenant, "stranger"
    try:
        assert memory.list_corpora().items == ()
        assert memory.list_events("h").items == ()
        assert memory.search_documents("pump").citations == ()
        for ask in (lambda: memory.get_document("h", "d"), lambda: memory.list_documents("h")):
            with pytest.raises(NotFound):
                ask()
        assert memory.delete_document("h", "d").deleted == 0
    finally:
        memory.tenant = own
    assert memory.get_document("h", "d").text == FIRST
