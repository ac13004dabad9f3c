"""One malformed item is refused by its name, or parked, and ten good ones of its subject and batch compile."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from stemma import Stemma
from tests.e2e.telling import home_of
from tests.serving import Served
from tests.stores import Server

AT = "2026-03-01T09:00:00Z"
GOODS = (
    "I live in Lisbon.", "I am allergic to peanuts.", "I prefer dark mode.", "I own a bicycle.", "I use PostgreSQL.",
    "Deploys freeze on Fridays.", "Stripe charges 2.9% + 30c.", "My sister is called Ingrid.",
    "From now on answer me in metric units.", "The spare key is in shed 3.",
)  # fmt: skip
GOOD_TEXTS = sorted(one.rstrip(".") for one in GOODS)


def nested(levels: int) -> Any:
    """A list in a list in a list."""
    made: Any = "x"
    for _ in range(levels):
        made = [made]
    return made


def claim(**fields: Any) -> dict[str, Any]:
    """An episode of one claim."""
    return {"claims": [{"key": "home", "value": "Oslo"} | fields]}


def turn(**fields: Any) -> dict[str, Any]:
    """An episode of one turn."""
    return {"messages": [{"role": "user", "content": "I live in Oslo."} | fields]}


# Shape -> the fields besides subject and time, and the codes that may name what is wrong.
INVALID = {"invalid", "empty_content"}
SHAPES: dict[str, tuple[dict[str, Any], set[str]]] = {
    "nothing": ({}, INVALID),
    "blank text": ({"text": ""}, INVALID),
    "text of spaces": ({"text": " \t\n "}, INVALID),
    "unknown field": ({"body": "I live in Oslo."}, {"unknown_field"}),
    "unknown field beside text": ({"text": "I live in Oslo.", "payload": {}}, {"unknown_field"}),
    "NUL": ({"text": "I live in \x00Oslo."}, {"control_character"}),
    "escape": ({"text": "I live in \x1b[1mOslo."}, {"control_character"}),
    "DEL": ({"text": "I live in \x7fOslo."}, {"control_character"}),
    "C1": ({"text": "I live in \x85Oslo."}, {"control_character"}),
    "form feed": ({"text": "I live in\fOslo."}, {"control_character"}),
    "lone surrogate": ({"text": "I live in \ud800Oslo."}, {"invalid_unicode"}),
    "low surrogate": ({"text": "\udc00 I live in Oslo."}, {"invalid_unicode"}),
    "five megabytes": ({"text": "I live in Oslo. " * 330_000}, {"payload_too_large"}),
    "a number for text": ({"text": 7}, INVALID),
    "null for text": ({"text": None}, INVALID),
    "a list for text": ({"text": ["I live in Oslo."]}, INVALID),
    "true for text": ({"text": True}, INVALID),
    "messages a text": ({"messages": "hello"}, INVALID),
    "messages of texts": ({"messages": ["hello"]}, INVALID),
    "messages null": ({"messages": None}, INVALID),
    "no messages": ({"messages": []}, INVALID),
    "messages an object": ({"messages": {"role": "user", "content": "I live in Oslo."}}, INVALID),
    "content blocks": (turn(content=[{"type": "text", "text": "I live in Oslo."}]), INVALID),
    "content null": (turn(content=None), INVALID),
    "content a number": (turn(content=7), INVALID),
    "role missing": ({"messages": [{"content": "I live in Oslo."}]}, INVALID),
    "role a number": (turn(role=7), INVALID),
    "unknown field of a turn": (turn(text="hello"), {"unknown_field"}),
    "NUL in a turn": (turn(content="I live in \x00Oslo."), {"control_character"}),
    "surrogate in a name": (turn(name="\ud83d"), {"invalid_unicode"}),
    "naive time of a turn": (turn(at="2026-03-01T09:00:00"), {"naive_datetime"}),
    "no claims": ({"claims": []}, INVALID),
    "claims a text": ({"claims": "home: Oslo"}, INVALID),
    "claims null": ({"claims": None}, INVALID),
    "claims of texts": ({"claims": ["home: Oslo"]}, INVALID),
    "claims an object": ({"claims": {"home": "Oslo"}}, INVALID),
    "claim without a key": ({"claims": [{"value": "Oslo"}]}, INVALID),
    "claim without a value": ({"claims": [{"key": "home"}]}, INVALID),
    "claim key null": (claim(key=None), INVALID),
    "claim key empty": (claim(key=""), INVALID),
    "claim key of spaces": (claim(key="  "), INVALID),
    "claim value null": (claim(value=None), INVALID),
    "claim value a list": (claim(value=["Oslo"]), INVALID),
    "claim value an object": (claim(value={"city": "Oslo"}), INVALID),
    "claim value empty": (claim(value=""), INVALID),
    "claim value too long": (claim(value="o" * 4_097), INVALID | {"payload_too_large"}),
    "claim value with NUL": (claim(value="Os\x00lo"), {"control_character"}),
    "claim text with a surrogate": (claim(text="\udfff"), {"invalid_unicode"}),
    "polarity of no kind": (claim(polarity="maybe"), INVALID),
    "polarity null": (claim(polarity=None), INVALID),
    "confidence above 1": (claim(confidence=1.5), INVALID),
    "confidence below 0": (claim(confidence=-0.1), INVALID),
    "confidence a text": (claim(confidence="high"), INVALID),
    "confidence huge": (claim(confidence=10**400), INVALID),
    "importance NaN": (claim(importance=float("nan")), INVALID),
    "importance infinite": (claim(importance=float("inf")), INVALID),
    "kind of no registry": (claim(kind="bogus"), INVALID | {"unknown_kind"}),
    "naive start": (claim(valid_from="2026-03-01T09:00:00"), {"naive_datetime"}),
    "start a year": (claim(valid_from="2024"), INVALID | {"naive_datetime"}),
    "backwards window": (
        claim(valid_from="2026-06-01T00:00:00Z", valid_to="2026-05-01T00:00:00Z"), {"invalid_interval"},
    ),
    "unknown field of a claim": (claim(colour="red"), {"unknown_field"}),
    "text nested 400 deep": ({"text": "I live in Oslo.", "metadata": {"x": nested(400)}}, {"nesting_too_deep"}),
    "turns nested 400 deep": (turn(content=nested(400)), INVALID | {"nesting_too_deep"}),
    "metadata a list": ({"text": "I live in Oslo.", "metadata": ["x"]}, INVALID),
    "metadata NaN": ({"text": "I live in Oslo.", "metadata": {"x": float("nan")}}, INVALID),
    "metadata with NUL": ({"text": "I live in Oslo.", "metadata": {"x": "\x00"}}, {"control_character"}),
    "metadata key with a surrogate": ({"text": "I live in Oslo.", "metadata": {"\ud800": 1}}, {"invalid_unicode"}),
    "naive time": ({"text": "I live in Oslo.", "occurred_at": "2026-03-01T09:00:00"}, {"naive_datetime"}),
    "time a number": ({"text": "I live in Oslo.", "occurred_at": 1772357400}, INVALID | {"naive_datetime"}),
    "no such day": ({"text": "I live in Oslo.", "occurred_at": "2026-02-30T09:00:00Z"}, INVALID),
    "time a word": ({"text": "I live in Oslo.", "occurred_at": "yesterday"}, INVALID),
    "key empty": ({"text": "I live in Oslo.", "key": ""}, INVALID),
    "key a number": ({"text": "I live in Oslo.", "key": 7}, INVALID),
    "key with NUL": ({"text": "I live in Oslo.", "key": "a\x00b"}, {"control_character"}),
    "key too long": ({"text": "I live in Oslo.", "key": "k" * 1_025}, INVALID | {"payload_too_large"}),
    "key and key_parts": ({"text": "I live in Oslo.", "key": "a", "key_parts": ["a"]}, INVALID),
    "key_parts empty": ({"text": "I live in Oslo.", "key_parts": []}, INVALID),
    "key_parts a text": ({"text": "I live in Oslo.", "key_parts": "github:acme"}, INVALID),
    "key policy of no kind": ({"text": "I live in Oslo.", "key_policy": "random"}, INVALID),
    "said by nobody known": ({"text": "I live in Oslo.", "said_by": "ghost"}, INVALID),
    "source null": ({"text": "I live in Oslo.", "source": None}, INVALID),
    "text and messages": ({"text": "I live in Oslo."} | turn(), INVALID),
    "unknown document": (
        {"text": "I live in Oslo.", "document": {"corpus": "none", "external_id": "none"}}, {"unknown_document"},
    ),
}  # fmt: skip
SUBJECTS = {
    "blank": "   ",
    "empty": "",
    "null": None,
    "a number": 7,
    "a list": ["ana"],
    "NUL": "a\x00b",
    "long": "a" * 257,
}
NOT_OBJECTS: dict[str, Any] = {"null": None, "text": "I live in Oslo.", "number": 7, "list": [], "true": True}


@pytest.fixture(scope="module", params=["embedded", "served"])
def stemma(request: pytest.FixtureRequest) -> Iterator[Stemma]:
    """Embedded, then served; a tenant of this file's own, in which every shape has its subject."""
    server: Server = request.getfixturevalue(f"{request.param}_server")
    with Stemma(home_of(server), tenant="malformed", embedder="none") as opened:
        yield opened


