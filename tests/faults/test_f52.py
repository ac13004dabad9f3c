"""F52: something else on stdout, and the ends of a server over stdio."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from stemma import Stemma
from tests.mcp_asking import Lines, called, request, stemma_mcp

NOISY = "from tests.faults.mcp_programs import noisy; noisy()"
CALLS = 200


@pytest.fixture
def noisy(address: str, tmp_path: Path) -> Iterator[Lines]:
    """`stemma mcp` beside something that speaks."""
    server = stemma_mcp(address, tmp_path / "log", program=NOISY)
    yield server
    server.close()


@pytest.fixture
def quiet(address: str, tmp_path: Path) -> Iterator[Lines]:
    """`stemma mcp` as it is."""
    server = stemma_mcp(address, tmp_path / "log", "--tools", "all")
    yield server
    server.close()


def test_f52_two_hundred_calls_beside_noise_write_messages_alone(noisy: Lines) -> None:
    """F52, R-82: every line of stdout is one message, the handshake the first; all noise is on stderr."""
    noisy.hello()
    assert json.loads(noisy.read[0])["id"] == 0
    noisy.send(*(called(number, "recall", subject_id="ana", query="tea") for number in range(1, CALLS + 1)))
    for number in range(1, CALLS + 1):
        assert noisy.reply(number)["result"]["structuredContent"]["items"] == []
    assert noisy.leave() == 0
    messages = [json.loads(line) for line in noisy.read]
    assert all(one["jsonrpc"] == "2.0" for one in messages)
    assert sorted(noisy.replies()) == list(range(CALLS + 1))
    heard = noisy.log.read_text()
    assert all(f"noise {where}" in heard for where in ("a model is loaded", "a query", "the end"))
    # A child found nothing to read: what the client sends is nobody else's.
    assert "noise {" not in heard


def test_f52_what_is_no_message_is_answered_as_such_and_what_was_asked_is_answered_to_the_end(quiet: Lines) -> None:
    """F52: errors are messages too."""
    quiet.send(b"hello\n", b"\n", b'{"jsonrpc": "2.0"}\n', b"[]\n", b"\xff\xfe\n", b'{"a": ' + b"[" * 5_000 + b"\n")
    quiet.hello()
    quiet.send(request(1, "tools/call", name="nothing", arguments={}), request(2, "no/method"))
    assert quiet.reply(1)["error"]["code"] == -32602
    assert quiet.reply(2)["error"]["code"] == -32601
    nan = b'{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"search_documents","arguments":'
    quiet.send(nan + b'{"query":"tea","metadata":{"a":NaN}}}}\n')
    assert quiet.reply(3)["result"]["content"][0]["text"].startswith("malformed_json: ")
    # Half of a character is what a client in JavaScript sends of a text that it cut; it waits for its answer.
    half = b'{"jsonrpc":"2.0","id":31,"method":"tools/call","params":{"name":"recall","arguments":{"query":"\\ud83d"}}}'
    quiet.send(half + b"\n", b'{"jsonrpc":"2.0","id":30,"method":"tools/call","params":[1]}\n')
    assert quiet.reply(31)["error"]["code"] == -32700
    assert quiet.reply(30)["error"]["code"] == -32600
    assert quiet.call(4, "recall", subject_id="ana", query="tea")["structuredContent"]["items"] == []
    # A client that pipes its messages in and closes its end reads every reply all the same.
    quiet.send(
        *(called(number, "remember", subject_id="ana", text=f"Ana has {number} cats.") for number in range(5, 9))
    )
    assert quiet.leave() == 0
    outcomes = [quiet.reply(number)["result"]["structuredContent"]["outcome"] for number in range(5, 9)]
    assert outcomes == ["created"] * 4
    refused = [json.loads(line)["error"]["code"] for line in quiet.read if json.loads(line).get("id", 0) is None]
    assert refused == [-32700, -32600, -32600, -32700, -32700]


def test_f52_a_signal_ends_it_orderly_while_the_client_listens_on(quiet: Lines, address: str) -> None:
    """F52, R-82: ctrl-C ends a server whose client says nothing; what was counted is written before."""
    quiet.hello()
    name = quiet.call(1, "remember", subject_id="ana", text="I like tea.")["structuredContent"]["memories"][0]["id"]
    trace = quiet.call(2, "recall", subject_id="ana", query="tea")["structuredContent"]["trace_id"]
    assert quiet.signalled(signal.SIGINT) == 0
    assert sorted(quiet.replies()) == [0, 1, 2]
    assert b"Traceback" not in quiet.log.read_bytes()
    with Stemma(address, embedder="none") as memory:
        assert memory.get_memory(name).recall_count == 1
        assert memory.get_trace(trace).trace_id == trace


def test_f52_a_client_that_is_gone_ends_it(quiet: Lines) -> None:
    """F52: nobody reads any more; it leaves without a word on what it could not say."""
    quiet.hello()
    assert quiet.process.stdout is not None
    quiet.process.stdout.close()
    quiet.send(request(1, "tools/list"))
    assert quiet.process.wait(timeout=60) == 0
    assert b"Traceback" not in quiet.log.read_bytes()
