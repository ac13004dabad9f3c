"""Small DOCX files written by hand, part by part."""

from __future__ import annotations

import zipfile
from io import BytesIO

_SPACE = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_STYLES = (
    f'<w:styles {_SPACE}><w:style w:styleId="H1"><w:name w:val="heading 1"/></w:style>'
    '<w:style w:styleId="H2"><w:name w:val="heading 2"/></w:style></w:styles>'
)


def docx(*paragraphs: str, parts: dict[str, bytes] | None = None) -> bytes:
    """Write a DOCX whose body is the given XML, with other parts by name."""
    file = BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            "word/document.xml", f"<w:document {_SPACE}><w:body>{''.join(paragraphs)}</w:body></w:document>"
        )
        archive.writestr("word/styles.xml", _STYLES)
        for name, content in (parts or {}).items():
            archive.writestr(name, content)
    return file.getvalue()


def part(root: str, *paragraphs: str) -> bytes:
    """Write another part of a DOCX, such as `footnotes` or `hdr`."""
    return f"<w:{root} {_SPACE}>{''.join(paragraphs)}</w:{root}>".encode()


def paragraph(*runs: str, style: str | None = None, item: bool = False) -> str:
    """Write a paragraph of runs."""
    of_style = f'<w:pStyle w:val="{style}"/>' if style else ""
    return f"<w:p><w:pPr>{of_style}{'<w:numPr/>' if item else ''}</w:pPr>{''.join(runs)}</w:p>"


def run(text: str, marks: str = "") -> str:
    """Write a run of text with the marks that format it."""
    return f'<w:r><w:rPr>{marks}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def table(*rows: tuple[str, ...]) -> str:
    """Write a table whose first row is its head."""
    written = []
    for number, row in enumerate(rows):
        head = "" if number else "<w:trPr><w:tblHeader/></w:trPr>"
        cells = "".join(f"<w:tc>{paragraph(run(cell))}</w:tc>" for cell in row)
        written.append(f"<w:tr>{head}{cells}</w:tr>")
    return f"<w:tbl>{''.join(written)}</w:tbl>"
