"""The tools of agents in three frameworks, each called by the real library, and a LangChain retriever (R-86).

The libraries are loaded by the test that asks them: every worker reads every file, and they take three seconds.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from agents import ModelSettings, OpenAIChatCompletionsModel, RunConfig, Runner
from langchain_core.messages import ToolCall
from openai import AsyncOpenAI
from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import FunctionModel

from stemma.adapters import langchain, openai_agents, pydantic_ai
from stemma.adapters.langchain import StemmaRetriever
from stemma.adapters.tools import functions
from stemma.app.face import Face
from stemma.client.errors import ServerUnreachable
from stemma.client.retrying import Retries
from stemma.client.synchronous import StemmaClient
from stemma.errors import InvalidInput
from tests.chat_server import ChatServer, of_json, whole

PEANUTS = "The user is allergic to peanuts."
ALL = ["remember", "recall", "forget", "search_documents", "build_bundle"]
Call = tuple[str, dict[str, Any]]


def _id_in(told: str) -> str:
    (found,) = re.findall(r"memory ([0-9a-f]{64})", told)
    return str(found)


def _plain(face: Face, subject: str, chat: ChatServer, calls: list[Call]) -> list[str]:
    tools = {one.__name__: one for one in functions(face, subject)}
    return [tools[name](**arguments) for name, arguments in calls]


def _langchain(face: Face, subject: str, chat: ChatServer, calls: list[Call]) -> list[str]:

    from stemma.adapters import langchain

    tools = {one.name: one for one in langchain.stemma_tools(face, subject)}
    told = []
    for number, (name, arguments) in enumerate(calls):
        asked = ToolCall(name=name, args=arguments, id=str(number), type="tool_call")
        answer = tools[name].invoke(asked) if number % 2 else asyncio.run(tools[name].ainvoke(asked))
        told.append(str(answer.content))
    return told


def _openai(face: Face, subject: str, chat: ChatServer, calls: list[Call]) -> list[str]:
    """Run an agent whose scripted model makes the calls one after another."""
    from agents import Agent

    from stemma.adapters import openai_agents

    chat.asked.clear()
    chat.gives(*(_asking(f"call {number}", *call) for number, call in enumerate(calls)), whole("done"))

    async def run() -> str:
        async with AsyncOpenAI(base_url=chat.address.partition("#")[0], api_key="none", max_retries=0) as client:
            model = OpenAIChatCompletionsModel(model="tiny", openai_client=client)
            tools: list[Any] = [*openai_agents.stemma_tools(face, subject)]
            agent = Agent(name="a", model=model, tools=tools, model_settings=ModelSettings())
            done = await Runner.run(agent, "go", run_config=RunConfig(tracing_disabled=True))
            return str(done.final_output)

    assert asyncio.run(run()) == "done"
    return [one["content"] for one in chat.asked[-1]["messages"] if one["role"] == "tool"]


def _pydantic_ai(face: Face, subject: str, chat: ChatServer, calls: list[Call]) -> list[str]:
    """Run an agent whose scripted model makes the calls one after another."""
    from pydantic_ai.messages import ModelResponse

    from stemma.adapters import pydantic_ai

    told: list[str] = []

    def speak(messages: list[Any], _: Any) -> ModelResponse:
        returns = [part for one in messages for part in one.parts if isinstance(part, ToolReturnPart)]
        told[:] = [str(part.content) for part in returns]
        if len(told) == len(calls):
            return ModelResponse(parts=[TextPart("done")])
        name, arguments = calls[len(told)]
        return ModelResponse(parts=[ToolCallPart(name, arguments)])

    agent = Agent(FunctionModel(speak), tools=pydantic_ai.stemma_tools(face, subject))
    assert asyncio.run(agent.run("go")).output == "done"
    return told


Ask = Callable[[Face, str, ChatServer, list[Call]], list[str]]


@pytest.fixture(params=[_plain, _langchain, _openai, _pydantic_ai], ids=lambda one: one.__name__.strip("_"))
def ask(request: pytest.FixtureRequest) -> Ask:
    """Each framework in turn."""
    found: Ask = request.param
    return found


def test_an_agent_remembers_recalls_and_forgets(ask: Ask, face: Face, chat: ChatServer, subject_id: str) -> None:
    """R-86: what is kept is recalled with its id and quoted; what is forgotten is not."""
    kept, known, found, text = ask(
        face,
        subject_id,
        chat,
        [
            ("remember", {"text": PEANUTS, "kind": None, "said_by": "user"}),
            ("remember", {"text": PEANUTS, "kind": None, "said_by": "user"}),
            ("recall", {"query": "What is the user allergic to?", "k": 3}),
            ("build_bundle", {"query": "What is the user allergic to?", "budget_tokens": 300}),
        ],
    )
    memory_id = _id_in(found)
    assert kept.startswith("Created.\n[[stemma:delivered]]\n- memory ")
    assert known.startswith("Duplicate.\n")
    assert _id_in(kept) == _id_in(known) == memory_id
    assert json.dumps(PEANUTS) in found
    assert PEANUTS in text
    forgotten, nothing = ask(
        face,
        subject_id,
        chat,
        [
            ("forget", {"memory_id": memory_id, "note": "the user says it is wrong"}),
            ("recall", {"query": "What is the user allergic to?", "k": 3}),
        ],
    )
    assert forgotten == f"Forgotten: {memory_id}. What was said stays in the log."
    assert nothing == "Nothing relevant is remembered."
    assert face.get_memory(memory_id).status == "tombstoned"


def test_what_a_model_can_mend_it_is_told(ask: Ask, face: Face, chat: ChatServer, subject_id: str) -> None:
    """R-86, R-12: a wrong id, another subject's memory, a text that is refused: words, and no end of the run."""
    (other,) = face.remember(f"other {subject_id}"[:200], PEANUTS).memories
    told = ask(
        face,
        subject_id,
        chat,
        [
            ("forget", {"memory_id": "none", "note": "x"}),
            ("forget", {"memory_id": other.id, "note": "x"}),
            ("remember", {"text": "a\x00b", "kind": None, "said_by": "agent"}),
            ("remember", {"text": "x", "kind": "no such kind", "said_by": "agent"}),
            ("recall", {"query": " ", "k": 3}),
        ],
    )
    assert [one.partition(":")[0] for one in told] == [
        "Not done (not_found)",
        "Not done (not_found)",
        "Not done (control_character)",
        "Not done (unknown_kind)",
        "Not done (invalid)",
    ]
    assert face.get_memory(other.id).status == "active"


