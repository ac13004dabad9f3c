"""Figures over time through the face, the doors and both kinds of store, counted by hand (R-53)."""

from __future__ import annotations

from datetime import date

import httpx
import pytest

from stemma import Stemma
from stemma.app.models_figures import DayFigures, Figures
from stemma.errors import InvalidInput
from tests.corpora import Ticking
from tests.serving import Shell

FIRST, SECOND, THIRD = date(2026, 3, 1), date(2026, 3, 2), date(2026, 3, 3)


def state(memory: Stemma, key: str, text: str, kind: str, subject: str = "ana") -> None:
    """Let a form state one thing."""
    claim = {"key": key, "value": text, "text": text, "kind": kind}
    episode = {
        "subject_id": subject,
        "claims": [claim],
        "occurred_at": "2026-02-01T09:00:00Z",
        "source": "form",
    }
    assert memory.add_episodes([episode]).results[0].outcome == "created"


def say(memory: Stemma, text: str, subject: str = "ana") -> None:
    """Let somebody say something now."""
    assert memory.add_episodes([{"subject_id": subject, "text": text}]).results[0].outcome == "created"


def id_of(memory: Stemma, text: str, subject: str = "ana") -> str:
    """Give the id of a memory by its text."""
    return next(one.id for one in memory.list_memories(subject, status="all", limit=100).items if one.text == text)


@pytest.fixture
def told(memory: Stemma, clock: Ticking) -> Stemma:
    """Two days of a lamp-keeper's life and a third, which is today and has nothing but prompts."""
    for number in range(3):
        state(memory, f"lamp {number}", f"Lamp number {number} is lit at dusk", "fact")
    state(memory, "tea", "Ana drinks mint tea", "preference")
    say(memory, "I live in Lisbon.")
    say(memory, "Do you live in Porto? Could we live in Faro?")
    memory.compile_memories("ana")
    clock.pass_days(1)
    state(memory, "junk", "A milestone of trust", "milestone")
    state(memory, "boat", "Ben has a blue boat", "fact", subject="ben")
    memory.compile_memories()
    memory.patch_memory(id_of(memory, "A milestone of trust"), quarantine=True, by="reviewer")
    memory.patch_memory(id_of(memory, "Ana drinks mint tea"), injection="core", by="reviewer")
    for query in ("Is lamp number 1 lit?", "Is lamp number 2 lit?", "hi"):
        memory.bundle(query, subject_id="ana")
    clock.pass_days(1)
    memory.bundle("Which boat is blue?", subject_id="ben")
    memory.recall("ana", "lamp")
    memory.bundle("lamp", subject_id="ana", now="2026-03-01T12:00:00Z")
    return memory


def counted(found: Figures) -> dict[date, DayFigures]:
    """Give the days by their date."""
    return {one.day: one for one in found.days}


def test_memories_count_on_the_day_their_first_episode_was_received(told: Stemma) -> None:
    """R-53: by kind and extractor version, whenever it was said; `days` end today."""
    found = told.figures(subject_id="ana", days=3)
    extractor = told.get_memory(id_of(told, "Ana drinks mint tea")).extractor
    assert [one.day for one in found.days] == [FIRST, SECOND, THIRD]
    assert [[(one.kind, one.memories, one.quarantined) for one in day.memories] for day in found.days] == [
        [("fact", 3, 0), ("preference", 1, 0), ("profile", 1, 0)],
        [("milestone", 1, 1)],
        [],
    ]
    assert {one.extractor for day in found.days for one in day.memories} == {extractor}
    assert [one.quarantine_share for one in found.days] == [0.0, 1.0, None]
    assert [one.day for one in told.figures(days=1).days] == [THIRD]


def test_gates_pass_what_they_do_not_refuse(told: Stemma) -> None:
    """R-53: three statements judged, two of them refused as questions."""
    first, second, _ = told.figures(subject_id="ana", days=3).days
    assert first.judged == 3
    assert [(one.gate, one.refused, round(one.pass_rate, 4)) for one in first.gates] == [
        ("asserted", 2, 0.3333),
        ("form", 0, 1.0),
    ]
    assert (second.judged, second.gates) == (0, ())


def test_forced_items_are_counted_by_bundle(told: Stemma) -> None:
    """R-43, R-53: the core list comes into each of three prompts; what a set clock answers is not kept."""
    found = counted(told.figures(subject_id="ana", days=3))
    assert [(one.bundles, one.forced_items, one.forced_per_bundle) for one in found.values()] == [
        (0, 0, None),
        (3, 3, 1.0),
        (0, 0, None),
    ]
    trace_id = str(told.bundle("hi", subject_id="ana").trace_id)
    [candidate] = [one for one in told.get_trace(trace_id).candidates if one.forced]
    assert candidate.id == id_of(told, "Ana drinks mint tea")


def test_the_largest_kind_of_what_stands_and_of_what_is_given(told: Stemma) -> None:
    """R-53 monoculture: 3 of the 5 that stand are facts on each evening; 2 prompts of 3 gave one beside the core."""
    found = counted(told.figures(subject_id="ana", days=3))
    stored = [one.stored for one in found.values()]
    assert [(one.kind, one.share) for one in stored if one] == [("fact", 0.6)] * 3
    asked = ("Is lamp number 1 lit?", "Is lamp number 2 lit?", "hi")
    assert [len(given(told, query)) for query in asked] == [2, 2, 1]
    injected = found[SECOND].injected
    assert injected is not None
    assert (injected.kind, injected.share) == ("preference", 0.6)
    assert found[FIRST].injected is None


