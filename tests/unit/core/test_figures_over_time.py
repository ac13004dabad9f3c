"""The arithmetic of figures over days, by hand (SPEC R-53)."""

from __future__ import annotations

from datetime import date

import pytest

from stemma.core.figures_over_time import (
    Founded,
    Given,
    Hub,
    Largest,
    Passing,
    forced_per_bundle,
    hubs,
    kinds_given,
    largest,
    passing,
    quarantine_share,
)

DAY = date(2026, 3, 1)


def _given(query: str, *memories: str, forced: str = "", subject: str = "ana") -> Given:
    return Given(DAY, subject, query, memories, frozenset(forced.split()))


def test_the_largest_kind_has_its_share_and_equals_go_by_name() -> None:
    assert largest({"fact": 3, "event": 1}) == Largest("fact", 0.75)
    assert largest({"note": 2, "fact": 2}) == Largest("fact", 0.5)
    assert largest({}) is None


def test_a_gate_passes_what_it_did_not_refuse_of_all_that_was_judged() -> None:
    judged = {("form", True): 5, ("form", False): 2, ("asserted", False): 1}
    assert passing(judged) == [Passing("asserted", 1, 0.875), Passing("form", 2, 0.75)]
    assert passing({}) == []


def test_shares_of_nothing_are_none() -> None:
    assert quarantine_share([]) is None
    assert forced_per_bundle([]) is None
    assert quarantine_share([Founded(DAY, "fact", "x", 6, 1), Founded(DAY, "note", "x", 2, 1)]) == 0.25
    assert forced_per_bundle([_given("q", "a", "b", forced="a"), _given("q"), _given("r", "c")]) == pytest.approx(1 / 3)


def test_what_bundles_give_is_counted_as_often_as_it_is_given() -> None:
    kinds = {"a": "fact", "b": "event"}
    assert kinds_given([_given("q", "a", "b"), _given("q", "a"), _given("r", "gone")], kinds) == {"fact": 2, "event": 1}


def test_a_hub_comes_for_many_different_questions_about_its_subject() -> None:
    """Study 6.2: distinct questions, forced items left out; each subject by itself; once is not enough."""
    asked = [_given(f"q{at}", "always", "core", forced="core") for at in range(4)]
    asked += [_given("q0", "twice")] * 9 + [_given("q1", "twice"), _given("q9", "once")]
    asked += [_given(f"b{at}", subject="ben") for at in range(95)] + [_given("q0", "bens", subject="ben")] * 2
    assert hubs(asked, 0.3) == [Hub("always", 4, 0.8), Hub("twice", 2, 0.4)]
    assert hubs(asked, 0.4) == [Hub("always", 4, 0.8)]
    assert hubs(asked, 0.8) == []
    assert hubs([]) == []
