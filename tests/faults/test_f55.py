"""F55: a reply too big for the client, the payload twice, or the server exits."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stemma import Stemma
from tests.mcp_asking import Lines, stemma_mcp

MEMORIES = 3_600
LENGTH = 300
BOUND = 65_536


@pytest.fixture(scope="module")
def filled(served_server: Any) -> Iterator[str]:
    """A store with 3,600 memories of 300 characters of one subject, and one document of a million characters."""
    name = served_server.fresh()
    address = str(served_server.target).rpartition("/")[0] + f"/{name}"
    with Stemma(address, embedder="none") as memory:
        for batch in range(4):
            memory.add_episodes([_episode(batch * 9 + number) for number in range(9)])
        assert memory.compile_memories("ana").memories_created == MEMORIES
        memory.put_document("logs", "long", title="Long", text="Zwölf Boote.\n" * 80_000)
    yield address
    served_server.drop(name)


@pytest.fixture
def server(filled: str, tmp_path: Path) -> Iterator[Lines]:
    """`stemma mcp` kept to that subject."""
    found = stemma_mcp(filled, tmp_path / "log", "--subject", "ana")
    found.hello()
    yield found
    found.close()


def test_f55_every_reply_is_bounded_and_the_pages_give_each_memory_once(server: Lines) -> None:
    """F55: 64 KiB, `truncated` and `next_cursor`; 20 by default; the process lives."""
    first = server.call(1, "memory_history")["structuredContent"]
    assert len(first["memories"]) == 20
    assert first["truncated"] is True

    ids: list[str] = []
    cursor: dict[str, str] = {}
    for number in range(2, 1_000):
        page = server.call(number, "memory_history", limit=100, **cursor)
        ids += [one["id"] for one in page["structuredContent"]["memories"]]
        if not page["structuredContent"]["truncated"]:
            break
        cursor = {"cursor": page["structuredContent"]["next_cursor"]}
    assert len(ids) == len(set(ids)) == MEMORIES

    over = server.call(1_000, "recall", query="hall", k=1_000)
    assert over["content"][0]["text"] == "invalid: k: Input should be less than or equal to 500"
    found: list[str] = []
    cursor = {}
    for number in range(1_001, 1_100):
        page = server.call(number, "recall", query="late shift of the hall", k=200, **cursor)["structuredContent"]
        found += [one["memory"]["id"] for one in page["items"]]
        if not page["truncated"]:
            break
        cursor = {"cursor": page["next_cursor"]}
    assert len(found) == len(set(found)) == 200
    document = server.call(1_100, "get_document", corpus="logs", external_id="long")["structuredContent"]
    assert document["truncated"] is True
    bundle = server.call(1_101, "build_bundle", query="late shift of the hall", budget_tokens=6_000)
    assert len(bundle["structuredContent"]["sections"][0]["items"]) > 10
    assert all(len(line) <= BOUND for line in server.read)
    assert server.leave() == 0


def test_f55_what_is_long_is_carried_in_full_once(server: Lines) -> None:
    """F55: words for a model, records for programs; a reply is no JSON twice."""
    reply = server.call(1, "recall", query="late shift of the hall", k=5)
    text, records = reply["content"][0]["text"], reply["structuredContent"]
    assert len(records["items"]) == 5
    for one in records["items"]:
        said = one["memory"]["text"]
        assert len(said) == LENGTH
        assert said not in text
        assert said[:200] in text
        assert one["memory"]["id"] in text
    assert len(text) < len(json.dumps(records)) / 2


def _episode(number: int) -> dict[str, Any]:
    claims = [
        {"key": f"note.{each}", "value": str(each), "text": _words(each)}
        for each in range(number * 100, number * 100 + 100)
    ]
    return {"subject_id": "ana", "key": f"n:{number}", "occurred_at": "2026-02-01T09:00:00Z", "claims": claims}


def _words(number: int) -> str:
    return (f"Note {number} " + f"says that the pump of hall {number} is checked by the late shift, " * 8)[:LENGTH]
