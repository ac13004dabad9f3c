"""Pydantic AI: the tools of agents, with the extra `stemma-memory[pydantic-ai]`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from stemma.adapters.extras import extra
from stemma.adapters.tools import about, functions
from stemma.app.face import Face

with extra("pydantic-ai", "pydantic_ai"):
    from pydantic_ai import Tool


def stemma_tools(face: Face, subject_id: str, *, corpora: Sequence[str] | None = None) -> list[Tool[Any]]:
    """Make the tools of one subject: remember, recall, forget, build_bundle, and search_documents over corpora."""
    return [
        Tool(one, takes_ctx=False, name=one.__name__, description=about(one))
        for one in functions(face, subject_id, corpora=corpora)
    ]