def goods(subject: str) -> list[dict[str, Any]]:
    """Ten episodes, each of one memory."""
    return [
        {"subject_id": subject, "key": f"good:{number}", "text": text, "occurred_at": AT}
        for number, text in enumerate(GOODS)
    ]


def batch_with(bad: Any, subject: str) -> list[Any]:
    """The ten with the bad one in their middle."""
    made: list[Any] = goods(subject)
    return [*made[:5], bad, *made[5:]]


def hold_the_ten(stemma: Stemma, subject: str) -> None:
    """All ten compile at once, nothing of the bad one is kept, and the subject is read without an error."""
    counts = stemma.compile_memories(subject)
    assert (counts.episodes_compiled, counts.memories_created, counts.episodes_parked) == (10, 10, 0)
    are_the_ten(stemma, subject)
    answers(stemma, subject)
    assert stemma.compile_memories(subject).memories_created == 0


def are_the_ten(stemma: Stemma, subject: str) -> None:
    """The subject's episodes and memories are those of the ten, whatever their status."""
    assert sorted(one.text for one in stemma.list_memories(subject, status="all").items) == GOOD_TEXTS, subject
    assert len(stemma.find_episodes(subject).items) == 10, subject


def answers(stemma: Stemma, subject: str) -> None:
    """The subject can be asked."""
    assert stemma.recall(subject, "Where do I live?").items[0].memory.text == "I live in Lisbon"
    assert "Lisbon" in stemma.bundle("Where do I live?", subject_id=subject).text


