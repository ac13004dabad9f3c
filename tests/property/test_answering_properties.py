"""R-63 as a property: whatever a model writes, no shown sentence holds a figure that what it cites does not hold."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from stemma.app.registry_files import load_rules
from stemma.core import answering
from stemma.core.answer_text import Coming, finished, sentences

# Small alphabets, so that an answer often speaks of what a passage holds and often of what only another one does.
FIGURES = st.sampled_from(["7", "30", "90", "1000", "1,000", "3.5", "12", "2026", "ERR-7"])
WORDS = st.sampled_from(["logs", "are", "kept", "for", "days", "percent", "euros", "the", "pump", "No.", "approx."])
MARKS = st.sampled_from(["[1]", "[2]", "[3]", "[9]", "[1][2]", "[1, 3]", "[2-3]", "[0]", "^[1]", "【2】", "[[1]]"])
SIGNS = st.sampled_from([".", ". ", "! ", "\n", "\n- ", "\n1. ", ", ", " ", "。", ".\n", "? "])
PASSAGE = st.lists(st.one_of(FIGURES, WORDS), max_size=8).map(" ".join)
ANSWER = st.lists(st.one_of(FIGURES, WORDS, MARKS, MARKS, SIGNS), max_size=40).map(" ".join)
RULES = load_rules()
_MARK = re.compile(r"\[(\d+)\]")
_FIGURE = re.compile(r"\d+(?:[.,]\d+)*")


def _plain(figure: str) -> str:
    return figure.replace(",", "")


@settings(deadline=None)
@given(ANSWER, st.tuples(PASSAGE, PASSAGE, PASSAGE))
def test_no_shown_sentence_holds_a_figure_that_its_sources_do_not(answer: str, passages: tuple[str, str, str]) -> None:
    """R-63, checked by another reading than ours: plain runs of digits."""
    sources = {number: answering.source(number, text, RULES) for number, text in enumerate(passages, start=1)}
    shown, _, _ = answering.judged(sentences(answer), sources, RULES)
    for one in shown:
        numbers = [int(found) for found in _MARK.findall(one.text)]
        assert numbers
        assert set(numbers) <= sources.keys()
        behind = {_plain(found) for number in numbers for found in _FIGURE.findall(passages[number - 1])}
        assert {_plain(found) for found in _FIGURE.findall(_MARK.sub(" ", one.text))} <= behind


@settings(deadline=None)
@given(ANSWER, st.lists(st.integers(1, 9), min_size=1, max_size=6))
def test_however_an_answer_comes_in_pieces_the_same_is_judged(answer: str, sizes: list[int]) -> None:
    """R-63, streaming: a sentence is given once, and never before its end is certain."""
    coming, found, at, turn = Coming(), [], 0, 0
    while at < len(answer):
        said, coming = finished(coming, answer[at : at + sizes[turn % len(sizes)]])
        found += said
        at, turn = at + sizes[turn % len(sizes)], turn + 1
    found += finished(coming, "\n")[0]
    assert [(one.text, one.numbers) for one in found] == [(one.text, one.numbers) for one in sentences(answer)]


@settings(deadline=None)
@given(ANSWER)
def test_what_is_shown_and_what_is_removed_are_all_that_was_said(answer: str) -> None:
    """R-11: every sentence is shown or named."""
    said = sentences(answer)
    sources = {1: answering.source(1, "logs are kept for 90 days", RULES)}
    shown, removed, waiting = answering.judged(said, sources, RULES)
    dropped = [one for one in removed if not any(name.startswith("[") for name in one.missing)]
    assert len(shown) + len(dropped) + len(waiting) == len(said)
