"""Reads CSV, JSON, JSON Lines and e-mail; decides between kinds; keeps to its limits (R-60)."""

from __future__ import annotations

import pytest

from stemma.document_text import Attachment, BlockKind
from stemma.errors import ControlCharacter, DocumentTooLarge, MediaTypeUnsupported, NestingTooDeep, UnreadableDocument
from stemma.readers import Limits, read, read_text


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_a_table_is_kept_as_it_is_with_the_places_of_its_rows(delimiter: str) -> None:
    text = f'id{delimiter}note\r\n7{delimiter}"a{delimiter} b\r\nc ""d"""\r\n\r\n8{delimiter}x'
    found = read(text.encode(), name="a.csv")
    (table,) = found.blocks
    assert found.text == text
    assert found.columns == ("id", "note")
    rows = [f"id{delimiter}note", f'7{delimiter}"a{delimiter} b\r\nc ""d"""', f"8{delimiter}x"]
    assert [found.text[a:b] for a, b in table.parts] == rows
    assert table.head_parts == 1


def test_a_quotation_that_is_never_closed_is_refused() -> None:
    with pytest.raises(UnreadableDocument, match="never closed"):
        read(b'a,b\n1,"x\n2,3\n', name="a.csv")


def test_json_is_read_value_by_value_with_its_path() -> None:
    found = read('{"title": "Pump", "n": [1, 2.50, {"港": "\\u6e2f"}], "t": true, "n": null}'.encode(), name="a.json")
    assert found.text == "title: Pump\nn[0]: 1\nn[1]: 2.50\nn[2].港: 港\nt: true\nn: null"
    assert found.title == "Pump"
    records = read(b'[{"a": 1}, {"a": 2}]', name="a.json")
    assert [records.text[one.start : one.end] for one in records.blocks] == ["a: 1", "a: 2"]
    lines = read(b'{"a": 1}\n\n{"a": 2}\n', name="a.jsonl")
    assert lines.text == records.text


@pytest.mark.parametrize("text", ["{", "[1,]", "NaN", '{"a": Infinity}', "", '"\\'])
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(UnreadableDocument):
        read(text.encode(), media_type="application/json")
    with pytest.raises(UnreadableDocument, match="line 2"):
        read(b'{"a": 1}\n' + (text or "{").encode(), media_type="application/jsonl")


def test_json_that_is_deep_or_grows_by_its_paths_is_refused() -> None:
    with pytest.raises(NestingTooDeep):
        read(b"[" * 100_000, media_type="application/json")
    long_paths = '{"' + "k" * 100_000 + '": [' + "1," * 9_999 + "1]}"
    with pytest.raises(DocumentTooLarge):
        read(long_paths.encode(), media_type="application/json")


MAIL = """From: =?utf-8?q?J=C3=B6rg?= <j@x.example>
Subject: =?iso-2022-jp?b?GyRCOUFPURsoQg==?=
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=B

--B
Content-Type: multipart/alternative; boundary=C

--C
Content-Type: text/plain; charset=iso-8859-1
Content-Transfer-Encoding: quoted-printable

Schlie=DFen, ja.

On Monday, Ann wrote:
> Shall I close it?
>> older

Bye
--C
Content-Type: text/html

<p>Schlie&szlig;en, <b>ja</b>.</p>
--C--
--B
Content-Type: application/pdf
Content-Disposition: attachment; filename="r.pdf"
Content-Transfer-Encoding: base64

aGVsbG8=
--B--
"""


def test_a_message_gives_its_writer_its_body_its_quotations_and_its_attachments() -> None:
    found = read(MAIL.encode(), name="unknown")
    assert [(block.kind, block.level, found.text[block.start : block.end]) for block in found.blocks] == [
        (BlockKind.PARAGRAPH, 0, "Subject: 港湾\nFrom: Jörg <j@x.example>"),
        (BlockKind.PARAGRAPH, 0, "Schließen, ja."),
        (BlockKind.QUOTE, 1, "On Monday, Ann wrote:\n> Shall I close it?"),
        (BlockKind.QUOTE, 2, ">> older"),
        (BlockKind.PARAGRAPH, 0, "Bye"),
        (BlockKind.LIST, 0, "Attachment: r.pdf (application/pdf, 5 bytes)"),
    ]
    assert (found.title, found.media_type, found.decided_by) == ("港湾", "message/rfc822", "type:content")
    assert found.attachments == (Attachment("r.pdf", "application/pdf", 5),)
    assert [one.kind.value for one in found.removed] == ["alternative"]


def test_what_stands_under_an_original_message_is_quoted() -> None:
    body = "Subject: x\nFrom: a\n\nNo.\n\n-----Original Message-----\nFrom: b\n\nI own a boat.\n"
    found = read(body.encode())
    assert [(block.kind.value, found.text[block.start : block.end]) for block in found.blocks][-2:] == [
        ("quote", "-----Original Message-----\nFrom: b"),
        ("quote", "I own a boat."),
    ]


def test_the_content_goes_before_the_name() -> None:
    found = read(b"<!DOCTYPE html><p>Pier 3</p>", name="report.pdf", media_type="text/plain")
    assert (found.media_type, found.text, [one.code for one in found.warnings]) == (
        "text/html",
        "Pier 3",
        ["type_differs"],
    )
    assert read(b"a,b\n1,2", name="a.csv", media_type="application/octet-stream").media_type == "text/csv"
    assert read(b"a,b\n1,2").media_type == "text/plain"
    with pytest.raises(MediaTypeUnsupported):
        read(b"x", media_type="video/mp4")


def test_limits_are_named_and_control_characters_refused() -> None:
    with pytest.raises(DocumentTooLarge, match="10 bytes"):
        read(b"x" * 10, limits=Limits(content_bytes=9))
    with pytest.raises(DocumentTooLarge, match="5 characters"):
        read_text("abcdef", limits=Limits(text_characters=5))
    with pytest.raises(DocumentTooLarge, match="parts"):
        read_text("a\n\n" * 50, limits=Limits(blocks=20))
    with pytest.raises(ControlCharacter):
        read(b"a\x1bb")
    assert read_text("a\fb\vc").text == "a\nb\nc"
