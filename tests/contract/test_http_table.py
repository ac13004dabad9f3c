"""The HTTP door is made from the operation table: every row is a route, and the OpenAPI document says so."""

from __future__ import annotations

import re
from typing import Any

import httpx
import pytest

from stemma.app.operations import BY_NAME, OPERATIONS, Operation
from stemma.app.stemma import Stemma
from stemma.app.summaries import SUMMARIES
from stemma.edges.cli import COMMANDS


@pytest.fixture(name="document")
def openapi(client: httpx.Client) -> Any:
    """The document as it is served."""
    return client.get("/openapi.json").json()


def test_the_document_lists_every_operation_of_the_table(document: Any) -> None:
    """R-81: HTTP under /v1 with OpenAPI."""
    described = {
        (method.upper(), path): operation["operationId"]
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    }
    rows = {(row.method, re.sub(r":\w+}", "}", row.path)): row.name for row in OPERATIONS}
    health = {("GET", "/healthz"): "healthz", ("GET", "/readyz"): "readyz"}
    health |= {("GET", "/metrics"): "metrics", ("GET", "/openapi.json"): "openapi"}
    assert described == rows | health
    assert all(path.startswith("/v1/") for _, path in rows)


def test_every_reference_in_the_document_leads_somewhere(document: Any) -> None:
    """R-81: generators read the document."""
    wanted = set(_references(document))
    assert wanted
    parts = document["components"]
    assert wanted <= {f"#/components/{kind}/{name}" for kind in ("schemas", "headers") for name in parts[kind]}


@pytest.mark.parametrize("row", OPERATIONS, ids=lambda row: row.name)
def test_an_operation_is_described_with_each_of_its_fields(document: Any, row: Operation) -> None:
    """R-81: path, query and body together are the request model."""
    described = document["paths"][re.sub(r":\w+}", "}", row.path)][row.method.lower()]
    named = {one["name"] for one in described.get("parameters", []) if one["in"] != "header"}
    if "requestBody" in described:
        schema = described["requestBody"]["content"]["application/json"]["schema"]
        if "$ref" in schema:
            schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        named |= set(schema["properties"])
        assert schema["additionalProperties"] is False
    assert named == set(row.request.model_fields)
    assert described["summary"] == SUMMARIES[row.name]
    assert {str(row.status), "422"} <= set(described["responses"])


@pytest.mark.parametrize("row", OPERATIONS, ids=lambda row: row.name)
def test_an_operation_is_described_with_an_example_and_every_status(document: Any, row: Operation) -> None:
    """Issue 6: OpenAPI with examples; a refusal is shown as it looks."""
    described = document["paths"][re.sub(r":\w+}", "}", row.path)][row.method.lower()]
    fields = [one for one in described.get("parameters", []) if one["in"] != "header"]
    shown = {one["name"]: one["example"] for one in fields if "example" in one}
    shown |= described.get("requestBody", {"content": {"application/json": {"example": {}}}})["content"][
        "application/json"
    ]["example"]
    assert row.request.model_validate(shown) == row.request.model_validate(row.example)
    of_body = {"413", "415"} if "requestBody" in described else set()
    refused = {"400", "401", "403", "404", "409", "410", "422", "429", "500", "503"} | of_body
    assert set(described["responses"]) == {str(row.status)} | refused
    for status in refused:
        example = described["responses"][status]["content"]["application/problem+json"]["example"]
        assert str(example["status"]) == status
        assert set(example) == {"type", "title", "status", "detail", "code", "errors"}
    assert all("X-Request-ID" in one["headers"] for one in described["responses"].values())


@pytest.mark.parametrize("row", OPERATIONS, ids=lambda row: row.name)
def test_the_example_of_an_operation_is_a_request(row: Operation) -> None:
    """R-81: examples are requests that are accepted."""
    assert row.request.model_validate(row.example)


def test_every_row_is_a_command_and_a_method() -> None:
    """R-80, R-83: one table, many doors."""
    assert {one.operation: one.name for one in COMMANDS if one.operation} == {
        row.name: row.command.name for row in OPERATIONS
    }
    methods = {name for name in dir(Stemma) if not name.startswith("_")}
    assert methods >= set(BY_NAME)


def _references(part: Any) -> list[str]:
    if isinstance(part, dict):
        own = [part["$ref"]] if isinstance(part.get("$ref"), str) else []
        return own + [one for value in part.values() for one in _references(value)]
    if isinstance(part, list):
        return [one for value in part for one in _references(value)]
    return []
