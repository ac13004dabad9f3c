"""The seed's ten-minute check, as printed there, against `stemma serve`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.serving import fork_server


@pytest.fixture
def client(address: str, tmp_path: Path) -> Iterator[httpx.Client]:
    """A client of a server on a new store."""
    running = fork_server(address, tmp_path / "log")
    with running.client() as one:
        yield one
    running.stop()


@pytest.fixture
def subject_id(client: httpx.Client) -> str:
    """A subject of whom something was said."""
    episode = {
        "subject_id": "user-4471",
        "key_parts": ["github", "acme", "api-server", "issue", "4471", "opened"],
        "text": "I am allergic to peanuts. I live in Lisbon.",
        "occurred_at": "2026-03-01T10:00:00Z",
    }
    outcome = client.post("/v1/episodes", json={"episodes": [episode]}).json()["results"][0]["outcome"]
    assert outcome == "created"
    return "user-4471"


def test_recompile_is_a_noop(client, subject_id):
    first = client.post("/v1/memories/compile", json={"subject_id": subject_id})
    assert first.json()["memories_created"] > 0

    second = client.post("/v1/memories/compile", json={"subject_id": subject_id})
    assert second.json()["memories_created"] == 0


def test_the_key_of_the_seed_is_the_key_of_the_episode(client: httpx.Client, subject_id: str) -> None:
    """R-20, R-81: parts joined by `:` are the whole key."""
    found = client.get("/v1/episodes", params={"subject_id": subject_id}).json()["items"]
    assert [one["key"] for one in found] == ["github:acme:api-server:issue:4471:opened"]


def test_a_second_compile_changes_nothing_at_all(client: httpx.Client, subject_id: str) -> None:
    """R-2, R-81: neither counts nor hash."""
    first = client.post("/v1/memories/compile", json={"subject_id": subject_id}).json()
    second = client.post("/v1/memories/compile", json={"subject_id": subject_id}).json()
    assert second.pop("state_hash") == first["state_hash"]
    assert set(second.values()) == {0}
