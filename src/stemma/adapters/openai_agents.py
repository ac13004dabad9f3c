"""OpenAI Agents SDK: the tools of agents, with the extra `stemma-memory[openai-agents]`."""

from __future__ import annotations

from collections.abc import Sequence

from stemma.adapters.extras import extra
from stemma.adapters.tools import about, functions
from stemma.app.face import Face

with extra("openai-agents", "agents"):
    from agents import FunctionTool, function_tool


def stemma_tools(face: Face, subject_id: str, *, corpora: Sequence[str] | None = None) -> list[FunctionTool]:
    """Make the tools of one subject: remember, recall, forget, build_bundle, and search_documents over corpora.

    An error that the model cannot mend ends the run, instead of being told to it.
    """
    return [
        function_tool(one, name_override=one.__name__, description_override=about(one), failure_error_function=None)
        for one in functions(face, subject_id, corpora=corpora)
    ]
