"""Kill -9 of `stemma serve` and of its embedded postmaster, in the middle of ingests and compiles, as often as asked.
Every acknowledged episode must be there afterwards, and the state must be that of a store that nobody disturbed.
"""

from __future__ import annotations

import os
import shutil
import signal
import statistics
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any, Literal

import httpx

from stemma import Stemma
from tests import serving
from tests.serving import Served, fork_server
from tests.stores import open_folder

CLAIM_KEYS = ("berth", "pilot", "fuel")
BATCHES = 3
BATCH_SIZE = 30
START = datetime(2026, 1, 5, 8, tzinfo=UTC)

Victim = Literal["server", "postmaster"]
Phase = Literal["ingest", "compile"]
COMBINATIONS: tuple[tuple[Victim, Phase], ...] = (
    ("server", "ingest"),
    ("postmaster", "compile"),
    ("server", "compile"),
    ("postmaster", "ingest"),
)
Episode = dict[str, Any]


@dataclass(slots=True)
class Crash:
    """One round: what was killed during what, what had been acknowledged, and what was on its way."""

    number: int
    victim: Victim
    phase: Phase
    episodes: list[Episode]
    acknowledged: set[str] = field(default_factory=set)
    on_its_way: set[str] = field(default_factory=set)
    status: int | None = None
    in_the_middle: bool = False

    @property
    def subject(self) -> str:
        """Return the subject that this round alone speaks of."""
        return str(self.episodes[0]["subject_id"])

    def __str__(self) -> str:
        return f"round {self.number}: {self.victim} killed during {self.phase}, answer {self.status}"


@dataclass(slots=True)
class Figures:
    """What the rounds came to."""

    statuses: Counter[str] = field(default_factory=Counter)
    kills: Counter[str] = field(default_factory=Counter)
    in_the_middle: int = 0
    acknowledged: int = 0
    unacknowledged_but_stored: int = 0
    recoveries: list[float] = field(default_factory=list)


def run(rounds: int, seed: int, *, verify_every: int = 10) -> dict[str, Any]:
    """Crash a store so many times, check it after each, and return the figures; AssertionError names a bad round.

    `verify_every` says after how many rounds `stemma verify` reads the whole store besides.
    """
    random = Random(seed)
    figures = Figures()
    with _folder() as folder, Stemma(folder / "undisturbed", embedder="none") as undisturbed:
        for key in CLAIM_KEYS:
            undisturbed.put_claim_key(key, cardinality="single")
        server = _serve(folder)
        survivor: Served | None = None
        try:
            _register(server)
            usual = _usual_seconds(server, random)
            for number in range(rounds):
                victim, phase = COMBINATIONS[number % len(COMBINATIONS)]
                crash = Crash(number, victim, phase, _episodes(random, f"round {number}"))
                _load_and_kill(server, crash, random, usual)
                survivor = _after_the_kill(server, crash, random)
                began = time.monotonic()
                server = _serve(folder)
                check(server, undisturbed, crash, seed)
                figures.recoveries.append(time.monotonic() - began)
                if survivor is not None:
                    survivor.end(signal.SIGKILL)
                _note(figures, crash)
                if number % verify_every == verify_every - 1:
                    _verify(folder, crash, seed)
        finally:
            for one in (server, survivor):
                if one is not None:
                    one.stop()
    return _summary(figures, rounds, seed)


def check(server: Served, undisturbed: Stemma, crash: Crash, seed: int) -> None:
    """Hold that a fresh process finds what was acknowledged and derives the state of an undisturbed store."""
    with server.client() as client:
        present = _keys(client, crash.subject)
        told = f"seed {seed}, {crash}"
        assert crash.acknowledged <= present, f"{told}: lost {sorted(crash.acknowledged - present)}"
        assert present <= crash.acknowledged | crash.on_its_way, f"{told}: {sorted(present)}"
        compiled = _compile(client, crash.subject).json()
        again = _compile(client, crash.subject).json()
        memories = client.get(
            "/v1/memories", params={"subject_id": crash.subject, "status": "all", "limit": 500}
        ).json()
    state_hash = again.pop("state_hash")
    assert state_hash == compiled["state_hash"], told
    assert set(again.values()) == {0}, f"{told}: the second compile says {again}"
    stored = [one for one in crash.episodes if one["key"] in present]
    crash.on_its_way &= present
    if stored:
        assert {one.outcome for one in undisturbed.add_episodes(stored).results} == {"created"}
        assert undisturbed.compile_memories(crash.subject).state_hash == state_hash, told
    expected = [one.id for one in undisturbed.list_memories(crash.subject, status="all", limit=500).items]
    assert sorted(one["id"] for one in memories["items"]) == sorted(expected), told


