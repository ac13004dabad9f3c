"""F53: one odd schema hides all tools; a misspelt argument runs with defaults. The schemas: `test_mcp_listing`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest

from stemma import Stemma
from tests.mcp_asking import Tools, listed, words


@pytest.fixture
def tools(address: str) -> Iterator[Tools]:
    """The tools of a store."""
    with Stemma(address, embedder="none") as memory:
        memory.remember("ana", "The pump is in the cellar.")
        yield Tools(memory, every_tool=False)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (
            {"subject_id": "ana", "querry": "x"},
            "unknown_field: querry is no argument of recall; did you mean query",
        ),
        ({"subject_id": "ana", "query": "pump", "k": "5"}, "invalid: k: Input should be a valid integer"),
        (
            {"subject_id": "ana", "query": "x", "limit": 5},
            "unknown_field: limit is no argument of recall; there are",
        ),
        ({"subject_id": "ana", "query": None}, "invalid: query: Input should be a valid string"),
        (None, "invalid: subject_id: is required; query: is required"),
    ],
)
def test_f53_a_wrong_argument_is_an_error_that_names_it(
    tools: Tools, arguments: dict[str, Any] | None, told: str
) -> None:
    """F53: never a run with defaults."""
    found = tools.session(lambda client: client.call_tool("recall", arguments))
    assert found.is_error
    assert words(found).startswith(told)


def test_f53_a_strict_client_lists_every_tool_and_answers_keep_to_their_schemas(tools: Tools) -> None:
    """F53: an object at the root, closed, no combinator; results validate."""
    offered = {one.name: one for one in tools.session(listed)}
    assert len(offered) == 8
    for one in offered.values():
        assert one.input_schema["type"] == "object"
        assert "properties" in one.input_schema
        assert one.input_schema["additionalProperties"] is False
        assert not {"anyOf", "oneOf", "allOf", "not", "$ref"} & one.input_schema.keys()
    found = tools.answer("recall", subject_id="ana", query="pump")
    jsonschema.validate(found, offered["recall"].output_schema or {})
    assert [one["memory"]["text"] for one in found["items"]] == ["The pump is in the cellar."]
