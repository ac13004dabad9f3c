"""The tools as the protocol lists them: schemas that any client takes, made from the models.

No reference, no union, no null: some clients refuse every tool of a server for one schema that they do not read.
"""

from __future__ import annotations

from typing import Any, Final

from pydantic import BaseModel
from pydantic.json_schema import JsonSchemaMode

from stemma.app.tools import INSTRUCTIONS, TOOLS, Changes, Tool

Schema = dict[str, Any]

_KEPT: Final = (
    "type", "description", "enum", "const", "format", "default", "items", "properties", "required",
    "additionalProperties", "minimum", "maximum", "exclusiveMinimum", "minLength", "maxLength", "minItems",
)  # fmt: skip


def listing() -> dict[str, Any]:
    """Return what `src/stemma/data/tools.json` holds: it is read where the models are not loaded yet."""
    return {"instructions": INSTRUCTIONS, "tools": [_listed(one) for one in TOOLS]}


def _listed(tool: Tool) -> dict[str, Any]:
    return {
        "by_default": tool.by_default,
        "name": tool.name,
        "title": tool.title,
        "description": tool.about,
        "inputSchema": plain_schema(tool.asked, "validation"),
        "outputSchema": plain_schema(tool.answer, "serialization"),
        "annotations": {
            "title": tool.title,
            "readOnlyHint": tool.changes is Changes.NOTHING,
            "destructiveHint": tool.changes is Changes.REPLACES,
            "idempotentHint": tool.is_idempotent,
            "openWorldHint": False,
        },
    }


def plain_schema(model: type[BaseModel], mode: JsonSchemaMode) -> Schema:
    """Write a model's schema without references, unions and null; what may be null may be left out."""
    whole = model.model_json_schema(mode=mode)
    # A program that reads an answer may meet more fields later; a request with one that is not there is refused.
    return _plain(whole, whole.get("$defs", {}), closed=mode == "validation")


def _plain(schema: Schema, definitions: Schema, *, closed: bool) -> Schema:
    inner, is_optional = _one(schema, definitions)
    found: Schema = {name: inner[name] for name in _KEPT if name in inner}
    if is_optional or found.get("default", ...) is None:
        found.pop("default", None)
    if isinstance(found.get("items"), dict):
        found["items"] = _plain(found["items"], definitions, closed=closed)
    if "properties" in found:
        _close(found, inner, definitions, closed=closed)
    elif isinstance(found.get("additionalProperties"), dict):
        found["additionalProperties"] = _plain(found["additionalProperties"], definitions, closed=closed)
    return found


def _close(found: Schema, inner: Schema, definitions: Schema, *, closed: bool) -> None:
    may_be_absent = {name for name, field in inner["properties"].items() if _one(field, definitions)[1]}
    found["properties"] = {
        name: _plain(field, definitions, closed=closed) for name, field in inner["properties"].items()
    }
    found["required"] = [name for name in inner.get("required", ()) if name not in may_be_absent]
    if not found["required"]:
        del found["required"]
    if closed:
        found["additionalProperties"] = False
    else:
        found.pop("additionalProperties", None)


def _one(schema: Schema, definitions: Schema) -> tuple[Schema, bool]:
    """Follow references and take the one alternative that is not null; say whether null was another."""
    own = {name: value for name, value in schema.items() if name not in {"anyOf", "$ref"}}
    is_optional = False
    if "anyOf" in schema:
        kept = [one for one in schema["anyOf"] if one.get("type") != "null"]
        if len(kept) != 1:
            raise AssertionError(f"a field of a tool has one type, not {kept}")
        is_optional = len(kept) < len(schema["anyOf"])
        own = {**_one(kept[0], definitions)[0], **own}
    if "$ref" in schema:
        target = definitions[schema["$ref"].rpartition("/")[2]]
        about = own.get("description")
        own = {**_one(target, definitions)[0], **own}
        if about is None:
            own.pop("description", None)
    return own, is_optional
