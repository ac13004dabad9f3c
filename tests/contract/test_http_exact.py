"""What the HTTP door does with methods, media types, bodies nobody reads, bytes that are no request, other sites."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from stemma.app.runtime import open_runtime
from stemma.config import Settings
from stemma.errors import InvalidSettings
from tests.contract.keyed import Keyed, fresh_address, refused
from tests.serving import Served
from tests.stores import Server

QUERY = b'{"subject_id": "ana", "query": "tea"}'


@pytest.mark.parametrize(
    "said",
    [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/jsonp",
        "application/json; charset=utf-16",
        "nonsense",
        "",
    ],
)
def test_a_body_that_says_it_is_no_json_is_refused_unread(client: httpx.Client, said: str) -> None:
    """Issue 6: 415; a page of another site can send a form without asking first, and never this type."""
    answer = client.post("/v1/recall", content=QUERY, headers={"Content-Type": said})
    assert refused(answer) == (415, "unsupported_media_type")


@pytest.mark.parametrize(
    "said", ["application/json", "Application/JSON; charset=UTF-8", "application/merge-patch+json", None]
)
def test_json_is_taken_by_its_name_or_without_one(client: httpx.Client, said: str | None) -> None:
    """Issue 6: what every client sends, and a body without a word on what it is."""
    headers = {} if said is None else {"Content-Type": said}
    assert client.post("/v1/recall", content=QUERY, headers=headers).status_code == 200


def test_a_body_without_bytes_needs_no_name(client: httpx.Client) -> None:
    """API.md: POST /v1/memories/compile of every subject."""
    assert client.post("/v1/memories/compile", headers={"Content-Type": "text/plain"}).status_code == 200
    # A body of white space is one, and no JSON; schemathesis found it taken for none.
    assert refused(client.post("/v1/memories/compile", content=b" \r\n")) == (400, "malformed_json")


@pytest.mark.parametrize(("method", "path"), [("GET", "/v1/memories?subject_id=ana"), ("DELETE", "/v1/memories/none")])
def test_a_body_where_none_is_read_is_refused(client: httpx.Client, method: str, path: str) -> None:
    """R-11: `by` in a body that nobody reads would be dropped without a word."""
    answer = client.request(method, path, json={"by": "ana"})
    assert refused(answer) == (422, "invalid")
    assert "in the query" in answer.json()["detail"]


REMEMBER = b'{"subject_id": "%s", "text": "I like tea."}'


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        ([b""], "invalid"),
        ([b"a", b"b"], "invalid"),
        ([b"\xff\xfe"], "invalid_unicode"),
        ([b"a\tb"], "created"),
        ([b"x" * 1_025], "payload_too_large"),
        ([b"a", b"a"], "created"),
        ([" \u00dcn\u00efcode ".encode()], "created"),
    ],
)
def test_an_idempotency_key_is_one_name_in_utf_8(
    client: httpx.Client, subject_id: str, sent: list[bytes], code: str
) -> None:
    """API.md: the header becomes the key; a blank one would make one key of everybody's."""
    host, body = client.base_url, REMEMBER % subject_id.encode()
    lines = b"".join(b"Idempotency-Key: " + key + b"\r\n" for key in sent)
    head = b"POST /v1/memories HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: %d\r\n" % len(body)
    told = b""
    with socket.create_connection((host.host, host.port or 80), timeout=30) as link:
        link.sendall(head + lines + b"\r\n" + body)
        while part := link.recv(65_536):
            told += part
    answer = json.loads(told.partition(b"\r\n\r\n")[2])
    if code == "created":
        assert answer["episode"]["outcome"] == code
        assert answer["episode"]["key"] == sent[0].decode().strip()
    else:
        assert (answer["status"], answer["code"], answer["errors"]) == (422, code, ["Idempotency-Key"])


@pytest.mark.parametrize("path", ["/v1/claim-keys/fee?cardinality=single", "/v1/sources/github?authority=50"])
def test_a_field_of_the_body_is_none_of_the_query(client: httpx.Client, path: str) -> None:
    """API.md: unknown fields are 422; the document names each field in one place."""
    answer = client.put(path)
    assert refused(answer) == (422, "unknown_field")
    assert answer.json()["errors"] == [path.partition("?")[2].partition("=")[0]]


@pytest.mark.parametrize(
    ("method", "path", "allow"),
    [
        ("PUT", "/v1/memories", "GET, HEAD, POST"),
        ("OPTIONS", "/v1/recall", "POST"),
        ("TRACE", "/v1/kinds", "GET, HEAD"),
        ("BREW", "/v1/corpora/c/documents/a/b", "DELETE, GET, HEAD, PUT"),
        ("POST", "/healthz", "GET, HEAD"),
        ("GET", "/v1/memories/compile", "POST"),
        ("DELETE", "/v1/memories/compile", "POST"),
    ],
)
def test_a_method_that_a_path_does_not_know_is_told_those_it_does(
    client: httpx.Client, method: str, path: str, allow: str
) -> None:
    """Issue 6: 405 with Allow; a path that is written out is no id of the template beside it."""
    answer = client.request(method, path)
    assert refused(answer) == (405, "method_not_allowed")
    assert answer.headers["allow"] == allow


