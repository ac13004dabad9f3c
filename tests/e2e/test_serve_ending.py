"""How a server ends: what is under way is finished, nothing new is begun, and what is left is still to be done."""

from __future__ import annotations

import json
import signal
import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from urllib.parse import urlsplit

import pytest

from stemma.app.backlog import Waiting, waiting
from stemma.app.observing import COMPILE, StageRecord, Step
from stemma.edges.background import Chore, chores
from tests.contract.keyed import Keyed, fresh_runtime
from tests.serving import fork_server
from tests.stores import Server


def test_at_the_end_no_new_connection_is_taken_and_an_old_one_is_served(address: str, tmp_path: Path) -> None:
    """Issue 6: graceful shutdown; the request's body is still coming when the signal does."""
    running = fork_server(address, tmp_path / "log")
    host = urlsplit(running.address)
    body = json.dumps({"subject_id": "ana", "text": "I like tea."}).encode()
    head = f"POST /v1/memories HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    with socket.create_connection((host.hostname, host.port), timeout=60) as link:
        link.sendall(head + body[:10])
        with running.client() as client:
            # Answered, so that what was sent before has been taken up.
            assert client.get("/healthz").status_code == 200
        running.process.send_signal(signal.SIGTERM)
        deadline = time.monotonic() + 25
        while time.monotonic() < deadline:
            try:
                socket.create_connection((host.hostname, host.port), timeout=5).close()
            except ConnectionRefusedError:
                break
            time.sleep(0.02)
        else:
            raise AssertionError("new connections were still taken")
        link.sendall(body[10:])
        told = b""
        while part := link.recv(1 << 20):
            told += part
    assert told.startswith(b"HTTP/1.1 200 ")
    assert b'"outcome":"created"' in told
    assert running.stop() == 0


class Ender:
    """Ends what is beside a server as soon as one subject was compiled."""

    def __init__(self, ending: Event) -> None:
        self._ending = ending

    @contextmanager
    def watch(self, step: Step) -> Iterator[None]:
        """Set the end after a compile."""
        yield
        if step.name == COMPILE:
            self._ending.set()

    def staged(self, stages: Sequence[StageRecord]) -> None:
        """Nothing."""

    def close(self) -> None:
        """Nothing."""


@pytest.mark.parametrize("kind", ["embedded", "served"])
def test_a_long_backlog_does_not_hold_the_end_up(request: pytest.FixtureRequest, kind: str) -> None:
    """Issue 6, R-13: the subject at hand is compiled, and the others wait for whoever comes next."""
    server: Server = request.getfixturevalue(f"{kind}_server")
    with fresh_runtime(server) as runtime:
        said = [{"subject_id": name, "text": "I like tea."} for name in ("ana", "bob", "eve")]
        assert Keyed(runtime).ask("POST", "/v1/episodes", json={"episodes": said}).status_code == 200
        first = compiling(chores(runtime, compile_every_seconds=1))
        runtime.observers.add(Ender(first.ending))
        assert first.work() == 1
        assert waiting(runtime) == Waiting(2, 0)
        assert first.work() == 0
        assert compiling(chores(runtime, compile_every_seconds=1)).work() == 2
        assert waiting(runtime) == Waiting(0, 0)


def compiling(todo: Sequence[Chore]) -> Chore:
    """Return the chore that compiles."""
    return next(one for one in todo if one.name == "compile")
