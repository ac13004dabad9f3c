"""What the HTTP door refuses, by status, code and field (API.md), and what stands in every answer."""

from __future__ import annotations

import socket
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import httpx
import pytest

from tests.serving import Served


def problem(answer: httpx.Response) -> tuple[int, str, list[str]]:
    """Return status, code and fields of a problem document, having checked its form."""
    found = answer.json()
    assert answer.headers["content-type"] == "application/problem+json"
    assert set(found) == {"type", "title", "status", "detail", "code", "errors"}
    assert found["status"] == answer.status_code
    assert found["detail"]
    return found["status"], found["code"], found["errors"]


@pytest.mark.parametrize(
    ("method", "path", "expected"),
    [
        ("GET", "/", (404, "no_such_route", [])),
        ("GET", "/v1/nothing", (404, "no_such_route", [])),
        ("GET", "/v1/episodes/", (404, "no_such_route", [])),
        ("PUT", "/v1/episodes", (405, "method_not_allowed", [])),
        ("GET", "/v1/recall", (405, "method_not_allowed", [])),
        ("GET", "/v1/memories/unknown", (404, "not_found", [])),
        ("GET", "/v1/episodes/unknown", (404, "not_found", ["episode_id"])),
        ("GET", "/v1/memories/unknown/history", (404, "not_found", [])),
        ("DELETE", "/v1/memories/unknown", (404, "not_found", [])),
        ("GET", "/v1/memories?subject_id=s&limit=501", (422, "invalid", ["limit"])),
        ("GET", "/v1/memories?subject_id=s&limit=ten", (422, "invalid", ["limit"])),
        ("GET", "/v1/memories?subject_id=s&limit=1&limit=2", (422, "invalid", ["limit"])),
        ("GET", "/v1/memories?subject_id=s&kid=fact", (422, "unknown_field", ["kid"])),
        ("GET", "/v1/decisions?subject_id=%01", (422, "control_character", ["subject_id"])),
        ("GET", "/v1/decisions", (422, "invalid", ["subject_id"])),
        ("GET", "/v1/decisions?subject_id=%ff", (422, "invalid_unicode", [])),
        ("GET", "/v1/memories/%ff", (422, "invalid_unicode", [])),
    ],
)
def test_a_request_that_cannot_be_served_is_refused_by_name(
    client: httpx.Client, method: str, path: str, expected: tuple[int, str, list[str]]
) -> None:
    """API.md, errors."""
    assert problem(client.request(method, path)) == expected


@pytest.mark.parametrize(
    ("path", "body", "expected"),
    [
        ("/v1/recall", b'{"subject_id": "s"', (400, "malformed_json", [])),
        ("/v1/recall", b'{"subject_id": "s", "query": NaN}', (400, "malformed_json", [])),
        ("/v1/recall", b'{"subject_id": "s", "query": "a", "query": "b"}', (400, "malformed_json", [])),
        ("/v1/recall", b'{"subject_id": "s", "query": "\xff"}', (422, "invalid_unicode", [])),
        ("/v1/recall", b'{"subject_id": "s", "query": "\\ud800"}', (422, "invalid_unicode", ["query"])),
        ("/v1/recall", b'{"subject_id": "s", "query": "\\u0000"}', (422, "control_character", ["query"])),
        ("/v1/recall", b"[" * 65 + b"]" * 65, (422, "nesting_too_deep", [])),
        ("/v1/recall", b"[]", (422, "invalid", [])),
        ("/v1/recall", b"", (422, "invalid", ["subject_id", "query"])),
        ("/v1/episodes", b'{"episodes": []}', (422, "invalid", ["episodes"])),
        ("/v1/episodes", b'{"episodes": {}}', (422, "invalid", ["episodes"])),
        ("/v1/episodes", b'{"episode": [{}]}', (422, "unknown_field", ["episodes", "episode"])),
        (
            "/v1/conflicts/c/resolve",
            b'{"conflict_id": "d", "keep_both": true}',
            (422, "unknown_field", ["conflict_id"]),
        ),
    ],
)
def test_a_body_that_cannot_be_accepted_is_refused_by_name(
    client: httpx.Client, path: str, body: bytes, expected: tuple[int, str, list[str]]
) -> None:
    """API.md, errors: over a limit, unknown fields, wrong types."""
    assert problem(client.post(path, content=body)) == expected


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"subject_id": "s", "query": " "}, (422, "invalid", ["query"])),
        ({"subject_id": "s", "query": "q" * 16_385}, (422, "payload_too_large", ["query"])),
        ({"subject_id": "s", "query": "q", "now": "2026-01-01T00:00:00"}, (422, "naive_datetime", ["now"])),
        ({"subject_id": "s", "query": "q", "k": "10"}, (422, "invalid", ["k"])),
        ({"subject_id": "s", "query": "q", "querry": "q"}, (422, "unknown_field", ["querry"])),
    ],
)
def test_recall_says_which_field_is_at_fault(
    client: httpx.Client, fields: dict[str, Any], expected: tuple[int, str, list[str]]
) -> None:
    """API.md: recall."""
    assert problem(client.post("/v1/recall", json=fields)) == expected


