"""Every part of the evidence is in the hash: an episode that supports a row cannot differ in one character, its time,
its source or its polarity without the state showing it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest

from stemma import Stemma
from tests.simulation.fleet import fresh_embedded, fresh_served
from tests.stores import Server

SEED = 20261130
TRIALS = 200
RECEIPT = datetime(2026, 7, 1, 12, tzinfo=UTC)
START = datetime(2026, 1, 5, tzinfo=UTC)
CHANGES = ("character", "time", "source", "polarity")
LETTERS = "abcdefghijklmnopqrstuvwxyz"

_TEXTS = (
    "Deploys freeze on Fridays.",
    "I live in Lisbon.",
    "I prefer dark mode.",
    "Stripe charges 2.9% + 30c.",
    "I am allergic to peanuts.",
    "The ferry leaves at 07:40 from pier 3.",
)

Episode = dict[str, Any]


def drawn(random: Random, number: int) -> list[Episode]:
    """Draw a small subject: three to five statements, one of them a structured claim."""
    subject = f"trial {number}"
    episodes: list[Episode] = []
    for place in range(random.randint(3, 5)):
        episode: Episode = {
            "subject_id": subject,
            "key": f"said:{place}",
            "source": random.choice(("desk", "phone", "web")),
            "occurred_at": (START + timedelta(minutes=random.randint(0, 200_000))).isoformat(),
        }
        if place == 0:
            episode["claims"] = [{"key": "berth", "value": random.choice(("north", "south"))}]
        else:
            episode["text"] = random.choice(_TEXTS)
        episodes.append(episode)
    return episodes


def controls() -> dict[str, list[Episode]]:
    """Draw twenty subjects that are told to both stores alike."""
    drawings = {f"control {number}": drawn(Random(number), number) for number in range(20)}
    return {name: [one | {"subject_id": name} for one in episodes] for name, episodes in drawings.items()}


def changed(episode: Episode, change: str, random: Random) -> Episode:
    """Return the episode with one thing changed."""
    if change == "time":
        moved = datetime.fromisoformat(episode["occurred_at"]) + timedelta(seconds=random.choice((-86_400, -1, 1, 60)))
        return episode | {"occurred_at": moved.isoformat()}
    if change == "source":
        return episode | {"source": {"desk": "phone", "phone": "desk", "web": "desk"}[episode["source"]]}
    if change == "polarity":
        return episode | {"claims": [claim | {"polarity": "negated"} for claim in episode["claims"]]}
    if "claims" in episode:
        [claim] = episode["claims"]
        return episode | {"claims": [claim | {"value": _other_letter(claim["value"], random)}]}
    return episode | {"text": _other_letter(episode["text"], random)}


def _other_letter(text: str, random: Random) -> str:
    place = random.choice([number for number, letter in enumerate(text) if letter.isalpha()])
    return text[:place] + random.choice(LETTERS.replace(text[place].lower(), "")) + text[place + 1 :]


@pytest.fixture(params=[("embedded", TRIALS), ("served", 40)], ids=lambda pair: f"{pair[0]}-{pair[1]}")
def two_stores(request: pytest.FixtureRequest) -> Iterator[tuple[str, str, int]]:
    """Two stores that know nothing of each other, and how many trials to make of them."""
    way, trials = request.param
    if way == "embedded":
        with fresh_embedded() as one, fresh_embedded() as other:
            yield one, other, trials
    else:
        server: Server = request.getfixturevalue("served_server")
        with fresh_served(server) as one, fresh_served(server) as other:
            yield one, other, trials


def told(store: str, subjects: dict[str, list[Episode]]) -> tuple[dict[str, str | None], dict[str, set[str]]]:
    """Tell a new store of all subjects; return each one's hash and the keys of the episodes that support a row."""
    with Stemma(store, clock=lambda: RECEIPT, embedder="none") as stemma:
        stemma.put_claim_key("berth", cardinality="single")
        every = [episode for episodes in subjects.values() for episode in episodes]
        for start in range(0, len(every), 500):
            results = stemma.add_episodes(every[start : start + 500]).results
            assert {one.outcome for one in results} == {"created"}
        stemma.compile_memories()
        hashes = {subject: stemma.compile_memories(subject).state_hash for subject in subjects}
        supports = {
            subject: {
                one.key for memory in stemma.list_memories(subject, status="all").items for one in memory.episodes
            }
            for subject in subjects
        }
    return hashes, supports


@pytest.mark.slow
def test_every_change_to_supporting_evidence_changes_the_hash(two_stores: tuple[str, str, int]) -> None:
    """R-2: two stores with the same log agree on every hash; with a letter, time, source or polarity changed on none.

    Breaks when an evidence row leaves its content hash, time or source out of the hash, or when the hash is of the
    rows' texts alone.
    """
    one_store, other_store, count = two_stores
    random = Random(SEED)
    base = {f"trial {number}": drawn(random, number) for number in range(count)}
    same = controls()
    hashes, supports = told(one_store, base | same)
    trials: dict[str, tuple[str, str]] = {}
    other: dict[str, list[Episode]] = {}
    for number, (subject, episodes) in enumerate(base.items()):
        change = CHANGES[number % len(CHANGES)]
        of_claims = change == "polarity"
        candidates = [
            place
            for place, episode in enumerate(episodes)
            if episode["key"] in supports[subject] and (not of_claims or "claims" in episode)
        ]
        place = random.choice(candidates)
        trials[subject] = change, episodes[place]["key"]
        other[subject] = [*episodes[:place], changed(episodes[place], change, random), *episodes[place + 1 :]]
    after, _ = told(other_store, other | same)
    assert {subject: after[subject] for subject in same} == {subject: hashes[subject] for subject in same}
    unchanged = [(subject, *trials[subject]) for subject in base if hashes[subject] == after[subject]]
    assert unchanged == [], f"seed {SEED}"
    assert Counter(change for change, _ in trials.values()) == dict.fromkeys(CHANGES, count // 4)
    assert len(set(hashes.values()) | set(after.values())) == 2 * count + len(same)
