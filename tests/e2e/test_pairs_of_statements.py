"""R-34, R-35: what two statements are to one another once both are remembered, in every language that is compared."""

from __future__ import annotations

from pathlib import Path

from bench.labelled_sets import lines_of, score_pairs

PAIRS = Path(__file__).parents[1] / "sets" / "pairs_rules.jsonl"
# The rules are judged on every pair without a store (`unit/core/test_pairs_compared`); a store changes none of it.
_EVERY = 5


def test_statements_restate_contest_or_leave_one_another_as_their_pairs_say(place: Path) -> None:
    """Number words, times, money, rates, negation, slots; numbers that name, events that are over, who owes whom."""
    pairs = lines_of(PAIRS)[::_EVERY]
    assert len({pair["language"] for pair in pairs}) == 12
    _, misses = score_pairs(pairs, str(place), "none")
    assert [(miss["found"], miss["label"], miss["first"], miss["second"]) for miss in misses] == []
