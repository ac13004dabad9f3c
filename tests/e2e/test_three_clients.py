"""The seed's worked example: three clients read three sources at once and write to one subject."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from stemma import Stemma
from tests.e2e.telling import Episode, conflicts, said, statuses
from tests.serving import fork_server
from tests.simulation.fleet import fresh_served
from tests.stores import Server

OLD, NEW, OTHER = "Stripe charges 3.5% + 35c", "Stripe charges 2.9% + 30c", "Deploys freeze on Fridays"
CLIENTS: list[Episode] = [
    said(OLD, "2026-01-10T09:00:00Z", source="agent-a", key="doc:rates-2025"),
    said(NEW, "2026-02-10T09:00:00Z", source="agent-b", key="doc:rates-2026"),
    said(OTHER, "2026-02-11T09:00:00Z", source="agent-c", key="doc:runbook"),
]
ROUNDS = 6


def at_once(acts: list[Callable[[], None]]) -> None:
    """Do all acts at one moment, each in a thread of its own; the first error is raised."""
    gate = threading.Barrier(len(acts))

    def act(one: Callable[[], None]) -> None:
        gate.wait(timeout=30)
        one()

    with ThreadPoolExecutor(len(acts)) as pool:
        for done in [pool.submit(act, one) for one in acts]:
            done.result(timeout=60)


def client_of(stemma: Stemma, episode: Episode, subject: str) -> Callable[[], None]:
    """One client: send its episode, compile; the store may see the others before, between or after."""

    def act() -> None:
        results = stemma.add_episodes([episode | {"subject_id": subject}]).results
        assert [one.outcome for one in results] == ["created"]
        stemma.compile_memories(subject)

    return act


def hold_the_worked_example(stemma: Stemma, subject: str) -> None:
    """One rate is active; the decision has rule, score and both episodes; the bundle has the winner alone."""
    assert statuses(stemma, subject) == {OLD: "superseded", NEW: "active", OTHER: "active"}, subject
    rows = {one.text: one for one in stemma.list_memories(subject, status="all").items}
    assert rows[OLD].superseded_by == rows[NEW].id, subject
    assert rows[OLD].superseded_from == datetime(2026, 2, 10, 9, tzinfo=UTC), subject
    standing = [one for one in stemma.list_decisions(subject).items if one.undone_at is None]
    [decision] = standing
    assert (decision.rule, decision.score, decision.threshold) == ("latest", 1.0, 0.6), subject
    keys = {one.episode_id: one.key for row in rows.values() for one in row.episodes}
    assert [keys[one] for one in decision.winner_episodes] == ["doc:rates-2026"], subject
    assert [keys[one] for one in decision.loser_episodes] == ["doc:rates-2025"], subject
    assert conflicts(stemma, subject) == [], subject
    text = stemma.bundle("What does Stripe charge?", subject_id=subject).text
    assert "2.9% + 30c" in text and "3.5%" not in text, subject


def test_three_threads_of_one_client_end_in_one_rate(stemma: Stemma) -> None:
    """Seed, R-2, R-3, D-27: whichever comes and compiles first.

    Breaks when a compile writes what an older reading derived over what a newer one wrote.
    """
    for number in range(ROUNDS):
        subject = f"threads {number}"
        at_once([client_of(stemma, one, subject) for one in CLIENTS])
        hold_the_worked_example(stemma, subject)
        again = stemma.compile_memories(subject).model_dump()
        again.pop("state_hash")
        assert set(again.values()) == {0}, subject
    assert stemma.verify().sound


def test_every_interleaving_of_ingest_and_compile_is_one_state(stemma: Stemma) -> None:
    """R-2: in turn, so that each order is certain: six orders, each with every choice of compiles in between."""
    for order in itertools.permutations(CLIENTS):
        for marks in itertools.product((True, False), repeat=2):
            subject = f"turn {[one['source'] for one in order]} {marks}"
            for episode, mark in zip(order, (*marks, True), strict=True):
                stemma.add_episodes([episode | {"subject_id": subject}])
                if mark:
                    stemma.compile_memories(subject)
            hold_the_worked_example(stemma, subject)


def test_stores_told_in_each_order_come_to_one_hash(served_server: Server) -> None:
    """R-2: six stores, one order of arrival each, compiled in between: one hash, and each is sound."""
    hashes = set()
    for order in itertools.permutations(CLIENTS):
        with fresh_served(served_server) as place, Stemma(place, embedder="none") as one:
            for episode in order:
                one.add_episodes([episode | {"subject_id": "payments"}])
                last = one.compile_memories("payments").state_hash
            hashes.add(last)
            hold_the_worked_example(one, "payments")
            assert one.verify().sound
    assert len(hashes) == 1


def test_three_clients_over_http_end_in_one_rate(address: str, tmp_path: Path) -> None:
    """Seed, R-81: the same through `stemma serve`, each with a connection of its own."""
    running = fork_server(address, tmp_path / "log")
    try:
        for number in range(ROUNDS):
            subject = f"wire {number}"
            at_once([_over_http(running.client, one, subject) for one in CLIENTS])
            with running.client() as client:
                _hold_over_http(client, subject)
    finally:
        assert running.stop() == 0
    assert "Traceback" not in (tmp_path / "log").read_text()


def _over_http(open_client: Callable[[], Any], episode: Episode, subject: str) -> Callable[[], None]:
    def act() -> None:
        with open_client() as client:
            sent = client.post("/v1/episodes", json={"episodes": [episode | {"subject_id": subject}]})
            assert [one["outcome"] for one in sent.json()["results"]] == ["created"]
            done = client.post("/v1/memories/compile", json={"subject_id": subject})
            assert done.status_code == 200, done.text

    return act


def _hold_over_http(client: Any, subject: str) -> None:
    named = {"subject_id": subject}
    found = client.get("/v1/memories", params=named | {"status": "all"}).json()["items"]
    rows = {one["text"]: one for one in found}
    assert {text: one["status"] for text, one in rows.items()} == {
        OLD: "superseded",
        NEW: "active",
        OTHER: "active",
    }, subject
    assert rows[OLD]["superseded_by"] == rows[NEW]["id"]
    standing = [one for one in client.get("/v1/decisions", params=named).json()["items"] if one["undone_at"] is None]
    [decision] = standing
    assert (decision["rule"], decision["score"], decision["threshold"]) == ("latest", 1.0, 0.6)
    keys = {one["episode_id"]: one["key"] for row in found for one in row["episodes"]}
    assert [keys[one] for one in decision["winner_episodes"]] == ["doc:rates-2026"]
    assert [keys[one] for one in decision["loser_episodes"]] == ["doc:rates-2025"]
    asked = {"subject_id": subject, "query": "What does Stripe charge?"}
    text = client.post("/v1/bundle", json=asked).json()["text"]
    assert "2.9% + 30c" in text and "3.5%" not in text
