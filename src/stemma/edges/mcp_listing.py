"""The tools as they are listed, read from the file that is made of the models, which are not loaded for it."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from mcp import types

from stemma.errors import UnknownField


@dataclass(frozen=True, slots=True)
class Listing:
    """What one server offers, and what it tells a model of itself."""

    instructions: str
    tools: Mapping[str, types.Tool]

    def require_known(self, tool: str, arguments: Mapping[str, Any]) -> None:
        """Refuse an argument that the tool does not take, and name the one that may have been meant."""
        known = self.tools[tool].input_schema["properties"]
        for name in arguments:
            if name not in known:
                near = difflib.get_close_matches(name, known, n=1)
                meant = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"
                raise UnknownField(f"{name} is no argument of {tool}; {meant}", field=name)


def read_listing(*, every_tool: bool = False, subject: str | None = None) -> Listing:
    """Read the tools that are offered; one that is kept to a subject does not take one."""
    text = (files("stemma") / "data" / "tools.json").read_text(encoding="utf-8")
    found = json.loads(text)
    tools = [one for one in found["tools"] if every_tool or one["by_default"]]
    about = f" This memory is kept to one subject: {json.dumps(subject, ensure_ascii=False)}." if subject else ""
    return Listing(
        instructions=found["instructions"] + about,
        tools={one["name"]: _tool(one, without_subject=subject is not None) for one in tools},
    )


def _tool(listed: dict[str, Any], *, without_subject: bool) -> types.Tool:
    asked = listed["inputSchema"]
    if without_subject and "subject_id" in asked["properties"]:
        del asked["properties"]["subject_id"]
        asked["required"] = [name for name in asked.get("required", ()) if name != "subject_id"]
        if not asked["required"]:
            del asked["required"]
    return types.Tool.model_validate({name: value for name, value in listed.items() if name != "by_default"})
