"""A small LangGraph agent as a program of its own: `python -m tests.e2e.graph_agent STORE MODEL TEXT` prints an answer.

Its model sits behind an OpenAI-compatible server; what it remembers is in the store, through the tools that it calls.
"""

from __future__ import annotations

import sys
from typing import Annotated, Any

from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import InjectedStore, ToolNode, tools_condition
from langgraph.store.base import BaseStore

from stemma import Stemma
from stemma.adapters.langgraph import StemmaStore

NAMESPACE = ("users", "ana", "notes")


@tool
def save_note(key: str, text: str, store: Annotated[BaseStore, InjectedStore()]) -> str:
    """Keep a note on the user."""
    store.put(NAMESPACE, key, {"text": text})
    return f"kept {key}"


@tool
def find_notes(query: str, store: Annotated[BaseStore, InjectedStore()]) -> str:
    """Find notes on the user."""
    found = store.search(NAMESPACE, query=query, limit=3)
    return "; ".join(item.value["text"] for item in found) or "nothing"


def main() -> None:
    """Answer one text."""
    address, model, text = sys.argv[1:]
    base_url, _, name = model.partition("#")
    tools = [save_note, find_notes]
    asked = ChatOpenAI(base_url=base_url, model=name, api_key="none", max_retries=0).bind_tools(tools)

    def speak(state: MessagesState) -> dict[str, Any]:
        return {"messages": [asked.invoke(state["messages"])]}

    builder = StateGraph(MessagesState)
    builder.add_node("model", speak)
    builder.add_node("tools", ToolNode(tools))
    builder.add_edge(START, "model")
    builder.add_conditional_edges("model", tools_condition)
    builder.add_edge("tools", "model")
    with Stemma(address, embedder="none") as memory:
        graph = builder.compile(store=StemmaStore(memory, index={"fields": ["text"]}))
        print(graph.invoke({"messages": [("user", text)]})["messages"][-1].content)


if __name__ == "__main__":
    main()
