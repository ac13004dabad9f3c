"""What stands in the logs, and what never does: a memory's words, a subject, a query, a key (R-94)."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, urlencode

import httpx
import pytest
import structlog

from stemma.app.operations import OPERATIONS, Operation
from stemma.edges import logs
from tests.contract.keyed import Keyed, fresh_runtime
from tests.serving import Served
from tests.stores import Server

SECRET = "Quixotic"


class Lines:
    """What a server has logged since it was made."""

    def __init__(self, served: Served) -> None:
        self._log = served.log
        self._start = served.log.stat().st_size

    def text(self) -> str:
        """All of it."""
        return self._log.read_bytes()[self._start :].decode()

    def of(self, request_id: str) -> list[dict[str, Any]]:
        """The lines of one request."""
        lines = [json.loads(line) for line in self.text().splitlines()]
        return [line for line in lines if line.get("request_id") == request_id]


@pytest.fixture
def lines(served: Served) -> Lines:
    """The lines of the shared server from here on."""
    return Lines(served)


def send(client: httpx.Client, row: Operation, fields: dict[str, Any], request_id: str) -> httpx.Response:
    """Ask an operation with these fields, each in its place."""
    headers = {"X-Request-ID": request_id, "Idempotency-Key": f"{SECRET}:{request_id}"}
    rest, path = dict(fields), row.path
    for name in re.findall(r"{(\w+)(?::\w+)?}", row.path):
        path = re.sub(rf"{{{name}(?::\w+)?}}", quote(str(rest.pop(name)), safe=""), path)
    if row.method in {"POST", "PUT", "PATCH"}:
        return client.request(row.method, path, json=rest, headers=headers)
    return client.request(row.method, f"{path}?{urlencode(rest)}", headers=headers)


def marked(value: Any) -> Any:
    """Write the mark into every text of a request."""
    match value:
        case str():
            return f"{SECRET} {value}"
        case dict():
            return {name: marked(one) for name, one in value.items()}
        case list() | tuple():
            return [marked(one) for one in value]
    return value


def test_every_operation_refused_or_not_leaves_one_line_and_no_word_of_what_was_sent(
    client: httpx.Client, lines: Lines
) -> None:
    """R-94: at INFO and at errors, in texts, names, paths, queries, headers, fields' names, bodies that are no JSON."""
    for row in OPERATIONS:
        for place, fields in enumerate([marked(dict(row.example)), {**marked(dict(row.example)), SECRET: SECRET}]):
            answer = send(client, row, fields, f"{row.name}-{place}")
            assert answer.status_code < 500, (row.name, answer.text)
            assert answer.headers["x-request-id"] == f"{row.name}-{place}"
        client.request(row.method, re.sub(r"{[^}]*}", SECRET, row.path), content=f'{{"{SECRET}'.encode())
    client.get(f"/{SECRET}?{SECRET}={SECRET}")
    assert client.get("/v1/subjects", headers={"X-API-Key": SECRET}).status_code == 401
    client.get("/healthz")  # The line of an answer is written before the next request is taken up.
    text = lines.text()
    assert SECRET.lower() not in text.lower()
    for row in OPERATIONS:
        for place in range(2):
            (line,) = lines.of(f"{row.name}-{place}")
            assert (line["event"], line["method"], line["level"]) == ("answered", row.method, "info")


