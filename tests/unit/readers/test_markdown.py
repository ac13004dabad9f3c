"""Finds the parts of Markdown as CommonMark has them (R-60, R-61)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from stemma.document_text import BlockKind
from stemma.readers import read_text
from stemma.readers.markdown import markdown_blocks


def parts(text: str) -> list[tuple[str, str]]:
    return [(block.kind.value, text[block.start : block.end]) for block in markdown_blocks(text)]


def headings(text: str) -> list[tuple[int, str]]:
    return [(block.level, block.title) for block in markdown_blocks(text) if block.kind is BlockKind.HEADING]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("# A #\n## B ##c\n#no\n####### no", [(1, "A"), (2, "B ##c")]),
        ("Set\next\n---\nText\n===\n", [(2, "Set ext"), (1, "Text")]),
        ("```\n# no\n```\n# yes", [(1, "yes")]),
        ("~~~\n```\n# no\n~~~\n# yes", [(1, "yes")]),
        ("````\n```\n# no\n````\n# yes", [(1, "yes")]),
        ("    # code\n\n# yes", [(1, "yes")]),
        ("`` ` ``` # no\n\n# yes", [(1, "yes")]),
        ("```\n# never closed\n\n# no", []),
    ],
)
def test_only_headings_are_headings(text: str, found: list[tuple[int, str]]) -> None:
    assert headings(text) == found


def test_every_kind_of_block_holds_its_place_and_parts() -> None:
    text = (
        "Intro\nmore\n\n- a\n  - b\n\n  c\n- d\n\n> q\n> > r\n\n"
        "| k | v |\n|---|:-:|\n| 1 | 2 |\n| 3 | 4 |\n\n```sh\nx\n\ny\n```\n"
    )
    assert parts(text) == [
        ("paragraph", "Intro\nmore"),
        ("list", "- a\n  - b\n\n  c\n- d"),
        ("quote", "> q\n> > r"),
        ("table", "| k | v |\n|---|:-:|\n| 1 | 2 |\n| 3 | 4 |"),
        ("code", "```sh\nx\n\ny\n```"),
    ]
    blocks = {block.kind: block for block in markdown_blocks(text)}
    assert [text[a:b] for a, b in blocks[BlockKind.LIST].parts] == ["- a\n  - b\n\n  c", "- d"]
    assert [text[a:b] for a, b in blocks[BlockKind.TABLE].parts] == ["| k | v |\n|---|:-:|", "| 1 | 2 |", "| 3 | 4 |"]
    assert blocks[BlockKind.QUOTE].level == 2


_LINES = st.sampled_from(
    ["# A", "## B ##", "#x", "```", "~~~", "````", "text", "", "---", "===", "    code", "> # q", "a b", "```sh"]
)


@given(st.lists(_LINES, max_size=12))
def test_headings_and_fences_are_those_of_the_reference_parser(lines: list[str]) -> None:
    """Lists are left out: what a heading inside one means differs between the two by intent."""
    text = "\n".join(lines)
    tokens = MarkdownIt("commonmark").parse(text)
    wanted = [
        (int(one.tag[1]), " ".join(tokens[at + 1].content.split()))
        for at, one in enumerate(tokens)
        if one.type == "heading_open" and one.level == 0
    ]
    assert [(level, " ".join(title.split())) for level, title in headings(text)] == wanted


@given(st.text(alphabet="#`~->|* a1.\n\r\t", max_size=80))
def test_any_text_has_blocks_in_order_that_hold_all_of_it(text: str) -> None:
    found = read_text(text, "text/markdown")
    outside = "".join(
        text[a:b]
        for a, b in zip([0, *(b.end for b in found.blocks)], [*(b.start for b in found.blocks), len(text)], strict=True)
    )
    assert not outside.strip()
