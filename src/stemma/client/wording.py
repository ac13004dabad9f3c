"""From Python values to what stands in a path, a query and a JSON body. What they mean is checked by the server."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final
from urllib.parse import quote

from stemma.client.routes import Route
from stemma.errors import InvalidInput, InvalidUnicode, NestingTooDeep, NotFound

_PLACE: Final = re.compile(r"\{(\w+)(:path)?\}")
_WITH_BODY: Final = frozenset({"POST", "PUT", "PATCH"})


def worded(route: Route, fields: Mapping[str, Any]) -> tuple[str, bytes | None]:
    """Return the path with its query, and the body where the method has one.

    Raises InvalidInput for what JSON cannot say, NotFound for a name that no path can lead to.
    """
    left = dict(fields)

    def fill(place: re.Match[str]) -> str:
        return _in_path(place[1], left.pop(place[1], None), is_whole=place[2] is None)

    path = _PLACE.sub(fill, route.path)
    if route.method in _WITH_BODY:
        return path, _body(left)
    query = "&".join(f"{name}={_escaped(name, _scalar(name, value))}" for name, value in left.items())
    return (f"{path}?{query}" if query else path), None


def _in_path(field: str, value: Any, *, is_whole: bool) -> str:
    text = _scalar(field, value)
    if not text.strip():
        raise InvalidInput(f"{field} is blank; give one", field=field)
    if is_whole and "/" in text:
        # It would lead to another operation, or nowhere; no id or corpus has a slash.
        raise NotFound(f"there is no {field} with a slash in it", field=field)
    # `.` and `..` would be taken for steps: deleting the document `..` would delete its corpus.
    return "/".join({".": "%2E", "..": "%2E%2E"}.get(part, _escaped(field, part)) for part in text.split("/"))


def _scalar(field: str, value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return str(value)
        case int() | float():
            return repr(value)
        case datetime():
            return value.isoformat()
    raise InvalidInput(f"{field} is a single value, not {_kind(value)}", field=field)


def _escaped(field: str, text: str) -> str:
    try:
        return quote(text, safe="")
    except UnicodeEncodeError:
        pass
    raise InvalidUnicode(f"{field} holds a lone surrogate", field=field)


def _body(fields: Mapping[str, Any]) -> bytes:
    try:
        plain = {name: _plain(value, name) for name, value in fields.items()}
        text = json.dumps(plain, ensure_ascii=False, separators=(",", ":"))
    except RecursionError as error:
        raise NestingTooDeep("the values are nested too deep for JSON") from error
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        # Escaped, the server can tell whose fault it is: in a batch it is one item's alone.
        return json.dumps(plain, separators=(",", ":")).encode("ascii")
    return text.encode("utf-8")


def _plain(value: Any, field: str) -> Any:
    match value:
        case None | bool() | int() | float() | str():
            return value
        case datetime():
            return value.isoformat()
        case Mapping():
            if odd := next((name for name in value if not isinstance(name, str)), None):
                raise InvalidInput(f"{field} has a name that is no text but {_kind(odd)}", field=field)
            return {name: _plain(one, f"{field}.{name}") for name, one in value.items()}
        case Sequence() if not isinstance(value, bytes | bytearray | memoryview):
            return [_plain(one, f"{field}.{index}") for index, one in enumerate(value)]
    raise InvalidInput(f"{field} is {_kind(value)}, which JSON cannot say", field=field)


def _kind(value: Any) -> str:
    return "nothing" if value is None else f"of the type {type(value).__name__}"