def test_every_malformed_shape_is_refused_by_name_and_the_ten_beside_it_compile(stemma: Stemma) -> None:
    """R-11, R-22, R-23: one batch and subject a shape; the code says what is wrong, the outcome is `rejected`, nothing
    is stored; one compile takes in the ten of each.

    Breaks when a shape is accepted and stops the compile of its subject, when it fails its batch, or when it is stored
    as something else (a list's repr as text).
    """
    wrong = []
    for shape, (fields, codes) in SHAPES.items():
        bad = {"subject_id": shape, "occurred_at": AT, "key": "bad"} | fields
        if "key_parts" in fields and "key" not in fields:
            del bad["key"]
        results = stemma.add_episodes(batch_with(bad, shape)).results
        assert [one.index for one in results] == list(range(11)), shape
        assert [one.outcome for one in results[:5] + results[6:]] == ["created"] * 10, shape
        refused = results[5]
        told = (str(refused.outcome), refused.error and refused.error.code)
        if told[0] != "rejected" or told[1] not in codes:
            wrong.append((shape, told, sorted(codes)))
            continue
        assert refused.episode_id is None and refused.error.detail, shape
    assert not wrong, wrong
    counts, good = stemma.compile_memories(), 10 * len(SHAPES)
    assert (counts.episodes_compiled, counts.memories_created, counts.episodes_parked) == (good, good, 0)
    for shape in SHAPES:
        are_the_ten(stemma, shape)
    for shape in WIRE:
        answers(stemma, shape)
    assert stemma.compile_memories().memories_created == 0


