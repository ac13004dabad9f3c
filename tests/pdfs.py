"""Small PDF files written by hand: every glyph is painted by code and named by a ToUnicode map, so any script goes."""

from __future__ import annotations

from collections.abc import Sequence

# One painted run: x and y in points from the lower left corner, and its characters in the order of painting.
Run = tuple[float, float, str]


def pdf(*pages: Sequence[Run], title: str | None = None) -> bytes:
    """Write a PDF whose pages paint the runs, each run from left to right in 12 points."""
    used = sorted({char for page in pages for _, _, text in page for char in text} | {"a"})
    code = {char: at + 33 for at, char in enumerate(used)}
    mapped = "\n".join(f"<{code[char]:02x}> <{char.encode('utf-16-be').hex()}>" for char in used)
    cmap = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /T def /CMapType 2 def\n"
        "1 begincodespacerange <00> <ff> endcodespacerange\n"
        f"{len(used)} beginbfchar\n{mapped}\nendbfchar endcmap CMapName currentdict /CMap defineresource pop end end"
    )
    widths = " ".join(["600"] * 223)
    kids = " ".join(f"{6 + 2 * at} 0 R" for at in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Count {len(pages)} /Kids [{kids}] >>".encode(),
        f"<< /Type /Font /Subtype /Type1 /BaseFont /Courier /FirstChar 33 /LastChar 255 /Widths [{widths}] "
        f"/ToUnicode 4 0 R /Encoding << /Type /Encoding /Differences [33 {'/H ' * 223}] >> >>".encode(),
        _stream(cmap.encode()),
        f"<< /Title <{('﻿' + (title or '')).encode('utf-16-be').hex()}> >>".encode(),
    ]
    for at, page in enumerate(pages):
        painted = "\n".join(
            f"BT /F1 12 Tf 1 0 0 1 {x} {y} Tm <{''.join(f'{code[char]:02x}' for char in text)}> Tj ET"
            for x, y, text in page
        )
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> "
            f"/Contents {7 + 2 * at} 0 R >>".encode()
        )
        objects.append(_stream(painted.encode()))
    return _file(objects)


def _stream(content: bytes) -> bytes:
    return b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content)


def _file(objects: Sequence[bytes]) -> bytes:
    out, places = bytearray(b"%PDF-1.4\n"), []
    for number, one in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, one)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(objects) + 1, table)
    out += b"trailer << /Size %d /Root 1 0 R /Info 5 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)
    return bytes(out)
