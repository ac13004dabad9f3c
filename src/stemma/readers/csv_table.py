"""Reads CSV: the text as it is, its rows as places, and the names of its columns."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

from stemma.document_text import Block, BlockKind
from stemma.errors import UnreadableDocument
from stemma.readers.limits import Limits
from stemma.readers.writing import check_blocks

_DELIMITERS: Final = (",", ";", "\t", "|")
_SAMPLED: Final = 50
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")


def csv_table(text: str, limits: Limits) -> tuple[tuple[Block, ...], tuple[str, ...]]:
    """Find the one table of a CSV text, whose first row is its head, and its column names as they stand there."""
    records = list(_records(text, limits))
    if not records:
        return (), ()
    delimiter = _delimiter([text[start:end] for start, end in records[:_SAMPLED]])
    names = tuple(_fields(text[slice(*records[0])], delimiter))
    places = tuple(records) if len(records) > 1 else ()
    whole = Block(BlockKind.TABLE, records[0][0], records[-1][1], parts=places, head_parts=1 if places else 0)
    return (whole,), names


def _records(text: str, limits: Limits) -> Iterator[tuple[int, int]]:
    """Give the places of the records; one goes on over line ends while a quotation is open."""
    start, quotes, count = 0, 0, 0
    for found in _LINE.finditer(text):
        if found.end() == found.start():
            continue
        quotes += found.group().count('"')
        if quotes % 2:
            continue
        record = text[start : found.end()]
        if record.strip():
            check_blocks(count, limits)
            count += 1
            yield start, start + len(record.rstrip("\r\n"))
        start, quotes = found.end(), 0
    if quotes % 2:
        raise UnreadableDocument(f"a quotation that opens in the record at character {start} is never closed")


def _delimiter(records: list[str]) -> str:
    """Choose the delimiter by which most records have as many fields as the first, and more than one."""
    best, most = ",", (0, 0)
    for delimiter in _DELIMITERS:
        widths = [_width(record, delimiter) for record in records]
        if widths[0] > 1:
            agreeing = Counter(widths)[widths[0]]
            if (agreeing, widths[0]) > most:
                best, most = delimiter, (agreeing, widths[0])
    return best


def _width(record: str, delimiter: str) -> int:
    try:
        return len(_fields(record, delimiter))
    except UnreadableDocument:
        return 0


def _fields(record: str, delimiter: str) -> list[str]:
    lines = (found.group() for found in _LINE.finditer(record) if found.group())
    try:
        return next(csv.reader(lines, delimiter=delimiter), [])
    except csv.Error as error:
        raise UnreadableDocument(f"a record cannot be read: {error}") from error