def test_what_was_not_known_yet_did_not_stand(memory: Stemma, clock: Ticking) -> None:
    """R-53: a thing that has always held is stored from the day that it was received on."""
    clock.pass_days(2)
    state(memory, "tea", "Ana drinks mint tea", "preference")
    memory.compile_memories("ana")
    assert [one.stored is not None for one in memory.figures(days=3).days] == [False, False, True]


def given(memory: Stemma, query: str) -> list[str]:
    """Give the memories that a bundle delivers."""
    sections = memory.bundle(query, subject_id="ana").sections
    return [item.id for section in sections if section.name == "memories" for item in section.items]


def test_a_memory_in_every_prompt_is_a_hub(memory: Stemma) -> None:
    """R-53, study 6.2: over a stated share of different questions, by one's own subject; the core list is none."""
    state(memory, "hub", "pump valve tank hose", "note")
    state(memory, "core", "The keeper is Ana", "note")
    for number, part in enumerate(("pump", "valve", "tank", "hose")):
        state(memory, f"own {number}", f"{part} number {number}", "note")
        state(memory, f"his {number}", f"{part} of Ben", "note", subject="ben")
    memory.compile_memories()
    memory.patch_memory(id_of(memory, "The keeper is Ana"), injection="core", by="reviewer")
    for part in ("pump", "valve", "tank", "hose", "pump", "ladder"):
        memory.bundle(part, subject_id="ana")
        memory.bundle("hose", subject_id="ben")
    found = memory.figures(hub_share=0.5)
    assert (found.queries, found.hub_share) == (6, 0.5)
    hub = id_of(memory, "pump valve tank hose")
    assert [(one.memory_id, one.queries, one.share) for one in found.hubs] == [(hub, 4, 0.8)]
    assert memory.figures(hub_share=0.8).hubs == ()
    assert memory.figures(subject_id="ben").hubs == ()


def test_an_erased_subject_is_in_no_figure(told: Stemma) -> None:
    """R-92, R-12: nothing of it is counted any more, and another tenant never was."""
    assert counted(told.figures(days=3))[SECOND].bundles == 3
    told.erase("ana")
    found = told.figures(days=3)
    assert [len(one.memories) for one in found.days] == [0, 1, 0]
    assert [(one.bundles, one.judged) for one in found.days] == [(0, 0), (0, 0), (1, 0)]


def test_what_cannot_be_counted_is_refused(memory: Stemma) -> None:
    """API errors: named fields; an empty tenant has days of nothing."""
    for fields in ({"days": 0}, {"days": 367}, {"hub_share": 0.0}, {"hub_share": 1.0}, {"subject_id": " "}):
        with pytest.raises(InvalidInput) as caught:
            memory.figures(**fields)  # type: ignore[arg-type]
        assert caught.value.field == next(iter(fields))
    found = memory.figures()
    assert (len(found.days), found.queries, found.hubs) == (30, 0, ())
    assert {(one.judged, one.bundles, one.stored, one.quarantine_share) for one in found.days} == {(0, 0, None, None)}


def test_figures_over_http(client: httpx.Client, subject_id: str) -> None:
    """R-81: numbers of the query are read as such."""
    client.post("/v1/memories", json={"subject_id": subject_id, "text": "Ana prefers oat milk."}).raise_for_status()
    asked = {"subject_id": subject_id, "days": 2, "hub_share": "0.25"}
    found = client.get("/v1/figures", params=asked).raise_for_status().json()
    assert (found["subject_id"], found["hub_share"], len(found["days"])) == (subject_id, 0.25, 2)
    assert [one["memories"] for one in found["days"][-1]["memories"]] == [1]
    for name, value in (("days", "x"), ("days", "0"), ("hub_share", "nan"), ("hub_share", "2"), ("else", "1")):
        refused = client.get("/v1/figures", params={name: value})
        assert (refused.status_code, refused.json()["errors"]) == (422, [name])


def test_figures_on_the_command_line(shell: Shell, address: str) -> None:
    """R-83: a table, and the same as JSON."""
    shell("remember", "Ana prefers oat milk.", "--subject", "ana", "--store", address)
    shown = shell("figures", "--subject", "ana", "--days", "2", "--store", address)
    assert (shown.returncode, shown.stderr) == (0, b"")
    lines = shown.stdout.decode().splitlines()
    assert lines[0].split() == "day founded held judged bundles forced most stored most injected".split()
    assert lines[1].split()[1:] == ["1", "0%", "1", "0", "-", "fact", "100%", "-"]
    assert lines[-1] == "0 hubs: memories in over 5.0% of 0 different questions"
    found = shell("figures", "--subject", "ana", "--days", "2", "--store", address, "--json").answer
    assert [one["kind"] for one in found["days"][-1]["memories"]] == ["fact"]
    assert shell("figures", "--days", "0", "--store", address).returncode == 2
