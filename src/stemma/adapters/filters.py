"""Whether fields meet a filter of the form that memory libraries share. Where the fields come from is the caller's."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from stemma.errors import InvalidInput

_JOINS: Final = frozenset({"AND", "OR", "NOT"})
_ABSENT: Final = object()


def require_sound(filters: Mapping[str, Any]) -> None:
    """Refuse a filter that is not well formed, whether or not anything is there to be filtered. Raises InvalidInput."""
    meets(filters, {})


def meets(filters: Mapping[str, Any], fields: Mapping[str, Any]) -> bool:
    """Say whether fields meet every condition of a filter. Raises InvalidInput for an operator that does not exist."""
    # Every condition is looked at, so that a faulty one is found whatever the others say.
    met = [_one(name, wanted, fields) for name, wanted in filters.items()]
    return all(met)


def compare(operator: str, held: Any, wanted: Any) -> bool:
    """Compare a value that is held (which may be `ABSENT`) with the wanted one; of two types none is the greater."""
    if operator not in _OPERATORS:
        raise InvalidInput(
            f"{operator!r} is no operator of a filter; there are {', '.join(sorted(_OPERATORS))}", field="filters"
        )
    return _OPERATORS[operator](held, wanted)


def _one(name: str, wanted: Any, fields: Mapping[str, Any]) -> bool:
    if name.upper() in _JOINS:
        return _joined(name.upper(), wanted, fields)
    held = fields.get(name, _ABSENT)
    if isinstance(wanted, Mapping):
        if not wanted:
            raise InvalidInput(f"{name} has an empty condition; give an operator and a value", field="filters")
        met = [compare(operator, held, value) for operator, value in wanted.items()]
        return all(met)
    if wanted == "*":
        return held is not _ABSENT
    return compare("eq", held, wanted)


def _joined(join: str, parts: Any, fields: Mapping[str, Any]) -> bool:
    if not isinstance(parts, Sequence) or not all(isinstance(one, Mapping) for one in parts):
        raise InvalidInput(f"{join} joins a list of filters", field="filters")
    met = [meets(one, fields) for one in parts]
    match join:
        case "AND":
            return all(met)
        case "OR":
            return any(met)
    return not any(met)


def _equal(held: Any, wanted: Any) -> bool:
    # In JSON true is no number.
    return isinstance(held, bool) == isinstance(wanted, bool) and bool(held == wanted)


def _ordered(compared: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    def ask(held: Any, wanted: Any) -> bool:
        numbers = all(isinstance(one, int | float) and not isinstance(one, bool) for one in (held, wanted))
        texts = isinstance(held, str) and isinstance(wanted, str)
        return (numbers or texts) and compared(held, wanted)

    return ask


def _within(held: Any, wanted: Any) -> bool:
    if isinstance(wanted, str) or not isinstance(wanted, Sequence):
        raise InvalidInput("in and nin take a list of values", field="filters")
    return any(_equal(held, one) for one in wanted)


def _contains(held: Any, wanted: Any) -> bool:
    if isinstance(held, str):
        return isinstance(wanted, str) and wanted in held
    return isinstance(held, Sequence) and any(_equal(one, wanted) for one in held)


def _contains_in_any_case(held: Any, wanted: Any) -> bool:
    lower = [one.casefold() if isinstance(one, str) else one for one in (held, wanted)]
    return _contains(*lower)


_OPERATORS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "eq": _equal,
    "ne": lambda held, wanted: not _equal(held, wanted),
    "gt": _ordered(lambda held, wanted: held > wanted),
    "gte": _ordered(lambda held, wanted: held >= wanted),
    "lt": _ordered(lambda held, wanted: held < wanted),
    "lte": _ordered(lambda held, wanted: held <= wanted),
    "in": _within,
    "nin": lambda held, wanted: not _within(held, wanted),
    "contains": _contains,
    "icontains": _contains_in_any_case,
}
