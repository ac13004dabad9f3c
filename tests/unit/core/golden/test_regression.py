"""What counts as worse than the baseline, and what does not (the study's section 6.3)."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from stemma.core.golden.draw import Draw
from stemma.core.golden.probe import ProbeClass
from stemma.core.golden.regression import Result, Ruling, Waiver, bootstrap, compare, result_of, sign_test
from tests.golden_probes import came, item, probe


def result(number: int, *, passed: bool = True, rank: int | None = 1, **more: object) -> Result:
    """The result of one probe with one anchor that must survive."""
    plain = result_of(came(probe(f"p{number:02}", anchors="a"), "a"))
    return replace(plain, passed=passed, ranks={"a": rank}, **more)  # type: ignore[arg-type]


def rules(ruling: Ruling) -> list[str]:
    """The rules that block."""
    return [each.rule for each in ruling.blocks]


ALL = [result(number) for number in range(20)]


@pytest.mark.parametrize(
    ("gains", "losses", "p_value"),
    [(0, 6, 0.03125), (0, 5, 0.0625), (0, 0, 1.0), (3, 3, 1.0), (1, 9, 22 / 1024), (6, 0, 0.03125)],
)
def test_the_sign_test_is_exact_and_two_sided(gains: int, losses: int, p_value: float) -> None:
    """Six to none is 0.031, five to none 0.063."""
    assert sign_test(gains, losses) == pytest.approx(p_value)


def failing(count: int) -> list[Result]:
    """The run where so many probes no longer pass, their anchors where they were."""
    return [replace(each, passed=place >= count) for place, each in enumerate(ALL)]


@pytest.mark.parametrize(
    ("count", "blocks", "warnings"), [(0, [], 0), (4, [], 0), (5, [], 1), (6, ["sign_test"], 0), (20, ["sign_test"], 0)]
)
def test_six_losses_with_no_gain_block_and_five_warn(count: int, blocks: list[str], warnings: int) -> None:
    """By the exact sign test."""
    ruling = compare(ALL, failing(count), waived=(), seed=1)
    assert rules(ruling) == blocks
    assert len(ruling.warnings) == warnings
    assert len(ruling.losses) == count


def test_gains_weigh_against_losses_and_never_block() -> None:
    """Six lost and one gained is p = 0.125; six gained alone is no regression either."""
    before = [*ALL, result(20, passed=False)]
    assert rules(compare(before, [*failing(6), result(20)], waived=(), seed=1)) == []
    assert rules(compare(failing(6), ALL, waived=(), seed=1)) == []


def test_a_must_survive_anchor_that_was_there_blocks_alone() -> None:
    """One that the baseline had not either does not."""
    lost = [result(0, rank=None), *ALL[1:]]
    assert rules(compare(ALL, lost, waived=(), seed=1)) == ["must_survive"]
    assert rules(compare(lost, lost, waived=(), seed=1)) == []


@pytest.mark.parametrize(
    ("line", "rule", "type_"),
    [
        (item("x", rule="always"), "forced_other", ProbeClass.ANCHOR),
        (item("x", is_foreign=True), "foreign_scope", ProbeClass.ANCHOR),
        (item("x"), "poison", ProbeClass.POISON),
    ],
)
def test_what_may_never_happen_blocks_without_a_baseline(line: object, rule: str, type_: ProbeClass) -> None:
    """And although the baseline had it."""
    bad = result_of(came(probe("p", anchors="a", never="x", type=type_), ["a", line]))  # type: ignore[list-item]
    assert rules(compare([], [bad], waived=(), seed=1)) == [rule]
    assert rules(compare([bad], [bad], waived=(), seed=1)) == [rule]
    assert rules(compare([bad], [bad], waived=["p"], seed=1)) == []


def test_what_is_forbidden_in_a_plain_probe_is_its_fault_and_no_block() -> None:
    """Only the planted ones block by themselves."""
    bad = result_of(came(probe("p", anchors="a", never="x"), "ax"))
    assert rules(compare([], [bad], waived=(), seed=1)) == []


def test_ranks_that_slide_together_block_by_their_interval() -> None:
    """Every anchor from 1 to 2: nothing is lost, and the mean reciprocal rank is half."""
    slid = [replace(each, ranks={"a": 2}) for each in ALL]
    ruling = compare(ALL, slid, waived=(), seed=1)
    assert rules(ruling) == ["interval"]
    (change,) = [each for each in ruling.changes if each.name == "reciprocal_rank"]
    assert (change.mean, change.low, change.high) == (-0.5, -0.5, -0.5)
    assert rules(compare(ALL, [replace(ALL[0], ranks={"a": 2}), *ALL[1:]], waived=(), seed=1)) == []


def test_more_off_topic_items_block_by_their_interval() -> None:
    """Ten of twenty bundles got one more; fewer than before never block."""
    more = [replace(each, off_topic=place % 2) for place, each in enumerate(ALL)]
    assert rules(compare(ALL, more, waived=(), seed=1)) == ["interval"]
    assert rules(compare(more, ALL, waived=(), seed=1)) == []


def test_a_waiver_counts_until_its_day() -> None:
    """The day itself counts; the next does not."""
    waiver = Waiver("p00", "the cat moved", "ana", date(2026, 3, 1))
    assert waiver.holds(date(2026, 3, 1))
    assert not waiver.holds(date(2026, 3, 2))


def test_a_waived_probe_is_left_out_of_every_rule() -> None:
    """Its lost anchor and its loss."""
    lost = [result(0, rank=None, passed=False), *failing(6)[1:]]
    assert set(rules(compare(ALL, lost, waived=(), seed=1))) == {"must_survive", "sign_test"}
    assert rules(compare(ALL, lost, waived=["p00"], seed=1)) == []


def test_probes_of_one_side_alone_are_named_and_not_compared() -> None:
    """New ones have no baseline; those that are gone are told."""
    ruling = compare(ALL[:3], ALL[1:4], waived=(), seed=1)
    assert (ruling.new, ruling.missing) == (("p03",), ("p00",))
    assert not ruling.is_regression


def test_an_interval_is_the_same_for_the_same_seed() -> None:
    """And holds the mean."""
    values = [0.0] * 8 + [1.0] * 2
    low, high = bootstrap(values, 7)
    assert (low, high) == bootstrap(values, 7)
    assert 0 <= low < 0.2 < high <= 0.6
    assert bootstrap([0.0] * 5, 7) == (0.0, 0.0)


def test_draws_come_from_the_seed_alone() -> None:
    """The same row on every machine: these are SHA-256's."""
    draw, same, other = Draw("a", 1), Draw("a", 1), Draw("a", 2)
    first = [draw.below(1_000) for _ in range(12)]
    assert first == [same.below(1_000) for _ in range(12)]
    assert first != [other.below(1_000) for _ in range(12)]
    assert sum(Draw("share", seed).is_under(0.25) for seed in range(400)) == pytest.approx(100, abs=30)
