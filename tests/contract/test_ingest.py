"""Taking episodes in: outcomes, keys, forms, limits (R-1, R-20 to R-23), on an embedded and a served store."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from pydantic import ValidationError

from stemma.app.models_episodes import AddEpisodes
from stemma.app.models_registry import PutSource
from stemma.app.registry import put_source
from stemma.records import KeyPolicy
from stemma.store.connection import Store
from tests.contract.log_door import START, Door

MAY_1, MAY_2, MAY_3 = (f"2026-05-0{day}T09:00:00Z" for day in (1, 2, 3))
LOG = ("episodes", "revisions", "sayings", "dirty", "subjects", "lex", "tenants", "tombstones")


@pytest.fixture
def door(store: Store) -> Iterator[Door]:
    """A store with a clock of its own."""
    yield Door(store)


def said(text: str = "I like tea.", **fields: Any) -> dict[str, Any]:
    """Make an episode."""
    return {"subject_id": "ana", "text": text, **fields}


def everything(door: Door) -> dict[str, list[dict[str, Any]]]:
    """Give every row of the log with its place on disk: a rewritten row would show."""
    return {table: door.rows(table) for table in LOG}


def test_sending_anything_again_a_year_later_changes_no_row(door: Door) -> None:
    """R-1, F14: every kind of episode, alone and in other batches and orders."""
    sent = [
        said(key="k", metadata={"at": "desk"}),
        said("I like tea.", occurred_at=MAY_1),
        said("90", key="rate", key_policy="revision", occurred_at=MAY_2),
        said("180", key="rate", key_policy="revision", occurred_at=MAY_1),
        said("shipped", key="e1", business_key="order:7", occurred_at=MAY_1),
        said("shipped!", key="e2", business_key="order:7", occurred_at=MAY_1),
        {"subject_id": "ana", "claims": [{"key": "home", "value": "Lisbon"}], "key_parts": ["crm", "7"]},
        {"subject_id": "bo", "messages": [{"role": "user", "content": "Hi", "at": MAY_1}], "occurred_at": MAY_1},
        said("No time and no key."),
        said("From the future.", occurred_at="2027-01-01T00:00:00Z"),
    ]
    first = door.send(*sent)
    held = everything(door)
    door.later(days=400)
    for batch in (sent, sent[::-1], *([one] for one in sent), sent + sent):
        assert {one.outcome.value for one in door.send(*batch)} == {"duplicate"}
    assert [one.episode_id for one in door.send(*sent)] == [one.episode_id for one in first]
    assert everything(door) == held


def test_each_policy_answers_as_it_says(door: Door) -> None:
    """R-20: identity, content and revision, each through its outcomes, in one batch in order."""
    revision = {"key": "rate", "key_policy": "revision"}
    answers = door.send(
        said("title", key="issue"),
        said("edited title", key="issue"),
        said("tea"),
        said("tea"),
        said("tea", occurred_at=MAY_1),
        said("180", **revision, occurred_at=MAY_1),
        said("90", **revision, occurred_at=MAY_2),
        said("180", **revision, occurred_at=MAY_3),
        said("70", **revision, occurred_at=MAY_1),
        said("70", **revision, occurred_at=MAY_2),
        said("180", **revision, occurred_at=MAY_3),
    )
    assert [(one.index, one.outcome.value) for one in answers] == list(
        enumerate(
            ["created", "duplicate", "created", "duplicate", "restated", "created"]
            + ["revised", "revised", "stale_revision", "restated", "duplicate"]
        )
    )
    assert [one.content_changed for one in answers] == [False, True] + [False] * 9
    assert len(door.rows("episodes")) == 3
    assert len({one.episode_id for one in answers}) == 3


def test_both_orders_of_two_publications_leave_one_event(door: Door) -> None:
    """R-21: the first answers for its event, the twin is stored; the group is one."""
    early, late = said("sent", key="a", business_key="o", occurred_at=MAY_1), said("Sent.", key="b", business_key="o")
    one, twin = door.send(late, early)
    assert (one.outcome.value, twin.outcome.value) == ("created", "duplicate")
    assert twin.episode_id == one.episode_id
    assert twin.key == "a"
    assert door.send(early)[0].episode_id == one.episode_id
    assert len({row["group_id"] for row in door.rows("episodes")}) == 1
    assert len(door.rows("episodes")) == 2


def test_a_source_declares_the_policy_and_a_key_keeps_the_one_it_began_with(door: Door) -> None:
    """R-20, R-1: a change of the source's policy changes no answer about what is there."""
    first = said("v1", key="page", source="wiki", occurred_at=MAY_1)
    assert door.outcomes(first) == ["created"]
    put_source(door.runtime, door.tenant, PutSource(name="wiki", key_policy=KeyPolicy.REVISION))
    assert door.outcomes(first, said("v2", key="page", source="wiki", occurred_at=MAY_2)) == ["duplicate", "duplicate"]
    (again,) = door.send(said("v2", key="page", source="wiki", key_policy="revision", occurred_at=MAY_2))
    assert again.error is not None and again.error.code == "key_policy_mismatch"
    new = [said(text, key="other", source="wiki", occurred_at=at) for text, at in (("v1", MAY_1), ("v2", MAY_2))]
    assert door.outcomes(*new) == ["created", "revised"]
    put_source(door.runtime, door.tenant, PutSource(name="wiki", key_policy=KeyPolicy.CONTENT))
    scan = [said(text, key="third", source="wiki", occurred_at=at) for text, at in (("x", MAY_1), ("y", MAY_1))]
    assert door.outcomes(*scan, first) == ["created", "created", "duplicate"]