def test_what_is_done_with_a_memory_leaves_none_of_its_words(client: httpx.Client, lines: Lines) -> None:
    """R-94: remembered, recalled, put into a prompt, searched, answered, sent as an event, forgotten, erased."""
    subject = f"{SECRET} subject"
    text = f"I like {SECRET} tea."

    def done(method: str, path: str, **body: Any) -> Any:
        answer = client.request(method, path, **body)
        assert answer.status_code in {200, 204}, (path, answer.text)
        return answer.json() if answer.content else None

    made = done("POST", "/v1/memories", json={"subject_id": subject, "text": text, "key": f"{SECRET}:1"})
    memory = quote(made["memories"][0]["id"])
    done(
        "POST", "/v1/episodes", json={"episodes": [{"subject_id": subject, "text": f"I use {SECRET}.", "key": SECRET}]}
    )
    done("POST", "/v1/memories/compile", json={"subject_id": subject})
    trace = done("POST", "/v1/recall", json={"subject_id": subject, "query": SECRET})["trace_id"]
    done("GET", f"/v1/traces/{trace}")
    done("GET", f"/v1/traces/{trace}/why?memory_id={memory}")
    done("PATCH", f"/v1/memories/{memory}", json={"importance": 0.7, "by": SECRET, "note": SECRET})
    path = f"/v1/corpora/{SECRET}/documents/{SECRET}.md"
    done("PUT", path, json={"text": f"{SECRET} logs are kept for 90 days.", "title": SECRET})
    event = {"event_id": SECRET, "op": "upsert", "corpus": SECRET, "external_id": SECRET, "text": SECRET}
    done("POST", "/v1/events", json={"events": [event, {**event, "event_id": f"{SECRET} 2", "corpus": f"{SECRET} 2"}]})
    done("POST", "/v1/search", json={"corpora": [SECRET], "query": SECRET})
    done("POST", "/v1/answer", json={"corpora": [SECRET], "query": SECRET})
    done("POST", "/v1/bundle", json={"subject_id": subject, "corpora": [SECRET], "query": SECRET})
    done("DELETE", f"/v1/memories/{memory}?by={SECRET}&note={SECRET}")
    done("POST", "/v1/erase", json={"subject_id": subject, "episode_key": SECRET})
    done("POST", "/v1/erase", json={"subject_id": subject})
    done("DELETE", path)
    client.get("/healthz")
    assert SECRET.lower() not in lines.text().lower()
    assert lines.text().count('"event": "answered"') == 17


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/openapi.json", "/metrics"])
def test_a_path_beside_the_operations_is_logged_by_its_own_name(lines: Lines, client: httpx.Client, path: str) -> None:
    """R-94: and a path that is not there, which may be anybody's word, is not."""
    assert client.get(path, headers={"X-Request-ID": f"own {path[1:]}".replace(" ", ".")}).status_code == 200
    assert client.get(f"{path}x", headers={"X-Request-ID": f"other.{path[1:]}"}).status_code == 404
    routes = [one["route"] for name in ("own", "other") for one in lines.of(f"{name}.{path[1:]}")]
    assert routes == [path, "none"]


def test_a_line_that_is_written_while_a_request_is_answered_has_its_id(served_server: Server) -> None:
    """R-94: also in the thread that does the work."""
    seen: list[Any] = []
    with fresh_runtime(served_server) as runtime:
        door, clock = Keyed(runtime), runtime.clock
        runtime.clock = lambda: (seen.append(structlog.contextvars.get_contextvars()), clock())[1]
        door.ask("GET", "/v1/memories?subject_id=ana", headers={"X-Request-ID": "seen-7"})
    assert seen[0] == {"request_id": "seen-7"}
    assert structlog.contextvars.get_contextvars() == {}


@pytest.fixture
def _logging_as_before() -> Iterator[None]:
    """Put back what `set_up` changes for the whole process."""
    root = logging.getLogger()
    handlers, level = root.handlers, root.level
    yield
    root.handlers, root.level = handlers, level
    structlog.reset_defaults()


@pytest.mark.usefixtures("_logging_as_before")
def test_a_line_is_json_with_the_id_that_is_bound_and_a_librarys_words_of_an_error_are_left_out(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """R-94: structured logs; the words of an exception may quote a memory."""
    logs.set_up()
    with structlog.contextvars.bound_contextvars(request_id="seen-9"):
        structlog.get_logger("test").info("compiled", episodes=2)
        try:
            raise ValueError(SECRET)
        except ValueError:
            logging.getLogger("library").exception("it broke")
        logging.getLogger("library").info("chatter of a library")
    first, second = (json.loads(line) for line in capsys.readouterr().err.splitlines())
    assert {name: first[name] for name in ("event", "episodes", "request_id", "level")} == {
        "event": "compiled",
        "episodes": 2,
        "request_id": "seen-9",
        "level": "info",
    }
    assert (second["event"], second["logger"], second["error"]) == ("it broke", "library", "ValueError")
    assert second["request_id"] == "seen-9"
    assert SECRET not in json.dumps(second)
