"""What English clauses declare: a table of exact expectations, and what they do not."""

from __future__ import annotations

import pytest

from stemma.core.gate import Reason
from tests.extracting import read, reasons, summary

SAY, END, WRONG, LAST = "say", "end", "wrong", "wrong_last"
YES, NO = "affirmed", "negated"

# Text, then act, kind, claim key, value, polarity. A claim key of None means a frame.
DECLARATIONS = [
    ("I live in Lisbon.", SAY, "profile", "home", "lisbon", YES),
    ("i live in lisbon", SAY, "profile", "home", "lisbon", YES),
    ("I live in the Netherlands", SAY, "profile", "home", "netherlands", YES),
    ("I live in New York with my family and my dog", SAY, "profile", "home", "new york", YES),
    ("I'm based in São Paulo now", SAY, "profile", "home", "sao paulo", YES),
    ("I don't live in Lisbon", SAY, "profile", "home", "lisbon", NO),
    ("I moved to Porto", SAY, "profile", "home", "porto", YES),
    ("I moved from Lisbon to Porto last year", SAY, "profile", "home", "porto", YES),
    ("I lived in Lisbon", END, "profile", "home", "lisbon", YES),
    ("I used to live in Lisbon", END, "profile", "home", "lisbon", YES),
    ("I no longer live in Lisbon", END, "profile", "home", "lisbon", YES),
    ("I don't live in Lisbon any more", END, "profile", "home", "lisbon", YES),
    ("My name is Ana Costa", SAY, "profile", "name", "ana costa", YES),
    ("My name's Ana", SAY, "profile", "name", "ana", YES),
    ("Call me Ana", SAY, "profile", "name", "ana", YES),
    ("I work as a nurse", SAY, "profile", "job", "nurse", YES),
    ("I'm a software engineer at Acme", SAY, "profile", "job", "software engineer", YES),
    ("I work at Acme", SAY, "profile", "job", "acme", YES),
    ("I no longer work at Acme", END, "profile", "job", "acme", YES),
    ("My native language is Portuguese", SAY, "profile", "language", "portuguese", YES),
    ("My birthday is 3 May", SAY, "fixed_attribute", "birthday", "--05-03", YES),
    ("I was born on May 3rd, 1990", SAY, "fixed_attribute", "birthday", "1990-05-03", YES),
    ("My blood group is A+", SAY, "fixed_attribute", "blood_group", "a+", YES),
    ("My blood type is O negative", SAY, "fixed_attribute", "blood_group", "0-", YES),
    ("I am allergic to peanuts", SAY, "health", None, "", YES),
    ("I am not allergic to peanuts", SAY, "health", None, "", NO),
    ("I am not allergic to peanuts any more", END, "health", None, "", YES),
    ("I have asthma", SAY, "health", None, "", YES),
    ("I prefer dark mode", SAY, "preference", None, "", YES),
    ("prefers dark mode", SAY, "preference", None, "", YES),
    ("I don't like coffee", SAY, "preference", None, "", NO),
    ("I can't stand coffee", SAY, "preference", None, "", NO),
    ("I hate coffee", SAY, "preference", None, "", NO),
    ("I prefer not to fly", SAY, "preference", None, "", YES),
    ("I used to like tea", END, "preference", None, "", YES),
    ("my favourite editor is vim", SAY, "preference", "slot:favourite editor", "vim", YES),
    ("Our main database is PostgreSQL", SAY, "fact", "slot:main database", "postgresql", YES),
    ("Our main database is not MySQL", SAY, "fact", "slot:main database", "mysql", NO),
    ("The deploy day is Friday", SAY, "fact", "slot:deploy day", "friday", YES),
    ("Stripe's fee is 2.9%", SAY, "fact", "slot:stripe's fee", "2.9%", YES),
    ("The timeout is 30 seconds", SAY, "fact", "slot:timeout", "30000 ms", YES),
    ("My dog's name is Rex", SAY, "fact", "slot:dog's name", "rex", YES),
    ("I use Docker", SAY, "fact", None, "", YES),
    ("I do not use Docker", SAY, "fact", None, "", NO),
    ("I stopped using Docker", END, "fact", None, "", YES),
    ("I keep bees at the allotment.", SAY, "fact", None, "", YES),
    ("We keep backups for 30 days", SAY, "fact", None, "30 day", YES),
    ("I take two sugars in coffee", SAY, "fact", None, "2", YES),
    ("Stripe charges 2.9%", SAY, "fact", None, "2.9%", YES),
    ("Stripe charges 3.5% + 35c", SAY, "fact", None, "3.5% | 35 cent", YES),
    ("Deploys freeze on Fridays", SAY, "fact", None, "friday", YES),
    ("Rowan is on Payments", SAY, "fact", None, "", YES),
    ("Invoice 1001 is paid", SAY, "fact", None, "", YES),
    ("The parser now accepts 3 formats", SAY, "fact", None, "3", YES),
    ("The billing job never retries failed charges", SAY, "fact", None, "", NO),
    ("Server A has 16 GB of RAM", SAY, "fact", None, "16 GB", YES),
    ("I water the plants every Sunday", SAY, "habit", None, "sunday", YES),
    ("I sail every Sunday.", SAY, "habit", None, "sunday", YES),
    ("Every Friday I call my mother", SAY, "habit", None, "friday", YES),
    ("I usually drink tea in the morning", SAY, "habit", None, "", YES),
    ("my sister is Ana", SAY, "relationship", None, "", YES),
    ("I'm married to Ana", SAY, "relationship", None, "", YES),
    ("I have two sisters", SAY, "relationship", None, "2", YES),
    ("I got married in 2015", SAY, "milestone", None, "2015", YES),
    ("I passed my driving test", SAY, "achievement", None, "", YES),
    ("Ana gave me a watch for my birthday", SAY, "gift", None, "", YES),
    ("Our song is Yesterday", SAY, "shared_thing", None, "", YES),
    ("We have moved to Kubernetes", SAY, "project_note", None, "", YES),
    ("We decided to use Postgres", SAY, "project_note", None, "", YES),
    ("The audit is on 4 June", SAY, "event", None, "--06-04", YES),
    ("I have a dentist appointment tomorrow", SAY, "event", None, "", YES),
    ("From now on answer me in metric units.", SAY, "instruction", None, "", YES),
    ("Please always cite your sources", SAY, "instruction", None, "", YES),
    ("Never use emojis in your replies", SAY, "instruction", None, "", NO),
    ("It is not true that I live in Porto", WRONG, "profile", "home", "porto", YES),
    ("That was wrong.", LAST, "fact", None, "", YES),
    ("I was mistaken", LAST, "fact", None, "", YES),
]


