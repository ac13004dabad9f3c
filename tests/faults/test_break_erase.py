"""What an erasure must neither miss nor overshoot (R-92, D-22, F31's kind)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from stemma import Stemma
from stemma.errors import InvalidInput


@pytest.fixture
def memory(place: Path) -> Iterator[Stemma]:
    """A store of its own, words alone."""
    with Stemma(place / "store", embedder="none") as opened:
        yield opened


def test_an_erased_wording_does_not_live_on_in_a_human_act(memory: Stemma) -> None:
    """R-92: the act goes on naming what is left; no line of the export holds the words that were erased."""
    memory.put_source("strong", authority=90)
    plain = {"subject_id": "ana", "key": "k2", "occurred_at": "2026-01-01T09:00:00Z"}
    memory.add_episodes([plain | {"claims": [{"key": "seats", "value": "10"}]}])
    shown = {"key": "seats", "value": "10", "text": "SECRET WORDS"}
    memory.add_episodes([plain | {"key": "sh", "source": "strong", "claims": [shown]}])
    memory.compile_memories("ana")
    [only] = memory.list_memories("ana").items
    assert only.text == "SECRET WORDS"
    memory.patch_memory(only.id, importance=1.0)
    memory.erase("ana", episode_key="sh")
    lines: list[str] = []
    memory.export_log(lines.append)
    assert not [line for line in lines if "SECRET" in line]
    [left] = memory.list_memories("ana").items
    assert (left.text, left.importance) == ("seats: 10", 1.0)
    assert memory.verify().sound


def test_a_null_key_erases_nothing(memory: Stemma) -> None:
    """F31: a key that got lost on the way must not mean the whole subject."""
    memory.remember("ana", "I live in Lisbon.")
    with pytest.raises(InvalidInput, match="episode_key"):
        memory.erase("ana", episode_key=None)  # type: ignore[typeddict-item]
    assert [each.text for each in memory.list_memories("ana").items] == ["I live in Lisbon."]


def test_a_null_key_over_http_is_refused_by_field(client: httpx.Client, subject_id: str) -> None:
    """F31 over HTTP: 422 naming the field, and the memory is still there."""
    client.post("/v1/memories", json={"subject_id": subject_id, "text": "I live in Lisbon."}).raise_for_status()
    refused = client.post("/v1/erase", json={"subject_id": subject_id, "episode_key": None})
    assert (refused.status_code, refused.json()["errors"]) == (422, ["episode_key"])
    left = client.get("/v1/memories", params={"subject_id": subject_id}).json()["items"]
    assert len(left) == 1
