"""An OpenAI-compatible chat endpoint on a real socket, whose answers a test writes; it keeps what it was asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

KEY = "sk-not-to-be-seen-4711"


@dataclass(frozen=True, slots=True)
class Written:
    """One answer: a status with headers, and its body in pieces, between which an event may be waited for."""

    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    pieces: tuple[bytes | threading.Event, ...] = ()
    breaks_off: bool = False


Answer = Callable[[dict[str, Any]], Written]


@dataclass(slots=True)
class ChatServer:
    """A server on a free port; `answers` are taken in order, the last one for every call after it."""

    answers: list[Answer] = field(default_factory=list)
    asked: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    released: threading.Event = field(default_factory=threading.Event)
    port: int = 0

    @property
    def address(self) -> str:
        """The address with the model's name, as it is configured."""
        return f"http://127.0.0.1:{self.port}/v1#tiny"

    @property
    def prompts(self) -> list[str]:
        """What the user's turn said at each call."""
        return [one["messages"][-1]["content"] for one in self.asked]

    def says(self, *texts: str) -> None:
        """Answer each call with the next of these texts, however it is asked."""
        self.answers = [saying(text) for text in texts]

    def gives(self, *answers: Written | Answer) -> None:
        """Answer each call with the next of these."""
        self.answers = [one if callable(one) else _always(one) for one in answers]

    def answer(self, body: dict[str, Any]) -> Written:
        """Take the next answer."""
        place = min(len(self.asked), len(self.answers)) - 1
        return self.answers[place](body)


def _always(one: Written) -> Answer:
    return lambda _: one


def saying(text: str, *, finish: str = "stop", size: int = 7) -> Answer:
    """Say a text, whole or in pieces of `size` characters, as it is asked."""

    def answer(body: dict[str, Any]) -> Written:
        if not body["stream"]:
            return whole(text, finish=finish)
        events = [delta(text[at : at + size]) for at in range(0, len(text), size)]
        return stream(*events, end(finish), usage(), b"data: [DONE]\n\n")

    return answer


def whole(text: str, *, finish: str = "stop") -> Written:
    """One answer in one piece."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}
    tokens = {"prompt_tokens": 321, "completion_tokens": 12, "total_tokens": 333}
    return of_json({"id": "1", "object": "chat.completion", "choices": [choice], "usage": tokens})


def of_json(answer: Any, status: int = 200, **headers: str) -> Written:
    """Any JSON."""
    return Written(status, tuple(headers.items()), (json.dumps(answer).encode(),))


def stream(*pieces: bytes | threading.Event, breaks_off: bool = False) -> Written:
    """An event stream of these bytes."""
    return Written(200, (("Content-Type", "text/event-stream"),), pieces, breaks_off)


def delta(text: str) -> bytes:
    """The event of a piece of text."""
    return sse({"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]})


def end(finish: str = "stop") -> bytes:
    """The event that says why the text ended."""
    return sse({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})


def usage() -> bytes:
    """The event with the counts of tokens."""
    return sse({"choices": [], "usage": {"prompt_tokens": 321, "completion_tokens": 12, "total_tokens": 333}})


def sse(event: Any) -> bytes:
    """One event."""
    return f"data: {json.dumps(event, ensure_ascii=False)}\n\n".encode()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    chat: ChatServer

    def do_POST(self) -> None:
        """Answer one call."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.chat.asked.append(body)
        self.chat.keys.append(self.headers.get("Authorization"))
        self.chat.paths.append(self.path)
        self.close_connection = True
        written = self.chat.answer(body)
        try:
            self._write(written)
        except (BrokenPipeError, ConnectionResetError):
            return

    def _write(self, written: Written) -> None:
        self.send_response(written.status)
        for name, value in written.headers:
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Transfer-Encoding", "chunked")
        self.send_header("Connection", "close")
        self.end_headers()
        for piece in written.pieces:
            if isinstance(piece, threading.Event):
                self.wfile.flush()
                piece.wait(30)
            else:
                self.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
                self.wfile.flush()
        if not written.breaks_off:
            self.wfile.write(b"0\r\n\r\n")

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def chat() -> Iterator[ChatServer]:
    """A chat endpoint of the test's own."""
    served = ChatServer()
    handler = type("_Chat", (_Handler,), {"chat": served})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        served.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield served
        finally:
            served.released.set()
            server.shutdown()
            thread.join()
