"""A real LangGraph agent loop that remembers in another process, its model scripted behind a server (issue 6)."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.chat_server import Answer, ChatServer, Written, of_json, whole
from tests.serving import environment


def test_an_agent_remembers_in_another_process(chat: ChatServer, address: str) -> None:
    """Issue 6: what one run of the agent kept, the next one finds and answers from."""
    chat.gives(_calls("save_note", key="diet", text="Ana is allergic to peanuts."), _said_of_tool("Done: "))
    assert _run(address, chat, "Remember that I am allergic to peanuts.") == "Done: kept diet"
    (offered,) = {tuple(one["function"]["name"] for one in body["tools"]) for body in chat.asked}
    assert offered == ("save_note", "find_notes")

    chat.asked.clear()
    chat.gives(_calls("find_notes", query="Is she allergic to something?"), _said_of_tool("I know: "))
    assert _run(address, chat, "What may I not eat?") == "I know: Ana is allergic to peanuts."
    first, second = chat.asked
    assert [one["role"] for one in first["messages"]] == ["user"]
    assert [one["role"] for one in second["messages"]] == ["user", "assistant", "tool"]


def _run(address: str, chat: ChatServer, text: str) -> str:
    command = [sys.executable, "-m", "tests.e2e.graph_agent", address, chat.address, text]
    done = subprocess.run(
        command, capture_output=True, env=environment(), cwd=Path(__file__).parents[2], timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode().strip()


def _calls(name: str, **arguments: str) -> Written:
    """Ask for one tool, as a model does."""
    function = {"name": name, "arguments": json.dumps(arguments)}
    calls = [{"id": "1", "type": "function", "function": function}]
    message = {"role": "assistant", "content": None, "tool_calls": calls}
    return of_json(
        {
            "id": "1",
            "object": "chat.completion",
            "created": 0,
            "model": "tiny",
            "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}],
            "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
        }
    )


def _said_of_tool(before: str) -> Answer:
    """Repeat what the tool answered, so that the answer can come from nowhere else."""

    def answer(body: dict[str, Any]) -> Written:
        return whole(before + body["messages"][-1]["content"])

    return answer
