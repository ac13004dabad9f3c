"""F14 with a connection that is really cut: through `stemma serve`, and 400 days on in process."""

from __future__ import annotations

import json
import shutil
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Barrier
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from stemma import Stemma
from tests.serving import Served, fork_server
from tests.spine_clock import Clock
from tests.stores import open_folder

BODY = {"subject_id": "Ada", "text": "I prefer dark mode", "occurred_at": "2026-03-01T10:00:00Z"}


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder for a store that a server and then this process open."""
    one = open_folder()
    yield one
    shutil.rmtree(one)


def cut_before_the_reply(server: Served, key: str) -> None:
    """Send a remember and close the connection without reading a byte."""
    place = urlsplit(server.address)
    body = json.dumps(BODY).encode()
    head = f"POST /v1/memories HTTP/1.1\r\nHost: {place.netloc}\r\nContent-Type: application/json\r\n"
    head += f"Idempotency-Key: {key}\r\nContent-Length: {len(body)}\r\n\r\n"
    with socket.create_connection((str(place.hostname), int(place.port or 0))) as one:
        one.sendall(head.encode() + body)


def remember(server: Served, body: dict[str, Any], key: str, together: Barrier | None = None) -> httpx.Response:
    """Remember under an idempotency key."""
    with server.client() as client:
        if together:
            together.wait()
        return client.post("/v1/memories", json=body, headers={"Idempotency-Key": key})


def test_a_remember_whose_reply_was_lost_is_one_memory_however_often_it_is_sent(folder: Path) -> None:
    """F14, R-1, R-20: one episode id in every reply; another body enters nothing; 400 days change nothing.

    Breaks when the key is generated at the server, when its guard has a time to live, or when two equal requests at
    once both find nothing and both write.
    """
    server = fork_server(folder / "store", folder / "log")
    try:
        cut_before_the_reply(server, "K")
        barrier = Barrier(2)
        with ThreadPoolExecutor(2) as pool:
            twice = list(pool.map(lambda _: remember(server, BODY, "K", barrier), range(2)))
        other = remember(server, BODY | {"text": "I prefer light mode"}, "K")
        assert [one.status_code for one in (*twice, other)] == [200, 200, 200]
        replies = [one.json()["episode"] for one in (*twice, other)]
    finally:
        assert server.stop() == 0
    assert sum(one["outcome"] == "created" for one in replies) <= 1
    assert {one["outcome"] for one in replies[:2]} <= {"created", "duplicate"}
    assert (replies[2]["outcome"], replies[2]["content_changed"]) == ("duplicate", True)
    assert {one["key"] for one in replies} == {"K"}
    assert len({one["episode_id"] for one in replies}) == 1
    assert [one.json()["memories"][0]["text"] for one in twice] == ["I prefer dark mode"] * 2

    clock = Clock(datetime.now(UTC) + timedelta(days=400))
    with Stemma(folder / "store", clock=clock, embedder="none") as stemma:
        late = stemma.remember(key="K", **BODY)
        assert (late.episode.outcome, late.episode.episode_id) == ("duplicate", replies[0]["episode_id"])
        for _ in range(2):
            counts = stemma.compile_memories("Ada").model_dump()
            del counts["state_hash"]
            assert set(counts.values()) == {0}
        assert [one.key for one in stemma.find_episodes("Ada").items] == ["K"]
        [memory] = stemma.list_memories("Ada", status="all").items
        assert (memory.text, memory.times_said) == ("I prefer dark mode", 1)
        assert memory.last_said_at == datetime(2026, 3, 1, 10, tzinfo=UTC)
