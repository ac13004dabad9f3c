"""Filters of the form that memory libraries share: what meets them, and what is none."""

from __future__ import annotations

from typing import Any

import pytest

from stemma.adapters.filters import meets, require_sound
from stemma.adapters.owners import Owner, without_ids
from stemma.errors import InvalidInput

HELD = {"topic": "food", "rank": 3, "tags": ["a", "b"], "done": True, "nothing": None}


@pytest.mark.parametrize(
    "filters",
    [
        {},
        {"topic": "food"},
        {"topic": "*"},
        {"nothing": None, "done": True},
        {"rank": {"gt": 2, "lte": 3}},
        {"topic": {"in": ["food", "tea"]}, "rank": {"nin": [1, 2]}},
        {"topic": {"icontains": "FOO"}, "tags": {"contains": "b"}},
        {"missing": {"ne": 1}},
        {"AND": [{"topic": "food"}, {"rank": 3}]},
        {"or": [{"topic": "tea"}, {"rank": {"gte": 3}}]},
        {"NOT": [{"topic": "tea"}, {"rank": 4}]},
    ],
)
def test_what_meets_a_filter(filters: dict[str, Any]) -> None:
    """R-86."""
    assert meets(filters, HELD)


@pytest.mark.parametrize(
    "filters",
    [
        {"topic": "Food"},
        {"missing": "*"},
        {"missing": None},
        {"done": 1},
        {"rank": True},
        {"rank": {"gt": "2"}},
        {"topic": {"gt": 2}},
        {"done": {"lt": 2}},
        {"missing": {"lt": 2}},
        {"missing": {"contains": "a"}},
        {"topic": {"contains": 1}},
        {"rank": {"gt": 2, "lt": 3}},
        {"AND": [{"topic": "food"}, {"rank": 4}]},
        {"OR": []},
        {"NOT": [{"topic": "tea"}, {"rank": 3}]},
    ],
)
def test_what_does_not(filters: dict[str, Any]) -> None:
    """R-86: a missing field equals nothing; of two types none is the greater, and true is no number."""
    assert not meets(filters, HELD)


@pytest.mark.parametrize(
    "filters",
    [{"rank": {"near": 3}}, {"rank": {}}, {"OR": {"rank": 3}}, {"AND": ["rank"]}, {"rank": {"in": "abc"}}],
)
def test_what_is_no_filter_is_refused_also_where_nothing_is_held(filters: dict[str, Any]) -> None:
    """R-86: an operator that does not exist would otherwise let nothing in, or everything."""
    with pytest.raises(InvalidInput):
        require_sound({"missing": "x", **filters})


def test_ids_name_a_subject_and_what_narrows_it() -> None:
    """R-86: the user, else the agent, else the run; ids are taken from a filter too."""
    assert Owner(user_id="ana").subject_id == "ana"
    assert Owner(agent_id="ana").subject_id == "agent:ana"
    assert Owner(run_id="ana").subject_id == "run:ana"
    every = Owner.of({"run_id": "r"}, {"AND": [{"user_id": "ana"}, {"agent_id": "a"}, {"topic": "tea"}]})
    assert (every.subject_id, every.narrowing) == ("ana", {"agent_id": "a", "run_id": "r"})
    assert without_ids({"user_id": "ana", "AND": [{"agent_id": "a"}, {"topic": "tea"}]}) == {
        "AND": [{}, {"topic": "tea"}]
    }


@pytest.mark.parametrize(
    ("ids", "filters", "field"),
    [
        ({}, {}, "user_id"),
        ({}, {"topic": "tea"}, "user_id"),
        ({"user_id": " "}, {}, "user_id"),
        ({"agent_id": 7}, {}, "agent_id"),
        ({"user_id": "agent:a"}, {}, "user_id"),
        ({"user_id": "ana"}, {"user_id": "ben"}, "user_id"),
        ({"user_id": "ana"}, {"run_id": {"in": ["a"]}}, "run_id"),
        ({"run_id": "r"}, {"OR": [{"user_id": "ana"}, {"user_id": "ben"}]}, "user_id"),
    ],
)
def test_ids_that_name_nobody_or_two_are_refused(ids: dict[str, Any], filters: dict[str, Any], field: str) -> None:
    """F31: a lost id is never everybody."""
    with pytest.raises(InvalidInput) as refused:
        Owner.of(ids, filters)
    assert refused.value.field == field
