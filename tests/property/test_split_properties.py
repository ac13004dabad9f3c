"""What holds of every cutting of every document (R-61)."""

from __future__ import annotations

from collections.abc import Callable

import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from stemma.core.split import Passage, split
from stemma.readers import read_text

# Small pieces that collide: joints of every kind, clusters, and marks that a cut could tear off.
_PIECES = st.sampled_from(
    ["a", "word", " ", "\n", "\n\n", "\r\n", ". ", "。", "# H\n", "## I\n", "```\n", "- x\n", "> q\n"]
    + ["|a|b|\n|-|-|\n|1|2|\n", "é", "e\u0301", "\u0301", "👩‍👩‍👧", "🇫🇷", "각", "नि", "港湾", "\u200d", " \u0301"]
    + ["<|end|>"]
    + ["\u0600" + "1"]
)  # fmt: skip
TEXTS = st.lists(_PIECES, max_size=60).map("".join)
KINDS = st.sampled_from(["text/plain", "text/markdown"])
COUNTS = st.sampled_from(
    [lambda text: len(text.split()), len, lambda text: len(text.encode()), lambda text: 3 + len(text)]
)


def check(text: str, found: tuple[Passage, ...]) -> None:
    """Hold passages to their places: exact, rising, on whole clusters, with all that is not blank."""
    starts = [one.start for one in found]
    assert starts == sorted(set(starts))
    whole = [one for one in regex.finditer(r"\X", text) if one.end() - one.start() <= 64]
    inside = {at for one in whole for at in range(one.start() + 1, one.end())}
    covered: set[int] = set()
    for one in found:
        assert text[one.start : one.end] == one.text
        assert not {one.start, one.end} & inside
        covered |= set(range(one.start, one.end))
    assert all(char.isspace() for at, char in enumerate(text) if at not in covered)


@given(TEXTS, KINDS, COUNTS, st.integers(40, 60), st.integers(0, 12))
def test_passages_hold_their_places_cover_everything_and_keep_to_the_limit(
    text: str, kind: str, count: Callable[[str], int], limit: int, overlap: int
) -> None:
    found = split(read_text(text, kind), count=count, limit=limit, overlap=overlap)
    check(text, found)
    for one in found:
        assert one.tokens == count(one.indexed) <= limit
    assert found == split(read_text(text, kind), count=count, limit=limit, overlap=overlap)


@given(st.text(max_size=200), st.integers(1, 8), st.integers(0, 3))
def test_any_text_under_a_small_limit_keeps_its_places(text: str, limit: int, overlap: int) -> None:
    kept = "".join(char if char.isprintable() else " " for char in text)
    check(
        kept,
        split(read_text(kept), count=lambda piece: len(piece.split()), limit=limit, overlap=min(overlap, limit - 1)),
    )


_PARAGRAPH = st.lists(st.sampled_from(["alpha", "beta.", "gamma", "delta!"]), min_size=1, max_size=30).map(" ".join)
_SECTIONS = st.lists(st.lists(_PARAGRAPH, min_size=1, max_size=4), min_size=2, max_size=5)


@settings(max_examples=60)
@given(_SECTIONS, st.integers(4, 20), st.data())
def test_an_edit_changes_no_passage_of_another_section(
    sections: list[list[str]], limit: int, draw: st.DataObject
) -> None:
    def passages(of: list[list[str]]) -> list[tuple[tuple[str, ...], str, int]]:
        text = "\n\n".join("\n\n".join([f"# S{number}", *section]) for number, section in enumerate(of))
        found = split(read_text(text, "text/markdown"), count=lambda piece: len(piece.split()), limit=limit)
        return [(one.heading, one.text, one.tokens) for one in found]

    edited = draw.draw(st.integers(0, len(sections) - 1))
    other = [list(section) for section in sections]
    other[edited][draw.draw(st.integers(0, len(other[edited]) - 1))] = draw.draw(_PARAGRAPH)
    kept = [one for one in passages(sections) if one[0] != (f"S{edited}",)]
    assert kept == [one for one in passages(other) if one[0] != (f"S{edited}",)]
