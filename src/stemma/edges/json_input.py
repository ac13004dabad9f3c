"""JSON that comes in by any door, under limits and without guessing. What it says is checked by the models."""

from __future__ import annotations

import json
import math
from collections import Counter
from typing import Any, Final

from stemma.app.models_base import UnreadableItem
from stemma.errors import InvalidInput, InvalidUnicode, MalformedJson, NestingTooDeep

NESTING_LIMIT: Final = 64
# The lists of batches: a fault inside one of their items is that item's alone.
_BATCHES: Final = ("episodes", "events", "records")


def parse_object(raw: bytes) -> dict[str, Any]:
    """Read one JSON object; no body at all is the empty one. A faulty item of a batch becomes an `UnreadableItem`.

    Raises MalformedJson, InvalidUnicode, NestingTooDeep, or InvalidInput where the JSON is no object.
    """
    if not raw:
        return {}
    value = _parsed(raw)
    if isinstance(value, dict):
        for name in _BATCHES:
            if isinstance(value.get(name), list):
                value[name] = [_readable(item) for item in value[name]]
    _require_sound(value, NESTING_LIMIT)
    if not isinstance(value, dict):
        raise InvalidInput("the body is no JSON object; send {…}")
    return value


def parse_json(raw: bytes) -> Any:
    """Read JSON as RFC 8259 has it: UTF-8, no NaN, no name twice in one object, nested at most `NESTING_LIMIT` deep."""
    value = _parsed(raw)
    _require_sound(value, NESTING_LIMIT)
    return value


class _Fault:
    """Stands where a value should be that cannot be taken, until it is known whose it is."""

    def __init__(self, detail: str) -> None:
        self.detail = detail


_NESTED: Final = f"the JSON is nested more than {NESTING_LIMIT} deep"


def _parsed(raw: bytes) -> Any:
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidUnicode(f"the JSON is not UTF-8 at byte {error.start}") from error
    try:
        return json.loads(
            text, object_pairs_hook=_object, parse_constant=_constant, parse_float=_finite, parse_int=_whole
        )
    except RecursionError as error:
        raise NestingTooDeep(_NESTED) from error
    except json.JSONDecodeError as error:
        raise MalformedJson(f"not JSON: {error.msg} at character {error.pos}") from error


def _readable(item: Any) -> Any:
    try:
        # The list and the body around it are two levels of the whole.
        _require_sound(item, NESTING_LIMIT - 2)
    except InvalidInput as error:
        return UnreadableItem(error.code, error.detail)
    return item


def _require_sound(value: Any, most: int) -> None:
    level = [value]
    for depth in range(most + 1):
        for one in level:
            if isinstance(one, _Fault):
                raise MalformedJson(one.detail)
        nested = [one for one in level if isinstance(one, dict | list)]
        if nested and depth == most:
            raise NestingTooDeep(_NESTED)
        level = [child for one in nested for child in (one.values() if isinstance(one, dict) else one)]


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any] | _Fault:
    made = dict(pairs)
    if len(made) != len(pairs):
        # Two values under one name: taking either would drop the other without a word.
        name = Counter(name for name, _ in pairs).most_common(1)[0][0]
        return _Fault(f"the name {json.dumps(name)} stands twice in one object")
    return made


def _constant(name: str) -> _Fault:
    return _Fault(f"{name} is not JSON")


def _finite(digits: str) -> float | _Fault:
    value = float(digits)
    return value if math.isfinite(value) else _Fault("a number is too large for a double")


def _whole(digits: str) -> int | _Fault:
    # Python's own guard against numbers whose reading takes quadratic time.
    try:
        return int(digits)
    except ValueError:
        return _Fault("a number has too many digits")
