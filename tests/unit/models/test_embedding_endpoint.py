"""An OpenAI-compatible endpoint as an embedder, against a real HTTP server (R-11, R-95)."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from stemma.errors import ControlCharacter, EmbedderFailed, EmbedderMissing, EmbedderRefused
from stemma.models.embedding import open_embedder
from stemma.models.endpoint import Endpoint

Answer = Callable[[dict[str, Any]], tuple[int, object]]


class Served:
    """A server whose answer the test sets; it keeps what it was asked."""

    def __init__(self) -> None:
        self.answer: Answer = vowels
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        served = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                served.asked.append(body)
                served.keys.append(self.headers.get("Authorization"))
                status, answer = served.answer(body) if self.path == "/v1/embeddings" else (404, {})
                raw = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(raw)))
                self.end_headers()
                self.wfile.write(raw)

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.http.server_address[1]}/v1#small"


def vowels(body: dict[str, Any]) -> tuple[int, object]:
    """Count a, e and i, in reversed order of the items, as the protocol allows."""
    items = [
        {"index": number, "embedding": [float(text.count(vowel)) for vowel in "aei"]}
        for number, text in enumerate(body["input"])
    ]
    return 200, {"data": items[::-1], "model": body["model"]}


@pytest.fixture
def served() -> Iterator[Served]:
    server = Served()
    thread = threading.Thread(target=server.http.serve_forever, args=(0.02,))
    thread.start()
    yield server
    server.http.shutdown()
    thread.join()
    server.http.server_close()


@pytest.fixture
def endpoint(served: Served) -> Iterator[Endpoint]:
    opened = open_embedder(served.address, api_key="secret")
    assert isinstance(opened, Endpoint)
    yield opened
    opened.close()


def test_vectors_come_in_the_order_of_the_texts_with_length_one(endpoint: Endpoint, served: Served) -> None:
    """R-41: the answer's index decides, not its order."""
    assert endpoint.passages(["aaa eeee", "i"]) == [[pytest.approx(0.6), pytest.approx(0.8), 0.0], [0.0, 0.0, 1.0]]
    assert endpoint.query("i") == [0.0, 0.0, 1.0]
    assert served.asked[0] == {"model": "small", "input": ["aaa eeee", "i"], "encoding_format": "float"}
    assert served.keys[0] == "Bearer secret"


def test_the_space_is_named_by_model_and_host_and_its_size_is_asked_once(endpoint: Endpoint, served: Served) -> None:
    """R-95."""
    assert served.asked == []
    assert endpoint.id == served.address.replace("http://", "endpoint:small@").removesuffix("/v1#small")
    assert (endpoint.dimensions, endpoint.dimensions) == (3, 3)
    assert len(served.asked) == 1


def test_a_long_text_is_sent_in_windows_and_none_of_it_is_lost(endpoint: Endpoint, served: Served) -> None:
    """R-11: servers cut silently, so nothing over their limit is sent."""
    long = "a " * 1000 + "e " * 1000
    vector = endpoint.passages([long, "i"])[0]
    assert "".join(served.asked[0]["input"][:-1]) == long
    assert max(map(len, served.asked[0]["input"])) <= 1500
    assert vector[0] == pytest.approx(vector[1], rel=0.35)
    assert endpoint.passages(["e" * 4000])[0] == [0.0, 1.0, 0.0]


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (429, EmbedderFailed),
        (500, EmbedderFailed),
        (503, EmbedderFailed),
        (401, EmbedderRefused),
        (400, EmbedderRefused),
    ],
)
def test_an_error_says_whether_trying_again_can_help(
    endpoint: Endpoint, served: Served, status: int, error: type[Exception]
) -> None:
    """R-95: a limit passes, a wrong key does not."""
    served.answer = lambda _: (status, {"error": "no"})
    with pytest.raises(error, match=str(status)) as caught:
        endpoint.query("a")
    assert getattr(caught.value, "retryable") is (error is EmbedderFailed)  # noqa: B009
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "answer",
    [
        b"not json",
        {"data": []},
        {"data": [{"index": 0, "embedding": []}]},
        {"data": [{"index": 1, "embedding": [1.0]}]},
        {"data": [{"index": 0, "embedding": [0.0, 0.0]}]},
        {"data": [{"index": 0, "embedding": "AAAA"}]},
        {"data": [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [1.0]}]},
        {"vectors": [[1.0]]},
    ],
)
def test_an_answer_that_is_no_vector_a_text_is_a_failure(endpoint: Endpoint, served: Served, answer: object) -> None:
    """R-11: nonsense is never stored."""
    served.answer = lambda _: (200, answer)
    with pytest.raises(EmbedderFailed):
        endpoint.query("a")


def test_vectors_of_another_size_are_refused(endpoint: Endpoint, served: Served) -> None:
    """R-95, F35: the server has changed its model under the same name."""
    endpoint.query("a")
    served.answer = lambda _: (200, {"data": [{"index": 0, "embedding": [1.0, 0.0]}]})
    with pytest.raises(EmbedderFailed, match="2 dimensions after 3"):
        endpoint.query("a")


def test_nobody_there_is_a_failure_that_may_pass() -> None:
    """R-95: the lexical leg answers meanwhile."""
    opened = open_embedder("http://127.0.0.1:9/v1#small")
    assert isinstance(opened, Endpoint)
    with pytest.raises(EmbedderFailed, match="did not answer: ConnectError"):
        opened.query("a")
    opened.close()


def test_an_address_without_a_model_and_nul_are_refused(endpoint: Endpoint, served: Served) -> None:
    """R-22."""
    with pytest.raises(EmbedderMissing, match="#model"):
        open_embedder("https://example.org/v1")
    with pytest.raises(ControlCharacter):
        endpoint.passages(["a\0b"])
    assert served.asked == []
