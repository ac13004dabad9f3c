"""Reads PDF page by page and DOCX by its styles (R-60)."""

from __future__ import annotations

import pytest

from stemma.document_text import BlockKind, ReadStatus, RemovedKind
from stemma.errors import ArchiveBomb, DocumentTooLarge, MediaTypeUnsupported, UnreadableDocument
from stemma.readers import Limits, read
from stemma.readers.pdf import doubts
from tests.docxs import docx, paragraph, part, run, table
from tests.pdfs import pdf


def test_pages_and_title_of_a_pdf_are_kept() -> None:
    found = read(
        pdf([(72, 700, "Valve three"), (72, 680, "stays shut")], [(72, 700, "Page two")], title="Pümp"), name="x.bin"
    )
    assert found.text == "Valve three\nstays shut\n\nPage two"
    assert [(block.page, found.text[block.start : block.end]) for block in found.blocks] == [
        (1, "Valve three\nstays shut"),
        (2, "Page two"),
    ]
    assert (found.title, found.pages, found.media_type) == ("Pümp", 2, "application/pdf")


def test_a_page_without_text_is_named_and_a_file_without_any_is_refused() -> None:
    found = read(pdf([(72, 700, "one")], []))
    assert [(one.code, one.detail) for one in found.warnings] == [("pages_without_text", "no text on pages 2")]
    with pytest.raises(UnreadableDocument, match="none of the 2 pages holds text"):
        read(pdf([], []))


def test_a_title_that_is_no_text_keeps_no_page_from_being_read() -> None:
    """R-60: half a UTF-16 pair, as a damaged file has it."""
    whole = pdf([(72, 700, "one")], title="Pümp")
    found = read(whole.replace("Pümp".encode("utf-16-be").hex().encode(), b"d800006d0070006d"))
    assert (found.text, found.title) == ("one", None)
    assert [one.code for one in found.warnings] == ["title_unreadable"]


def test_limits_and_false_claims_are_named() -> None:
    with pytest.raises(DocumentTooLarge, match="3 pages"):
        read(pdf([], [], []), limits=Limits(pages=2))
    with pytest.raises(UnreadableDocument, match="lacks"):
        read(b"just text", media_type="application/pdf")
    with pytest.raises(UnreadableDocument):
        read(pdf([(72, 700, "one")])[:200])


def test_backward_hebrew_is_a_doubt() -> None:
    assert [code for code, _ in doubts("םולש 25")] == ["text_order_suspect"]
    assert doubts("שלום 25") == []
    assert [code for code, _ in doubts("\ufffd\ufffd x")] == ["text_unmapped"]


def test_a_docx_gives_headings_lists_tables_and_keeps_the_unseen_apart() -> None:
    found = read(
        docx(
            paragraph(run("Pump"), style="H1"),
            paragraph(run("Seen "), run("unseen", "<w:vanish/>"), run("too", '<w:vanish w:val="0"/>')),
            paragraph("<w:del><w:r><w:delText>old</w:delText></w:r></w:del>", run("new")),
            paragraph(run("first"), item=True),
            paragraph(run("second"), item=True),
            table(("k", "v"), ("1", "2")),
            parts={
                "word/footnotes.xml": part("footnotes", paragraph(run("See page 3"))),
                "word/comments.xml": part("comments", paragraph(run("really?"))),
                "word/header1.xml": part("hdr", paragraph(run("Draft"))),
                "docProps/core.xml": b'<c xmlns:d="d"><d:title>Manual</d:title></c>',
            },
        ),
        name="manual.docx",
    )
    assert found.text == "Pump\n\nSeen too\n\nnew\n\n- first\n- second\n\nk | v\n1 | 2\n\nSee page 3"
    assert [(block.kind, block.level) for block in found.blocks][:1] == [(BlockKind.HEADING, 1)]
    assert [block.head_parts for block in found.blocks if block.kind is BlockKind.TABLE] == [1]
    assert {(one.kind, one.text) for one in found.removed} == {
        (RemovedKind.HIDDEN, "unseen"), (RemovedKind.DELETED, "old"), (RemovedKind.COMMENT, "really?"),
        (RemovedKind.MARGIN, "Draft"),
    }  # fmt: skip
    assert (found.title, found.status) == ("Manual", ReadStatus.READY)


def test_admitted_hidden_text_of_a_docx_is_marked() -> None:
    found = read(docx(paragraph(run("a"), run("b", "<w:vanish/>"))), admit_hidden=True)
    assert [(found.text[block.start : block.end], block.hidden) for block in found.blocks] == [
        ("a", False),
        ("b", True),
    ]


def test_archives_are_opened_in_bounds() -> None:
    bomb = docx(paragraph(run("x" * 5_000_000)))
    assert len(bomb) < 50_000
    with pytest.raises(ArchiveBomb, match="unpacks to over"):
        read(bomb, limits=Limits(unpacked_bytes=1_000_000))
    with pytest.raises(ArchiveBomb, match="members"):
        read(docx(parts={f"x{number}": b"" for number in range(20)}), limits=Limits(members=10))
    entities = b'<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><x>&b;</x>'
    with pytest.raises(UnreadableDocument, match="document type"):
        read(docx(parts={"word/footnotes.xml": entities}))
    with pytest.raises(UnreadableDocument):
        read(docx("<w:p>"))


def test_other_archives_and_pictures_are_not_read() -> None:
    for content in (b"\x89PNG\r\n\x1a\n", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"{\\rtf1", b"PK\x05\x06" + b"\0" * 18):
        with pytest.raises(MediaTypeUnsupported):
            read(content, name="notes.txt")
