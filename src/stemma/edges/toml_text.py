"""One table of a TOML file set with all else left alone, comments and order among them."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from stemma.errors import MalformedJson

_HEADER = re.compile(r"^[ \t]*\[\[?([^\[\]\n]+)\]\]?[ \t]*(?:#.*)?$")


def read(text: str) -> dict[str, Any]:
    """Read a TOML text. Raises MalformedJson, whose detail names TOML."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise MalformedJson(f"this is no TOML: {error}") from error


def set_table(text: str, path: Sequence[str], table: Mapping[str, Any]) -> str:
    """Return the text with the table at `path`, in the place of an older one and its sub-tables, else at the end.

    Raises MalformedJson where that table is written in another way than under a header of its own.
    """
    before = read(text)
    kept, place = _without(text.splitlines(keepends=True), path)
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = [f"[{'.'.join(path)}]", *(f"{name} = {_written(value)}" for name, value in table.items())]
    block = newline.join(lines) + newline
    head, tail = "".join(kept[:place]), "".join(kept[place:])
    if head and not head.endswith("\n"):
        head += newline
    gap = newline if head.strip() and not head.endswith(newline * 2) else ""
    made = head + gap + block + (newline if tail.strip() and not tail.startswith(("\n", "\r\n")) else "") + tail
    wanted = _with(before, path, dict(table))
    if not _says(made, wanted):
        raise MalformedJson(f"{'.'.join(path)} is not written as a table of its own; change it by hand")
    return made


def _says(text: str, wanted: Mapping[str, Any]) -> bool:
    try:
        return tomllib.loads(text) == wanted
    except tomllib.TOMLDecodeError:
        return False


def _without(lines: list[str], path: Sequence[str]) -> tuple[list[str], int]:
    """Leave out the lines of a table and its sub-tables; say where it stood, or the end."""
    kept: list[str] = []
    place, is_inside = None, False
    for line in lines:
        header = _HEADER.match(line.rstrip("\r\n"))
        if header is not None:
            is_inside = _names(header.group(1))[: len(path)] == list(path)
            if is_inside and place is None:
                place = len(kept)
        if not is_inside:
            kept.append(line)
    return kept, len(kept) if place is None else place


def _names(header: str) -> list[str]:
    return [one.strip().strip("\"'") for one in header.split(".")]


def _with(before: dict[str, Any], path: Sequence[str], table: dict[str, Any]) -> dict[str, Any]:
    name, *rest = path
    inner = before.get(name, {})
    if not isinstance(inner, dict):
        raise MalformedJson(f"{name} is no table")
    return {**before, name: _with(inner, rest, table) if rest else table}


def _written(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(_written(one) for one in value)}]"
    # What JSON escapes TOML reads alike; DEL alone it wants escaped, which JSON lets stand.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
