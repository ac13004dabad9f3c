"""What people write in a chat: short, lower case, in passing; and what they write and do not mean."""

from __future__ import annotations

import pytest

from stemma.records import Act
from tests.extracting import read, reasons

MEANT = [
    ("im allergic to shellfish btw", "health"),
    ("ive been vegan since 2019", "health"),
    ("Vegetarian here, so skip the bacon.", "health"),
    ("Could you draft the menu? My wife is vegan, so somewhere with options.", "health"),
    ("I'm coeliac, can you adapt the recipe?", "health"),
    ("In case it matters: I'm deaf in one ear", "health"),
    ("My daughter Mia is allergic to nuts.", "health"),
    ("We moved the nightly backup to 2 am.", "project_note"),
    ("I switched to decaf.", "fact"),
    ("The meeting moved to Thursday.", "fact"),
    ("We tag releases on main only.", "fact"),
    ("I don't drive.", "fact"),
    ("We do our retro every second Wednesday at 4.", "habit"),
    ("I work nights.", "habit"),
    ("The gate code is 4471.", "fact"),
    ("My shoe size? It's 43.", "fact"),
    ("Keep your answers under 100 words from now on.", "instruction"),
    ("Whenever I ask for a recipe, give amounts in grams.", "instruction"),
    ("Please remember that the guest wifi password rotates every Monday.", "fact"),
    ("Seit Mai arbeite ich bei Siemens.", "profile"),
    ("Ich wohne jetzt in München.", "profile"),
    ("oye, por cierto, soy alérgico al marisco", "health"),
    ("On n'utilise plus Jenkins, tout passe par GitLab.", "fact"),
    ("Sempre que eu pedir uma receita, usa gramas.", "instruction"),
    ("Vivo a Bologna dal 2015.", "profile"),
    ("Меня зовут Ольга.", "profile"),
]


@pytest.mark.parametrize(("text", "kind"), MEANT, ids=[text for text, _ in MEANT])
def test_what_is_said_in_passing_is_read(text: str, kind: str) -> None:
    """R-31."""
    assert kind in {each.kind for each in read(text).candidates}


NOT_MEANT = [
    ("our test suite is held together with duct tape haha", "joke"),
    ("my cat is my project manager 🤣", "joke"),
    ("Oh great, I love Mondays.", "joke"),
    ("I just love waiting two hours for a review. Not.", "joke"),
    ("I like the first draft best.", "no_declaration_form"),
    ("I prefer option B.", "no_declaration_form"),
    ("Write a bio: I am a potter and I live in Wales.", "third_party"),
    ("Proofread this:\nI work at a bank and I have two sons.", "third_party"),
    ("Kind regards\nTom Baker\nOur office hours are 9 to 5.", "boilerplate"),
    ("By using this site you agree. We use cookies here.", "boilerplate"),
    ("Chapter 1. My name is Ishmael. I live by the sea.", "fiction"),
    ("You are a pirate and I am a parrot. I live on your shoulder.", "fiction"),
    ("*draws a sword* My name is Arn and I own this town.", "stage_direction"),
    ('The parser must handle strings like "I am diabetic".', "quoted"),
    ("♪ I live on the edge of the world ♪", "quoted"),
    ("I take my hat off to you.", "no_declaration_form"),
    ("The printer is jammed.", "not_durable"),
    ("Our demo is in ten minutes.", "not_durable"),
    ("Genial, me encantan los lunes.", "joke"),
    ("Du bist der Kellner, ich bin der Gast. Ich nehme die Suppe.", "fiction"),
]


@pytest.mark.parametrize(("text", "reason"), NOT_MEANT, ids=[text for text, _ in NOT_MEANT])
def test_what_is_not_meant_leaves_its_reason(text: str, reason: str) -> None:
    """R-32: no declaration, and a record that says why."""
    extraction = read(text)
    assert extraction.candidates == ()
    assert reason in reasons(extraction)


def test_a_job_left_and_a_job_begun_are_an_end_and_a_statement() -> None:
    """R-31: "I quit Acme and joined Globex" ends the one employer and states the other."""
    found = [(each.act, each.claim_key, each.value) for each in read("I quit Acme and joined Globex.").candidates]
    assert found == [(Act.END, "job", "acme"), (Act.SAY, "job", "globex")]


def test_a_hedge_at_the_end_unmakes_what_stands_before_it() -> None:
    """R-32: a question after a statement leaves it alone, and "I think" does not."""
    assert [each.value for each in read("I live in Leeds, what should I visit nearby?").candidates] == ["leeds"]
    assert read("I live in Leeds, I think.").candidates == ()
    assert read("I live in Leeds, right?").candidates == ()