@pytest.mark.parametrize(
    "path", ["/", "/v1", "/v1/", "/v1/memories/", "//v1/kinds", "/v2/kinds", "/v1/kinds/x", "/docs"]
)
def test_a_path_that_nobody_knows_is_a_problem_document(client: httpx.Client, path: str) -> None:
    """API.md: errors are problem documents."""
    assert refused(client.get(path)) == (404, "no_such_route")


@pytest.mark.parametrize("path", ["/healthz", "/v1/kinds", "/openapi.json", "/metrics"])
def test_head_answers_as_get_does_without_the_body(client: httpx.Client, path: str) -> None:
    """Issue 6: HEAD."""
    answer = client.head(path)
    assert (answer.status_code, answer.content) == (200, b"")
    assert int(answer.headers["content-length"]) > 2


@pytest.mark.parametrize(
    "sent",
    [
        b"GARBAGE\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\n\r\n",
        b"POST /v1/recall HTTP/1.1\r\nHost: localhost\r\nContent-Length: many\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: \x00\r\n\r\n",
    ],
)
def test_bytes_that_are_no_request_get_a_problem_document_and_an_end(served: Served, sent: bytes) -> None:
    """API.md: errors are problem documents, also where nothing of ours was asked."""
    host = urlsplit(served.address)
    told = b""
    with socket.create_connection((host.hostname, host.port), timeout=30) as link:
        link.sendall(sent)
        while part := link.recv(65_536):
            told += part
    head, _, body = told.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400 Bad Request\r\n")
    assert b"content-type: application/problem+json" in head.lower()
    assert b"x-request-id: " in head.lower()
    assert b'"code":"malformed_request"' in body


@pytest.fixture
def pages(served_server: Server) -> Iterator[Keyed]:
    """A door that lets the pages of one other site ask."""
    settings = Settings(embedder="none", cors_origins=("https://app.example",))
    with fresh_address(served_server) as address:
        runtime = open_runtime(address, settings=settings)
        yield Keyed(runtime)
        runtime.close()


def preflight(door: Keyed, origin: str) -> httpx.Response:
    """Ask as a browser does before it sends a page's request."""
    asked = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization,content-type"}
    return door.ask("OPTIONS", "/v1/recall", headers={"Origin": origin, **asked})


def test_pages_of_a_listed_site_may_ask_with_a_key_and_of_no_other(pages: Keyed) -> None:
    """Issue 6: CORS where it is asked for."""
    key = pages.key("default").key
    allowed = preflight(pages, "https://app.example")
    assert (allowed.status_code, allowed.headers["access-control-allow-origin"]) == (200, "https://app.example")
    assert "access-control-allow-credentials" not in allowed.headers
    assert preflight(pages, "https://evil.example").status_code == 400
    body: dict[str, Any] = {"json": {"subject_id": "ana", "query": "tea"}}
    answer = pages.ask("POST", "/v1/recall", key, headers={"Origin": "https://app.example"}, **body)
    assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (200, "https://app.example")
    assert "X-Request-ID" in answer.headers["access-control-expose-headers"]
    without = pages.ask("POST", "/v1/recall", headers={"Origin": "https://app.example"}, **body)
    assert refused(without) == (401, "key_missing")
    other = pages.ask("POST", "/v1/recall", key, headers={"Origin": "https://evil.example"}, **body)
    assert "access-control-allow-origin" not in other.headers


def test_no_page_of_another_site_is_let_in_by_default(client: httpx.Client) -> None:
    """Issue 6: CORS off by default."""
    asked = {"Origin": "http://localhost:3000", "Access-Control-Request-Method": "POST"}
    answer = client.options("/v1/recall", headers=asked)
    assert answer.status_code == 405
    assert not [name for name in answer.headers if name.startswith("access-control-")]


@pytest.mark.parametrize(
    "origins", ["*", "https://app.example/", "app.example", "https://a.example, https://b.example", "null"]
)
def test_an_origin_that_is_none_is_told(origins: str) -> None:
    """HOUSE_STYLE, configuration: bounds; every site at once is no list of sites."""
    with pytest.raises(InvalidSettings, match="STEMMA_CORS_ORIGINS"):
        Settings.from_environment({"STEMMA_CORS_ORIGINS": origins})
    two = Settings.from_environment({"STEMMA_CORS_ORIGINS": "https://a.example,http://b.example:3000"})
    assert two.cors_origins == ("https://a.example", "http://b.example:3000")
