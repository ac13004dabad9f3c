"""From what was sent to a request model, and from an error to its problem document. The models stand beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ValidationError

from stemma.app.models_errors import Problem
from stemma.errors import InvalidInput, StemmaError

Asked = TypeVar("Asked", bound=BaseModel)

_MOST_NAMED: Final = 20
_MOST_TOLD: Final = 5
_CODES: Final = {
    "extra_forbidden": "unknown_field",
    "string_too_long": "payload_too_large",
    "too_long": "payload_too_large",
}
_SENTENCES: Final = {
    "missing": "is required",
    "extra_forbidden": "is no field of this request",
    "tuple_type": "is no list",
    "dict_type": "is no object",
    "model_type": "is no object",
}


def ask(model: type[Asked], fields: Mapping[str, Any]) -> Asked:
    """Build a request model, or raise the narrowest error of our tree with the path of every faulty field."""
    try:
        return model.model_validate(fields)
    except ValidationError as error:
        raise refusal(error) from error


def refusal(error: ValidationError) -> InvalidInput:
    """Return the error of our tree that says what a model found; the first that has a name gives the code."""
    found = error.errors(include_url=False, include_input=False)
    known = {one.code: one for one in _tree(InvalidInput) if one.status == InvalidInput.status}
    named = (known[code] for one in found if (code := _CODES.get(one["type"], one["type"])) in known)
    narrow = next((one for one in named if one is not InvalidInput), InvalidInput)
    paths, told = [], []
    for one in found:
        path = ".".join(str(part) for part in (*one["loc"], *_named(one)))
        paths.append(path)
        told.append(f"{path}: {_SENTENCES.get(one['type'], one['msg'])}")
    more = f"; and {len(told) - _MOST_TOLD} more" if len(told) > _MOST_TOLD else ""
    return narrow("; ".join(told[:_MOST_TOLD]) + more, fields=tuple(dict.fromkeys(paths))[:_MOST_NAMED])


def problem(error: StemmaError) -> Problem:
    """Return the problem document of an error."""
    return Problem(
        type=f"urn:stemma:problem:{error.code}",
        title=error.code.replace("_", " ").capitalize(),
        status=error.status,
        detail=error.detail,
        code=error.code,
        errors=error.fields,
    )


def _named(one: Mapping[str, Any]) -> tuple[str, ...]:
    field = one.get("ctx", {}).get("field")
    return (field,) if isinstance(field, str) else ()


def _tree(root: type[InvalidInput]) -> Iterator[type[InvalidInput]]:
    yield root
    for one in root.__subclasses__():
        yield from _tree(one)
