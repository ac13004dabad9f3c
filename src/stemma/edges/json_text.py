"""JSON with comments as people write it by hand: read without guessing, and one member set with all else left alone."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from stemma.errors import MalformedJson

_BLANK = re.compile(r"(?:\s+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_PLAIN = re.compile(r"[^\s,\]}/\"]+")
_NESTED_MOST: Final = 200


@dataclass(slots=True)
class Node:
    """A value with its place in the text; of an object also its members, in order."""

    start: int
    end: int
    value: Any
    members: dict[str, Node] = field(default_factory=dict)


def read(text: str) -> Node:
    """Read one value with comments and commas at the end of lists. Raises MalformedJson."""
    reader = _Reader(text)
    reader.skip()
    found = reader.value(0)
    reader.skip()
    if reader.at != len(text):
        raise reader.fault("more than one value")
    return found


def set_member(text: str, path: Sequence[str], value: Any) -> str:
    """Return the text with `value` at `path` of its root object, made where it is missing; all else stays as it was.

    Raises MalformedJson where the text is no object, or something on the path is none.
    """
    if not text.strip():
        return _written(_nested(path, value), "", "  ") + "\n"
    node = read(text)
    for depth, name in enumerate(path):
        if not isinstance(node.value, dict):
            raise MalformedJson(f"{'.'.join(path[:depth]) or 'the file'} is no JSON object")
        if name not in node.members:
            return _with_member(text, node, name, _nested(path[depth + 1 :], value))
        node = node.members[name]
    written = _written(value, _indent_at(text, node.start), _step(text))
    return text[: node.start] + _ended_as(text, written) + text[node.end :]


def _nested(path: Sequence[str], value: Any) -> Any:
    for name in reversed(path):
        value = {name: value}
    return value


def _with_member(text: str, node: Node, name: str, value: Any) -> str:
    outer = _indent_at(text, node.start)
    last = list(node.members.values())[-1:]
    inner = _indent_at(text, last[0].start) if last else outer + _step(text)
    member = f"{json.dumps(name, ensure_ascii=False)}: {_written(value, inner, _step(text))}"
    line = _ended_as(text, f"\n{inner}{member}")
    if not last:
        # What stands between the braces is blank, or a comment.
        between = text[node.start + 1 : node.end - 1].rstrip()
        return text[: node.start + 1] + between + line + _ended_as(text, f"\n{outer}") + text[node.end - 1 :]
    end = last[0].end
    after = end + len(_blank(text, end))
    if text[after] == ",":
        # A comma at the end of the list: it serves the new member.
        place = after + 1 + len(_to_the_line_end(text, after + 1))
        return f"{text[:place]}{line},{text[place:]}"
    if "\n" not in text[node.start : node.end]:
        return f"{text[:end]}, {_ended_as(text, member)}{text[end:]}"
    # A comment behind the last member stays behind it.
    comment = _to_the_line_end(text, end)
    return f"{text[:end]},{comment}{line}{text[end + len(comment) :]}"


def _blank(text: str, place: int) -> str:
    found = _BLANK.match(text, place)
    return found.group() if found else ""


def _to_the_line_end(text: str, place: int) -> str:
    rest, newline, _ = _blank(text, place).partition("\n")
    is_whole = newline and rest.count("/*") == rest.count("*/")
    return rest.removesuffix("\r") if is_whole else ""


def _ended_as(text: str, added: str) -> str:
    return added.replace("\n", "\r\n") if "\r\n" in text else added


def _written(value: Any, indent: str, step: str) -> str:
    return json.dumps(value, ensure_ascii=False, indent=step).replace("\n", "\n" + indent)


def _indent_at(text: str, place: int) -> str:
    line = text[text.rfind("\n", 0, place) + 1 : place]
    return line[: len(line) - len(line.lstrip())]


def _step(text: str) -> str:
    found = re.search(r"\n([ \t]+)\S", text)
    return found.group(1) if found else "  "


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def fault(self, what: str) -> MalformedJson:
        line = self.text.count("\n", 0, self.at) + 1
        return MalformedJson(f"{what} in line {line}")

    def skip(self) -> None:
        self.at += len(_blank(self.text, self.at))

    def value(self, depth: int) -> Node:
        if depth > _NESTED_MOST:
            raise self.fault("nested too deep")
        start, first = self.at, self.text[self.at : self.at + 1]
        if first == "{":
            members = self._members(depth)
            return Node(start, self.at, {name: one.value for name, one in members.items()}, members)
        if first == "[":
            return self._items(start, depth)
        found = (_STRING if first == '"' else _PLAIN).match(self.text, self.at)
        if found is None:
            raise self.fault("no value")
        self.at = found.end()
        try:
            return Node(start, self.at, json.loads(found.group()))
        except ValueError as error:
            raise self.fault(f"{found.group()[:40]!r} is no JSON") from error

    def _members(self, depth: int) -> dict[str, Node]:
        found: dict[str, Node] = {}
        while self._goes_on("}", first=not found):
            name = self.value(depth + 1).value
            if not isinstance(name, str) or name in found:
                raise self.fault(f"{name!r} is no name, or stands twice")
            self._expect(":")
            found[name] = self.value(depth + 1)
        return found

    def _items(self, start: int, depth: int) -> Node:
        found: list[Any] = []
        while self._goes_on("]", first=not found):
            found.append(self.value(depth + 1).value)
        return Node(start, self.at, found)

    def _goes_on(self, closing: str, *, first: bool) -> bool:
        """Step over the opening or the comma, and say whether another element stands here; over the closing if not."""
        if first:
            self.at += 1
        self.skip()
        if not first and self.text[self.at : self.at + 1] == ",":
            self.at += 1
            self.skip()
        elif not first and self.text[self.at : self.at + 1] != closing:
            raise self.fault(f"no comma and no {closing}")
        if self.text[self.at : self.at + 1] == closing:
            self.at += 1
            return False
        if self.at >= len(self.text):
            raise self.fault(f"no {closing}")
        return True

    def _expect(self, mark: str) -> None:
        self.skip()
        if self.text[self.at : self.at + 1] != mark:
            raise self.fault(f"no {mark}")
        self.at += 1
        self.skip()
