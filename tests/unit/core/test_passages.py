"""Passages of an episode: short enough for an index row, nothing left out, at natural ends."""

from __future__ import annotations

import pytest

from stemma.core.analyse import terms
from stemma.core.passages import MOST_WORDS, episode_passages, item_id, passages_of
from stemma.records import Content, Message, StatedClaim


def test_a_short_text_is_one_passage_without_its_edges() -> None:
    """R-41: white space at the edges is nobody's."""
    assert passages_of("  Pier 3 \n") == [(2, 8)]
    assert passages_of(" \n\t") == []


def test_a_long_text_is_cut_at_paragraphs_and_sentences() -> None:
    """R-41: a passage ends where its author paused."""
    sentence = "The ferry leaves the harbour at dawn when the water is high enough. "
    paragraph = sentence * 6
    text = f"{paragraph}\n\n{paragraph}\n\nLast line."
    pieces = [text[start:end] for start, end in passages_of(text)]
    assert pieces == [paragraph.strip(), f"{paragraph.strip()} \n\nLast line."]
    long = sentence * 20
    assert all(long[start:end].endswith("enough.") for start, end in passages_of(long))


@pytest.mark.parametrize(
    "text",
    ["word " * 5_000, "数" * 6_000, "備用鑰匙在三號櫃。" * 700, "a_b_c_" * 4_000, "x" * 100_000, "1.2.3.4 " * 2_000],
)
def test_every_passage_fits_into_an_index_row_and_none_loses_a_character(text: str) -> None:
    """R-41, F07: text without spaces is cut as well; the union of the passages is the text."""
    spans = passages_of(text)
    assert "".join(text[start:end] for start, end in spans).replace(" ", "") == text.replace(" ", "")
    assert max(len(set(terms(text[start:end]))) for start, end in spans) <= 5 * MOST_WORDS


def test_each_message_is_cut_apart_and_shown_with_its_speaker() -> None:
    """R-22: a turn is found by who said it."""
    content = Content(messages=(Message("user", "I sail.", "Ana"), Message("assistant", "Noted.")))
    found = episode_passages(content, "nobody")
    assert [(one.shown, one.message, one.start, one.end) for one in found] == [
        ("Ana: I sail.", 0, 0, 7),
        ("assistant: Noted.", 1, 0, 6),
    ]


def test_claims_are_indexed_where_nothing_else_is_said() -> None:
    """R-31: an episode of claims alone is found by them."""
    claims = (StatedClaim(key="home", value="Lisbon"), StatedClaim(key="job", value="pilot", text="Flies planes."))
    assert [one.shown for one in episode_passages(Content(claims=claims), None)] == ["home: Lisbon", "Flies planes."]
    assert [one.shown for one in episode_passages(Content(text="Hello.", claims=claims), "Bo")] == ["Bo: Hello."]


def test_an_item_is_named_by_episode_content_and_number() -> None:
    """R-41: each passage of each revision has a row of its own."""
    assert item_id("e", "0123456789abcdef", 3) == "e#0123456789ab.3"
