"""What people decided outlives a rebuild, a re-sync and every later compile."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from stemma import Stemma
from tests.e2e.telling import SEED, Episode, claimed, conflicts, memories, said, statuses, tell
from tests.simulation.fleet import fresh_embedded, fresh_served
from tests.spine_clock import Clock
from tests.stores import Server

ANA = "ana"
EPISODES: list[Episode] = [
    claimed("rate", "30", "2026-01-10T09:00:00Z", source="handbook"),
    claimed("rate", "0", "2026-01-20T09:00:00Z", source="chat"),
    said("I prefer dark mode.", "2026-01-11T09:00:00Z"),
    said("Deploys freeze on Fridays.", "2026-01-12T09:00:00Z"),
    said("I live in Lisbon.", "2026-01-13T09:00:00Z"),
    said("I live in Porto.", "2026-02-13T09:00:00Z"),
]
Open = Callable[[], Stemma]


@pytest.fixture
def another(server: Server, clock: Clock) -> Iterator[Open]:
    """Open further stores that have seen nothing: a folder each, or a database each of the server."""
    with ExitStack() as opened:

        def open_it() -> Stemma:
            place = fresh_embedded() if isinstance(server.target, Path) else fresh_served(server)
            return opened.enter_context(Stemma(opened.enter_context(place), clock=clock, embedder="none"))

        yield open_it


def register(stemma: Stemma) -> None:
    """A handbook that chat does not overrule, and a single-valued rate."""
    stemma.put_source("handbook", authority=90)
    stemma.put_source("chat", authority=10)
    stemma.put_claim_key("rate", cardinality="single")


def told_to(stemma: Stemma) -> Stemma:
    """Register and tell the six episodes."""
    register(stemma)
    tell(stemma, ANA, EPISODES)
    return stemma


def exported(stemma: Stemma) -> list[str]:
    """The whole log, line by line."""
    lines: list[str] = []
    stemma.export_log(lines.append)
    return lines


@contextmanager
def unchanged(stemma: Stemma) -> Iterator[None]:
    """Hold that an act changes neither hash nor rows nor conflicts."""
    before = (stemma.compile_memories(ANA).state_hash, statuses(stemma, ANA), conflicts(stemma, ANA))
    yield
    counts = stemma.compile_memories(ANA).model_dump()
    assert (counts.pop("state_hash"), statuses(stemma, ANA), conflicts(stemma, ANA)) == before
    assert set(counts.values()) == {0}


def resync(stemma: Stemma, episodes: list[Episode]) -> None:
    """Send every episode again, shuffled, alone and in one batch."""
    again = [one | {"subject_id": ANA} for one in random.Random(SEED).sample(episodes, len(episodes))]
    assert {one.outcome for one in stemma.add_episodes(again).results} == {"duplicate"}
    assert {stemma.add_episodes([one]).results[0].outcome for one in again} == {"duplicate"}


WAYS = {
    "choose": ({"rate: 0": "active", "rate: 30": "superseded"}, 0),
    "third": ({"rate: 0": "superseded", "rate: 30": "superseded", "It is 14": "active"}, 0),
    "both": ({"rate: 0": "active", "rate: 30": "active"}, 0),
}


def resolve(stemma: Stemma, way: str) -> None:
    """Resolve the one open conflict in a way."""
    [conflict] = stemma.list_conflicts(ANA, status="open").items
    if way == "choose":
        stemma.resolve_conflict(conflict.id, choose=memories(stemma, ANA)["rate: 0"].id, by="Ada", note="checked")
    elif way == "third":
        stemma.resolve_conflict(conflict.id, value="14", text="It is 14", by="Ada")
    else:
        stemma.resolve_conflict(conflict.id, keep_both=True, by="Ada")


@pytest.mark.parametrize("way", WAYS)
def test_a_resolution_survives_a_resync_and_a_rebuild(another: Open, way: str) -> None:
    """R-37: a ruling is a log entry; sending everything again and deriving in a new store keep it, hash and all.

    Breaks when a resolution is a change of rows: the next derivation would open the conflict again.
    """
    stemma = told_to(another())
    assert conflicts(stemma, ANA) == [("lower_authority", ["rate: 0", "rate: 30"])]
    resolve(stemma, way)
    wanted, count = WAYS[way]
    rates = {text: status for text, status in statuses(stemma, ANA).items() if text.startswith(("rate", "It is"))}
    assert (rates, len(conflicts(stemma, ANA))) == (wanted, count)
    with unchanged(stemma):
        resync(stemma, EPISODES)
    rebuilt = another()
    result = rebuilt.import_log(exported(stemma))
    assert (result.rejected, result.refused) == (0, 0)
    assert rebuilt.compile_memories(ANA).state_hash == stemma.compile_memories(ANA).state_hash
    assert statuses(rebuilt, ANA) == statuses(stemma, ANA)
    assert conflicts(rebuilt, ANA) == conflicts(stemma, ANA) == []
    assert conflicts(rebuilt, ANA, "resolved") == conflicts(stemma, ANA, "resolved")
    assert len(conflicts(rebuilt, ANA, "resolved")) == 1
    assert rebuilt.verify().sound and stemma.verify().sound
    with unchanged(rebuilt):
        resync(rebuilt, EPISODES)


def test_after_a_resolution_policy_rules_what_is_said_later(stemma: Stemma, clock: Clock) -> None:
    """D-20: said before the ruling and late: nothing. Said after it by chat, below the rank so far: held and open."""
    told_to(stemma)
    resolve(stemma, "choose")
    late = claimed("rate", "7", "2026-01-15T09:00:00Z", source="chat")
    tell(stemma, ANA, [late])
    assert statuses(stemma, ANA)["rate: 0"] == "active"
    assert statuses(stemma, ANA)["rate: 7"] != "active"
    assert conflicts(stemma, ANA) == []
    clock.now = clock.now.replace(day=20)
    tell(stemma, ANA, [claimed("rate", "9", "2026-03-19T09:00:00Z", source="chat")])
    assert (statuses(stemma, ANA)["rate: 0"], statuses(stemma, ANA)["rate: 9"]) == ("active", "quarantined")
    assert conflicts(stemma, ANA) == [("lower_authority", ["rate: 0", "rate: 9"])]
    tell(stemma, ANA, [claimed("rate", "11", "2026-03-20T09:00:00Z", source="handbook")])
    assert statuses(stemma, ANA)["rate: 11"] == "active"
    assert statuses(stemma, ANA)["rate: 0"] == "superseded"


@pytest.mark.parametrize("wording", ["I prefer dark mode.", "I like dark mode."])
def test_a_forgotten_memory_does_not_come_back_with_an_older_wording(another: Open, wording: str) -> None:
    """R-37, D-21: forget covers that memory up to its time, in whatever words and whenever they arrive.

    Breaks when a forget lists the sayings that it saw and nothing else.
    """
    stemma = told_to(another())
    stemma.forget_memory(memories(stemma, ANA)["I prefer dark mode"].id, by="Ada")
    assert statuses(stemma, ANA)["I prefer dark mode"] == "tombstoned"
    older = said(wording, "2025-12-01T09:00:00Z")
    tell(stemma, ANA, [older])
    shown = statuses(stemma, ANA)
    assert {status for text, status in shown.items() if "dark mode" in text} == {"tombstoned"}
    assert [one.memory.text for one in stemma.recall(ANA, "Do I prefer dark mode?").items] == []
    with unchanged(stemma):
        resync(stemma, [*EPISODES, older])
    rebuilt = another()
    rebuilt.import_log(exported(stemma))
    assert rebuilt.compile_memories(ANA).state_hash == stemma.compile_memories(ANA).state_hash
    assert statuses(rebuilt, ANA) == shown


def test_what_is_said_after_the_forget_is_new(stemma: Stemma, clock: Clock) -> None:
    """D-21: later sayings are new, and count alone."""
    told_to(stemma)
    stemma.forget_memory(memories(stemma, ANA)["I prefer dark mode"].id, by="Ada")
    clock.now = clock.now.replace(day=20)
    tell(stemma, ANA, [said("I prefer dark mode.", "2026-03-19T09:00:00Z")])
    row = memories(stemma, ANA)["I prefer dark mode"]
    assert (str(row.status), row.times_said, row.first_said_at.day) == ("active", 1, 19)


@pytest.mark.parametrize("text", ["I prefer dark mode", "Deploys freeze on Fridays", "I live in Porto"])
def test_a_quarantine_survives_compiles_a_resync_and_a_rebuild(another: Open, clock: Clock, text: str) -> None:
    """R-37, R-50: what a person set aside stays aside until a person takes it back."""
    stemma = told_to(another())
    stemma.patch_memory(memories(stemma, ANA)[text].id, quarantine=True, by="Ada", note="not true")
    assert statuses(stemma, ANA)[text] == "quarantined"
    tell(stemma, ANA, [said("I own a bicycle.", "2026-03-01T09:00:00Z")])
    assert statuses(stemma, ANA)[text] == "quarantined"
    with unchanged(stemma):
        resync(stemma, EPISODES)
    rebuilt = another()
    rebuilt.import_log(exported(stemma))
    assert rebuilt.compile_memories(ANA).state_hash == stemma.compile_memories(ANA).state_hash
    assert statuses(rebuilt, ANA) == statuses(stemma, ANA)
    clock.now = clock.now.replace(day=20)
    stemma.patch_memory(memories(stemma, ANA)[text].id, quarantine=False, by="Ada")
    assert statuses(stemma, ANA)[text] == "active"


def test_two_acts_at_one_instant_take_effect_in_their_order(stemma: Stemma) -> None:
    """R-37, API: "resolve, forget and patch take effect before they answer", also where the clock has not moved on.

    Breaks when acts of one instant are put in the order of their hashes.
    """
    answers = []
    for number in range(12):
        subject = f"ana {number}"
        tell(stemma, subject, [said("Deploys freeze on Fridays.", "2026-01-12T09:00:00Z")])
        [row] = stemma.list_memories(subject).items
        aside = stemma.patch_memory(row.id, quarantine=True, by="Ada").status
        answers.append((str(aside), str(stemma.patch_memory(row.id, quarantine=False, by="Ada").status)))
    assert answers == [("quarantined", "active")] * 12
