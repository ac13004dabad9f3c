"""Reading episodes back and what is registered (API "Episodes and memories", R-20, R-33, R-36)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import ValidationError

from stemma.app.compile import compile_subject
from stemma.app.episodes import find_episodes, get_episode
from stemma.app.models_episodes import EpisodeById, FindEpisodes
from stemma.app.models_registry import ListClaimKeys, ListKinds, ListSources, ListSubjects, PutClaimKey, PutSource
from stemma.app.registry import list_claim_keys, list_kinds, list_sources, list_subjects, put_claim_key, put_source
from stemma.errors import InvalidInput, NotFound, UnknownKind
from stemma.records import Act, Cardinality, Injection, KeyPolicy, Policy
from stemma.store.connection import Store
from tests.contract.log_door import Door


@pytest.fixture
def door(store: Store) -> Iterator[Door]:
    """A store with a clock of its own."""
    yield Door(store)


def test_an_episode_is_read_with_its_revisions_sayings_and_gates(door: Door) -> None:
    """API: what was said, as it came, with the zone it came in, and why each clause counts or not."""
    first = {
        "subject_id": "ana",
        "key": "k",
        "key_policy": "revision",
        "text": "Do you like tea?",
        "occurred_at": "2026-05-01T09:00:00+05:30",
        "metadata": {"a": [1, None]},
        "session_id": "s1",
    }
    later = {
        **first,
        "text": "I like tea.",
        "occurred_at": "2026-05-02T09:00:00-08:00",
        "speaker": "Ana",
        "source": "crm",
    }
    (one, _) = door.send(first, {**later, "metadata": {"b": 2}})
    compile_subject(door.runtime, "default", "ana")
    assert one.episode_id is not None
    found = get_episode(door.runtime, "default", EpisodeById(episode_id=one.episode_id))
    assert (found.key, found.key_policy, found.source, found.metadata) == (
        "k",
        KeyPolicy.REVISION,
        "api",
        {"a": [1, None]},
    )
    assert sorted((each.text, each.source, each.speaker, each.metadata) for each in found.revisions) == [
        ("Do you like tea?", "api", None, None),
        ("I like tea.", "crm", "Ana", {"b": 2}),
    ]
    assert sorted(each.occurred_at.isoformat() for each in found.sayings) == [
        "2026-05-01T09:00:00+05:30",
        "2026-05-02T09:00:00-08:00",
    ]
    assert {each.session_id for each in found.sayings} == {"s1"}
    assert {gate.reason for gate in found.gates} >= {"question"}
    read = [(each.act, each.kind, each.text, each.start, each.end, each.message) for each in found.statements]
    assert read == [(Act.SAY, "preference", "I like tea", 0, 10, None)]


def test_an_end_is_seen_at_its_episode(door: Door) -> None:
    """R-34a: what closes nothing said before makes no row; that it was read can be seen nevertheless."""
    (one,) = door.send({"subject_id": "ana", "text": "Hi! I am not allergic to nuts any more."})
    compile_subject(door.runtime, "default", "ana")
    assert one.episode_id is not None
    found = get_episode(door.runtime, "default", EpisodeById(episode_id=one.episode_id))
    assert [(each.act, each.kind, each.start) for each in found.statements] == [(Act.END, "health", 4)]


def test_an_unknown_episode_is_not_found_in_any_tenant(door: Door) -> None:
    """R-12: another tenant's id is as unknown as one that never was."""
    (one,) = door.send({"subject_id": "ana", "text": "I like tea."})
    assert one.episode_id is not None
    for tenant, name in (("other", one.episode_id), ("default", "0" * 64)):
        with pytest.raises(NotFound):
            get_episode(door.runtime, tenant, EpisodeById(episode_id=name))


def test_pages_of_episodes_follow_their_receipt_and_meet_each_once(door: Door) -> None:
    """API: lists page with limit and cursor."""
    for number in range(7):
        door.send({"subject_id": "ana", "key": f"k{number}", "text": "I like tea."})
        door.later(seconds=number % 2)
    door.send({"subject_id": "bo", "key": "k0", "text": "I like tea."})
    keys: list[str] = []
    cursor: str | None = None
    while True:
        page = find_episodes(door.runtime, "default", FindEpisodes(subject_id="ana", limit=3, cursor=cursor))
        keys += [each.key for each in page.items]
        cursor = page.next_cursor
        if cursor is None:
            break
    assert sorted(keys) == [f"k{number}" for number in range(7)]
    assert len(set(keys)) == 7


@pytest.mark.parametrize("key", ["100%", "file_name", "_", "%", "\\", "'"])
def test_a_key_is_found_exactly(door: Door, key: str) -> None:
    """F34: no character of a key matches anything but itself."""
    sent = ["rate 100%", "100%", "1000", "file_name", "file-name", "%", "_", "\\", "'", "x"]
    door.send(*({"subject_id": "ana", "key": each, "text": f"{each} holds."} for each in sent))
    page = find_episodes(door.runtime, "default", FindEpisodes(subject_id="ana", key=key))
    assert [each.key for each in page.items] == [key]
    assert find_episodes(door.runtime, "default", FindEpisodes(subject_id="ana", key="nothing")).items == ()


