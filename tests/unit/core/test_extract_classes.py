"""Classes of utterances that were missed or read wrongly: each by wordings of its own, declared and not."""

from __future__ import annotations

import pytest

from stemma.records import Act
from tests.extracting import read

DECLARED = [
    "Where we stand: the budget is 40,000 euros.",
    "Was ich weiß: unsere Kundennummer ist 48813.",
    "Write a card for Ines (she's my aunt, lives in Porto).",
    "Suggest a bike (I'm 1.92 m tall).",
    "Call me Kit, nobody says Christopher.",
    "Appelle-moi Max, personne ne dit Maximilien.",
    "The limit was 200, it's 500 since Monday.",
    "We used to bake at 200 degrees, it's 180 degrees now.",
    "nous à l'atelier on ponce à 120, pas à 80",
    "nós regamos às terças, não às quartas",
    "Nunca abrevies los nombres en mis notas.",
    "Kürz nie Namen in meinen Notizen ab.",
    "N'utilise jamais les abréviations dans mes notes.",
    "Dans tous les mails que tu écris pour moi, tutoie les gens.",
    "I've never been able to drink milk, it gives me cramps.",
    "My niece Ottilie was born last night, 2.9 kg!",
    "My colleagues got me a kettle.",
    "The flock's up to 60 sheep now.",
    "There are five of us at home.",
    "Meine Schuhgröße? 43.",
]
NOT_DECLARED = [
    "We have other irons in the fire.",
    "What I don't get: the second paragraph is in the past tense.",
    "Explain recursion (I'm lost).",
    "Can you fix the function (it returns null)?",
    "I haven't been able to log in since this morning.",
    "It's 15 degrees since this morning.",
    "À chaque fois que je lance le script, il plante.",
    "Whenever I run it, it crashes.",
    "Appelle-moi quand tu as fini.",
    "nous avons fini",
    "The boss gave me a headache.",
    "My wife's job? Good question.",
    "My career is in ruins, ba dum tss",
]


@pytest.mark.parametrize("text", DECLARED)
def test_what_is_declared_is_read(text: str) -> None:
    """SPEC R-32: a declaration counts in brackets, behind a lead, before a report of something else."""
    assert [each for each in read(text).candidates if each.act is Act.SAY]


@pytest.mark.parametrize("text", NOT_DECLARED)
def test_what_declares_nothing_is_left(text: str) -> None:
    """SPEC R-32: an idiom, a happening, a request or a jest leaves a record and no candidate."""
    extraction = read(text)
    assert not extraction.candidates
    assert any(not gate.passed for gate in extraction.gates)
