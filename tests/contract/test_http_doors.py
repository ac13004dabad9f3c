"""Who may ask a server without keys (R-93, F58), by raw requests, since clients write these headers themselves."""

from __future__ import annotations

import json
import socket
import time

import httpx
import pytest

from tests.serving import Served

EPISODE = {"subject_id": "door", "text": "My name is Ana."}


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1.evil.example"},
        {"Origin": "http://evil.example:80@127.0.0.1.evil"},
        {"Host": "rebind.example"},
        {"Host": "rebind.example:8765"},
        {"Host": "127.0.0.1.rebind.example"},
        {"Host": "0.0.0.0"},
        {"Host": "192.168.1.7"},
        {"Host": "127.0.0.1:nonsense"},
        {"Host": "rebind.example@127.0.0.1"},
        {"Host": "127.0.0.1/rebind.example"},
        {"Origin": "http://evil.example\\@127.0.0.1"},
    ],
)
@pytest.mark.parametrize(("method", "path"), [("POST", "/v1/episodes"), ("GET", "/v1/kinds"), ("GET", "/openapi.json")])
def test_a_foreign_name_or_page_is_refused(
    client: httpx.Client, headers: dict[str, str], method: str, path: str
) -> None:
    """F58, R-93: a page of another site cannot write or read here."""
    body = {"json": {"episodes": [EPISODE]}} if method == "POST" else {}
    answer = client.request(method, path, headers=headers, **body)
    assert answer.status_code == 403
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["code"] == ("foreign_origin" if "Origin" in headers else "foreign_host")
    assert "access-control-allow-origin" not in answer.headers


def test_a_client_that_leaves_amid_its_body_is_no_fault_of_ours(client: httpx.Client) -> None:
    """R-94: it counts as no 5xx, of which an operator is woken."""
    start = "POST /v1/recall HTTP/1.1", f"Host: {client.base_url.host}", "Content-Type: application/json"
    before = recalls_by_status(client)
    with socket.create_connection((client.base_url.host, client.base_url.port or 80), timeout=60) as line:
        line.sendall("\r\n".join([*start, "Content-Length: 99", "", "{"]).encode())
    for _ in range(100):
        counted = recalls_by_status(client)
        if counted != before:
            break
        time.sleep(0.05)
    assert counted == {**before, "400": before.get("400", 0) + 1}


def recalls_by_status(client: httpx.Client) -> dict[str, float]:
    """Read how many recalls the server has answered, by status."""
    named = 'stemma_http_requests_total{operation="recall",status="'
    lines = [each.removeprefix(named) for each in client.get("/metrics").text.splitlines() if each.startswith(named)]
    return {each[:3]: float(each.partition(" ")[2]) for each in lines}


def test_what_was_refused_was_not_done(client: httpx.Client, subject_id: str) -> None:
    """F58: refused before anything is written."""
    episode = {"subject_id": subject_id, "text": "My name is Ana.", "key": "k"}
    client.post("/v1/episodes", json={"episodes": [episode]}, headers={"Origin": "https://evil.example"})
    assert client.get("/v1/episodes", params={"subject_id": subject_id}).json()["items"] == []


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "LOCALHOST:1", "127.3.2.1:8765", "[::1]:8765", "localhost."]
)
def test_a_loopback_name_is_served(client: httpx.Client, host: str) -> None:
    """R-93: loopback without a key works."""
    assert client.get("/healthz", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("origin", ["http://localhost:3000", "http://127.0.0.1:8765", "http://[::1]:1"])
def test_a_page_of_this_machine_is_served(client: httpx.Client, origin: str) -> None:
    """R-93: only a foreign origin is refused."""
    answer = client.get("/healthz", headers={"Origin": origin})
    assert answer.status_code == 200
    assert "access-control-allow-origin" not in answer.headers


def test_a_preflight_is_not_granted(client: httpx.Client) -> None:
    """F58: CORS is off."""
    headers = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
    answer = client.options("/v1/episodes", headers=headers)
    assert answer.status_code == 403
    assert not [name for name in answer.headers if name.startswith("access-control")]


def test_the_tenant_is_not_taken_from_a_header(client: httpx.Client, subject_id: str) -> None:
    """F58: a tenant named by the caller is not believed; keyless work is the default tenant's."""
    episode = {"subject_id": subject_id, "text": "My name is Ana.", "key": "k"}
    client.post("/v1/episodes", json={"episodes": [episode]}, headers={"X-Tenant": "a", "X-Tenant-ID": "a"})
    found = client.get("/v1/episodes", params={"subject_id": subject_id}, headers={"X-Tenant": "b"}).json()
    assert [one["key"] for one in found["items"]] == ["k"]


def test_the_log_holds_routes_and_no_words(served: Served, client: httpx.Client, subject_id: str) -> None:
    """R-94: logs without memory text at INFO; F58: nothing from a query string."""
    client.get("/v1/episodes", params={"subject_id": "whisper-subject", "key": "whisper-key"})
    client.post("/v1/episodes", json={"episodes": [{"subject_id": subject_id, "text": "whisper-text"}]})
    client.post("/v1/episodes", json={"whisper-field": 1})
    client.get("/whisper-path", headers={"X-Request-ID": "seen-7"})
    lines = [json.loads(line) for line in served.log.read_text().splitlines()]
    assert "whisper" not in json.dumps(lines)
    mine = [line for line in lines if line.get("request_id") == "seen-7"]
    assert [(line["event"], line["method"], line["route"], line["status"]) for line in mine] == [
        ("answered", "GET", "none", 404)
    ]
