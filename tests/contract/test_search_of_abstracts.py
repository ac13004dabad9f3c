"""A thousand abstracts: the product's words alone beside plain BM25 of the same script (R-105)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from bench.public_documents import Collection, written_slice
from bench.search_check import CORPUS, bm25_of, measured, searched
from stemma import Stemma
from tests.stores import Server

# On so few claims one answer that moves in the order is noise, not a fault.
ONE_ANSWER: Final = 1 / 150
# One transaction for so many costs half of what each for itself does.
AT_ONCE: Final = 250
SLICE: Final = Path(__file__).parent.parent / "sets" / "scifact_1k" / "slice.jsonl.gz"


@pytest.fixture(scope="module")
def abstracts() -> Collection:
    """The slice that the retrieval study measured."""
    return written_slice(SLICE)


@pytest.fixture
def memory(embedded_server: Server) -> Iterator[Stemma]:
    """Words alone, on one kind of store: the queries are held alike on both elsewhere."""
    with Stemma(embedded_server.target, tenant="abstracts", embedder="none") as opened:
        yield opened


def bring_in(memory: Stemma, abstracts: Collection) -> None:
    """Put the first abstract, which makes the corpus, and send the others as a source sends its events."""
    sent: list[dict[str, Any]] = [
        {"external_id": one.name, "text": one.text, "media_type": "text/plain", "title": one.title or one.name}
        for one in abstracts.documents
    ]
    memory.put_document(CORPUS, **sent[0])
    events = [{"event_id": one["external_id"], "op": "upsert", "corpus": CORPUS, **one} for one in sent[1:]]
    for start in range(0, len(events), AT_ONCE):
        assert {one.status for one in memory.add_events(events[start : start + AT_ONCE]).results} == {"applied"}


def test_words_alone_rank_abstracts_as_well_as_plain_bm25(memory: Stemma, abstracts: Collection) -> None:
    """R-105: 150 claims, each abstract by its best passage; Recall@10 not below, nDCG@10 within one answer."""
    plain = measured(abstracts, bm25_of(abstracts))
    assert plain["nDCG@10"] == pytest.approx(0.750, abs=0.001)
    bring_in(memory, abstracts)
    ours = measured(abstracts, searched(memory, abstracts))
    assert ours["nDCG@10"] >= plain["nDCG@10"] - ONE_ANSWER
    assert ours["Recall@10"] >= plain["Recall@10"]
