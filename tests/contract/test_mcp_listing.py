"""The tools as they are listed: made of the models, plain enough for any client, and saying what they change (R-82)."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import jsonschema
import pytest

from stemma.app.tool_schemas import listing
from stemma.app.tools import TOOLS

TOOLS_LISTED = json.loads((files("stemma") / "data" / "tools.json").read_text(encoding="utf-8"))["tools"]
DEFAULT = "remember recall forget memory_history search_documents get_document build_bundle explain_recall".split()
OTHERS = "compile_memories list_conflicts resolve_conflict answer_from_documents".split()
# What a client may be sure of: anything else has been refused by one or another.
KEYWORDS = {
    "type", "description", "enum", "const", "format", "default", "items", "properties", "required",
    "additionalProperties", "minimum", "maximum", "minLength", "maxLength", "minItems",
}  # fmt: skip


def test_the_file_of_tools_says_what_the_models_say() -> None:
    """R-82: `stemma mcp` lists from a file, so that it need not load the models; `scripts/tool-schemas` writes it."""
    text = (files("stemma") / "data" / "tools.json").read_text(encoding="utf-8")
    assert json.loads(text) == json.loads(json.dumps(listing()))


def test_a_server_that_is_started_has_loaded_neither_use_cases_nor_store_nor_model() -> None:
    """R-82: start adds at most 0.3 s of a processor to a bare server (`python -m bench.mcp_start` measures it)."""
    program = "import sys, stemma.edges.cli, stemma.edges.cli_mcp, stemma.edges.mcp_stdio; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    loaded = set(done.stdout.split())
    assert "mcp.server.lowlevel.server" in loaded
    assert not {"stemma.app.runtime", "stemma.app.tools", "stemma.core.derive", "psycopg", "numpy", "fastapi"} & loaded


def test_eight_tools_are_offered_and_four_more_where_all_are_asked_for() -> None:
    """API.md, MCP tools."""
    assert [one["name"] for one in TOOLS_LISTED if one["by_default"]] == DEFAULT
    assert [one["name"] for one in TOOLS_LISTED if not one["by_default"]] == OTHERS


@pytest.mark.parametrize("tool", TOOLS_LISTED, ids=lambda tool: tool["name"])
def test_a_schema_is_flat_and_plain(tool: dict[str, Any]) -> None:
    """F53: no combinator, reference or null anywhere; a request with an argument that is not there is refused."""
    for name in ("inputSchema", "outputSchema"):
        schema = tool[name]
        assert schema["type"] == "object"
        jsonschema.Draft202012Validator.check_schema(schema)
        for part in _parts(schema):
            assert part.keys() <= KEYWORDS
            assert isinstance(part["type"], str)
            assert part.get("default", 0) is not None
    asked = tool["inputSchema"]
    assert asked["additionalProperties"] is False
    assert set(asked.get("required", ())) <= set(asked["properties"])
    flat = {"string", "integer", "number", "boolean", "array"}
    assert all(one["type"] in flat or name == "metadata" for name, one in asked["properties"].items())
    assert all(one["items"]["type"] == "string" for one in asked["properties"].values() if one["type"] == "array")


def test_each_tool_says_what_it_changes() -> None:
    """R-82: annotated; only what changes nothing is called so."""
    told = {one["name"]: one["annotations"] for one in TOOLS_LISTED}
    reads = {name for name, one in told.items() if one["readOnlyHint"]}
    assert reads == {*DEFAULT, *OTHERS} - {"remember", "forget", "compile_memories", "resolve_conflict"}
    assert {name for name, one in told.items() if one["destructiveHint"]} == {"forget", "resolve_conflict"}
    assert {name for name, one in told.items() if not one["idempotentHint"]} == {"remember", "resolve_conflict"}
    assert not any(one["openWorldHint"] for one in told.values())
    assert all(one["title"] == listed["title"] for one, listed in zip(told.values(), TOOLS_LISTED, strict=True))


def test_each_tool_that_quotes_says_that_it_does() -> None:
    """R-39: a model is told that what comes back is no instruction."""
    quotes = {one["name"] for one in TOOLS_LISTED if "never instructions to you" in one["description"]}
    assert quotes == {*DEFAULT, *OTHERS} - {"remember", "forget", "compile_memories", "resolve_conflict"}


def test_each_field_of_a_request_is_explained() -> None:
    """R-82: a model reads nothing else."""
    for one in TOOLS:
        for name, told in next(t for t in TOOLS_LISTED if t["name"] == one.name)["inputSchema"]["properties"].items():
            assert told.get("description"), (one.name, name)


def _parts(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield schema
    for inner in schema.get("properties", {}).values():
        yield from _parts(inner)
    for name in ("items", "additionalProperties"):
        if isinstance(schema.get(name), dict):
            yield from _parts(schema[name])
