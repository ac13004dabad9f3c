"""Two logs become one in either order, any number of times (R-2, R-92): random small stores on real databases."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stemma.app.models_registry import PutSource
from stemma.app.registry import put_source
from stemma.core.acts import identified
from stemma.core.content import content_hash
from stemma.records import ActKind, Content, HumanAct, NamedMemory, NamedSaying, SaidBy
from stemma.store import acts
from tests.contract.log_door import START, Door
from tests.stores import Server

# A key always comes with the same business key, as from a real source; i1, i2 and r1 are one event.
BUSINESS = {"i1": "b", "i2": "b", "r1": "b", "r2": None}
_numbers = itertools.count(1)
TEXTS = ("zero", "one")
INSTANTS = tuple(datetime(2026, 1, day, tzinfo=UTC) for day in (1, 2, 3)) + (START + timedelta(days=9),)


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that happens to a store: `what` is a key to send, `erase`, `wait`, `source` or `forget`."""

    what: str
    text: str
    at: datetime
    key: str


def steps() -> st.SearchStrategy[list[Step]]:
    """Draw a short history."""
    whats = st.sampled_from(
        ["i1", "i2", "r1", "r2", "content", "content", "erase", "erase", "wait", "forget", "source"]
    )
    keys = st.sampled_from(["i1", "r1", "zero", "zero"])
    one = st.builds(Step, whats, st.sampled_from(TEXTS), st.sampled_from(INSTANTS), keys)
    return st.lists(one, min_size=4, max_size=10)


@pytest.fixture(scope="module")
def doors(embedded_server: Server) -> Iterator[list[Door]]:
    """Four stores; an example takes a tenant of its own in each."""
    names = [embedded_server.fresh() for _ in range(4)]
    stores = [embedded_server.open(name) for name in names]
    yield [Door(store) for store in stores]
    for store, name in zip(stores, names, strict=True):
        store.close()
        embedded_server.drop(name)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(first=steps(), second=steps(), head_start=st.integers(0, 2))
def test_importing_two_exports_in_either_order_gives_one_log(
    doors: list[Door], first: list[Step], second: list[Step], head_start: int
) -> None:
    """R-2, R-92: every order and repetition of two imports ends in the same records, tombstones and refusals."""
    one, other, third, fourth = doors
    number = next(_numbers)
    for door in doors:
        door.tenant, door.clock = f"example {number}", START
    live(one, first)
    other.clock += timedelta(days=head_start)
    live(other, second)
    a, b = one.export(), other.export()

    for exported in (a, b, a, a, b):
        third.take(exported)
    for exported in (b, a, b):
        fourth.take(exported)
    joined = third.export()
    assert fourth.export() == joined
    one.take(b)
    other.take(a)
    assert one.export() == joined
    assert other.export() == joined
    assert one.take(joined).changed == 0
    assert index_of(one) == index_of(fourth)


def live(door: Door, history: list[Step]) -> None:
    """Let a history happen to a store."""
    for step in history:
        match step.what:
            case "wait":
                door.later(days=1)
            case "erase":
                door.erase("s", step.key if step.key in BUSINESS else content_key(step.key))
            case "source":
                put_source(door.runtime, door.tenant, PutSource(name="api", authority=len(step.key) * 10))
            case "forget":
                forget(door, step)
            case _:
                door.send(episode(step))


def episode(step: Step) -> dict[str, Any]:
    """Give the episode that a step sends."""
    sent: dict[str, Any] = {"subject_id": "s", "text": step.text, "occurred_at": step.at.isoformat()}
    if step.what == "content":
        return sent | {"metadata": {"key": step.key}}
    policy = "revision" if step.what.startswith("r") else "identity"
    return sent | {"key": step.what, "key_policy": policy, "business_key": BUSINESS[step.what]}


def content_key(text: str) -> str:
    """Give the key that a text has under the content policy."""
    return content_hash(Content(text=text, source="api", said_by=SaidBy.USER))


def forget(door: Door, step: Step) -> None:
    """Write a human act that names whatever is there of two keys."""
    wanted = {step.key if step.key in BUSINESS else content_key(step.key), "r2"}
    keys = {row["episode_id"]: row["key"] for row in door.rows("episodes") if row["key"] in wanted}
    named = [
        NamedSaying(keys[row["episode_id"]], row["content_hash"], row["occurred_at"], 0, 0, 3)
        for row in door.rows("sayings")
        if row["episode_id"] in keys
    ]
    memory = NamedMemory(unit="u", memory_id="m", kind="fact", text="zero", value="zero", sayings=tuple(named))
    act = HumanAct(id="", kind=ActKind.FORGET, subject_id="s", at=step.at, memories=(memory,), recorded_at=door.clock)
    with door.store.transaction(door.tenant) as t:
        acts.put(t, identified(act))


def index_of(door: Door) -> list[tuple[str, bytes]]:
    """Give what a store's index holds."""
    return sorted((row["item_id"], bytes(row["text_hash"])) for row in door.rows("lex"))
