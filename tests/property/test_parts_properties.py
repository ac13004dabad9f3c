"""The least turn of a cycle of words, against trying every one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from stemma.core.parts import least_turn


@given(st.lists(st.sampled_from(["a", "b", "ab"]), min_size=1, max_size=12))
def test_the_least_turn_is_the_first_of_the_least_of_all(words: list[str]) -> None:
    """R-34: what stands in another order is read in one."""
    turns = [[*words[at:], *words[:at]] for at in range(len(words))]
    assert least_turn(words) == turns.index(min(turns))
