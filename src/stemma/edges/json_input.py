"""JSON that comes in by any door, under limits and without guessing. What it says is checked by the models."""

from __future__ import annotations

import json
import math
from collections import Counter
from typing import Any, Final

from stemma.errors import InvalidInput, InvalidUnicode, MalformedJson, NestingTooDeep

NESTING_LIMIT: Final = 64


def parse_object(raw: bytes) -> dict[str, Any]:
    """Read one JSON object; no body at all is the empty one.

    Raises MalformedJson, InvalidUnicode, NestingTooDeep, or InvalidInput where the JSON is no object.
    """
    if not raw.strip():
        return {}
    value = parse_json(raw)
    if not isinstance(value, dict):
        raise InvalidInput("the body is no JSON object; send {…}")
    return value


def parse_json(raw: bytes) -> Any:
    """Read JSON as RFC 8259 has it: UTF-8, no NaN, no name twice in one object, nested at most `NESTING_LIMIT` deep."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidUnicode(f"the JSON is not UTF-8 at byte {error.start}") from error
    try:
        value = json.loads(text, object_pairs_hook=_object, parse_constant=_refuse_constant, parse_float=_finite)
    except RecursionError as error:
        raise NestingTooDeep(_NESTED) from error
    except json.JSONDecodeError as error:
        raise MalformedJson(f"not JSON: {error.msg} at character {error.pos}") from error
    except ValueError as error:
        raise MalformedJson("a number has too many digits") from error
    _require_shallow(value)
    return value


_NESTED: Final = f"the JSON is nested more than {NESTING_LIMIT} deep"


def _require_shallow(value: Any) -> None:
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(NESTING_LIMIT):
        inner = (child for one in level for child in (one.values() if isinstance(one, dict) else one))
        level = [child for child in inner if isinstance(child, dict | list)]
    if level:
        raise NestingTooDeep(_NESTED)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        # Two values under one name: taking either would drop the other without a word.
        name = Counter(name for name, _ in pairs).most_common(1)[0][0]
        raise MalformedJson(f"the name {json.dumps(name)} stands twice in one object")
    return made


def _refuse_constant(name: str) -> float:
    raise MalformedJson(f"{name} is not JSON")


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise MalformedJson("a number is too large for a double")
    return value
