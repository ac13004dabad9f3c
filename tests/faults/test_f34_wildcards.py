"""F34: `%` and `_` match everything where user text goes into a pattern."""

from __future__ import annotations

import httpx
import pytest

LINES = ("rate 100% of quota", "rate 1000 of quota", "file_name column", "file-name column")


@pytest.fixture
def subject(client: httpx.Client, subject_id: str) -> str:
    """A subject of whom the four lines were kept."""
    episodes = [{"subject_id": subject_id, "text": line, "key": line} for line in LINES]
    client.post("/v1/episodes", json={"episodes": episodes})
    for line in LINES:
        client.post("/v1/memories", json={"subject_id": subject_id, "text": line, "key": f"kept {line}"})
    return subject_id


@pytest.mark.parametrize("include", ["memories", "episodes"])
@pytest.mark.parametrize(("query", "line"), [("100%", LINES[0]), ("file_name", LINES[2])])
def test_a_sign_of_patterns_finds_its_own_line_first(
    client: httpx.Client, subject: str, include: str, query: str, line: str
) -> None:
    """F34: as words, not as a pattern."""
    asked = {"subject_id": subject, "query": query, "include": [include], "k": 1}
    (item,) = client.post("/v1/recall", json=asked).json()["items"]
    found = item["memory"] if include == "memories" else item["episode"]
    assert found["text"] == line


@pytest.mark.parametrize("include", ["memories", "episodes"])
@pytest.mark.parametrize("query", ["_", "%", "\\", "%%", "'", '"', "*", ":*", "a & | !"])
def test_signs_alone_find_nothing(client: httpx.Client, subject: str, include: str, query: str) -> None:
    """F34: nothing, never everything; the same for signs of other search syntaxes."""
    asked = {"subject_id": subject, "query": query, "include": [include]}
    answer = client.post("/v1/recall", json=asked)
    assert (answer.status_code, answer.json()["items"]) == (200, [])


@pytest.mark.parametrize("key", ["%", "_", "kept %", "rate 100_ of quota", "\\"])
def test_a_key_is_compared_and_not_matched(client: httpx.Client, subject: str, key: str) -> None:
    """F34: the same for keys, in reading and in erasing."""
    assert client.get("/v1/episodes", params={"subject_id": subject, "key": key}).json()["items"] == []
    receipt = client.post("/v1/erase", json={"subject_id": subject, "episode_key": key}).json()
    assert set(receipt.values()) == {0}
    assert len(client.get("/v1/episodes", params={"subject_id": subject}).json()["items"]) == 8