@pytest.mark.parametrize("row", DECLARATIONS, ids=[row[0] for row in DECLARATIONS])
def test_a_declaration_is_read_as_it_is_meant(row: tuple[str, str, str, str | None, str, str]) -> None:
    """R-31, R-32, R-34a, D-18: act, kind, slot or frame, value and polarity."""
    text, *expected = row
    assert [summary(candidate) for candidate in read(text).candidates] == [tuple(expected)]


NOTHING = [
    ("What do you think about tea", Reason.QUESTION),
    ("Do I live in Lisbon?", Reason.QUESTION),
    ("I live in Lisbon, right?", Reason.QUESTION),
    ("do you use vim", Reason.QUESTION),
    ("Suppose our retention target were 35 %, how would we plan?", Reason.HYPOTHETICAL),
    ("Imagine I live on Mars", Reason.HYPOTHETICAL),
    ("I could live in Oslo", Reason.HYPOTHETICAL),
    ("I may move to Oslo", Reason.HYPOTHETICAL),
    ("I think Stripe charges 3%", Reason.HYPOTHETICAL),
    ("I want to move to Oslo", Reason.HYPOTHETICAL),
    ("Maybe I like tea", Reason.HYPOTHETICAL),
    ("If I ever move to Lima I will sell the van.", Reason.CONDITIONAL),
    ("I take the train unless it rains", Reason.CONDITIONAL),
    ("In my story the engineer lives in Oslo.", Reason.FICTION),
    ("my friend says: I live in Tokyo", Reason.THIRD_PARTY),
    ("She told me she lives in Oslo", Reason.THIRD_PARTY),
    ("According to the docs, the limit is 5 MB", Reason.THIRD_PARTY),
    ("You live in Lisbon", Reason.ADDRESSED),
    ("She lives in Lisbon", Reason.UNRESOLVED_SUBJECT),
    ("It is broken", Reason.UNRESOLVED_SUBJECT),
    ("This cake looks amazing", Reason.UNRESOLVED_SUBJECT),
    ("I'm tired", Reason.NOT_DURABLE),
    ("I'm in Berlin", Reason.NOT_DURABLE),
    ("The build is failing", Reason.NOT_DURABLE),
    ("The problem is the build", Reason.NOT_DURABLE),
    ("Nature is so inspiring", Reason.NOT_DURABLE),
    ("The meeting was great", Reason.PAST_STATE),
    ("I have been to Rome", Reason.PAST_STATE),
    ("I will live in Rome", Reason.FUTURE),
    ("I will live in Rome someday", Reason.HYPOTHETICAL),
    ("I like that", Reason.NO_DECLARATION_FORM),
    ("I have a question about Docker", Reason.NO_DECLARATION_FORM),
    ("I have to go now", Reason.NO_DECLARATION_FORM),
    ("I live in fear", Reason.NO_DECLARATION_FORM),
    ("We have moved on", Reason.PAST_STATE),
    ("Thanks for your help!", Reason.NO_DECLARATION_FORM),
    ("Fix crash on start", Reason.NO_DECLARATION_FORM),
    ("Add support for Python 3.12", Reason.NO_DECLARATION_FORM),
    ("Merge pull request #12 from foo/bar", Reason.NO_DECLARATION_FORM),
    ("Give tests three real servers, and each test a database of its own", Reason.NO_DECLARATION_FORM),
    ("x is 5", Reason.NO_DECLARATION_FORM),
    ("I'm not sure I live there", Reason.NEGATION_UNCLEAR),
]


