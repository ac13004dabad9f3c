"""`stemma serve` as a process: what it prints, what it refuses, how it ends, what outlives it."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from tests.serving import STEMMA, Served, environment, fork, fork_server, run, serve


@pytest.fixture
def own(address: str, tmp_path: Path) -> Iterator[Served]:
    """A server of the test's own, over an address."""
    running = fork_server(address, tmp_path / "log")
    yield running
    running.stop()


def test_the_address_is_printed_once_and_nothing_else(own: Served) -> None:
    """R-83: stdout carries the answer alone."""
    with own.client() as client:
        client.get("/healthz")
    assert own.stop() == 0
    assert own.said == b""
    host = urlsplit(own.address)
    assert (host.scheme, host.hostname) == ("http", "127.0.0.1")


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.7", "example.org"])
def test_an_address_that_the_network_reaches_is_refused(place: Path, host: str) -> None:
    """R-93, F58: binding to a non-loopback address without keys is refused at start, with advice."""
    done = run("serve", "--host", host, "--port", "0", "--json", "--store", str(place / "store"))
    told = json.loads(done.stderr)
    assert (done.returncode, done.stdout, told["code"]) == (2, b"", "exposed_address")
    assert "127.0.0.1" in told["detail"]
    assert not (place / "store").exists()


def test_the_network_is_answered_once_the_store_has_keys(address: str, tmp_path: Path) -> None:
    """R-93, F58: with keys an address of the network may be bound, and nobody is served there without one."""
    refused = fork("serve", "--host", "0.0.0.0", "--port", "0", "--json", "--store", address)
    assert (refused.returncode, json.loads(refused.stderr)["code"]) == (2, "exposed_address")
    key = fork("keys", "create", "--tenant", "acme", "--scopes", "read", "--json", "--store", address).answer["key"]
    running = fork_server(address, tmp_path / "log", "--host", "0.0.0.0")
    port = urlsplit(running.address).port
    named = {"Host": "memory.example"}
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", headers=named, timeout=60) as client:
            statuses = [
                client.get("/v1/subjects").status_code,
                client.get("/v1/subjects", headers={"X-API-Key": key}).status_code,
                client.get("/readyz").status_code,
            ]
    finally:
        assert running.stop() == 0
    assert statuses == [401, 200, 200]


def test_a_port_in_use_is_told(place: Path) -> None:
    """R-83: exit code 3, in one line."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = run("serve", "--port", str(taken.getsockname()[1]), "--store", str(place / "store"))
    assert (done.returncode, done.stdout) == (3, b"")
    assert done.stderr.decode().startswith("stemma: address_in_use: ")
    assert done.stderr.count(b"\n") == 1


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_gracefully(own: Served, ending: signal.Signals) -> None:
    """Issue 6: graceful shutdown; the embedded server ends with its last user."""
    with own.client() as client:
        client.post("/v1/episodes", json={"episodes": [{"subject_id": "ana", "text": "I live in Lisbon.", "key": "k"}]})
    assert own.end(ending) == 0
    assert "Traceback" not in own.log.read_text()


def test_what_was_acknowledged_is_there_after_a_restart(place: Path) -> None:
    """R-13: a crash loses no acknowledged write."""
    first = serve(place / "store", place / "log")
    episode = {"subject_id": "ana", "text": "I live in Lisbon.", "key": "k", "occurred_at": "2026-01-01T00:00:00Z"}
    with first.client() as client:
        sent = client.post("/v1/episodes", json={"episodes": [episode]}).json()["results"][0]
    assert first.end(signal.SIGKILL) == -signal.SIGKILL
    second = serve(place / "store", place / "log")
    try:
        with second.client() as client:
            again = client.post("/v1/episodes", json={"episodes": [episode]}).json()["results"][0]
    finally:
        second.stop()
    assert (sent["outcome"], again["outcome"]) == ("created", "duplicate")
    assert again["episode_id"] == sent["episode_id"]


def test_a_request_under_way_is_answered_before_the_end(own: Served) -> None:
    """Issue 6: graceful shutdown."""
    episodes = [
        {"subject_id": "ana", "text": f"Note {number} on the pump.", "key": str(number)} for number in range(1_000)
    ]
    body = json.dumps({"episodes": episodes}).encode()
    host = urlsplit(own.address)
    head = f"POST /v1/episodes HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    with socket.create_connection((host.hostname, host.port), timeout=60) as link:
        link.sendall(head.encode() + body[:-1])
        with own.client() as client:
            # Answered, so that the connection has been taken up.
            assert client.get("/healthz").status_code == 200
        link.sendall(body[-1:])
        own.process.send_signal(signal.SIGTERM)
        told = b""
        while part := link.recv(1 << 20):
            told += part
    assert told.startswith(b"HTTP/1.1 200 ")
    assert told.count(b'"outcome":"created"') == 1_000
    assert own.stop() == 0


def test_asking_again_and_again_changes_nothing_about_an_orderly_end(address: str, tmp_path: Path) -> None:
    """Issue 6: graceful shutdown; an impatient service manager sends SIGTERM until the process is gone."""
    running = serve(address, tmp_path / "log")
    deadline = time.monotonic() + 60
    while running.process.poll() is None and time.monotonic() < deadline:
        running.process.send_signal(signal.SIGTERM)
        time.sleep(0.004)
    assert running.stop() == 0


def test_it_compiles_what_is_new_where_asked(address: str, tmp_path: Path) -> None:
    """R-30: serve --compile-every S."""
    running = fork_server(address, tmp_path / "log", "--compile-every", "0.1")
    try:
        with running.client() as client:
            episode = {"subject_id": "ana", "text": "I am allergic to peanuts."}
            client.post("/v1/episodes", json={"episodes": [episode]})
            found: list[Any] = []
            deadline = time.monotonic() + 30
            while not found and time.monotonic() < deadline:
                time.sleep(0.05)
                found = client.get("/v1/memories", params={"subject_id": "ana"}).json()["items"]
    finally:
        assert running.stop() == 0
    assert [one["text"] for one in found] == ["I am allergic to peanuts"]


def test_two_servers_share_one_embedded_store(place: Path) -> None:
    """Issue 2: several processes on one embedded store; it ends with its last user."""
    one = fork_server(place / "store", place / "log")
    other = fork_server(place / "store", place / "other-log")
    try:
        with one.client() as first, other.client() as second:
            episode = {"subject_id": "ana", "text": "I live in Lisbon.", "key": "k"}
            first.post("/v1/episodes", json={"episodes": [episode]})
            assert one.stop() == 0
            found = second.get("/v1/episodes", params={"subject_id": "ana"}).json()["items"]
    finally:
        one.stop()
        assert other.stop() == 0
    assert [each["key"] for each in found] == ["k"]


def test_a_store_that_cannot_be_reached_is_told_at_start() -> None:
    """R-83: exit code 3."""
    done = run("serve", "--port", "0", "--store", "postgresql://nobody@127.0.0.1:1/none?connect_timeout=1")
    assert (done.returncode, done.stdout) == (3, b"")
    assert done.stderr.decode().startswith("stemma: store_unavailable: ")


def test_help_costs_half_a_second_at_most() -> None:
    """R-83: help is quick, since it loads neither the web server nor the store's driver."""
    code = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)\n"
    code += "used = resource.getrusage(resource.RUSAGE_CHILDREN); print(used.ru_utime + used.ru_stime)"
    done = subprocess.run(
        [STEMMA[0], "-c", code, *STEMMA, "--help"], env=environment(), capture_output=True, check=True
    )
    assert float(done.stdout) < 0.5
