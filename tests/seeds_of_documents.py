"""One small document of every kind that is read, for tests that spoil them."""

from __future__ import annotations

import random
from typing import Final

from tests.docxs import docx, paragraph, part, run, table
from tests.pdfs import pdf

_PAGE: Final = (
    "<!doctype html><html><head><meta charset=utf-8><title>T</title><style>.a{display:none}</style></head>"
    "<body><h1>Top</h1><p class=a>x</p><ul><li>a<li>b</ul><table><tr><th>k<th>v<tr><td>1<td>2</table>"
    "<pre> x</pre><blockquote>q</blockquote>"
)
_MAIL: Final = (
    "From: =?utf-8?q?J=C3=B6rg?= <j@x.example>\nSubject: Valve\nDate: Mon, 1 Jun 2026 10:00:00 +0200\n"
    "MIME-Version: 1.0\n"
    "Content-Type: multipart/mixed; boundary=B\n\n--B\nContent-Type: text/plain; charset=utf-8\n\nYes.\n"
    "> Shall I?\n--B\n"
    'Content-Type: application/pdf; name="r.pdf"\nContent-Transfer-Encoding: base64\n\naGVsbG8=\n--B--\n'
)


def seeds() -> list[tuple[str | None, bytes]]:
    """Give the documents with the media type that their sender names."""
    return [
        ("text/plain", "One line.\n\nZwei Zeilen, Öl.\n\n港湾係。".encode()),
        ("text/plain", "港湾係の対応は金曜日までに終わります。予備の鍵は三号棚にあります。".encode("cp932") * 3),
        ("text/markdown", b"# A\n\n- a\n  - b\n\n```\n# x\n```\n\n|a|b|\n|-|-|\n|1|2|\n\n> q\n\nSet\n===\n"),
        ("text/html", _PAGE.encode()),
        ("text/csv", b'\xef\xbb\xbfid,title\r\n7,Tidal log\r\n8,"a\nb"\r\n'),
        ("application/json", b'{"title": "Pump", "n": [1, 2.5, {"a": "x"}], "e": []}'),
        ("application/jsonl", b'{"a": 1}\n{"a": [2]}\n'),
        ("message/rfc822", _MAIL.encode()),
        ("application/pdf", pdf([(72, 700, "Valve"), (72, 680, "םולש")], [(72, 700, "two")], title="T")),
        (
            None,
            docx(
                paragraph(run("Pump"), style="H1"),
                table(("k", "v"), ("1", "2")),
                parts={"word/header1.xml": part("hdr")},
            ),
        ),
    ]


def spoiled(content: bytes, draw: random.Random) -> bytes:
    """Change, insert, drop, copy and repeat bytes."""
    found = bytearray(content)
    for _ in range(draw.choice([1, 1, 2, 4, 16])):
        at, kind = draw.randrange(len(found) + 1), draw.random()
        if kind < 0.3 and found:
            found[at % len(found)] = draw.randrange(256)
        elif kind < 0.5:
            found[at:at] = draw.randbytes(draw.randrange(1, 9))
        elif kind < 0.7:
            del found[at : at + draw.randrange(1, 20)]
        elif kind < 0.85:
            place = draw.randrange(len(found) + 1)
            found[at:at] = found[place : place + draw.randrange(1, 60)]
        else:
            found[at:at] = found[at : at + draw.randrange(1, 20)] * draw.choice([2, 50, 500, 5_000])
    return bytes(found)
