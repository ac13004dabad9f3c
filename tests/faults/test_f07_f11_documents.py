"""F07 and F11 for documents: text without spaces is cut and counted, control literals are text like any other."""

from __future__ import annotations

from itertools import pairwise

from stemma import Stemma

LAST = "备用钥匙在三号柜。"
LITERALS = "The separator is <|endoftext|>, the stop mark </s>, the class mark [SEP]."


def test_the_tail_of_a_text_without_spaces_is_found(memory: Stemma) -> None:
    """F07: no passage over the limit, together they cover the whole text, and the last sentence is found."""
    sentence = "港口管理员每天早上检查水位并记录在日志里面。"
    text = sentence * (6_000 // len(sentence)) + LAST
    put = memory.put_document("zh", "log", text=text)
    assert put.passages > 10
    with memory.runtime.store.transaction(memory.tenant, read_only=True) as t:
        rows = t.all("passages_of_document", {"document_id": put.document_id})
    spans = sorted((row["text_start"], row["text_end"]) for row in rows)
    ruler = memory.runtime.ruler
    assert max(ruler.count(text[start:end]) for start, end in spans) <= ruler.window
    assert (spans[0][0], spans[-1][1]) == (0, len(text))
    assert all(left[1] >= right[0] for left, right in pairwise(spans))
    found = memory.search_documents("备用钥匙在哪里", corpora=["zh"], k=5)
    assert any(LAST in passage.text for one in found.citations for passage in one.passages)


def test_control_literals_are_text(memory: Stemma) -> None:
    """F11: the second of three documents, a query, a memory and a budget; each verbatim, nothing is skipped."""
    events = [
        {"event_id": name, "op": "upsert", "corpus": "c", "external_id": name, "text": text}
        for name, text in (("one", "The first document."), ("two", LITERALS), ("three", "The third document."))
    ]
    memory.put_document("c", "zero", text="The document before.")
    assert [one.status.value for one in memory.add_events(events).results] == ["applied"] * 3
    assert memory.get_document("c", "two").text == LITERALS
    for query in ("endoftext", "<|endoftext|>", "[SEP]"):
        assert memory.search_documents(query, corpora=["c"]).citations[0].external_id == "two"
    bundle = memory.bundle("What is the separator?", corpora=["c"], budget_tokens=400)
    assert "<|endoftext|>" in bundle.text
    assert 0 < bundle.tokens <= 400
    memory.remember("s", LITERALS)
    assert [one.memory.text for one in memory.recall("s", "endoftext").items] == [LITERALS]
