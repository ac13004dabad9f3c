"""A command from a row of the operation table: options from the request model's fields, the answer shown or as JSON."""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping
from typing import Annotated, Any, Final

import typer

from stemma.app.operations import BY_NAME, Operation
from stemma.app.problems import ask
from stemma.edges.cli_output import tell_shown, write_json, write_shown
from stemma.edges.cli_show import beside, show
from stemma.edges.cli_store import JsonOption, StoreOption, TenantOption, opened
from stemma.errors import InvalidInput

Schema = dict[str, Any]

_TYPES: Final[Mapping[str, type]] = {"integer": int, "number": float, "boolean": bool}
# A subject is named in nearly every command.
_SHORT: Final[Mapping[str, str]] = {"subject_id": "subject", "episode_key": "key", "expires_at": "expires"}


class RowCommand:
    """One row as a callable that typer takes for a function: it reads the options from the signature made here."""

    def __init__(self, operation: str) -> None:
        """Make the signature from the request model's schema."""
        self.row = BY_NAME[operation]
        schema = self.row.request.model_json_schema()
        self.fields = {name: _resolved(field, schema) for name, field in schema["properties"].items()}
        parameters = _parameters(self.row, self.fields, set(schema.get("required", ())))
        self.__signature__ = inspect.Signature(parameters)
        self.__annotations__ = {one.name: one.annotation for one in parameters}
        self.__doc__ = f"{self.row.summary}\n\nExample: {self.row.command.example}"
        self.__name__ = operation

    def __call__(self, *, store: str | None, tenant: str | None, as_json: bool, **given: Any) -> None:
        """Check what is given, open the store, do it, write the answer."""
        asked = self.asked(given)
        with opened(store, tenant) as session:
            answer = self.row.run(session.runtime, session.tenant, asked)
        if as_json:
            write_json(answer.model_dump_json(by_alias=True, indent=2))
        else:
            write_shown(answer, show)
            if (told := beside(answer)) is not None:
                tell_shown(told)

    def asked(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Read the fields of the request from the options, and check them: a wrong one is told before the store."""
        # An option that is not given leaves the model its default; so does a list without a member.
        fields = {
            name: _read(value, name, self.fields[name]) for name, value in given.items() if value not in (None, [])
        }
        ask(self.row.request, fields)
        return fields


def _parameters(row: Operation, fields: Mapping[str, Schema], required: set[str]) -> list[inspect.Parameter]:
    placed = row.command.arguments
    made = [_argument(name, fields[name]) for name in placed]
    made += [_option(name, field, is_required=name in required) for name, field in fields.items() if name not in placed]
    for name, annotation, default in (
        ("store", StoreOption, None),
        ("tenant", TenantOption, None),
        ("as_json", JsonOption, False),
    ):
        made.append(_parameter(name, annotation, default))
    return made


def _argument(name: str, field: Schema) -> inspect.Parameter:
    asked = typer.Argument(help=_help(field), metavar=name.upper(), show_default=False)
    return _parameter(name, Annotated[str, asked], inspect.Parameter.empty)


def _option(name: str, field: Schema, *, is_required: bool) -> inspect.Parameter:
    flag = f"--{_SHORT.get(name, name).replace('_', '-')}"
    also = [f"--{name.replace('_', '-')}"] if name in _SHORT else []
    if field.get("type") == "boolean":
        flag, also = f"{flag}/--no-{name.replace('_', '-')}", []
    asked = typer.Option(flag, *also, help=_help(field), show_default=False)
    plain = _TYPES.get(str(field.get("type")), str)
    if field.get("type") == "array":
        return _parameter(name, Annotated[list[str] | None, asked], None)
    if is_required:
        return _parameter(name, Annotated[plain, asked], inspect.Parameter.empty)
    return _parameter(name, Annotated[plain | None, asked], None)


def _parameter(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _resolved(field: Schema, schema: Schema) -> Schema:
    """Return a field without its null and its reference, its own words and default kept."""
    kept = [one for one in field.get("anyOf", [field]) if one.get("type") != "null"]
    inner = _referred(kept[0], schema)
    if "items" in inner:
        inner = {**inner, "items": _referred(inner["items"], schema)}
    own = {name: value for name, value in field.items() if name not in {"anyOf", "$ref", "items"}}
    return {**inner, **own}


def _referred(part: Schema, schema: Schema) -> Schema:
    if "$ref" not in part:
        return part
    found = schema["$defs"][part["$ref"].rpartition("/")[2]]
    return {name: value for name, value in found.items() if name != "description"}


def _help(field: Schema) -> str:
    words = str(field.get("description", ""))
    choices = field.get("enum") or field.get("items", {}).get("enum")
    if choices:
        words += f" ({' | '.join(map(str, choices))})"
    if field.get("default") is not None:
        default = field["default"]
        words += f" [default: {', '.join(map(str, default)) if isinstance(default, list) else default}]"
    return words.strip()


def _read(value: Any, name: str, field: Schema) -> Any:
    if "enum" in field.get("items", {}):
        # Words of a closed list have no comma of their own, so one option may name several.
        return [word.strip() for one in value for word in one.split(",")]
    if field.get("type") != "object":
        return value
    try:
        return json.loads(value)
    except ValueError as error:
        raise InvalidInput(f"{name} is given as a JSON object, for example '{{\"a\": 1}}'", field=name) from error
