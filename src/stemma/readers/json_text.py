"""Reads JSON and JSON Lines: every value on a line of its own with the path to it, one block a record."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final

from stemma.document_text import BlockKind
from stemma.errors import NestingTooDeep, UnreadableDocument
from stemma.readers.limits import Limits
from stemma.readers.writing import Writing, check_blocks, check_size

# A string that is never closed runs to the end: read in one go, not once for every quotation mark in it.
_STRING = re.compile(r'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)', re.DOTALL)
_BRACKET = re.compile(r"[\[\]{}]")
_TITLES: Final = ("title", "name", "subject", "headline")


class Members(list[tuple[str, object]]):
    """The members of an object in their order, repeated names included."""


class Literal(str):
    """A number as it is written."""

    __slots__ = ()


def write_json(text: str, writing: Writing) -> str | None:
    """Write one value; the elements of an array at the top are records. Give the title that an object states."""
    value = _parsed(text, "the document", writing.limits)
    records = value if isinstance(value, list) and not isinstance(value, Members) else [value]
    for record in records:
        _write(record, writing)
    return _title(value)


def write_json_lines(text: str, writing: Writing) -> None:
    """Write one record a line; a line that is no JSON makes the file unreadable, by its number."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            _write(_parsed(line, f"line {number}", writing.limits), writing)


def _parsed(text: str, where: str, limits: Limits) -> object:
    depth = 0
    for found in _BRACKET.finditer(_STRING.sub('""', text)):
        depth += 1 if found.group() in "[{" else -1
        if depth > limits.nesting:
            raise NestingTooDeep(f"{where} is nested over {limits.nesting} deep, which is all that is read")
    try:
        return json.loads(
            text, object_pairs_hook=Members, parse_int=Literal, parse_float=Literal, parse_constant=_no_number
        )
    except (ValueError, RecursionError) as error:
        raise UnreadableDocument(f"{where} is not JSON: {error}") from error


def _no_number(name: str) -> object:
    raise ValueError(f"{name} is not a number of JSON")


def _write(record: object, writing: Writing) -> None:
    lines, length = [], 0
    for path, said in _leaves(record):
        lines.append(f"{path}: {said}" if path else said)
        length += len(lines[-1]) + 1
        # A long name stands before every value below it: the paths can be far longer than the file.
        check_size(length, writing.limits)
        check_blocks(len(lines), writing.limits)
    if lines:
        writing.add(BlockKind.PARAGRAPH, lines)


def _leaves(value: object) -> Iterator[tuple[str, str]]:
    """Give every value with its path, in the order of the text, without recursion."""
    waiting: list[tuple[str, object]] = [("", value)]
    while waiting:
        path, one = waiting.pop()
        if isinstance(one, Members):
            waiting += [(f"{path}.{name}" if path else name, inner) for name, inner in reversed(one)]
        elif isinstance(one, list):
            waiting += [(f"{path}[{at}]", inner) for at, inner in reversed(list(enumerate(one)))]
        elif isinstance(one, str):
            yield path, one
        else:
            yield path, json.dumps(one)


def _title(value: object) -> str | None:
    if not isinstance(value, Members):
        return None
    stated = {name.lower(): said for name, said in value if isinstance(said, str) and said.strip()}
    return next((stated[name].strip() for name in _TITLES if name in stated), None)
