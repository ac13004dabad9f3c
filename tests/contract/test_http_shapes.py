"""The shapes of API.md by name: programs outside are written against these, so a field may come but none may go."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from stemma.app.models_base import PageRequest
from stemma.app.operations import OPERATIONS, Operation

MEMORY = set(
    "id subject_id kind original_kind injection authority text claim status importance confidence first_said_at "
    "last_said_at times_said independent_origins valid_from valid_to stale superseded_by superseded_from spells held "
    "last_recalled_at recall_count extractor documents episodes".split()
)
DECISION = set(
    "id rule winner_id loser_id winner_episodes loser_episodes score threshold decided_at undone_at extractor".split()
)
COMPILED = set(
    "episodes_compiled memories_created memories_restated memories_superseded memories_retracted memories_reinstated "
    "memories_quarantined episodes_parked conflicts_opened state_hash".split()
)


def claim(number: int, value: str, **more: Any) -> dict[str, Any]:
    """Return an episode that states a fee."""
    at = f"2026-01-{number:02d}T10:00:00Z"
    return {"key": f"fee:{number}", "occurred_at": at, "claims": [{"key": "fee", "value": value, **more}]}


def add(client: httpx.Client, subject_id: str, *episodes: dict[str, Any]) -> list[dict[str, Any]]:
    """Send episodes of one subject and return their outcomes."""
    answer = client.post("/v1/episodes", json={"episodes": [{"subject_id": subject_id, **one} for one in episodes]})
    assert answer.status_code == 200
    results: list[dict[str, Any]] = answer.json()["results"]
    return results


@pytest.fixture
def superseded(client: httpx.Client, subject_id: str) -> str:
    """A subject with one fee that took over from another."""
    client.put("/v1/claim-keys/fee", json={"cardinality": "single", "policy": "latest"})
    add(client, subject_id, claim(1, "3.5%"), claim(2, "2.9%"))
    client.post("/v1/memories/compile", json={"subject_id": subject_id})
    return subject_id


def test_an_outcome_has_its_names(client: httpx.Client, subject_id: str) -> None:
    """API.md: POST /v1/episodes."""
    created, rejected = add(client, subject_id, {"text": "I live in Lisbon."}, {"text": 7})
    assert set(created) >= {"index", "key", "episode_id", "outcome", "content_changed", "error"}
    assert (created["outcome"], created["error"], created["content_changed"]) == ("created", None, False)
    assert set(rejected["error"]) == {"code", "detail"}


def test_an_episode_shows_its_sayings_revisions_and_gate_records(client: httpx.Client, subject_id: str) -> None:
    """API.md: GET /v1/episodes/{id}."""
    said = {"text": "Would I live in Lisbon?", "key": "k", "occurred_at": "2026-01-01T12:00:00+02:00"}
    (sent,) = add(client, subject_id, said)
    client.post("/v1/memories/compile", json={"subject_id": subject_id})
    episode = client.get(f"/v1/episodes/{sent['episode_id']}").json()
    assert (episode["subject_id"], episode["key"], episode["source"]) == (subject_id, "k", "api")
    assert [one["text"] for one in episode["revisions"]] == ["Would I live in Lisbon?"]
    assert [one["occurred_at"] for one in episode["sayings"]] == ["2026-01-01T12:00:00+02:00"]
    assert [one["passed"] for one in episode["gates"]] == [False]


def test_a_compile_answers_counts_and_a_hash(client: httpx.Client, superseded: str) -> None:
    """API.md: POST /v1/memories/compile; the hash is that of one subject."""
    one = client.post("/v1/memories/compile", json={"subject_id": superseded}).json()
    assert set(one) >= COMPILED
    assert isinstance(one["state_hash"], str)
    assert client.post("/v1/memories/compile", json={}).json()["state_hash"] is None
    assert client.post("/v1/memories/compile").status_code == 200


def test_a_memory_has_its_names_and_an_entry_for_each_saying(client: httpx.Client, superseded: str) -> None:
    """API.md: Memory."""
    page = client.get("/v1/memories", params={"subject_id": superseded}).json()
    assert set(page) == {"items", "next_cursor"}
    (memory,) = page["items"]
    assert set(memory) >= MEMORY
    assert memory["claim"] == {"key": "fee", "value": "2.9%", "polarity": "affirmed"}
    (saying,) = memory["episodes"]
    assert set(saying) >= {"episode_id", "key", "occurred_at", "role", "span"}
    assert (saying["key"], saying["role"], saying["effect"]) == ("fee:2", "user", "support")
    assert client.get(f"/v1/memories/{memory['id']}").json() == memory


def test_a_typed_fact_is_looked_up_by_its_value(client: httpx.Client, superseded: str) -> None:
    """API.md: GET /v1/memories?claim_key=&value=."""
    params = {"subject_id": superseded, "claim_key": "fee", "value": "3.5%", "status": "all"}
    (old,) = client.get("/v1/memories", params=params).json()["items"]
    (new,) = client.get("/v1/memories", params={"subject_id": superseded, "claim_key": "fee"}).json()["items"]
    assert (old["status"], old["superseded_by"]) == ("superseded", new["id"])
    everywhere = client.get("/v1/memories", params={"claim_key": "fee", "value": "2.9%"}).json()["items"]
    assert new["id"] in [one["id"] for one in everywhere]


def test_a_decision_names_both_sides_evidence(client: httpx.Client, superseded: str) -> None:
    """API.md: GET /v1/decisions and /v1/memories/{id}/history; R-3."""
    page = client.get("/v1/decisions", params={"subject_id": superseded}).json()
    assert set(page) == {"items", "next_cursor"}
    (decision,) = page["items"]
    assert set(decision) >= DECISION
    episodes = {
        one["key"]: one["episode_id"]
        for one in client.get("/v1/episodes", params={"subject_id": superseded}).json()["items"]
    }
    assert decision["winner_episodes"] == [episodes["fee:2"]]
    assert decision["loser_episodes"] == [episodes["fee:1"]]
    for side in ("winner_id", "loser_id"):
        assert client.get(f"/v1/memories/{decision[side]}/history").json()["items"] == [decision]


def test_recall_answers_items_with_their_scores(client: httpx.Client, superseded: str) -> None:
    """API.md: POST /v1/recall."""
    answer = client.post("/v1/recall", json={"subject_id": superseded, "query": "fee 2.9%"}).json()
    assert set(answer) >= {"items", "trace_id", "uncompiled", "index_state"}
    (item,) = answer["items"]
    assert set(item) >= {"memory", "score", "similarity", "importance", "recency", "forced"}
    assert set(item["memory"]) >= MEMORY
    assert item["score"] == pytest.approx(item["similarity"] * item["importance"] * item["recency"])


def test_recall_of_episodes_answers_excerpts_in_place_of_memories(client: httpx.Client, subject_id: str) -> None:
    """API.md: `include: ["episodes"]`."""
    add(client, subject_id, {"text": "The pump in shed 3 was greased with lithium soap.", "key": "pump"})
    asked = {"subject_id": subject_id, "query": "lithium soap pump", "include": ["episodes"]}
    (item,) = client.post("/v1/recall", json=asked).json()["items"]
    assert "memory" not in item
    assert set(item["episode"]) >= {"episode_id", "key", "span", "text", "occurred_at", "role"}
    assert item["episode"]["key"] == "pump"


def test_a_bundle_answers_sections_and_grounding(client: httpx.Client, superseded: str) -> None:
    """API.md: POST /v1/bundle."""
    answer = client.post("/v1/bundle", json={"subject_id": superseded, "query": "What is the fee?"}).json()
    assert set(answer) >= {"text", "sections", "tokens", "grounding", "trace_id"}
    assert set(answer["grounding"]) == {"verdict", "coverage", "directive"}
    assert 0 < answer["tokens"] <= 2_000
    section = next(one for one in answer["sections"] if one["name"] == "memories")
    assert set(section["items"][0]) >= {"id", "text", "date", "provenance"}
    assert "2.9%" in answer["text"]
    assert "3.5%" not in answer["text"]


def test_remember_answers_its_episode_and_its_memory(client: httpx.Client, subject_id: str) -> None:
    """API.md: POST /v1/memories."""
    answer = client.post("/v1/memories", json={"subject_id": subject_id, "text": "Ana prefers oat milk."}).json()
    assert set(answer) == {"episode", "memories"}
    assert answer["episode"]["outcome"] == "created"
    (memory,) = answer["memories"]
    assert set(memory) >= MEMORY


def test_an_idempotency_key_is_the_key_where_none_is_given(client: httpx.Client, subject_id: str) -> None:
    """API.md: the header; R-1: the answer to a retry is `duplicate`."""
    header = {"Idempotency-Key": "retry-7"}
    body = {"subject_id": subject_id, "text": "Ana prefers oat milk."}
    first = client.post("/v1/memories", json=body, headers=header).json()["episode"]
    again = client.post("/v1/memories", json=body, headers=header).json()["episode"]
    assert (first["key"], first["outcome"], again["outcome"]) == ("retry-7", "created", "duplicate")
    batch = {
        "episodes": [{"subject_id": subject_id, "text": "I live in Lisbon."}, {"subject_id": subject_id, "text": "x"}]
    }
    sent = [client.post("/v1/episodes", json=batch, headers={"Idempotency-Key": "b"}).json()["results"] for _ in "12"]
    assert [[one["outcome"] for one in results] for results in sent] == [["created"] * 2, ["duplicate"] * 2]
    assert len({one["key"] for one in sent[0]}) == 2


def test_a_patch_is_recorded_and_takes_effect_before_it_answers(client: httpx.Client, superseded: str) -> None:
    """API.md: PATCH /v1/memories/{id}."""
    (memory,) = client.get("/v1/memories", params={"subject_id": superseded}).json()["items"]
    change = {"injection": "on_request", "importance": 0.25, "by": "ana", "note": "private"}
    changed = client.patch(f"/v1/memories/{memory['id']}", json=change).json()
    assert (changed["injection"], changed["importance"]) == ("on_request", 0.25)
    assert client.get(f"/v1/memories/{memory['id']}").json()["injection"] == "on_request"


def test_forgetting_answers_the_memory_as_it_then_stands(client: httpx.Client, superseded: str) -> None:
    """API.md: DELETE /v1/memories/{id}."""
    (memory,) = client.get("/v1/memories", params={"subject_id": superseded}).json()["items"]
    gone = client.delete(f"/v1/memories/{memory['id']}", params={"by": "ana", "note": "wrong"}).json()
    assert (gone["id"], gone["status"]) == (memory["id"], "tombstoned")
    again = client.delete(f"/v1/memories/{memory['id']}").json()
    assert again["status"] == "tombstoned"


def test_erasing_answers_counts_and_again_zeros(client: httpx.Client, superseded: str) -> None:
    """API.md: POST /v1/erase."""
    first = client.post("/v1/erase", json={"subject_id": superseded}).json()
    second = client.post("/v1/erase", json={"subject_id": superseded}).json()
    assert (first["episodes"], first["memories"]) == (2, 2)
    assert set(second.values()) == {0}
    assert client.get("/v1/memories", params={"subject_id": superseded, "status": "all"}).json()["items"] == []


def test_pages_give_each_item_once(client: httpx.Client, subject_id: str) -> None:
    """API.md: lists page with limit and cursor."""
    add(client, subject_id, *(claim(day, f"{day}%") | {"key": str(day)} for day in range(1, 24)))
    client.post("/v1/memories/compile", json={"subject_id": subject_id})
    for path, count in (("/v1/episodes", 23), ("/v1/memories", 23), ("/v1/decisions", 22)):
        params: dict[str, Any] = {"subject_id": subject_id, "limit": 5}
        if path == "/v1/memories":
            params["status"] = "all"
        seen: list[str] = []
        while True:
            page = client.get(path, params=params).json()
            assert len(page["items"]) <= 5
            seen += [one.get("episode_id") or one["id"] for one in page["items"]]
            if page["next_cursor"] is None:
                break
            params["cursor"] = page["next_cursor"]
        assert (path, len(seen), len(set(seen))) == (path, count, count)


@pytest.mark.parametrize(
    "row", [row for row in OPERATIONS if issubclass(row.request, PageRequest)], ids=lambda row: row.name
)
def test_a_cursor_that_this_list_never_gave_is_an_error(client: httpx.Client, superseded: str, row: Operation) -> None:
    """API.md: cursors come back as they were given, to the list that gave them."""
    client.put("/v1/corpora/cursors/documents/a", json={"text": "a"})
    client.put("/v1/corpora/cursors/documents/b", json={"text": "b"})
    memory = client.get("/v1/memories", params={"subject_id": superseded}).json()["items"][0]["id"]
    place = {"corpus": "cursors", "subject_id": superseded, "memory_id": memory}
    path = row.path.format(**place)
    scope = {name: place[name] for name in row.request.model_fields if name in place and f"{{{name}}}" not in row.path}
    assert client.get(path, params=scope).status_code == 200
    others = "/v1/kinds" if row.name == "list_documents" else "/v1/corpora/cursors/documents"
    given = client.get(others, params={"limit": 1}).json()["next_cursor"]
    for cursor in ("never given", "a", given):
        told = client.get(path, params={**scope, "cursor": cursor}).json()
        assert (told["status"], told["code"], told["errors"]) == (422, "invalid_cursor", ["cursor"])


def test_names_with_slashes_are_registered(client: httpx.Client) -> None:
    """API.md: PUT /v1/sources/{name}, /v1/claim-keys/{key}."""
    entry = client.put("/v1/sources/notes%2Fwork", json={"authority": 60}).json()
    assert (entry["name"], entry["authority"]) == ("notes/work", 60)
    assert client.put("/v1/claim-keys/slot:a%20b", json={"cardinality": "multi"}).json()["key"] == "slot:a b"
    assert client.put("/v1/sources/x", json={"authority": 101}).json()["errors"] == ["authority"]
