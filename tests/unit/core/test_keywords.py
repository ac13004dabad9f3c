"""The keyword condition: necessary for what the gate accepts, told by kind and language (R-32)."""

from __future__ import annotations

import pytest

from stemma.core.keywords import Condition, condition_of, words_of
from stemma.core.tokens import tokenise
from tests import declarations
from tests.extracting import read, shipped

DECLARED = """I'm vegetarian and I'm allergic to nuts.
I don't like olives.
I've got two brothers.
I stopped smoking.
I no longer live in Rome.
I'm not allergic to cats.
Please never call me Bob.
We've decided on PostgreSQL.
My sister's name is Eva.
The user prefers tea.
My blood type is A+.
Our song is Clair de lune.
I won the chess cup.
My favourite colour is green.
Ich bin allergisch gegen Nüsse.
Meine Schwester heißt Eva.
Me llamo Ana.
Je m'appelle Luc.
J'aime le café.
Eu moro em Lisboa.
Gosto de café.
Vivo en Lima."""


def condition(kind: str, language: str = "en") -> Condition:
    """Give the shipped condition of a kind."""
    found = condition_of(kind, shipped().rules.languages[language])
    assert found is not None
    return found


def meets(text: str, kind: str, language: str = "en", without: str | None = None) -> bool:
    """Say whether a text meets it."""
    return condition(kind, language).is_met(words_of(text, shipped().rules), without)


@pytest.mark.parametrize(
    ("text", "kind", "language", "is_met"),
    [
        ("I love you", "milestone", "en", True),
        ("Do you think I love you?", "milestone", "en", True),
        ("I love pizza", "milestone", "en", False),
        ("Do you love pizza?", "milestone", "en", False),
        ("You are everything to me", "milestone", "en", False),
        ("I got promoted last week", "milestone", "en", True),
        ("She loves you", "milestone", "en", False),
        ("I'm allergic to peanuts", "health", "en", True),
        ("Peanuts are bad", "health", "en", False),
        ("my favourite colour is green", "preference", "en", True),
        ("Ich liebe dich", "milestone", "de", True),
        ("Ich liebe Kuchen", "milestone", "de", False),
        ("Te amo", "milestone", "es", True),
    ],
)
def test_a_declaration_word_is_asked_for(text: str, kind: str, language: str, is_met: bool) -> None:
    """The seed: no declaration word, no candidate; questions and scenes are the business of other gates."""
    assert meets(text, kind, language) is is_met


def test_the_condition_is_necessary() -> None:
    """R-32: whatever the gate accepts as a kind meets the kind's condition, contractions and endings included."""
    rules = shipped().rules
    judged: dict[str, int] = {}
    for text in (*DECLARED.splitlines(), *(item.text for item in declarations.store())):
        language = rules.language(tokenise(text), text)
        assert language is not None
        for kind in {record.kind for record in read(text).gates if record.passed and record.kind is not None}:
            found = condition_of(kind, language)
            assert found is None or found.is_met(words_of(text, rules)), (text, kind)
            judged[kind] = judged.get(kind, 0) + (found is not None)
    assert judged["milestone"] > 400
    assert {kind for kind, count in judged.items() if count} >= {
        "health", "relationship", "profile", "preference", "project_note", "shared_thing", "achievement",
    }  # fmt: skip


def test_what_needs_no_word_has_no_condition() -> None:
    """SPEC R-31: a plain statement is a fact by its form."""
    english = shipped().rules.languages["en"]
    assert condition_of("fact", english) is None
    assert condition_of("habit", english) is None
    assert condition_of("no_such_kind", english) is None


def test_keywords_carry_the_meaning_and_can_be_left_out_in_turn() -> None:
    """The study, 7.2: recall with each word left out; I, you, is and of are no keywords."""
    keywords = condition("milestone").keywords
    assert {"love", "trust", "married", "graduated"} <= set(keywords)
    assert not {"i", "you", "a", "to", "my", "is"} & set(keywords)
    assert not meets("I love you", "milestone", without="love")
    assert meets("I love you", "milestone", without="trust")
    assert meets("I love you and I trust you", "milestone", without="love")