def _load_and_kill(server: Served, crash: Crash, random: Random, usual: dict[str, float]) -> None:
    """Send and compile some batches, then kill the victim while one more request is on its way."""
    batches = [crash.episodes[start : start + BATCH_SIZE] for start in range(0, len(crash.episodes), BATCH_SIZE)]
    before, last = batches[: random.randrange(len(batches))], batches[-1]
    with server.client() as client:
        for batch in before:
            _acknowledge(client, crash, batch)
            if random.random() < 0.5:
                _compile(client, crash.subject)
        if crash.phase == "compile":
            _acknowledge(client, crash, last)
    answered = threading.Event()

    def ask() -> None:
        with server.client() as client, suppress(httpx.TransportError):
            if crash.phase == "compile":
                crash.status = _compile(client, crash.subject).status_code
            else:
                crash.on_its_way = {one["key"] for one in last}
                answer = client.post("/v1/episodes", json={"episodes": last})
                crash.status = answer.status_code
                if crash.status == 200:
                    crash.acknowledged |= {one["key"] for one in answer.json()["results"]}
        answered.set()

    asking = threading.Thread(target=ask)
    victim = server.process.pid if crash.victim == "server" else _postmaster(server)
    asking.start()
    crash.in_the_middle = not answered.wait(random.uniform(0, usual[crash.phase]))
    os.kill(victim, signal.SIGKILL)
    asking.join(timeout=90)
    assert not asking.is_alive(), f"{crash}: a request hangs for ever"


def _after_the_kill(server: Served, crash: Crash, random: Random) -> Served | None:
    """End what is left of the server, or leave it running beside the fresh one if its postmaster alone was killed."""
    if crash.victim == "postmaster" and random.random() < 0.5:
        return server
    server.end(signal.SIGKILL)
    return None


def _usual_seconds(server: Served, random: Random) -> dict[str, float]:
    """Return how long an ingest and a compile take when nothing is killed."""
    episodes = _episodes(random, "warming up")
    seconds: dict[str, float] = {}
    with server.client() as client:
        for start in range(0, len(episodes), BATCH_SIZE):  # the first of its kind is slow, so the last one counts
            began = time.monotonic()
            client.post("/v1/episodes", json={"episodes": episodes[start : start + BATCH_SIZE]}).raise_for_status()
            ingested = time.monotonic()
            _compile(client, "warming up").raise_for_status()
            seconds = {"ingest": ingested - began, "compile": time.monotonic() - ingested}
    return seconds


def _acknowledge(client: httpx.Client, crash: Crash, batch: list[Episode]) -> None:
    answer = client.post("/v1/episodes", json={"episodes": batch})
    assert answer.status_code == 200, answer.text
    results = answer.json()["results"]
    assert {one["outcome"] for one in results} == {"created"}
    crash.acknowledged |= {one["key"] for one in results}


def _compile(client: httpx.Client, subject: str) -> httpx.Response:
    return client.post("/v1/memories/compile", json={"subject_id": subject})


def _keys(client: httpx.Client, subject: str) -> set[str]:
    found = client.get("/v1/episodes", params={"subject_id": subject, "limit": 500})
    assert found.status_code == 200, found.text
    assert found.json()["next_cursor"] is None
    keys = [str(one["key"]) for one in found.json()["items"]]
    assert len(keys) == len(set(keys))
    return set(keys)


def _episodes(random: Random, subject: str) -> list[Episode]:
    """Draw the round's episodes: claims that supersede each other, and words that restate and contradict."""
    episodes = []
    for number in range(BATCHES * BATCH_SIZE):
        when = START + timedelta(minutes=random.randint(0, 150_000))
        episode: Episode = {"subject_id": subject, "key": f"said:{number:03}", "occurred_at": when.isoformat()}
        if number % 3:
            value = random.choice(("north", "south", "east"))
            episode["claims"] = [{"key": random.choice(CLAIM_KEYS), "value": value}]
        else:
            episode["text"] = f"{random.choice(('Adyen', 'Mollie'))} charges {random.randint(1, 9)}.5% + 30c."
        episodes.append(episode)
    return episodes


def _register(server: Served) -> None:
    with server.client() as client:
        for key in CLAIM_KEYS:
            client.put(f"/v1/claim-keys/{key}", json={"cardinality": "single"}).raise_for_status()


def _serve(folder: Path) -> Served:
    return fork_server(folder / "store", folder / f"log-{time.monotonic_ns()}")


def _postmaster(server: Served) -> int:
    return int((Path(server.store) / "pg" / "postmaster.pid").read_text().split()[0])


def _verify(folder: Path, crash: Crash, seed: int) -> None:
    done = serving.fork("verify", "--store", str(folder / "store"))
    assert done.returncode == 0, f"seed {seed}, after {crash}: {done.stdout.decode()} {done.stderr.decode()}"


def _note(figures: Figures, crash: Crash) -> None:
    figures.kills[f"{crash.victim} during {crash.phase}"] += 1
    figures.in_the_middle += crash.in_the_middle
    figures.statuses["no answer" if crash.status is None else str(crash.status)] += 1
    figures.acknowledged += len(crash.acknowledged)
    figures.unacknowledged_but_stored += len(crash.on_its_way - crash.acknowledged)


def _summary(figures: Figures, rounds: int, seed: int) -> dict[str, Any]:
    return {
        "rounds": rounds,
        "seed": seed,
        "kills": dict(figures.kills),
        "kills_before_the_answer": figures.in_the_middle,
        "answers_of_the_request_on_its_way": dict(figures.statuses),
        "acknowledged_episodes": figures.acknowledged,
        "acknowledged_episodes_lost": 0,
        "stored_without_acknowledgement": figures.unacknowledged_but_stored,
        "states_unlike_an_undisturbed_run": 0,
        "seconds_to_a_checked_recovery_median": round(statistics.median(figures.recoveries), 2),
        "seconds_to_a_checked_recovery_max": round(max(figures.recoveries), 2),
    }


@contextmanager
def _folder() -> Iterator[Path]:
    folder = open_folder()
    try:
        yield folder
    finally:
        shutil.rmtree(folder)