@pytest.mark.parametrize(
    ("item", "code"),
    [
        (said(key_policy="revision", key="k"), "occurred_at_required"),
        (said(key_policy="identity"), "no_key"),
        (said(occurred_at="2026-05-01T09:00:00"), "naive_datetime"),
        (said(occurred_at="yesterday"), "invalid"),
        (said("a\x07b"), "control_character"),
        (said("a\x9fb"), "control_character"),
        (said("a\x00b"), "control_character"),
        (said("a\ud800b"), "invalid_unicode"),
        (said(metadata={"a\x01": 1}), "control_character"),
        (said(metadata={"a": ["\udc00"]}), "invalid_unicode"),
        (said(metadata={"a": float("nan")}), "invalid"),
        (said(speaker="a\x1b"), "control_character"),
        (said(colour="red"), "unknown_field"),
        (said(" \n"), "empty_content"),
        ({"subject_id": "ana"}, "empty_content"),
        ({"subject_id": "ana", "messages": [], "claims": []}, "empty_content"),
        ({"text": "nobody's"}, "invalid"),
        (said(subject_id=""), "invalid"),
        (said(subject_id="x" * 257), "payload_too_large"),
        (said(key="x" * 1_025), "payload_too_large"),
        (said(key_parts=["é" * 200]), "payload_too_large"),
        (said(key="k", key_parts=["k"]), "invalid"),
        (said("é" * 524_289), "payload_too_large"),
        (said(5), "invalid"),
        (said(key=5), "invalid"),
        (said(said_by="nobody"), "invalid"),
        ({"subject_id": "ana", "messages": [{"role": "user", "content": [{"type": "text"}]}]}, "invalid"),
        ({"subject_id": "ana", "messages": [{"content": "x"}]}, "invalid"),
        (said(messages=[{"role": "user", "content": "x"}]), "invalid"),
        (said(claims=[{"key": "home", "value": "x" * 4_097}]), "payload_too_large"),
        (said(claims=[{"key": "home", "value": "x", "confidence": 1.5}]), "invalid"),
        (said(claims=[{"key": "home", "value": "x", "kind": "nonsense"}]), "unknown_kind"),
        (said(claims=[{"key": "home", "value": "x", "valid_from": MAY_2, "valid_to": MAY_1}]), "invalid_interval"),
        (said(claims=[{"key": "home", "value": "x", "valid_from": "2024", "valid_to": MAY_1}]), "invalid"),
        (said(document={"corpus": "wiki", "external_id": "home"}), "unknown_document"),
        ("text", "invalid"),
        (None, "invalid"),
    ],
)
def test_a_fault_in_one_item_rejects_it_by_name_and_fails_no_other(door: Door, item: Any, code: str) -> None:
    """R-23, R-22, F23: the rest of the batch is taken in."""
    before, bad, after = door.send(said("before"), item, said("after"))
    assert (before.outcome.value, bad.outcome.value, after.outcome.value) == ("created", "rejected", "created")
    assert bad.error is not None
    assert bad.error.code == code
    assert bad.error.detail
    assert len(door.rows("episodes")) == 2


def test_what_is_just_within_the_limits_is_taken_in(embedded_store: Store) -> None:
    """R-22: limits are stated ones."""
    door = Door(embedded_store)
    items = [
        said("x" * 1_048_576),
        said(subject_id="s" * 256, key="k" * 1_024),
        said(claims=[{"key": "home", "value": "v" * 4_096}]),
        said("tab\tline\nreturn\r emoji 🛶 עברית"),
    ]
    assert door.outcomes(*items) == ["created"] * 4


@pytest.mark.parametrize("depth", [40, 5_000])
def test_deep_metadata_is_rejected_by_name(embedded_store: Store, depth: int) -> None:
    """R-22: nesting is bounded."""
    nested: Any = {}
    for _ in range(depth):
        nested = {"a": [nested]}
    (bad,) = Door(embedded_store).send(said(metadata=nested))
    assert bad.error is not None and bad.error.code == "nesting_too_deep"