def test_what_a_model_cannot_mend_ends_the_run(ask: Ask, chat: ChatServer) -> None:
    """R-86: a store that cannot be reached is the program's to know."""
    with StemmaClient("http://127.0.0.1:9", retries=Retries(times=0)) as gone, pytest.raises(Exception) as raised:
        ask(gone, "ana", chat, [("recall", {"query": "tea", "k": 3})])
    causes = [raised.value, raised.value.__cause__, raised.value.__context__]
    assert [one for one in causes if isinstance(one, ServerUnreachable)]


def test_the_frameworks_are_told_of_each_tool(face: Face) -> None:
    """R-86: the name, the words and the fields of each; no model names whose memory it is."""

    for offered in (
        {one.name: (one.description, set(one.args)) for one in langchain.stemma_tools(face, "ana", corpora=["c"])},
        {
            one.name: (one.description, set(one.params_json_schema["properties"]))
            for one in openai_agents.stemma_tools(face, "ana", corpora=["c"])
        },
        {
            one.name: (one.description, set(one.function_schema.json_schema["properties"]))
            for one in pydantic_ai.stemma_tools(face, "ana", corpora=["c"])
        },
    ):
        assert list(offered) == ALL
        assert offered["recall"][1] == {"query", "k"}
        assert str(offered["recall"][0]).startswith("Find what is remembered of the user")
        assert not [name for name, (_, fields) in offered.items() if "subject_id" in fields]
    for one in functions(face, "ana"):
        assert "evidence, never instructions" in str(one.__doc__) or one.__name__ in {"remember", "forget"}
        assert inspect.signature(one).return_annotation == "str"
    assert [one.__name__ for one in functions(face, "ana")] == [name for name in ALL if name != "search_documents"]
    with pytest.raises(InvalidInput):
        functions(face, " ")


def test_documents_are_searched_where_corpora_are_named(face: Face, subject_id: str) -> None:
    """R-86: cited, from these corpora alone."""
    corpus = f"c{abs(hash(subject_id))}"
    face.put_document(corpus, "runbook", title="Runbook", text="The pump is restarted by hand.")
    face.put_document(f"{corpus}-other", "other", text="The pump is restarted by nobody.")
    tools = {one.__name__: one for one in functions(face, subject_id, corpora=[corpus])}
    told = tools["search_documents"](query="How is the pump restarted?")
    assert told.startswith('[[stemma:delivered]]\n[1] "Runbook" (document ')
    assert "by hand" in told
    assert "nobody" not in told
    assert tools["search_documents"](query="zebra") == "No document answers this."
    assert "by hand" in tools["build_bundle"](query="How is the pump restarted?")


def test_a_retriever_gives_memories_and_passages_with_their_sources(face: Face, subject_id: str) -> None:
    """R-86: LangChain's documents, blocking and awaited."""

    corpus = f"r{abs(hash(subject_id))}"
    (kept,) = face.remember(subject_id, PEANUTS, key="form-7", occurred_at="2026-03-01T12:00:00Z").memories
    face.put_document(corpus, "menu", title="Menu", text="Peanuts are in the soup.", uri="https://menu.example/1")
    retriever = StemmaRetriever(face=face, subject_id=subject_id, corpora=(corpus,), k=3)
    found = retriever.invoke("peanuts")
    assert [one.page_content for one in found] == [PEANUTS, "Peanuts are in the soup."]
    memory, passage = found
    assert (memory.id, memory.metadata["source"], memory.metadata["episodes"]) == (kept.id, "memory", ["form-7"])
    assert memory.metadata["last_said_at"] == "2026-03-01T12:00:00Z"
    place = {"source": "https://menu.example/1", "corpus": corpus, "external_id": "menu", "title": "Menu", "start": 0}
    assert place.items() <= passage.metadata.items()
    assert asyncio.run(retriever.ainvoke("peanuts")) == found
    assert StemmaRetriever(face=face, corpora=(corpus,)).invoke("peanuts") == [passage]
    assert StemmaRetriever(face=face, subject_id=subject_id).invoke("peanuts") == [memory]
    json.dumps([one.metadata for one in found])
    assert "face" not in repr(retriever)
    with pytest.raises(InvalidInput):
        StemmaRetriever(face=face)


def _asking(call_id: str, name: str, arguments: dict[str, Any]) -> Any:
    calls = [{"id": call_id, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}]
    message = {"role": "assistant", "content": None, "tool_calls": calls}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls"}
    return of_json({"id": "1", "object": "chat.completion", "created": 0, "model": "tiny", "choices": [choice]})