def test_a_negative_budget_is_refused_and_a_budget_of_none_is_an_empty_text(
    client: httpx.Client, subject_id: str
) -> None:
    """API.md: budget 0 gives "" and 0 tokens; a negative one is 422."""
    asked = {"subject_id": subject_id, "query": "coffee"}
    refused = client.post("/v1/bundle", json={**asked, "budget_tokens": -1})
    assert problem(refused) == (422, "invalid", ["budget_tokens"])
    answer = client.post("/v1/bundle", json={**asked, "budget_tokens": 0}).json()
    assert (answer["text"], answer["tokens"]) == ("", 0)


def test_a_batch_over_a_thousand_is_refused_whole(client: httpx.Client, subject_id: str) -> None:
    """API.md: 1 to 1,000 episodes."""
    episodes = [{"subject_id": subject_id, "text": f"Note {number}"} for number in range(1_001)]
    assert problem(client.post("/v1/episodes", json={"episodes": episodes})) == (422, "payload_too_large", ["episodes"])
    assert client.get("/v1/episodes", params={"subject_id": subject_id}).json()["items"] == []


def test_a_fault_within_one_item_is_that_items(client: httpx.Client, subject_id: str) -> None:
    """R-23: one bad item never fails the rest; 422 is for the envelope."""
    good = {"subject_id": subject_id, "text": "I live in Lisbon.", "key": "good"}
    bad = [
        {"subject_id": subject_id, "text": "a", "occurred_at": "2026-01-01T00:00:00"},
        {"subject_id": subject_id, "txet": "a"},
        {"subject_id": subject_id, "text": "a\x00"},
        {"subject_id": None, "text": "a"},
        "text",
    ]
    answer = client.post("/v1/episodes", json={"episodes": [*bad, good]})
    results = answer.json()["results"]
    assert answer.status_code == 200
    assert [one["index"] for one in results] == [0, 1, 2, 3, 4, 5]
    assert [one["outcome"] for one in results] == ["rejected"] * 5 + ["created"]
    codes = [one["error"]["code"] for one in results[:5]]
    assert codes == ["naive_datetime", "unknown_field", "control_character", "invalid", "invalid"]


@pytest.mark.parametrize("scope", ["", " ", None, [], "*"])
@pytest.mark.parametrize(
    ("path", "more"),
    [
        ("/v1/recall", {"query": "q"}),
        ("/v1/bundle", {"query": "q"}),
        ("/v1/memories/compile", {}),
        ("/v1/memories", {"text": "t"}),
        ("/v1/erase", {}),
    ],
)
def test_a_malformed_scope_answers_nothing(client: httpx.Client, path: str, more: dict[str, Any], scope: Any) -> None:
    """F31: every malformed scope is an error with no items."""
    status, _, fields = problem(client.post(path, json={"subject_id": scope, **more}))
    assert (status, fields) == (422, ["subject_id"])


