"""The event API by its results: each event on its own, idempotent for ever, in the order of positions (R-8, R-64)."""

from __future__ import annotations

import random
from typing import Any

import pytest

from stemma import Stemma
from stemma.errors import InvalidInput

SAME = "Opening hours: Monday to Friday."


def upsert(event_id: str, name: str, text: str | None, **more: Any) -> dict[str, Any]:
    """Write an upsert; a text that is None is left out."""
    sent = {"event_id": event_id, "op": "upsert", "corpus": "orders", "external_id": name, **more}
    return sent if text is None else {**sent, "text": text}


def delete(event_id: str, name: str, **more: Any) -> dict[str, Any]:
    """Write a delete."""
    return {"event_id": event_id, "op": "delete", "corpus": "orders", "external_id": name, **more}


BATCH: list[Any] = [
    upsert("e1", "1", "Retention is 180 days.", position=10),
    upsert("e2", "2", "Refunds take two weeks.", position=11),
    upsert("e3", "1", "Retention is 90 days.", position=12, title="Retention"),
    upsert("e4", "3", SAME),
    upsert("e5", "4", SAME),
    delete("e6", "2", position=13),
    delete("e7", "never there"),
    {"event_id": "e8", "op": "upsert", "corpus": "orders", "external_id": "8", "text": 5},
    upsert("e1", "1", "Retention is 180 days.", position=10),
    upsert("e1", "1", "Retention is 30 days.", position=99),
    upsert("e11", "1", "Retention is 180 days.", position=11),
    upsert("e12", "1", "Retention is 180 days."),
    {**upsert("e13", "1", "Lost."), "corpus": "no such corpus"},
    upsert("e14", "5", None),
    "no event at all",
    upsert("e16", "2", "Refunds take two weeks.", position=12),
    upsert("e17", "6", "Ferry leaves at 07:40.\x00"),
    delete("e18", "6"),
]
# Status, error code, note.
EXPECTED: list[tuple[str, str | None, str | None]] = [
    ("applied", None, None),
    ("applied", None, None),
    ("applied", None, None),
    ("applied", None, None),
    ("applied", None, None),
    ("applied", None, None),
    ("applied", None, "already_absent"),
    ("rejected", "invalid", None),
    ("duplicate", None, None),
    ("rejected", "event_id_reused", None),
    ("superseded", None, None),
    ("rejected", "position_missing", None),
    ("rejected", "unknown_corpus", None),
    ("rejected", "text_missing", None),
    ("rejected", "invalid", None),
    ("superseded", None, None),
    ("rejected", "control_character", None),
    ("applied", None, "already_absent"),
]


def send(memory: Stemma, events: list[Any]) -> list[tuple[str, str | None, str | None]]:
    """Send a batch and give status, error code and note of each."""
    results = memory.add_events(events).results
    return [(one.status.value, one.error.code if one.error else None, one.note) for one in results]


@pytest.fixture
def orders(memory: Stemma) -> Stemma:
    """A memory with the corpus `orders`, which its first document makes."""
    memory.put_document("orders", "0", text="Order number zero.")
    return memory


def held(memory: Stemma) -> dict[str, tuple[str, str | None, int | None, object]]:
    """Give each document of `orders` with its text, title, position and when it changed."""
    found = {}
    for one in memory.list_documents("orders").items:
        text = memory.get_document("orders", one.external_id).text
        found[one.external_id] = (text, one.title, one.position, one.changed_at)
    return found


def test_a_batch_of_eighteen_gets_a_result_for_each(orders: Stemma) -> None:
    """R-64: insert, update, delete, unknown, malformed, duplicate, reused id, older position, equal texts."""
    assert send(orders, BATCH) == EXPECTED
    assert {name: row[:3] for name, row in held(orders).items()} == {
        "0": ("Order number zero.", None, None),
        "1": ("Retention is 90 days.", "Retention", 12),
        "3": (SAME, None, None),
        "4": (SAME, None, None),
    }
    assert [one.event_id for one in orders.add_events(BATCH[:2]).results] == ["e1", "e2"]


def test_the_batch_sent_again_changes_nothing(orders: Stemma) -> None:
    """R-1, R-64: what was applied is a duplicate, what was refused is refused again; no document, no row is new."""
    send(orders, BATCH)
    before, log = held(orders), orders.list_events("orders", limit=100).items
    wanted = [("duplicate", None, None) if one[0] == "applied" else one for one in EXPECTED]
    for _ in range(3):
        assert send(orders, BATCH) == wanted
    assert held(orders) == before
    assert orders.list_events("orders", limit=100).items == log


def test_a_rejected_event_comes_again_corrected_under_its_own_id(orders: Stemma) -> None:
    """R-64: a failed id is no spent id."""
    send(orders, BATCH)
    assert send(orders, [upsert("e8", "8", "Five.")]) == [("applied", None, None)]
    assert send(orders, [upsert("e14", "5", "A text at last.")]) == [("applied", None, None)]
    assert send(orders, [upsert("e12", "1", "Retention is 60 days.", position=13)]) == [("applied", None, None)]
    assert send(orders, [upsert("e8", "8", "Five.")]) == [("duplicate", None, None)]
    assert send(orders, [upsert("e8", "8", "Six.")]) == [("rejected", "event_id_reused", None)]
    assert held(orders)["8"][0] == "Five."


