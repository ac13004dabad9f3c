"""The plain JSON form of the frozen records: exact both ways, one text for one record."""

from __future__ import annotations

import json
import types
import typing
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import Enum
from typing import Any, TypeVar

T = TypeVar("T")
_Reader = Callable[[Any], Any]
_READERS: dict[Any, _Reader] = {}


def encode(record: Any) -> str:
    """Write a record as JSON text with sorted keys; times keep the offset they came with."""
    return json.dumps(plain(record), ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def plain(value: Any) -> Any:
    """Return the record as dicts, lists and scalars."""
    if isinstance(value, Enum):
        return value.value
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    if isinstance(value, datetime):
        return value.isoformat()
    if is_dataclass(value):
        return {name: plain(getattr(value, name)) for name in _names(type(value))}
    if isinstance(value, (tuple, list)):
        return [plain(each) for each in value]
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    raise TypeError(f"{type(value).__name__} has no JSON form")


def decode(kind: type[T], text: str) -> T:
    """Read a record of `kind` from its JSON text; fields that are absent take their default."""
    return typing.cast(T, _reader(kind)(json.loads(text)))


def _names(kind: Any) -> tuple[str, ...]:
    return tuple(each.name for each in fields(kind))


def _reader(kind: Any) -> _Reader:
    """Return the function that reads one annotated type from its plain form, built once for a type."""
    found = _READERS.get(kind)
    if found is None:
        found = _READERS[kind] = _make_reader(kind)
    return found


def _make_reader(kind: Any) -> _Reader:
    if is_dataclass(kind) and isinstance(kind, type):
        return _record_reader(kind)
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (types.UnionType, typing.Union):
        return _optional_reader(arguments)
    if origin is tuple:
        return _tuple_reader(arguments)
    if origin is dict:
        of_value = _reader(arguments[1])
        return lambda value: {key: of_value(each) for key, each in value.items()}
    if kind is datetime:
        return datetime.fromisoformat
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind
    if kind is float:
        return float
    return _same


def _same(value: Any) -> Any:
    return value


def _record_reader(kind: type) -> _Reader:
    hints = typing.get_type_hints(kind)
    readers = [(name, _reader(hints[name])) for name in _names(kind)]
    # Most fields are read as they stand, so only the others are looked at: rows are read by the hundred.
    converted = [(name, of_field) for name, of_field in readers if of_field is not _same]

    def read(value: dict[str, Any]) -> Any:
        for name, of_field in converted:
            if name in value:
                value[name] = of_field(value[name])
        return kind(**value)

    return read


def _optional_reader(arguments: tuple[Any, ...]) -> _Reader:
    (inner,) = (each for each in arguments if each is not type(None))
    of_inner = _reader(inner)
    if of_inner is _same:
        return _same
    return lambda value: None if value is None else of_inner(value)


def _tuple_reader(arguments: tuple[Any, ...]) -> _Reader:
    if arguments[-1] is Ellipsis:
        of_each = _reader(arguments[0])
        if of_each is _same:
            return tuple
        return lambda value: tuple([of_each(each) for each in value])
    readers = [_reader(each) for each in arguments]
    return lambda value: tuple(read(each) for read, each in zip(readers, value, strict=True))
