"""F16, F17, F19 and F20 as printed, through ingest, compile and recall."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from stemma import Stemma
from tests.e2e.telling import home_of
from tests.spine_clock import Clock
from tests.stores import Server

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
_numbers = itertools.count(1)


@pytest.fixture
def clock() -> Clock:
    """A clock of the test's own."""
    return Clock(NOW)


@pytest.fixture
def stemma(server: Server, clock: Clock) -> Iterator[Stemma]:
    """Embedded, then served; a tenant of the test's own."""
    with Stemma(home_of(server), tenant=f"f16-{next(_numbers)}", clock=clock, embedder="none") as opened:
        yield opened


def send(stemma: Stemma, subject: str, *episodes: dict[str, Any]) -> None:
    """Send episodes of a subject and compile."""
    results = stemma.add_episodes([one | {"subject_id": subject} for one in episodes]).results
    assert {str(one.outcome) for one in results} == {"created"}
    stemma.compile_memories(subject)


def refusals(stemma: Stemma, subject: str) -> dict[str, list[str]]:
    """The reasons of every gate record that refused, by the key of its episode."""
    found = {}
    for one in stemma.find_episodes(subject).items:
        episode = stemma.get_episode(one.episode_id)
        found[one.key] = [str(gate.reason) for gate in episode.gates if not gate.passed]
    return found


def text_of(stemma: Stemma, episode_id: str) -> str | None:
    """The text of an episode's one revision."""
    [revision] = stemma.get_episode(episode_id).revisions
    return revision.text


USER = "> I have never sailed.\nReally? I sail every Sunday."
ASSISTANT = "Here is a plan.\n\nI prefer short checklists.\n\nShall we go on?"
TURNS = [{"role": "user", "content": USER}, {"role": "assistant", "content": ASSISTANT}]


WAYS = pytest.mark.parametrize("way", ["one episode", "two episodes", "the assistant first"])


def tell_turns(stemma: Stemma, way: str) -> None:
    """Tell the user's and the assistant's turn, together or each as an episode."""
    parts = [TURNS] if way == "one episode" else [[one] for one in TURNS]
    episodes = [
        {"key": f"turn:{number}", "messages": part, "occurred_at": "2026-05-01T09:00:00Z", "session_id": "s"}
        for number, part in enumerate(parts)
    ]
    for one in reversed(episodes) if way == "the assistant first" else episodes:
        send(stemma, "ana", one)


@WAYS
def test_f16_the_user_sails_on_sundays_and_nobody_never_sailed(stemma: Stemma, way: str) -> None:
    """F16: one memory of the user's; its span lies in what the user wrote, unquoted."""
    tell_turns(stemma, way)
    rows = stemma.list_memories("ana", status="all").items
    [sails] = [one for one in rows if "sail" in one.text.lower()]
    assert (sails.text, str(sails.kind), str(sails.status), sails.times_said) == (
        "I sail every Sunday", "habit", "active", 1,
    )  # fmt: skip
    [evidence] = sails.episodes
    assert (evidence.key, evidence.span.message) == ("turn:0", 0)
    assert USER[evidence.span.start : evidence.span.end] == "I sail every Sunday"
    for query in ("Have I ever sailed?", "When do I sail?"):
        assert [one.memory.text for one in stemma.recall("ana", query).items] == ["I sail every Sunday"], query


@WAYS
def test_f16_what_the_assistant_prefers_is_never_a_fact_of_the_user(stemma: Stemma, way: str) -> None:
    """F16, R-33a: kept or not, it carries the role `assistant` and reaches no prompt as the user's words.

    Breaks when the voice of a statement ends with the extraction.
    """
    tell_turns(stemma, way)
    for row in stemma.list_memories("ana", status="all").items:
        if "checklists" in row.text:
            assert {one.role for one in row.episodes} == {"assistant"}
    for query in ("checklists", "What do I prefer?", "Do I prefer short checklists?"):
        assert stemma.recall("ana", query).items == (), query
    bundle = stemma.bundle("Which checklists do I prefer?", subject_id="ana")
    shown = [item.text for section in bundle.sections if section.name == "memories" for item in section.items]
    assert not [text for text in shown if "checklists" in text]


F17 = {
    "stage_direction": "*the captain draws her sword and whispers she loves the north*",
    "hypothetical": "Suppose our retention target were 35 %, how would we plan?",
    "fiction": "In my story the engineer lives in Oslo.",
    "code": "```\nuser_city = 'Lagos'\n```",
    "conditional": "If I ever move to Lima I will sell the van.",
}
CONTROL = "From now on answer me in metric units."


def test_f17_what_is_not_meant_makes_no_memory_and_says_why(stemma: Stemma) -> None:
    """F17: 0 memories from the five, each with its gate record; 1 from the control; all six kept as evidence."""
    texts = F17 | {"control": CONTROL}
    sent = [
        {"key": name, "text": text, "occurred_at": f"2026-05-0{day}T09:00:00Z"}
        for day, (name, text) in enumerate(texts.items(), start=1)
    ]
    for number, order in enumerate((sent, sent[::-1])):
        subject = f"ana {number}"
        send(stemma, subject, *order)
        [kept] = stemma.list_memories(subject, status="all").items
        assert (kept.text, str(kept.kind), str(kept.status)) == (CONTROL.rstrip("."), "instruction", "active")
        assert [one.key for one in kept.episodes] == ["control"]
        assert refusals(stemma, subject) == {name: [name] for name in F17} | {"control": []}
        kept_texts = {one.key: text_of(stemma, one.episode_id) for one in stemma.find_episodes(subject).items}
        assert kept_texts == texts


