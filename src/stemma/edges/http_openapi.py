"""The OpenAPI document, made from the operation table and its models. No sentence about an operation stands here."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pydantic import BaseModel
from pydantic.json_schema import JsonSchemaMode, models_json_schema

from stemma import __version__
from stemma.app.health import Alive, Health
from stemma.app.models_base import NAME_LIMIT
from stemma.app.models_errors import Problem
from stemma.app.operations import Operation
from stemma.edges.http_events import EVENT_STREAM
from stemma.edges.http_idempotency import HEADER
from stemma.edges.http_refusals import REQUEST_ID, REQUEST_ID_HEADER, refusals

Schema = dict[str, Any]

_REFERENCE: Final = "#/components/schemas/{model}"
_NO_CONTENT: Final = 204
# What an operation answers whose answer has no body.
ANSWER_HEADER: Final = "Stemma-Answer"
_PLACE = re.compile(r"\{(\w+)(?::\w+)?\}")
_KEYS: Final = {
    "bearer": {"type": "http", "scheme": "bearer", "description": "`Authorization: Bearer <key>`"},
    "header": {"type": "apiKey", "in": "header", "name": "X-API-Key", "description": "The same key, in its own header"},
}


@dataclass(frozen=True, slots=True)
class Places:
    """Where the fields of a row's request come from; `query` maps a name to its JSON type."""

    path: tuple[str, ...]
    query: Mapping[str, str]
    body: bool


def placed(row: Operation) -> Places:
    """Say where each field of a request comes from."""
    path = tuple(_PLACE.findall(row.path))
    if row.method in {"POST", "PUT", "PATCH"}:
        return Places(path, {}, body=True)
    fields = row.request.model_json_schema()["properties"]
    return Places(path, {name: _kind(field) for name, field in fields.items() if name not in path}, body=False)


def describe(rows: Iterable[Operation]) -> bytes:
    """Write the document."""
    rows = tuple(rows)
    asked: list[tuple[type[BaseModel], JsonSchemaMode]] = [(row.request, "validation") for row in rows]
    answered: list[tuple[type[BaseModel], JsonSchemaMode]] = [(row.answer, "serialization") for row in rows]
    answered += [(Problem, "serialization"), (Alive, "serialization"), (Health, "serialization")]
    wanted = list(dict.fromkeys([*asked, *answered]))
    references, definitions = models_json_schema(wanted, ref_template=_REFERENCE)
    paths: Schema = {}
    for row in rows:
        here = paths.setdefault(_PLACE.sub(r"{\1}", row.path), {})
        here[row.method.lower()] = _operation(row, references, definitions["$defs"])
    for name in ("/healthz", "/readyz"):
        paths[name] = {"get": _health(name, references)}
    paths["/metrics"] = {"get": _figures(references)}
    paths["/openapi.json"] = {"get": _itself(references)}
    schemas: Schema = {}
    paths, own = _hoisted(paths, schemas), _hoisted(definitions["$defs"], schemas)
    document = {
        "openapi": "3.1.0",
        "info": {"title": "Stemma", "version": __version__},
        "paths": paths,
        "components": {
            "schemas": schemas | own,
            "securitySchemes": _KEYS,
            "headers": {"RequestId": REQUEST_ID_HEADER},
        },
    }
    return json.dumps(document, ensure_ascii=False).encode()


def _operation(row: Operation, references: Mapping[Any, Schema], schemas: Schema) -> Schema:
    places = placed(row)
    reference = references[(row.request, "validation")]
    request = schemas[reference["$ref"].rpartition("/")[2]]
    required = set(request.get("required", ()))
    found: Schema = {
        "operationId": row.name,
        "summary": row.summary,
        "tags": [row.path.split("/")[2]],
        # Without a key as long as the store has none; with one that has the scope.
        "security": [*({name: [row.scope.value]} for name in _KEYS), {}],
        "responses": _responses(row, references),
    }
    parameters = [_parameter(row, name, request, "path") for name in places.path]
    parameters += [_parameter(row, name, request, "query") for name in places.query]
    if row.takes_idempotency_key:
        named = {"type": "string", "minLength": 1, "maxLength": NAME_LIMIT}
        key = {"name": HEADER, "in": "header", "required": False, "schema": named, "example": "order-4711"}
        parameters.append({**key, "description": "Becomes the key of an episode that has none"})
    if parameters:
        found["parameters"] = parameters
    if places.body:
        schema = _without(request, places.path) if places.path else reference
        example = {name: value for name, value in row.example.items() if name not in places.path}
        found["requestBody"] = {
            "required": bool(required - set(places.path)),
            "content": {"application/json": {"schema": schema, "example": example}},
        }
    return found


