"""Cuts documents where their structure has joints, with places that hold (R-61)."""

from __future__ import annotations

import time

import pytest

from stemma.core.document_text import Block, BlockKind, ReadDocument
from stemma.core.split import Passage, split
from stemma.errors import InvalidInput
from stemma.readers import read, read_text


def words(text: str) -> int:
    return len(text.split())


def cut(text: str, limit: int, *, overlap: int = 0, media_type: str = "text/markdown") -> list[Passage]:
    return list(split(read_text(text, media_type), count=words, limit=limit, overlap=overlap))


def test_sections_never_share_a_passage_and_carry_the_path_of_their_headings() -> None:
    found = cut("Before\n\n# Pump\n\n## Start\n\nOpen the valve.\n\n## Stop\n\nClose it.\n\n# Crane\n\nUp.", 50)
    assert [(one.heading, one.text) for one in found] == [
        ((), "Before"),
        (("Pump", "Start"), "# Pump\n\n## Start\n\nOpen the valve."),
        (("Pump", "Stop"), "## Stop\n\nClose it."),
        (("Crane",), "# Crane\n\nUp."),
    ]


def test_a_heading_without_text_before_one_of_its_rank_stands_alone() -> None:
    assert [(one.heading, one.text) for one in cut("# A\n# B\nb", 50)] == [(("A",), "# A"), (("B",), "# B\nb")]


def test_paragraphs_are_kept_whole_and_long_ones_end_at_sentences() -> None:
    text = "One two three. Four five six. Seven eight.\n\nNine ten eleven twelve."
    assert [one.text for one in cut(text, 6)] == [
        "One two three. Four five six.",
        "Seven eight.\n\nNine ten eleven twelve.",
    ]


def test_a_stump_is_filled_with_the_beginning_of_what_follows() -> None:
    text = "# Pump\n\n" + " ".join(f"Sentence number {number} here." for number in range(6))
    found = cut(text, 12)
    assert found[0].text == "# Pump\n\nSentence number 0 here. Sentence number 1 here."
    assert all(one.heading == ("Pump",) for one in found)


def test_a_fence_that_fits_is_whole_and_one_that_does_not_ends_at_lines() -> None:
    text = "Some words come here first.\n\n```\na b c\nd e f\n```\n"
    assert [one.text for one in cut(text, 8)] == ["Some words come here first.", "```\na b c\nd e f\n```"]
    assert [one.text for one in cut(text, 5)] == ["Some words come here first.", "```\na b c", "d e f\n```"]


def test_rows_are_whole_and_know_the_head_of_their_table() -> None:
    text = "| name | place |\n|---|---|\n" + "".join(f"| pump {number} | pier {number} |\n" for number in range(6))
    found = cut(text, 28)
    assert found[0].lead == ""
    assert len(found) > 1
    for one in found[1:]:
        assert one.lead == "| name | place |\n|---|---|"
        assert one.indexed == f"{one.lead}\n{one.text}"
        assert one.tokens == words(one.indexed) <= 28
        assert all(line.startswith("| pump") and line.endswith("|") for line in one.text.split("\n"))


def test_a_head_that_would_fill_half_a_passage_is_left_out() -> None:
    text = "| " + " | ".join("abcdef") + " |\n|---|---|---|---|---|---|\n" + "| 1 | 2 | 3 | 4 | 5 | 6 |\n" * 4
    assert {one.lead for one in cut(text, 14)} == {""}


def test_pages_and_hidden_parts_begin_a_passage() -> None:
    blocks = (
        Block(BlockKind.PARAGRAPH, 0, 1, page=1),
        Block(BlockKind.PARAGRAPH, 2, 3, page=2),
        Block(BlockKind.PARAGRAPH, 4, 5, page=2, hidden=True),
        Block(BlockKind.PARAGRAPH, 6, 7, page=2),
    )
    document = ReadDocument(text="a b c d", blocks=blocks, media_type="application/pdf")
    found = split(document, count=words, limit=9)
    assert [(one.text, one.page, one.hidden) for one in found] == [
        ("a", 1, False), ("b", 2, False), ("c", 2, True), ("d", 2, False),
    ]  # fmt: skip


def test_text_without_spaces_ends_at_its_own_signs_then_between_characters() -> None:
    found = split(read_text("水泵三号，关闭阀门。备用钥匙在柜。" + "我" * 25), count=len, limit=10)
    assert [one.text for one in found][:2] == ["水泵三号，关闭阀门。", "备用钥匙在柜。我我"]
    assert all(one.tokens <= 10 for one in found)


@pytest.mark.parametrize("cluster", ["👩‍👩‍👧", "e\u0301", "🇫🇷", "각", "\r\n", "नि", " \u0301"])
def test_no_cluster_is_cut(cluster: str) -> None:
    text = f"x{cluster * 40}x"
    found = split(read_text(text), count=len, limit=13)
    edges = {one.start for one in found} | {one.end for one in found}
    inside = {1 + number * len(cluster) + at for number in range(40) for at in range(1, len(cluster))}
    if cluster != "\r\n":  # white space between passages belongs to none
        assert len(found) > 3
    assert not edges & inside


def test_a_run_of_marks_that_no_script_has_is_cut_like_other_text() -> None:
    found = split(read_text("a" + "\u0301" * 500), count=len, limit=20)
    assert max(one.tokens for one in found) <= 20


@pytest.mark.parametrize("sign", [".", ",", "!?", "؟", "-", "("])
def test_a_long_run_of_signs_takes_no_longer_than_other_text(sign: str) -> None:
    text = "a" + sign * 200_000 + "b"
    started = time.process_time()
    found = split(read_text(text), count=len, limit=500)
    assert time.process_time() - started < 5
    assert found[0].start == 0
    assert found[-1].end == len(text)


def test_what_turns_out_to_be_too_much_is_not_lost() -> None:
    # The line end between two pieces is counted only with both: the second one goes back when nothing else is left.
    found = split(read_text("a" * 20 + "\n" + "b" * 20), count=len, limit=40)
    assert [one.text for one in found] == ["a" * 20, "b" * 20]


def test_a_limit_or_an_overlap_that_leaves_no_room_is_refused() -> None:
    document = read_text("a b c")
    for limit, overlap in [(0, 0), (2, 2), (3, -1)]:
        with pytest.raises(InvalidInput):
            split(document, count=words, limit=limit, overlap=overlap)
    with pytest.raises(InvalidInput, match="leaves no room"):
        split(document, count=lambda text: 5 + len(text), limit=5)


def test_a_document_of_nothing_has_no_passages() -> None:
    assert split(read(b" \n\t"), count=words, limit=5) == ()


def test_after_an_edit_in_running_text_nearly_all_passages_stay() -> None:
    paragraphs = [
        f"Paragraph {number} says that pump {number * 7} stands on pier {number % 13}." for number in range(400)
    ]
    before = {one.text for one in cut("\n\n".join(paragraphs), 40, media_type="text/plain")}
    paragraphs[3] = "Paragraph 3 was written anew, and it is quite a bit longer than what stood here before it was."
    after = {one.text for one in cut("\n\n".join(paragraphs), 40, media_type="text/plain")}
    # Of equal paragraphs every passage would shift if nothing but the limit decided where one ends.
    assert len(before - after) <= 15
    assert len(before) > 100