def test_a_cursor_that_is_none_of_ours_is_named(door: Door) -> None:
    """API: 422, not a page of something."""
    with pytest.raises(InvalidInput) as refused:
        find_episodes(door.runtime, "default", FindEpisodes(subject_id="ana", cursor="page 2"))
    assert refused.value.fields == ("cursor",)


def test_registering_the_same_again_writes_nothing(door: Door) -> None:
    """R-1: a PUT is repeated without a trace; a change is one, and its subjects hear of it."""
    door.send({"subject_id": "ana", "source": "crm", "claims": [{"key": "plan", "value": "pro"}]})
    door.send({"subject_id": "bo", "source": "web", "text": "I like tea."})
    for subject in ("ana", "bo"):
        compile_subject(door.runtime, "default", subject)
    source, key = PutSource(name="crm", authority=80), PutClaimKey(key="plan", policy=Policy.FLAG)
    put_source(door.runtime, "default", source)
    put_claim_key(door.runtime, "default", key)
    assert {(row["subject_id"], row["group_id"]) for row in door.rows("dirty")} == {("ana", "*")}
    held = [door.rows(table) for table in ("sources", "claim_keys", "dirty")]
    door.later(days=1)
    first = put_source(door.runtime, "default", source)
    put_claim_key(door.runtime, "default", key)
    assert [door.rows(table) for table in ("sources", "claim_keys", "dirty")] == held
    assert first.set_at < door.clock
    put_source(door.runtime, "default", PutSource(name="crm", authority=80, key_policy=KeyPolicy.CONTENT))
    assert len(door.rows("dirty")) == len(held[2])


def test_what_is_shipped_is_listed_and_may_be_registered_anew(door: Door) -> None:
    """R-33, R-36, appendix: the shipped single-valued keys and kinds."""
    keys = {each.key: each for each in list_claim_keys(door.runtime, "default", ListClaimKeys()).items}
    assert keys.keys() == {"home", "name", "job", "language", "birthday", "blood_group"}
    assert {each.cardinality for each in keys.values()} == {Cardinality.SINGLE}
    put = put_claim_key(door.runtime, "default", PutClaimKey(key="home", policy=Policy.CORROBORATED, corroboration=3))
    assert (put.kind, put.corroboration, put.half_life_days) == ("profile", 3, None)
    again = {each.key: each for each in list_claim_keys(door.runtime, "default", ListClaimKeys()).items}
    assert again["home"].policy is Policy.CORROBORATED
    assert len(again) == 6
    kinds = {each.name: each for each in list_kinds(door.runtime, "default", ListKinds()).items}
    assert (kinds["health"].policy, kinds["health"].injection) == (Policy.FLAG, Injection.ON_REQUEST)
    assert (kinds["preference"].half_life_days, kinds["profile"].half_life_days) == (30.0, None)


def test_lists_of_what_is_registered_are_paged(door: Door) -> None:
    """API: next_cursor leads to the rest, and to nothing after it."""
    for name in ("a", "b", "c"):
        put_source(door.runtime, "default", PutSource(name=name))
        put_claim_key(door.runtime, "default", PutClaimKey(key=name))
        door.send({"subject_id": name, "text": "I like tea."})
    page = list_sources(door.runtime, "default", ListSources(limit=2))
    rest = list_sources(door.runtime, "default", ListSources(limit=2, cursor=page.next_cursor))
    assert [each.name for each in (*page.items, *rest.items)] == ["a", "b", "c"]
    assert rest.next_cursor is None
    first = list_claim_keys(door.runtime, "default", ListClaimKeys(limit=2))
    claim_keys = list_claim_keys(door.runtime, "default", ListClaimKeys(limit=4, cursor=first.next_cursor))
    assert [each.key for each in claim_keys.items] == ["birthday", "blood_group", "c", "home"]
    listed = list_subjects(door.runtime, "default", ListSubjects(limit=1))
    subjects = list_subjects(door.runtime, "default", ListSubjects(limit=2, cursor=listed.next_cursor))
    assert [each.subject_id for each in (*listed.items, *subjects.items)] == ["a", "b", "c"]
    assert subjects.next_cursor is None


def test_a_claim_key_of_an_unknown_kind_is_refused(door: Door) -> None:
    """R-33: a kind must exist."""
    with pytest.raises(UnknownKind):
        put_claim_key(door.runtime, "default", PutClaimKey(key="plan", kind="nonsense"))
    assert door.rows("claim_keys") == []


@pytest.mark.parametrize(
    ("model", "asked"),
    [
        (PutSource, {"name": "crm", "authority": 101}),
        (PutSource, {"name": "crm", "authority": True}),
        (PutSource, {"name": "crm", "key_policy": "always"}),
        (PutSource, {"name": " "}),
        (PutClaimKey, {"key": "plan", "cardinality": "some"}),
        (PutClaimKey, {"key": "plan", "policy": "loudest"}),
        (PutClaimKey, {"key": "plan", "corroboration": 0}),
        (PutClaimKey, {"key": "plan", "half_life_days": 0}),
        (PutClaimKey, {"key": "plan", "half_life_days": float("inf")}),
    ],
)
def test_a_registration_out_of_bounds_is_refused(model: type[Any], asked: dict[str, Any]) -> None:
    """R-20, R-36: what is registered is validated."""
    with pytest.raises(ValidationError):
        model.model_validate(asked)