def _parameter(row: Operation, name: str, request: Schema, where: str) -> Schema:
    required = where == "path" or name in request.get("required", ())
    found = {"name": name, "in": where, "required": required, "schema": _no_null(request["properties"][name])}
    return {**found, "example": row.example[name]} if name in row.example else found


def _responses(row: Operation, references: Mapping[Any, Schema]) -> Schema:
    answered = {"application/json": {"schema": references[(row.answer, "serialization")]}}
    if row.stream is not None:
        answered[EVENT_STREAM] = {"schema": {"type": "string", "description": "The same in events, as it comes"}}
    done: Schema = {"description": "Done", "headers": dict(REQUEST_ID)}
    if row.status != _NO_CONTENT:
        done["content"] = answered
    else:
        answer = {"schema": {"type": "string"}, "description": f"JSON: {row.answer.__name__}"}
        done["headers"] |= {ANSWER_HEADER: answer}
    refused = refusals(references[(Problem, "serialization")], has_body=placed(row).body)
    return {str(row.status): done, **dict(refused)}


def _health(name: str, references: Mapping[Any, Schema]) -> Schema:
    lives = name == "/healthz"
    content = {"application/json": {"schema": references[(Alive if lives else Health, "serialization")]}}
    answers: Schema = {"200": {"description": "Yes", "headers": dict(REQUEST_ID), "content": content}}
    if not lives:
        answers["503"] = {"description": "No, and why", "headers": dict(REQUEST_ID), "content": content}
    summary = "Whether the process lives" if lives else "Whether the store can be used, within 3 s"
    return _open(name.strip("/"), summary, answers, references)


def _itself(references: Mapping[Any, Schema]) -> Schema:
    content = {"application/json": {"schema": {"type": "object"}}}
    answers: Schema = {"200": {"description": "This document", "headers": dict(REQUEST_ID), "content": content}}
    return _open("openapi", "This document", answers, references)


def _open(name: str, summary: str, answers: Schema, references: Mapping[Any, Schema]) -> Schema:
    # Without keys a foreign host or page is refused here too.
    refused = dict(refusals(references[(Problem, "serialization")], has_body=False))
    answers |= {status: refused[status] for status in ("403", "500")}
    return {"operationId": name, "summary": summary, "tags": ["health"], "security": [], "responses": answers}


def _figures(references: Mapping[Any, Schema]) -> Schema:
    text = {"schema": {"type": "string"}, "example": "stemma_http_requests_in_progress 1.0\n"}
    done = {
        "headers": dict(REQUEST_ID),
        "description": "In the text format of Prometheus, or OpenMetrics where that is accepted",
    }
    refused = dict(refusals(references[(Problem, "serialization")], has_body=False))
    return {
        "operationId": "metrics",
        "summary": "The figures of this server, of all tenants together",
        "tags": ["health"],
        "security": [*({name: ["admin"]} for name in _KEYS), {}],
        "responses": {
            "200": {**done, "content": {"text/plain": text, "application/openmetrics-text": text}},
            **{status: refused[status] for status in ("401", "403", "429", "500", "503")},
        },
    }


def _without(request: Schema, names: tuple[str, ...]) -> Schema:
    fields = {name: field for name, field in request["properties"].items() if name not in names}
    required = [name for name in request.get("required", ()) if name not in names]
    return {**request, "properties": fields, **({"required": required} if required else {"required": []})}


def _hoisted(part: Any, schemas: Schema) -> Any:
    """Return a part of the document whose own definitions, and the references to them, are among the components."""
    if isinstance(part, list):
        return [_hoisted(one, schemas) for one in part]
    if not isinstance(part, dict):
        return part
    for name, schema in part.get("$defs", {}).items():
        schemas[name] = _hoisted(schema, schemas)
    made = {name: _hoisted(value, schemas) for name, value in part.items() if name != "$defs"}
    if isinstance(made.get("$ref"), str):
        made["$ref"] = made["$ref"].replace("#/$defs/", "#/components/schemas/")
    return made


def _kind(field: Schema) -> str:
    kinds = {one.get("type") for one in field.get("anyOf", [field])} - {"null"}
    return next((str(kind) for kind in ("integer", "boolean") if kind in kinds), "string")


def _no_null(field: Schema) -> Schema:
    # A query has no null: a parameter that is left out is absent.
    if "anyOf" not in field:
        return {name: value for name, value in field.items() if not (name == "default" and value is None)}
    kept = [one for one in field["anyOf"] if one.get("type") != "null"]
    rest = {
        name: value for name, value in field.items() if name != "anyOf" and not (name == "default" and value is None)
    }
    return {**rest, **kept[0]} if len(kept) == 1 else {**rest, "anyOf": kept}
