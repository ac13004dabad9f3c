"""The shapes of API.md's "Documents, events" over HTTP, with the codes that refuse."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

DOCUMENT = {"title": "Runbook", "text": "# Restart\n\nStop the pump first, then wait for 90 seconds."}
CITATION = set("number document_id corpus external_id revision title uri origin_id copy_of score passages".split())
PASSAGE = set("text start end heading page score".split())


@pytest.fixture
def corpus(client: httpx.Client, subject_id: str) -> Iterator[str]:
    """A corpus that no other test uses."""
    name = subject_id.replace("/", ".")
    yield name
    client.delete(f"/v1/corpora/{name}")


def put(client: httpx.Client, corpus: str, name: str, **sent: Any) -> httpx.Response:
    """Put a document."""
    return client.put(f"/v1/corpora/{corpus}/documents/{name}", json=sent or DOCUMENT)


def test_a_document_is_put_read_and_deleted(client: httpx.Client, corpus: str) -> None:
    """API.md: PUT, GET (?revision=), DELETE 204 again 204, the lists; an external id may hold slashes."""
    first = put(client, corpus, "deep/runbook.md")
    assert first.status_code == 200
    answer = first.json()
    assert set(answer) >= {"document_id", "outcome", "revision", "passages", "origin_id"}
    assert (answer["outcome"], answer["origin_id"]) == ("created", answer["document_id"])
    assert put(client, corpus, "deep/runbook.md").json()["outcome"] == "unchanged"
    path = f"/v1/corpora/{corpus}/documents/deep/runbook.md"
    read = client.get(path).json()
    assert (read["text"], read["revision"]) == (DOCUMENT["text"], answer["revision"])
    listed = client.get(f"/v1/corpora/{corpus}/documents").json()
    assert [one["external_id"] for one in listed["items"]] == ["deep/runbook.md"]
    assert listed["next_cursor"] is None
    names = [one["corpus"] for one in client.get("/v1/corpora", params={"limit": 500}).json()["items"]]
    assert corpus in names
    for _ in range(2):
        gone = client.delete(path)
        assert (gone.status_code, gone.content) == (204, b"")
    assert client.get(path).status_code == 404
    assert client.get(path, params={"revision": answer["revision"]}).json()["text"] == DOCUMENT["text"]
    assert client.delete("/v1/corpora/never%20there").status_code == 204


def test_a_line_feed_at_the_end_names_another_document(client: httpx.Client, corpus: str) -> None:
    """API.md: an external id is taken whole; `x` is not what is put or deleted as `x` and a line feed."""
    put(client, corpus, "x", title="t", text="the first")
    assert put(client, corpus, "x%0A", title="t", text="the second").json()["outcome"] == "created"
    put(client, corpus, "a%0Ab", title="t", text="the third")
    listed = client.get(f"/v1/corpora/{corpus}/documents").json()["items"]
    assert sorted(one["external_id"] for one in listed) == ["a\nb", "x", "x\n"]
    path = f"/v1/corpora/{corpus}/documents"
    assert [client.get(f"{path}/{one}").json()["text"] for one in ("x", "a%0Ab")] == ["the first", "the third"]
    assert client.delete(f"{path}/x%0A").status_code == 204
    assert [client.get(f"{path}/{one}").status_code for one in ("x", "x%0A")] == [200, 404]


def test_a_search_answers_citations(client: httpx.Client, corpus: str) -> None:
    """API.md: POST /v1/search; `k` counts passages, numbers run from 1."""
    put(client, corpus, "runbook")
    put(client, corpus, "copy")
    found = client.post("/v1/search", json={"corpora": [corpus], "query": "How long to wait for the pump?", "k": 6})
    assert found.status_code == 200
    answer = found.json()
    assert set(answer) >= {"citations", "independent_origins", "passages_considered"}
    assert (len(answer["citations"]), answer["independent_origins"]) == (2, 1)
    for number, one in enumerate(answer["citations"], start=1):
        assert set(one) >= CITATION
        assert one["number"] == number
        assert all(set(passage) >= PASSAGE for passage in one["passages"])
    assert [one["copy_of"] for one in answer["citations"]] == [None, 1]
    told = client.post("/v1/answer", json={"corpora": [corpus], "query": "How long to wait for the pump?"}).json()
    assert set(told) >= {"answer", "citations", "disagreements", "grounding"}
    assert "90 seconds. [1]" in told["answer"]
    bundle = client.post("/v1/bundle", json={"corpora": [corpus], "query": "wait for the pump"}).json()
    assert "copy of [1]" in bundle["text"]


def test_events_get_a_result_each_and_a_torn_item_stops_nothing(client: httpx.Client, corpus: str) -> None:
    """API.md: POST /v1/events is 200 with a result for each; 422 is for the envelope alone."""
    put(client, corpus, "0")
    event = {"op": "upsert", "corpus": corpus, "external_id": "1", "text": "One.", "position": 3}
    sent = json.dumps([{"event_id": f"{corpus} 1", **event}, {"event_id": f"{corpus} 2", **event, "position": 2}])
    torn = f'{{"events": [{sent[1:-1]}, {{"event_id": "a", "event_id": "b"}}, null]}}'
    answer = client.post("/v1/events", content=torn, headers={"content-type": "application/json"})
    assert answer.status_code == 200
    results = answer.json()["results"]
    assert [one["status"] for one in results] == ["applied", "superseded", "rejected", "rejected"]
    assert all(set(one) >= {"event_id", "status", "document_id", "error"} for one in results)
    assert results[0]["document_id"] == results[1]["document_id"] is not None
    assert set(results[2]["error"]) == {"code", "detail"}
    listed = client.get("/v1/events", params={"corpus": corpus}).json()
    assert [one["status"] for one in listed["items"]] == ["applied", "superseded"]
    for envelope in ({"events": []}, {"events": [{}] * 1001}, {"events": {}}, {"events": [{}], "more": 1}):
        assert client.post("/v1/events", json=envelope).status_code == 422


@pytest.mark.parametrize(
    ("method", "path", "sent", "status", "code"),
    [
        ("PUT", "documents/a", {}, 422, "invalid"),
        ("PUT", "documents/a", {"text": "a", "content_base64": "YQ=="}, 422, "invalid"),
        ("PUT", "documents/a", {"text": "a\x00b"}, 422, "control_character"),
        ("PUT", "documents/a", {"text": "a", "more": 1}, 422, "unknown_field"),
        ("PUT", "documents/a", {"text": "a", "metadata": []}, 422, "invalid"),
        ("PUT", "documents/a", {"content_base64": "not base64"}, 422, "invalid"),
        ("PUT", f"documents/{'a' * 1025}", {"text": "a"}, 422, "payload_too_large"),
        ("GET", "documents/never-there", None, 404, "not_found"),
    ],
)
def test_what_cannot_be_taken_is_refused_by_name(
    client: httpx.Client, corpus: str, method: str, path: str, sent: Any, status: int, code: str
) -> None:
    """API.md: problem documents with stable codes; nothing of a refused request stays."""
    answer = client.request(method, f"/v1/corpora/{corpus}/{path}", json=sent)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert answer.headers["content-type"] == "application/problem+json"
    assert client.get(f"/v1/corpora/{corpus}/documents").status_code == 404


def test_an_unknown_corpus_is_an_error(client: httpx.Client) -> None:
    """API.md: `unknown_corpus`, in a search, an answer and a bundle."""
    for path in ("/v1/search", "/v1/answer", "/v1/bundle"):
        answer = client.post(path, json={"corpora": ["never there"], "query": "pump"})
        assert (answer.status_code, answer.json()["code"]) == (422, "unknown_corpus")


def test_a_files_bytes_are_read(client: httpx.Client, corpus: str) -> None:
    """R-60: content_base64 with its media type; the answer says how it was read."""
    page = b"<html><body><p>Ferry leaves 07:40.</p><p hidden>x1</p></body></html>"
    sent = {"content_base64": base64.b64encode(page).decode(), "media_type": "text/html"}
    answer = put(client, corpus, "ferry.html", **sent)
    assert answer.status_code == 200
    assert answer.json()["reading"]["media_type"] == "text/html"
    text = client.get(f"/v1/corpora/{corpus}/documents/ferry.html").json()["text"]
    assert "Ferry leaves 07:40." in text
    assert "x1" not in text
