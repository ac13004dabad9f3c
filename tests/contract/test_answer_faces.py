"""An answer by a model over HTTP and on the command line: its events, and the key nowhere (R-63, R-83, R-94)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.chat_server import KEY, ChatServer, Written, delta, end, stream
from tests.serving import Served, Shell, fork_server

QUERY = "How long are audit logs kept?"
ASKED = {"corpora": ["ops"], "query": QUERY}
LOGS = "Audit logs are kept for 90 days in the vault."


@pytest.fixture
def answering(address: str, chat: ChatServer, tmp_path: Path) -> Iterator[Served]:
    """A server with a model and one document."""
    settings = {"STEMMA_CHAT": chat.address, "STEMMA_CHAT_KEY": KEY, "STEMMA_CHAT_SECONDS": "10"}
    running = fork_server(address, tmp_path / "log", **settings)
    with running.client() as client:
        put(client)
    yield running
    chat.released.set()
    assert running.stop() == 0


def put(client: httpx.Client) -> None:
    """Put the document."""
    sent = client.put("/v1/corpora/ops/documents/logs", json={"title": "Retention", "text": LOGS})
    assert sent.status_code == 200


def events(lines: Iterator[str]) -> Iterator[tuple[str, Any]]:
    """Read a stream as a browser does."""
    name = ""
    for line in lines:
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield name, json.loads(line.removeprefix("data: "))
        else:
            assert line == ""


def test_an_answer_streams_where_events_are_accepted(answering: Served, chat: ChatServer) -> None:
    """R-63: citations, each checked sentence while the model still writes, the whole; the key is in no log."""
    chat.gives(
        stream(
            delta("Logs: 90 days [1]. They [1] cost 7 euros. Th"),
            chat.released,
            delta("ey are in the vault [1].\n"),
            end(),
        )
    )
    with (
        answering.client() as client,
        client.stream("POST", "/v1/answer", json=ASKED, headers={"Accept": "text/event-stream"}) as answer,
    ):
        assert (answer.status_code, answer.headers["content-type"]) == (200, "text/event-stream; charset=utf-8")
        read = events(answer.iter_lines())
        name, first = next(read)
        assert (name, [one["external_id"] for one in first["citations"]]) == ("citations", ["logs"])
        assert next(read) == ("text", {"event": "text", "text": "Logs: 90 days [1]."})
        assert not chat.released.is_set()
        chat.released.set()
        assert next(read) == ("text", {"event": "text", "text": " They are in the vault [1]."})
        [(name, done)] = read
    assert (name, done["answer"]) == ("done", "Logs: 90 days [1]. They are in the vault [1].")
    assert set(done) >= {"answer", "citations", "disagreements", "grounding"}
    assert [one["missing"] for one in done["made_by"]["removed"]] == [["7 euros"]]
    assert answering.stop() == 0
    assert KEY not in answering.log.read_text()
    assert "90 days" not in answering.log.read_text()


def test_an_answer_is_json_unless_events_alone_are_accepted(answering: Served, chat: ChatServer) -> None:
    """API.md: `{"answer", "citations", "disagreements", "grounding"}`; and nothing relevant costs no call."""
    chat.says("Logs: 90 days [1].")
    with answering.client() as client:
        for accept in ("*/*", "application/json", "application/json, text/event-stream"):
            answer = client.post("/v1/answer", json=ASKED, headers={"Accept": accept})
            assert answer.headers["content-type"] == "application/json"
            assert answer.json()["answer"] == "Logs: 90 days [1]."
            assert answer.json()["made_by"]["how"] == "model"
        calls = len(chat.asked)
        nothing = client.post("/v1/answer", json={**ASKED, "query": "Who painted the ceiling?"}).json()
    assert (nothing["grounding"]["verdict"], nothing["citations"]) == ("abstain", [])
    assert len(chat.asked) == calls


@pytest.mark.parametrize(
    ("asked", "status", "code"),
    [
        ({"corpora": ["no such"], "query": QUERY}, 422, "unknown_corpus"),
        ({"query": ""}, 422, "invalid"),
        ({"query": QUERY, "stream": True}, 422, "unknown_field"),
    ],
)
def test_what_is_refused_is_a_problem_also_where_events_are_accepted(
    client: httpx.Client, asked: dict[str, Any], status: int, code: str
) -> None:
    """API.md: problem documents, before any event."""
    refused = client.post("/v1/answer", json=asked, headers={"Accept": "text/event-stream"})
    assert (refused.status_code, refused.json()["code"]) == (status, code)
    assert refused.headers["content-type"] == "application/problem+json"


def test_who_leaves_early_ends_the_call(answering: Served, chat: ChatServer) -> None:
    """R-63: the server goes on answering others, and stops in time."""
    chat.gives(stream(delta("Logs: 90 days [1]. Th"), chat.released, *[delta("ey go on. ")] * 50, end()))
    with (
        answering.client() as client,
        client.stream("POST", "/v1/answer", json=ASKED, headers={"Accept": "text/event-stream"}) as answer,
    ):
        next(events(answer.iter_lines()))
    chat.released.set()
    with answering.client() as client:
        assert client.get("/healthz").status_code == 200


def test_the_document_says_that_an_answer_may_stream(client: httpx.Client) -> None:
    """R-81: OpenAPI."""
    described = client.get("/openapi.json").json()
    content = described["paths"]["/v1/answer"]["post"]["responses"]["200"]["content"]
    assert set(content) == {"application/json", "text/event-stream"}
    assert set(described["paths"]["/v1/search"]["post"]["responses"]["200"]["content"]) == {"application/json"}


def test_ask_uses_the_model_and_shows_its_sources(shell: Shell, address: str, chat: ChatServer) -> None:
    """R-83: the answer, its sources, how it was made; as JSON; and as events one a line."""
    more = {"STEMMA_CHAT": chat.address, "STEMMA_CHAT_KEY": KEY, "STEMMA_STORE": address}
    assert shell("put-document", "ops", "logs", "--text", LOGS, "--title", "Retention", **more).returncode == 0
    chat.says("Lo\x1b\x9bgs: 90 days [1]. They cost 7 euros [1].")
    shown = shell("ask", QUERY, "--corpora", "ops", **more)
    assert (shown.returncode, shown.stderr) == (0, b"")
    told = shown.stdout.decode().splitlines()
    assert told[0] == "Logs: 90 days [1]."
    assert "[1] Retention · ops/logs" in told
    assert told[-1] == f"by tiny@127.0.0.1:{chat.port} · 1 not shown: figure_not_there"
    streamed = shell("ask", QUERY, "--corpora", "ops", "--stream", **more)
    assert streamed.stdout.decode().splitlines() == told
    answer = shell("ask", QUERY, "--corpora", "ops", "--json", **more).answer
    assert (answer["answer"], answer["made_by"]["how"]) == ("Logs: 90 days [1].", "model")
    lines = shell("ask", QUERY, "--corpora", "ops", "--json", "--stream", **more).stdout.decode().splitlines()
    assert [json.loads(line)["event"] for line in lines] == ["citations", "text", "done"]
    assert [one["stream"] for one in chat.asked] == [False, True, False, True]


def test_ask_says_why_the_model_did_not_answer(shell: Shell, address: str, chat: ChatServer) -> None:
    """R-63, R-94: a refused key leaves the documents' own words, and the key stands nowhere."""
    more = {"STEMMA_CHAT": chat.address, "STEMMA_CHAT_KEY": KEY, "STEMMA_STORE": address}
    shell("put-document", "ops", "logs", "--text", LOGS, **more)
    chat.gives(Written(401, (), (f"bad key {KEY}".encode(),)))
    for flags in ((), ("--stream",), ("--json",)):
        done = shell("ask", QUERY, "--corpora", "ops", *flags, **more)
        assert done.returncode == 0
        assert f"{LOGS} [1]".encode() in done.stdout
        assert b"chat_refused" in done.stdout
        assert KEY.encode() not in done.stdout + done.stderr
    wrong = shell("ask", QUERY, "--json", **{**more, "STEMMA_CHAT": f"https://user:{KEY}@h.example#m"})
    assert json.loads(wrong.stderr)["code"] == "invalid_settings"
    assert KEY.encode() not in wrong.stderr
