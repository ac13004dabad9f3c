"""What is cut out of a text before anything is read, and the gates of whole sentences."""

from __future__ import annotations

import pytest

from stemma.core.fence import CLOSE, OPEN, delivered_spans
from tests.extracting import read, reasons


def refused(text: str) -> list[tuple[str, str]]:
    """Give each refusal with the words it speaks of."""
    return [(record.reason, text[record.start : record.end]) for record in read(text).gates if not record.passed]


def kept(text: str) -> list[str]:
    """Give the texts of all candidates."""
    return [candidate.text for candidate in read(text).candidates]


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        (f"a {OPEN} b {CLOSE} c", [f"{OPEN} b {CLOSE}"]),
        (f"{OPEN}\nb", [f"{OPEN}\nb"]),
        (f"b {CLOSE} c", [f"b {CLOSE}"]),
        (f"{OPEN} {OPEN} x {CLOSE} y {CLOSE} z", [f"{OPEN} {OPEN} x {CLOSE} y {CLOSE}"]),
        (f"> {OPEN}\n> b\n> {CLOSE}\nc", [f"{OPEN}\n> b\n> {CLOSE}"]),
        (
            r"\[\[stemma:delivered\]\] b \[\[/Stemma : delivered\]\] c",
            [r"\[\[stemma:delivered\]\] b \[\[/Stemma : delivered\]\]"],
        ),
        (f"a {OPEN} b {CLOSE} c {CLOSE} d", [f"{OPEN} b {CLOSE}", f" c {CLOSE}"]),
        ("the stemma of a text", []),
    ],
)
def test_delivered_text_is_found_quoted_nested_and_torn(text: str, cut: list[str]) -> None:
    """R-33a: fenced text is recognised by its lines, quoted or not, from the episode alone."""
    assert [text[start:end] for start, end in delivered_spans(text)] == cut


def test_delivered_text_is_never_evidence() -> None:
    """R-33a."""
    text = f"I like tea.\n{OPEN}\n## Memories\n- I live in Rome\n{CLOSE}\nI like jam."
    assert kept(text) == ["I like tea", "I like jam"]
    assert ("delivered", f"{OPEN}\n## Memories\n- I live in Rome\n{CLOSE}") in refused(text)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("> I live in Rome", "quoted"),
        ('"I live in the old town of Rome."', "quoted"),
        ("“I live in Rome with my family”", "quoted"),
        ("The docs say 'I live in Rome today'", "quoted"),
        ("```\nI live in Rome\n```", "code"),
        ("~~~\nI live in Rome", "code"),
        ("Look:\n\n    I live in Rome\n", "code"),
        ("`I live in Rome`", "code"),
        ("TypeError: I live in Rome", "code"),
        ("*I live in Rome and she knows it*", "stage_direction"),
        ("_I live in Rome and she knows it_", "stage_direction"),
        ("*smiles*", "stage_direction"),
        ("Once upon a time there was a king. I live in Rome.", "fiction"),
        ("Ana wrote:\nI live in Rome.", "third_party"),
        ("Bob: I live in Rome", "third_party"),
        ("The sentence is: I live in Rome", "third_party"),
    ],
)
def test_what_is_nobodys_plain_statement_declares_nothing(text: str, reason: str) -> None:
    """R-32: quotations, code, stage directions, fiction and other people's words."""
    assert kept(text) == []
    assert reason in reasons(read(text))


@pytest.mark.parametrize(
    ("text", "declared"),
    [
        ("I *really* like tea", ["I *really* like tea"]),
        ("**Note**: I live in Lisbon", ["I live in Lisbon"]),
        ("I prefer `ruff`", ["I prefer `ruff`"]),
        ('I live in "Little Italy"', ['I live in "Little Italy"']),
        ("Me: I live in Lisbon", ["I live in Lisbon"]),
        ("*waves*\nHello there, all of you, I live in Lisbon", ["I live in Lisbon"]),
        ("Once upon a time there was a king.\n\nI live in Lisbon.", ["I live in Lisbon"]),
        ("He lives in Rome? I live in Lisbon.", ["I live in Lisbon"]),
        (
            "From now on, if I ask for a date, answer in ISO form",
            ["From now on, if I ask for a date, answer in ISO form"],
        ),
    ],
)
def test_marks_beside_a_statement_do_not_unmake_it(text: str, declared: list[str]) -> None:
    """R-32: a gate holds for what it marks, not for the whole message."""
    assert kept(text) == declared


def test_a_message_that_is_mostly_stage_direction_declares_nothing() -> None:
    """R-32 and the seed: a physical scene that contains a love is no declaration."""
    text = "*He crosses the long hall slowly, and his hand is on his sword as he goes* I love hiking"
    assert kept(text) == []
    assert set(reasons(read(text))) == {"stage_direction"}


def test_a_span_of_a_refusal_is_exact() -> None:
    """R-32: a gate record says which words were judged."""
    text = "I like tea. Do I like jam? I like rye."
    assert refused(text) == [("question", "Do I like jam")]
    assert kept(text) == ["I like tea", "I like rye"]
