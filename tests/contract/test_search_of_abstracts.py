"""A thousand abstracts: the product's words alone beside plain BM25 of the same script (R-105)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from bench.public_documents import Collection, written_slice
from bench.search_check import bm25_of, index, measured, searched
from stemma import Stemma
from tests.stores import Server

# On so few claims one answer that moves in the order is noise, not a fault.
ONE_ANSWER: Final = 1 / 150
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


def test_words_alone_rank_abstracts_as_well_as_plain_bm25(memory: Stemma, abstracts: Collection) -> None:
    """R-105: 150 claims, each abstract by its best passage; Recall@10 not below, nDCG@10 within one answer."""
    plain = measured(abstracts, bm25_of(abstracts))
    assert plain["nDCG@10"] == pytest.approx(0.750, abs=0.001)
    assert index(memory, abstracts) >= len(abstracts.documents)
    ours = measured(abstracts, searched(memory, abstracts))
    assert ours["nDCG@10"] >= plain["nDCG@10"] - ONE_ANSWER
    assert ours["Recall@10"] >= plain["Recall@10"]
