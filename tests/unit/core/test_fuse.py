"""Fusion of the two legs (R-40, R-41, R-42)."""

import pytest

from stemma.core.fuse import Fusion, Hit, Query, dense_weight, fuse, fused_values
from stemma.core.score import Score, ScoreKind

FUSION = Fusion(floor=0.7, spread=0.16)


def scores(hits: list[Hit], query: Query, fusion: Fusion = FUSION) -> dict[str, float]:
    found = [(each.item, each.score.value) for each in fuse(hits, query, fusion)]
    assert fused_values(hits, query, fusion) == found
    return dict(found)


def test_both_legs_add_up_by_the_formula() -> None:
    """R-41: (1 - w) * lexical + w * dense, w from how well words answer the query."""
    hits = [Hit("a", 3.0, 0.80), Hit("b", 2.0, 0.90), Hit("c", None, 0.70)]
    found = fuse(hits, Query(ideal=4.0, floor=0.7), FUSION)
    weight = 0.4 + 0.4 * (1 - 0.75)
    assert [each.item for each in found] == ["b", "a", "c"]
    best = found[0]
    assert best.weight == pytest.approx(weight)
    assert (best.lexical, best.dense) == (Score(ScoreKind.LEXICAL, 2 / 3), Score(ScoreKind.DENSE, 1.0))
    assert best.score.value == pytest.approx((1 - weight) * 2 / 3 + weight)
    assert found[1].score.value == pytest.approx((1 - weight) * 1.0 + weight * 0.5)
    assert found[2].score.value == 0.0


def test_a_lone_accidental_match_is_not_blown_up() -> None:
    """R-41: the best match is measured by half of what the query could reach."""
    assert scores([Hit("a", 1.0)], Query(ideal=20.0)) == {"a": pytest.approx(0.1)}
    assert scores([Hit("a", 15.0)], Query(ideal=20.0)) == {"a": pytest.approx(1.0)}


def test_a_query_in_another_language_leans_on_vectors() -> None:
    """R-41: with no lexical match the dense leg has 0.8, with a full one 0.4."""
    assert dense_weight(0.0, 10.0, FUSION) == pytest.approx(0.8)
    assert dense_weight(10.0, 10.0, FUSION) == pytest.approx(0.4)
    assert dense_weight(19.0, 10.0, FUSION) == pytest.approx(0.4)
    assert dense_weight(0.0, 0.0, FUSION) == pytest.approx(0.8)


def test_a_weak_embedder_keeps_its_fixed_weight() -> None:
    """R-41: never fuse a weak leg with equal weight."""
    weak = Fusion(base=0.3, reach=0.0)
    assert {dense_weight(best, 10.0, weak) for best in (0.0, 5.0, 10.0)} == {0.3}


def test_without_the_dense_leg_the_lexical_one_answers_alone() -> None:
    """R-95: the score is the lexical share, and no dense part is claimed."""
    (only,) = fuse([Hit("a", 3.0, None)], Query(ideal=4.0), FUSION)
    assert (only.score.value, only.dense, only.weight) == (1.0, None, None)


def test_a_text_without_a_vector_counts_as_unlike_beside_texts_that_have_one() -> None:
    """R-41: a vector that has not come yet is no reason to rank a text up."""
    assert scores([Hit("a", None, None), Hit("b", None, 0.9)], Query(ideal=4.0, floor=0.7))["a"] == 0.0


def test_one_unlike_text_alone_is_no_match() -> None:
    """R-40: the calibrated floor and spread hold where a scope is too small to have its own."""
    alone = scores([Hit("a", None, 0.74)], Query(ideal=4.0, floor=0.74))
    assert alone["a"] == pytest.approx(0.8 * 0.25)
    unlike = scores([Hit("a", None, 0.75), Hit("b", None, 0.73)], Query(ideal=4.0, floor=0.73))
    assert max(unlike.values()) < 0.3
    study = scores([Hit("a", None, 0.75), Hit("b", None, 0.73)], Query(ideal=4.0, floor=0.73), Fusion())
    assert study["a"] == pytest.approx(0.8)


def test_a_large_scope_has_a_floor_of_its_own() -> None:
    """R-41: the lowest of a hundred cosines is a better floor than the embedder's usual one."""
    hits = [Hit("a", None, 0.92), Hit("b", None, 0.76)]
    assert scores(hits, Query(ideal=4.0, floor=0.76, sampled=99))["b"] == pytest.approx(0.8 * 0.06 / 0.22)
    assert scores(hits, Query(ideal=4.0, floor=0.76, sampled=100))["b"] == 0.0


def test_a_role_keeps_its_share() -> None:
    """R-41: the assistant's words are held back where the memory is the user's."""
    fusion = Fusion(role_weights={"assistant": 0.7})
    hits = [Hit("a", 2.0, role="assistant"), Hit("b", 2.0, role="user"), Hit("c", 2.0)]
    assert scores(hits, Query(ideal=2.0), fusion) == {"a": pytest.approx(0.7), "b": 1.0, "c": 1.0}


def test_ties_are_broken_by_the_item() -> None:
    """R-44: equal input gives equal output."""
    hits = [Hit("b", 1.0), Hit("a", 1.0), Hit("c", 1.0)]
    assert [each.item for each in fuse(hits, Query(ideal=1.0), FUSION)] == ["a", "b", "c"]


def test_nothing_found_is_nothing_fused() -> None:
    """R-45: with nothing relevant there is nothing to say."""
    assert fuse([], Query(ideal=0.0), FUSION) == []
    assert scores([Hit("a", None, None)], Query(ideal=0.0, floor=0.7)) == {"a": 0.0}


@pytest.mark.parametrize(
    "wrong",
    [
        {"base": 0.8, "reach": 0.4},
        {"base": -0.1},
        {"ideal_share": 0.0},
        {"spread": 0.0},
        {"sample_size": 0},
        {"small_scope": -1},
        {"floor": 1.5},
        {"role_weights": {"assistant": 1.2}},
    ],
)
def test_impossible_parameters_cannot_be_built(wrong: dict[str, float]) -> None:
    """R-42: an illegal record cannot be built."""
    with pytest.raises(ValueError, match=r".+"):
        Fusion(**wrong)  # type: ignore[arg-type]