@pytest.mark.parametrize(
    "envelope", [{}, {"episodes": []}, {"episodes": [said()] * 1_001}, {"episodes": said()}, {"episodes": [], "x": 1}]
)
def test_a_fault_in_the_envelope_refuses_the_request(envelope: dict[str, Any]) -> None:
    """R-23: 422 is for the envelope."""
    with pytest.raises(ValidationError):
        AddEpisodes.model_validate(envelope)


def test_texts_are_kept_as_they_came_and_names_are_composed(door: Door) -> None:
    """R-3, API: evidence is what was sent; names and subject ids are NFC."""
    (one,) = door.send(said("cafe\u0301\r\n  open", subject_id="Jose\u0301", speaker="Jose\u0301", key="re\u0301"))
    assert one.key == "r\u00e9"
    (row,) = door.rows("revisions")
    assert json.loads(row["content"])["text"] == "cafe\u0301\r\n  open"
    (head,) = door.rows("episodes")
    assert (head["subject_id"], head["speaker"]) == ("Jos\u00e9", "Jos\u00e9")
    assert door.outcomes(said("caf\u00e9\n  open", subject_id="Jos\u00e9", key="r\u00e9", speaker="Jos\u00e9")) == [
        "duplicate"
    ]


def test_a_stamp_from_the_future_is_marked_once(door: Door) -> None:
    """R-22, F25: accepted with a mark that no later arrival changes."""
    ahead = (START + timedelta(days=9)).isoformat()
    near = (START + timedelta(minutes=5)).isoformat()
    flags = [one.flags for one in door.send(said("ahead", occurred_at=ahead), said("near", occurred_at=near))]
    assert flags == [("time_ahead",), ()]
    door.later(days=30)
    assert door.outcomes(said("ahead", occurred_at=ahead)) == ["duplicate"]
    assert [row["sound"] for row in door.rows("sayings")] == [False, True]


def test_an_empty_window_is_taken_in_and_flagged(door: Door) -> None:
    """F23: it holds nowhere, and whoever sent it is told."""
    (one,) = door.send(said(claims=[{"key": "home", "value": "x", "valid_from": MAY_1, "valid_to": MAY_1}]))
    assert (one.outcome.value, one.flags) == ("created", ("empty_interval",))


def test_a_request_key_is_the_key_of_what_has_none(door: Door) -> None:
    """API: Idempotency-Key becomes the key where none is given."""
    (one,) = door.send(said(), idempotency_key="req-1")
    assert (one.key, one.outcome.value) == ("req-1", "created")
    (again,) = door.send(said("Other."), idempotency_key="req-1")
    assert (again.outcome.value, again.content_changed) == ("duplicate", True)
    keys = [each.key for each in door.send(said("a"), said("b", key="own"), said("c"), idempotency_key="req-2")]
    assert keys == ["req-2:0", "own", "req-2:2"]


def test_an_agents_words_are_not_its_users(door: Door) -> None:
    """R-33a: the same words from an agent are another content."""
    assert door.outcomes(said(), said(said_by="agent")) == ["created", "created"]


def test_two_tenants_share_nothing(door: Door) -> None:
    """R-12: the same key of another tenant is another episode."""
    (one,) = door.send(said(key="k"))
    door.tenant = "other"
    (other,) = door.send(said("Else.", key="k"))
    assert other.outcome.value == "created"
    assert other.episode_id != one.episode_id


def test_eight_writers_of_the_same_keys_leave_what_one_would(store: Store) -> None:
    """R-1, F14, F38: each record is created once, whoever was first; nothing waits for ever."""
    door = Door(store)
    items = [said(f"text {number}", key=f"k{number}", occurred_at=MAY_1) for number in range(30)]
    items += [said(f"text {number}", occurred_at=at) for number in range(10) for at in (MAY_1, MAY_2)]
    items += [
        said(
            f"rate {number}",
            key=f"r{number % 5}",
            key_policy="revision",
            occurred_at=f"2026-05-{number + 1:02}T00:00:00Z",
        )
        for number in range(20)
    ]
    items += [said("sent", key=f"e{number}", business_key=f"o{number % 3}") for number in range(12)]

    def write(number: int) -> list[str]:
        turned = items[number * 9 :] + items[: number * 9]
        return [
            outcome for start in range(0, len(turned), 20) for outcome in door.outcomes(*turned[start : start + 20])
        ]

    with ThreadPoolExecutor(8) as pool:
        found = [outcome for outcomes in pool.map(write, range(8)) for outcome in outcomes]
    assert "rejected" not in found
    assert len(door.rows("sayings")) == 30 + 20 + 20 + 12
    assert sum(outcome != "duplicate" for outcome in found) == 30 + 20 + 20 + 3
    assert found.count("created") == 30 + 10 + 5 + 3
    assert len(door.rows("episodes")) == 30 + 10 + 5 + 12
    firsts = {one.episode_id for one in door.send(*(item for item in items if "business_key" in item))}
    assert len(firsts) == 3