@pytest.mark.parametrize("shape", SUBJECTS)
def test_a_malformed_subject_is_refused_alone(stemma: Stemma, shape: str) -> None:
    """R-23: three spaces name nobody."""
    bad = {"subject_id": SUBJECTS[shape], "occurred_at": AT, "text": "I live in Oslo."}
    subject = f"beside a subject that is {shape}"
    results = stemma.add_episodes(batch_with(bad, subject)).results
    assert [str(one.outcome) for one in results] == ["created"] * 5 + ["rejected"] + ["created"] * 5
    hold_the_ten(stemma, subject)


@pytest.mark.parametrize("shape", NOT_OBJECTS)
def test_an_item_that_is_no_object_is_refused_alone(stemma: Stemma, shape: str) -> None:
    """R-23: an item of another type is a fault inside one item."""
    subject = f"beside {shape}"
    results = stemma.add_episodes(batch_with(NOT_OBJECTS[shape], subject)).results
    assert [str(one.outcome) for one in results] == ["created"] * 5 + ["rejected"] + ["created"] * 5
    hold_the_ten(stemma, subject)


WIRE = (
    "NUL", "lone surrogate", "text nested 400 deep", "messages a text", "messages of texts", "messages null",
    "five megabytes", "content blocks", "unknown field", "nothing", "blank text", "claim value a list",
    "confidence huge", "backwards window",
)  # fmt: skip


@pytest.mark.parametrize("shape", WIRE)
def test_over_http_the_shape_is_refused_alone(client: httpx.Client, subject_id: str, shape: str) -> None:
    """R-23, API: 200 with one `rejected`; never 5xx, and the compile and the bundle of the subject answer."""
    fields, codes = SHAPES[shape]
    bad = {"subject_id": subject_id, "occurred_at": AT, "key": "bad"} | fields
    body = json.dumps({"episodes": batch_with(bad, subject_id)})
    sent = client.post("/v1/episodes", content=body, headers={"content-type": "application/json"})
    assert sent.status_code == 200, sent.text[:300]
    results = sent.json()["results"]
    assert [one["outcome"] for one in results] == ["created"] * 5 + ["rejected"] + ["created"] * 5
    assert results[5]["error"]["code"] in codes
    done = client.post("/v1/memories/compile", json={"subject_id": subject_id})
    assert (done.status_code, done.json()["memories_created"]) == (200, 10)
    told = client.post("/v1/bundle", json={"subject_id": subject_id, "query": "Where do I live?"})
    assert "Lisbon" in told.json()["text"]


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "9" * 5_000])
def test_over_http_a_number_that_json_has_not_is_refused_by_name(
    client: httpx.Client, served: Served, subject_id: str, number: str
) -> None:
    """API: 4xx with a problem document, or the item alone; never 5xx."""
    claims = f'[{{"key": "home", "value": "x", "importance": {number}}}]'
    bad = f'{{"subject_id": {json.dumps(subject_id)}, "claims": {claims}}}'
    body = f'{{"episodes": [{bad}]}}'
    sent = client.post("/v1/episodes", content=body, headers={"content-type": "application/json"})
    if sent.status_code == 200:
        [result] = sent.json()["results"]
        assert (result["outcome"], bool(result["error"]["code"])) == ("rejected", True)
    else:
        assert sent.status_code in (400, 422), sent.text[:300]
        assert sent.json()["code"]
    assert client.get("/v1/episodes", params={"subject_id": subject_id}).json()["items"] == []