def test_a_malformed_item_under_an_applied_id_does_not_touch_it(orders: Stemma) -> None:
    """R-64: what was applied stays applied, whatever comes under its id."""
    send(orders, [upsert("e1", "1", "One.")])
    assert send(orders, [{"event_id": "e1", "op": "no such op"}])[0][:2] == ("rejected", "invalid")
    assert send(orders, [upsert("e1", "1", "One.")]) == [("duplicate", None, None)]


def test_a_delete_and_its_retry_are_applied_and_duplicate(orders: Stemma) -> None:
    """The seed's bug: the retry of a delete never fails, also when the document is put again in between."""
    send(orders, [upsert("a", "1", "One.")])
    assert send(orders, [delete("b", "1")]) == [("applied", None, None)]
    assert send(orders, [delete("b", "1")]) == [("duplicate", None, None)]
    send(orders, [upsert("c", "1", "One again.")])
    assert send(orders, [delete("b", "1")]) == [("duplicate", None, None)]
    assert held(orders)["1"][0] == "One again."


def test_a_position_outlives_a_delete(orders: Stemma) -> None:
    """R-64: an older upsert that arrives after the delete stays superseded; the delete of what was never seen too."""
    send(orders, [upsert("a", "1", "One.", position=5), delete("b", "1", position=7)])
    assert send(orders, [upsert("c", "1", "Late.", position=6)]) == [("superseded", None, None)]
    assert send(orders, [delete("d", "x", position=7)]) == [("applied", None, "already_absent")]
    assert send(orders, [upsert("e", "x", "Late.", position=7)]) == [("superseded", None, None)]
    assert set(held(orders)) == {"0"}
    assert send(orders, [upsert("f", "x", "New.", position=8)]) == [("applied", None, None)]
    assert held(orders)["x"][:1] == ("New.",)


def test_any_order_of_positioned_events_ends_alike(orders: Stemma) -> None:
    """R-64: the highest position wins, whatever arrives first."""
    events = [upsert(f"e{n}", "1", f"Version {n}.", position=n, title=f"T{n}") for n in range(6)]
    events += [delete("gone", "2", position=9), upsert("was", "2", "There.", position=8)]
    draw = random.Random(7)
    for number in range(6):
        shuffled = [{**each, "event_id": f"{number} {each['event_id']}"} for each in draw.sample(events, len(events))]
        renamed = [{**each, "external_id": f"{number} {each['external_id']}"} for each in shuffled]
        memory_results = send(orders, renamed)
        assert {status for status, *_ in memory_results} <= {"applied", "superseded"}
        found = held(orders)
        assert found[f"{number} 1"][:3] == ("Version 5.", "T5", 5)
        assert f"{number} 2" not in found


def test_what_is_applied_is_found_at_once(orders: Stemma) -> None:
    """R-64: applied = stored and searchable."""
    send(orders, [upsert("a", "1", "The harbour master's office opens at 07:40.")])
    [citation] = orders.search_documents("When does the office open?", corpora=["orders"]).citations
    assert citation.external_id == "1"
    send(orders, [delete("b", "1")])
    assert orders.search_documents("When does the office open?", corpora=["orders"]).citations == ()


def test_the_log_of_events_outlives_the_documents(orders: Stemma) -> None:
    """R-8: an event's row stays when its document goes; the list pages in the order of arrival."""
    send(orders, BATCH)
    orders.delete_corpus("orders")
    first = orders.list_events("orders", limit=5)
    rest = orders.list_events("orders", limit=50, cursor=first.next_cursor or "")
    ids = [one.event_id for one in (*first.items, *rest.items)]
    assert ids == ["e1", "e2", "e3", "e4", "e5", "e6", "e7", "e11", "e12", "e14", "e16", "e18"]
    assert first.items[0].status.value == "applied"
    assert [one.error.code for one in rest.items if one.error] == ["position_missing", "text_missing"]
    with pytest.raises(InvalidInput):
        orders.list_events("orders", cursor="no cursor")


def test_one_spelling_of_an_event_is_as_good_as_another(orders: Stemma) -> None:
    """R-1: the order of fields, a null field and another zone of one instant change no payload."""
    sent = upsert("a", "1", "One.", occurred_at="2026-03-01T10:00:00Z", metadata={"a": 1, "b": [2]})
    assert send(orders, [sent])[0][0] == "applied"
    other = {**dict(reversed(sent.items())), "title": None, "occurred_at": "2026-03-01T11:00:00+01:00"}
    assert send(orders, [other])[0][0] == "duplicate"
    assert send(orders, [{**sent, "metadata": {"a": 1, "b": [3]}}])[0][1] == "event_id_reused"
