"""Reads pages as a reader sees them (R-60)."""

from __future__ import annotations

import time

import pytest

from stemma.document_text import BlockKind, ReadDocument, RemovedKind
from stemma.errors import NestingTooDeep
from stemma.readers import read


def page(body: str, *, admit_hidden: bool = False) -> ReadDocument:
    return read(body.encode(), media_type="text/html", admit_hidden=admit_hidden)


def pieces(found: ReadDocument) -> list[tuple[str, str]]:
    return [(block.kind.value, found.text[block.start : block.end]) for block in found.blocks]


@pytest.mark.parametrize(
    "style",
    [
        "display: none", "DISPLAY:NONE !important", "visibility:hidden", "opacity:0", "font-size:0", "font-size:1px",
        "position:absolute;left:-9999px", "text-indent:-5000px", "height:0;overflow:hidden", "clip-path:inset(50%)",
        "position:absolute;clip:rect(0,0,0,0)", "transform:scale(0)", "color:#fff;background:#fff", "color:transparent",
    ],
)  # fmt: skip
def test_a_style_that_hides_takes_the_text_out_and_keeps_it_as_evidence(style: str) -> None:
    found = page(f"<p>seen</p><div style='{style}'>unseen <b>order</b></div>")
    assert found.text == "seen"
    assert [(one.kind, one.text) for one in found.removed] == [(RemovedKind.HIDDEN, "unseen order")]
    assert found.removed[0].reason.partition(":")[0] in style.lower()


@pytest.mark.parametrize(
    "style",
    ["display:block", "font-size:0.8em", "opacity:0.5", "left:-9999px", "height:0", "color:#fff;background:#000"],
)
def test_a_style_that_only_moves_or_tints_hides_nothing(style: str) -> None:
    assert page(f"<p style='{style}'>seen</p>").text == "seen"


def test_rules_of_the_page_hide_and_a_later_one_shows_again() -> None:
    body = (
        "<style>.tab, #x > i {display:none} /* .y{display:none} */ .tab.on {display:block}</style>"
        "<p class=tab>one</p><p class='tab on'>two</p><p id=x>three <i>four</i></p><p class=y>five</p>"
    )
    found = page(body)
    assert found.text == "two\n\nthree\n\nfive"
    assert [one.text for one in found.removed if one.kind is RemovedKind.HIDDEN] == ["one", "four"]


def test_a_page_with_rules_that_no_parser_knows_is_read() -> None:
    assert page("<style>><{display:none} .a{display:none}</style><p>x<p class=a>y").text == "x"


def test_structure_becomes_blocks_with_their_parts() -> None:
    found = page(
        "<title> Pump\n manual </title><h1>Start <em>up</em></h1><p>one&nbsp;two<br>three"
        "<ul><li>a<li>b<ul><li>c</ul></ul>"
        "<table><caption>Load</caption><tr><th>k<th>v<tr><td>1<td><p>2</p><p>3</p></table><pre>  x\n   y</pre>"
        "<blockquote>said</blockquote><script>bad()</script>"
    )
    assert found.title == "Pump manual"
    assert pieces(found) == [
        ("heading", "Start up"), ("paragraph", "one\u00a0two\nthree"), ("list", "- a\n- b\n- c"), ("paragraph", "Load"),
        ("table", "k | v\n1 | 2 3"), ("code", "  x\n   y"), ("quote", "said"),
    ]  # fmt: skip
    table = next(block for block in found.blocks if block.kind is BlockKind.TABLE)
    assert table.head_parts == 1
    assert [found.text[start:end] for start, end in table.parts] == ["k | v", "1 | 2 3"]
    assert [(one.kind, one.text) for one in found.removed] == [(RemovedKind.CODE, "bad()")]


def test_a_table_that_only_lays_out_the_page_is_no_table() -> None:
    assert pieces(page("<table><tr><td><h2>Head</h2><p>text</p></td></tr></table>")) == [
        ("heading", "Head"),
        ("paragraph", "text"),
    ]


def test_admitted_hidden_text_is_marked_wherever_it_stands() -> None:
    found = page(
        "<p>a<i hidden>b</i>c<ul><li>d<b hidden>e</b></ul><table><tr><td>f<b hidden>g</b></table>", admit_hidden=True
    )
    assert [(found.text[block.start : block.end], block.hidden) for block in found.blocks] == [
        ("a", False), ("b", True), ("c", False), ("- d", False), ("e", True), ("f", False), ("g", True),
    ]  # fmt: skip


def test_a_page_states_its_own_encoding() -> None:
    found = read("<meta charset=windows-1251><p>Причал</p>".encode("cp1251"), name="a.html")
    assert (found.text, found.charset, found.decided_by) == ("Причал", "cp1251", "type:name encoding:declared")


@pytest.mark.parametrize("tag", ["<div>", "<b>", "<ul><li>", "<table><tr><td>", "<a><font>"])
def test_a_page_nested_too_deep_is_refused_before_it_is_built(tag: str) -> None:
    started = time.process_time()
    with pytest.raises(NestingTooDeep):
        page(tag * 50_000)
    assert time.process_time() - started < 2


def test_many_elements_side_by_side_are_not_deep() -> None:
    assert page("<p>x<br>" * 2_000 + "<li>y" * 2_000).text.count("x") == 2_000