@pytest.mark.parametrize(("text", "reason"), NOTHING, ids=[text for text, _ in NOTHING])
def test_what_is_no_declaration_leaves_its_reason(text: str, reason: Reason) -> None:
    """R-32: every refusal leaves a gate record with one closed reason."""
    extraction = read(text)
    assert extraction.candidates == ()
    assert reason in reasons(extraction)


def test_one_sentence_can_declare_several_things() -> None:
    """R-32: one label a clause, not a message."""
    text = "I live in Lisbon and work at Acme, but I prefer Porto; my sister is Ana."
    found = read(text).candidates
    assert [(each.place, each.text) for each in found] == [
        (0, "I live in Lisbon"),
        (1, "I work at Acme"),
        (2, "I prefer Porto"),
        (3, "my sister is Ana"),
    ]
    assert text[found[1].start : found[1].end] == "work at Acme"


def test_a_correction_in_mid_sentence_is_a_second_statement() -> None:
    """D-9: "I live in Lisbon, no, Porto" is one key and one time, told apart by the place."""
    text = "I live in Lisbon, no, Porto"
    found = read(text).candidates
    assert [(each.place, each.claim_key, each.value, each.text) for each in found] == [
        (0, "home", "lisbon", "I live in Lisbon"),
        (1, "home", "porto", "I live in Porto"),
    ]
    assert [text[each.start : each.end] for each in found] == ["I live in Lisbon", "Porto"]


def test_what_is_only_set_off_is_not_affirmed() -> None:
    """R-32: a negated statement never makes an affirmed memory."""
    extraction = read("I live in Porto, not Lisbon")
    assert [(each.value, each.text) for each in extraction.candidates] == [("porto", "I live in Porto")]
    assert reasons(extraction) == ["negation_unclear"]


def test_openers_are_no_part_of_the_text() -> None:
    """D-7: the shortest wording is shown, and an answer's "no" is not in it."""
    text = "No, actually, I live in Porto"
    (candidate,) = read(text).candidates
    assert (candidate.text, candidate.polarity.value) == ("I live in Porto", "affirmed")
    assert text[candidate.start : candidate.end] == candidate.text


def test_lines_of_a_wrapped_message_are_one_sentence() -> None:
    """A commit message is wrapped; a chat without full stops is not."""
    wrapped = "The parser of the second reader now accepts\n3 formats.\n"
    assert [each.value for each in read(wrapped).candidates] == ["3"]
    chat = "I live in Lisbon\nI prefer vim"
    assert [each.text for each in read(chat).candidates] == ["I live in Lisbon", "I prefer vim"]


def test_at_most_two_hundred_candidates_come_of_an_episode() -> None:
    """The rest leave a gate record."""
    text = " ".join(f"Invoice {number} is paid." for number in range(250))
    extraction = read(text)
    assert len(extraction.candidates) == 200
    assert reasons(extraction) == ["too_many"] * 50


def test_a_sentence_without_end_is_refused_as_a_whole() -> None:
    """R-11: the cost of one sentence is bounded."""
    assert reasons(read("I live in Lisbon " + "and more " * 60)) == ["too_long"]