SYSTEM = ("You are a travel agent who books flights. The user prefers aisle seats. " * 45)[:3_072]
ECHO = "Booking an aisle seat since you prefer aisle seats."


@pytest.mark.parametrize("quoted", [False, True], ids=["as delivered", "quoted"])
def test_f19_twenty_turns_of_recalled_text_teach_nothing(stemma: Stemma, clock: Clock, quoted: bool) -> None:
    """F19, R-33a: 0 new memories; times said and last said of the old one as before, until the user says it again.

    Breaks when the block of a bundle that a client sends back is read as what the user said.
    """
    send(stemma, "ana", {"key": "first", "text": "I prefer aisle seats.", "occurred_at": "2026-05-01T09:00:00Z"})
    [before] = stemma.list_memories("ana", status="all").items
    assert (before.text, before.times_said) == ("I prefer aisle seats", 1)
    first_hash = None
    for turn in range(1, 21):
        clock.now = NOW + timedelta(days=turn)
        delivered = stemma.bundle("Book me a seat: which seats do I prefer?", subject_id="ana").text
        assert "I prefer aisle seats" in delivered
        block = "\n".join(f"> {line}" for line in delivered.splitlines()) if quoted else delivered
        messages = [
            {"role": "system", "content": SYSTEM},
            {"role": "user", "content": f"{block}\n\nok, book it"},
            {"role": "assistant", "content": ECHO},
        ]
        send(stemma, "ana", {"key": f"turn:{turn}", "messages": messages, "occurred_at": clock.now.isoformat()})
        state = stemma.compile_memories("ana").state_hash
        first_hash = first_hash or state
        assert state == first_hash, turn
    [after] = stemma.list_memories("ana", status="all").items
    assert (after.id, after.times_said, after.last_said_at) == (before.id, 1, datetime(2026, 5, 1, 9, tzinfo=UTC))
    assert (after.confidence, after.independent_origins) == (before.confidence, 1)
    said = {"key": "again", "text": "I prefer aisle seats.", "occurred_at": "2026-05-31T09:00:00Z"}
    send(stemma, "ana", said)
    [again] = stemma.list_memories("ana", status="all").items
    assert (again.times_said, again.last_said_at) == (2, datetime(2026, 5, 31, 9, tzinfo=UTC))


BEES = (
    ("bees:1", "I keep bees at the allotment."),
    ("bees:2", "Correction: the bees are my neighbour's, not mine."),
    ("bees:3", "You told me I keep bees; that was wrong."),
)


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))), ids=str)
@pytest.mark.parametrize("session", [None, "s"])
def test_f20_a_correction_and_its_retelling_give_no_support_in_any_order(
    stemma: Stemma, order: tuple[int, ...], session: str | None
) -> None:
    """F20, R-34a: no active fact says that the user keeps bees; support and confidence have not risen; all turns show.

    Breaks when the retelling inside a correction counts as a saying, or when a correction that arrives first finds
    nothing to correct later.
    """
    for number in order:
        key, text = BEES[number]
        episode = {"key": key, "text": text, "occurred_at": f"2026-05-0{number + 1}T09:00:00Z"}
        send(stemma, "ana", episode | ({"session_id": session} if session else {}))
    rows = stemma.list_memories("ana", status="all").items
    [first] = [one for one in rows if "keep" in one.text]
    assert (first.text, str(first.status)) == ("I keep bees at the allotment", "tombstoned")
    assert (first.times_said, first.confidence) == (0, 1.0)
    assert {"bees:1", "bees:2"} <= {one.key for one in first.episodes}
    assert [one.text for one in rows if str(one.status) == "active"] == ["the bees are my neighbour's"]
    assert not [one for one in stemma.recall("ana", "Do I keep bees?").items if "keep" in one.memory.text]
    assert {one.key for one in stemma.find_episodes("ana").items} == {key for key, _ in BEES}


def test_f20_the_history_of_the_fact_shows_all_three_turns(stemma: Stemma) -> None:
    """F20: "the history shows all three turns": as evidence of the fact or in its decisions."""
    for day, (key, text) in enumerate(BEES, start=1):
        send(stemma, "ana", {"key": key, "text": text, "occurred_at": f"2026-05-0{day}T09:00:00Z"})
    [first] = [one for one in stemma.list_memories("ana", status="all").items if "keep" in one.text]
    ids = {one.episode_id: one.key for one in stemma.find_episodes("ana").items}
    history = stemma.memory_history(first.id).items
    shown = {one.key for one in first.episodes}
    shown |= {ids[each] for one in history for each in (*one.winner_episodes, *one.loser_episodes)}
    assert shown == {"bees:1", "bees:2", "bees:3"}