@pytest.mark.parametrize("path", ["/v1/memories", "/v1/decisions", "/v1/conflicts", "/v1/episodes"])
@pytest.mark.parametrize("scope", ["?subject_id=", "?subject_id=%20", "?subject_id=*", ""])
def test_a_list_without_its_scope_answers_nothing(client: httpx.Client, path: str, scope: str) -> None:
    """F31: also where the scope is in the query or absent."""
    status, _, fields = problem(client.get(f"{path}{scope}"))
    assert (status, fields) == (422, ["subject_id"])


def test_a_body_that_says_it_is_too_large_is_not_read(served: Served) -> None:
    """API.md: limits on bodies."""
    host = urlsplit(served.address)
    head = b"POST /v1/episodes HTTP/1.1\r\nHost: localhost\r\nContent-Length: 67108865\r\n\r\n"
    with socket.create_connection((host.hostname, host.port), timeout=30) as link:
        link.sendall(head)
        told = b""
        while b"}" not in told:
            told += link.recv(65_536)
    assert told.startswith(b"HTTP/1.1 413 ")
    assert b'"code":"payload_too_large"' in told


def test_a_body_that_grows_too_large_is_cut_off(served: Served) -> None:
    """API.md: limits on bodies, also where the length is not told."""
    host = urlsplit(served.address)
    head = b"POST /v1/episodes HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
    part = b"100000\r\n" + b" " * 1_048_576 + b"\r\n"
    with socket.create_connection((host.hostname, host.port), timeout=30) as link:
        link.sendall(head + part * 64)
        link.sendall(b"1\r\n \r\n")
        told = link.recv(65_536)
    assert told.startswith(b"HTTP/1.1 413 ")


def test_a_request_id_is_echoed_or_made(client: httpx.Client) -> None:
    """Issue 6: request ids; one that could break a log line is replaced."""
    assert client.get("/healthz", headers={"X-Request-ID": "abc-1"}).headers["x-request-id"] == "abc-1"
    made = client.get("/healthz").headers["x-request-id"]
    assert made != client.get("/healthz").headers["x-request-id"]
    assert client.get("/healthz", headers={"X-Request-ID": "a b{}"}).headers["x-request-id"] != "a b{}"


def test_health_is_told_apart_from_readiness(client: httpx.Client) -> None:
    """API.md: /healthz and /readyz."""
    for path in ("/healthz", "/readyz"):
        answer = client.get(path)
        assert (answer.status_code, answer.json()["status"]) == (200, "ok")


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        (b"[" * 100 + b"]" * 100, "nesting_too_deep"),
        (b"1e400", "malformed_json"),
        (b"NaN", "malformed_json"),
        (b"9" * 5_000, "malformed_json"),
        (b'{"a": 1, "a": 2}', "malformed_json"),
    ],
)
def test_json_that_cannot_be_taken_inside_an_item_rejects_that_item_alone(
    client: httpx.Client, fault: bytes, code: str
) -> None:
    """R-23: the item before and the item after are created."""
    subject = str(uuid4()).encode()
    good = b'{"subject_id": "' + subject + b'", "key": "%s", "text": "Stripe charges 2.9%%"}'
    bad = b'{"subject_id": "s", "key": "bad", "text": "x", "metadata": {"deep": ' + fault + b"}}"
    body = b'{"episodes": [' + good % b"one" + b", " + bad + b", " + good % b"two" + b"]}"
    answer = client.post("/v1/episodes", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 200
    outcomes = [(one["outcome"], (one["error"] or {}).get("code")) for one in answer.json()["results"]]
    assert outcomes == [("created", None), ("rejected", code), ("created", None)]


def test_json_that_cannot_be_taken_beside_the_items_refuses_the_request(client: httpx.Client) -> None:
    """API.md: 422 and 400 are for the envelope."""
    body = b'{"episodes": [{"subject_id": "s", "text": "x"}], "more": 1e400}'
    answer = client.post("/v1/episodes", content=body, headers={"content-type": "application/json"})
    assert problem(answer) == (400, "malformed_json", [])
