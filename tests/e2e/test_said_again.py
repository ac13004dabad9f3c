"""The same thing said again, another value of one claim key, a value that returns, and what is old and comes late."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime

import pytest

from stemma import Stemma
from tests.e2e.telling import SEED, claimed, conflicts, decisions, memories, recalled, said, statuses, tell, told

FIRST, SECOND, THIRD = "2026-01-10T09:00:00Z", "2026-02-10T09:00:00Z", "2026-03-02T09:00:00Z"
JANUARY, FEBRUARY, MARCH = (datetime(2026, month, day, 9, tzinfo=UTC) for month, day in ((1, 10), (2, 10), (3, 2)))
RANDOM_KEY = f"setting_{SEED % 9973}"


@pytest.mark.parametrize(
    ("one", "other", "shown"),
    [
        ("I prefer dark mode.", "I like dark mode.", "I like dark mode"),
        ("I like dark mode.", "I prefer dark mode.", "I like dark mode"),
        ("Ich bevorzuge den Dunkelmodus.", "Ich mag den Dunkelmodus.", "Ich mag den Dunkelmodus"),
        ("Prefiero el modo oscuro.", "Me gusta el modo oscuro.", None),
        ("Je préfère le mode sombre.", "J'aime le mode sombre.", None),
    ],
)
def test_a_preference_in_the_words_of_its_aliases_is_one_memory_said_twice(
    stemma: Stemma, one: str, other: str, shown: str | None
) -> None:
    """R-34, D-5, D-7: equality after the alias table; the shorter of two equal wordings is shown.

    Breaks when two verbs of liking are two frames, or when a restatement makes a second row.
    """
    texts = [one.rstrip("."), other.rstrip(".")]
    for subject in told(stemma, [said(one, FIRST), said(other, SECOND)]):
        [row] = stemma.list_memories(subject, status="all").items
        assert row.text == (shown or min(texts, key=lambda text: (len(text), text))), subject
        assert (str(row.status), str(row.kind), row.times_said) == ("active", "preference", 2), subject
        assert (row.first_said_at, row.last_said_at) == (JANUARY, FEBRUARY), subject
        assert sorted(each.occurred_at for each in row.episodes) == [JANUARY, FEBRUARY], subject
        assert decisions(stemma, subject) == conflicts(stemma, subject) == [], subject


LANGUAGES = {
    "en": ("The user prefers the dark theme", "The user likes the dark theme", "The user now wants the light theme"),
    "de": ("Bevorzugt das dunkle Design", "Mag das dunkle Design", "Möchte jetzt das helle Design"),
    "es": ("Prefiere el tema oscuro", "Le gusta el tema oscuro", "Ahora quiere el tema claro"),
    "fr": ("Préfère le thème sombre", "Aime le thème sombre", "Veut maintenant le thème clair"),
}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("key", ["ui_theme", RANDOM_KEY])
def test_a_later_value_of_a_registered_key_supersedes_in_any_language(stemma: Stemma, key: str, language: str) -> None:
    """R-34, R-35: a registered single-valued key compares values, whatever its text says in whatever language.

    Breaks when a key of the user's own is not looked up in the registry, or when a claim's text makes its identity.
    """
    stemma.put_claim_key(key, cardinality="single", kind="preference")
    dark, again, light = LANGUAGES[language]
    episodes = [
        claimed(key, "dark", FIRST, text=dark),
        claimed(key, "dark", SECOND, text=again),
        claimed(key, "light", THIRD, text=light),
    ]
    for subject in told(stemma, episodes):
        rows = {one.claim.value: one for one in stemma.list_memories(subject, status="all").items}
        assert {value: (str(one.status), one.times_said) for value, one in rows.items()} == {
            "dark": ("superseded", 2),
            "light": ("active", 1),
        }, subject
        shown = min((dark, again), key=lambda text: (len(text), text))
        assert (rows["dark"].text, rows["light"].text) == (shown, light), subject
        assert (rows["dark"].superseded_by, rows["dark"].superseded_from) == (rows["light"].id, MARCH), subject
        assert decisions(stemma, subject) == [("latest", light, shown)], subject
        [found] = stemma.list_memories(subject, claim_key=key, value="light").items
        assert (found.id, str(found.kind)) == (rows["light"].id, "preference"), subject


def test_an_unregistered_key_has_many_values(stemma: Stemma) -> None:
    """API: an unregistered claim key is accepted and multi-valued, until it is registered."""
    pair = [claimed("tool", "hammer", FIRST), claimed("tool", "saw", SECOND)]
    subjects = list(told(stemma, pair))
    for subject in subjects:
        assert statuses(stemma, subject) == {"tool: hammer": "active", "tool: saw": "active"}, subject
    stemma.put_claim_key("tool", cardinality="single")
    for subject in subjects:
        stemma.compile_memories(subject)
        assert statuses(stemma, subject) == {"tool: hammer": "superseded", "tool: saw": "active"}, subject


OLD = said("Stripe charges 3.5% + 35c.", "2023-05-01T09:00:00Z")
NEW = said("Stripe charges 2.9% + 30c.", "2026-02-01T09:00:00Z")
OLD_HOME, NEW_HOME = said("I live in Porto.", "2023-05-01T09:00:00Z"), said("I live in Lisbon.", "2026-02-01T09:00:00Z")


@pytest.mark.parametrize(("old", "new"), [(OLD, NEW), (OLD_HOME, NEW_HOME)], ids=["frames", "claim key"])
@pytest.mark.parametrize("first_compiled", [True, False])
def test_what_is_dated_2023_never_wins_over_2026(
    stemma: Stemma, old: dict[str, str], new: dict[str, str], first_compiled: bool
) -> None:
    """R-35a, R-2: what is compared is when it was said; every order, compiled in between or not.

    Breaks when arrival, or the compile that saw it, decides.
    """
    for number, order in enumerate(itertools.permutations((old, new))):
        subject = f"late {number} {first_compiled}"
        tell(stemma, subject, order, compiling=[first_compiled, True])
        older, newer = old["text"].rstrip("."), new["text"].rstrip(".")
        assert statuses(stemma, subject) == {older: "superseded", newer: "active"}, subject
        rows = memories(stemma, subject)
        assert rows[older].superseded_by == rows[newer].id, subject
        assert rows[older].superseded_from == datetime(2026, 2, 1, 9, tzinfo=UTC), subject
        assert decisions(stemma, subject) == [("latest", newer, older)], subject


A_B_A = {
    "claim key": [
        said("I live in Lisbon.", FIRST),
        said("I live in Porto.", SECOND),
        said("I live in Lisbon.", THIRD),
    ],
    "frames": [
        said("Stripe charges 2.9% + 30c.", FIRST),
        said("Stripe charges 3.5% + 35c.", SECOND),
        said("Stripe charges 2.9% + 30c.", THIRD),
    ],
    "form": [
        claimed("home", "Lisbon", FIRST),
        claimed("home", "Porto", SECOND),
        claimed("home", "Lisbon", THIRD),
    ],
}


@pytest.mark.parametrize("way", A_B_A)
@pytest.mark.parametrize("marks", list(itertools.product((True, False), repeat=2)), ids=str)
def test_a_value_that_returns_is_active_with_two_spells(stemma: Stemma, way: str, marks: tuple[bool, bool]) -> None:
    """R-34a, D-15: A, B, A again: A is active, one row with two spells, each ruling a decision.

    Breaks when the last ruling is not undone by a restatement, or when the return makes a second row.
    """
    episodes = A_B_A[way]
    for number, order in enumerate(itertools.permutations(episodes)):
        subject = f"again {way} {number} {marks}"
        tell(stemma, subject, order, compiling=[*marks, True])
        rows = list(stemma.list_memories(subject, status="all").items)
        assert sorted((str(one.status), one.times_said) for one in rows) == [("active", 2), ("superseded", 1)], subject
        first, other = sorted(rows, key=lambda one: str(one.status))
        assert (other.superseded_by, other.superseded_from) == (first.id, MARCH), subject
        assert list(first.spells) == [(None, FEBRUARY), (MARCH, None)], subject
        assert decisions(stemma, subject) == sorted(
            [("latest", other.text, first.text), ("latest", first.text, other.text)]
        ), subject
        assert conflicts(stemma, subject) == [], subject


def test_a_value_that_returns_is_recalled_as_it_stood_then(stemma: Stemma) -> None:
    """R-44: at any `now` the value of that spell answers, whatever was compiled when."""
    for subject in told(stemma, A_B_A["claim key"]):
        for moment, home in (("2026-01-20", "Lisbon"), ("2026-02-20", "Porto"), ("2026-03-03", "Lisbon")):
            found = recalled(stemma, subject, "Where do I live?", f"{moment}T00:00:00Z")
            assert found == [f"I live in {home}"], (subject, moment)
