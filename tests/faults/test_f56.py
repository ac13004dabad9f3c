"""F56: a cancelled call is answered anyway or twice, or ends the server."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from stemma import Stemma
from tests.mcp_asking import Lines, called, request, stemma_mcp

WAITING = "from tests.faults.mcp_programs import waiting; waiting()"


@pytest.fixture
def server(address: str, tmp_path: Path) -> Iterator[Lines]:
    """`stemma mcp` that waits in the midst of a write until it may go on."""
    found = stemma_mcp(address, tmp_path / "log", str(tmp_path), program=WAITING)
    yield found
    found.close()


def test_f56_a_cancelled_call_has_no_reply_and_its_writes_are_all_there(
    server: Lines, address: str, tmp_path: Path
) -> None:
    """F56, R-82: episode, saying and memory are one; a cancel that names nothing is ignored; the next is answered."""
    server.hello()
    server.send(called(7, "remember", subject_id="ana", text="I like tea.", key="chat:7"))
    until = time.monotonic() + 60
    while not (tmp_path / "begun").exists():
        assert time.monotonic() < until, server.log.read_text()
        time.sleep(0.01)
    cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled"}
    server.send({**cancelled, "params": {"requestId": 7, "reason": "the user left"}})
    server.send(request(70, "ping"))
    assert server.reply(70)["result"] == {}
    (tmp_path / "go").touch()
    found = server.call(8, "memory_history", subject_id="ana")
    server.send({**cancelled, "params": {"requestId": 7}}, {**cancelled, "params": {"requestId": 99}})
    again = server.call(9, "memory_history", subject_id="ana")
    assert server.leave() == 0
    assert sorted(server.replies()) == [0, 8, 9, 70]
    # Whether the write was seen by 8 is a matter of who came first; it is there, once and whole.
    assert len(found["structuredContent"]["memories"]) <= 1
    assert len(again["structuredContent"]["memories"]) <= 1
    with Stemma(address, embedder="none") as memory:
        assert [one.text for one in memory.list_memories("ana").items] == ["I like tea."]
        assert [one.key for one in memory.find_episodes("ana").items] == ["chat:7"]
        assert memory.verify().sound
