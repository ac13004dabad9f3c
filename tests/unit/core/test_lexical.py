"""BM25 weights and idf (R-41)."""

import math

import pytest

from stemma.core import lexical
from stemma.core.analyse import term_hash, terms


def test_a_weight_is_bm25s_without_its_idf() -> None:
    """R-41: tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / average)), k1 0.9, b 0.4, average 100."""
    weights = lexical.document_weights(["dashboard", "theme", "dashboard"])
    norm = 0.9 * (0.6 + 0.4 * 3 / 100)
    assert weights == {
        term_hash("dashboard"): pytest.approx(2 * 1.9 / (2 + norm)),
        term_hash("theme"): pytest.approx(1.9 / (1 + norm)),
    }
    assert list(weights) == sorted(weights)
    assert lexical.document_weights([]) == {}


def test_idf_is_positive_and_greatest_for_a_term_that_no_text_holds() -> None:
    """R-41: ln(1 + (N - df + .5) / (df + .5))."""
    assert lexical.idf(10, 2) == pytest.approx(math.log(1 + 8.5 / 2.5))
    values = [lexical.idf(10, holding) for holding in range(11)]
    assert values == sorted(values, reverse=True)
    assert values[-1] > 0
    assert lexical.idf(0, 0) > 0


def test_the_ideal_counts_each_term_once_and_an_unknown_one_as_the_rarest() -> None:
    """R-41: what fusion measures the best match by."""
    known, unknown = sorted((term_hash("dashboard"), term_hash("nowhere")))
    query = lexical.query_terms(["dashboard", "nowhere", "dashboard"])
    assert query == [known, unknown]
    holding = {term_hash("dashboard"): 3}
    assert lexical.ideal(query, 10, holding) == pytest.approx(lexical.idf(10, 3) + lexical.idf(10, 0))


def test_a_score_adds_up_the_terms_that_both_hold() -> None:
    """R-41."""
    weights = lexical.document_weights(["dashboard", "theme"])
    holding = dict.fromkeys(weights, 1)
    query = lexical.query_terms(["theme", "nowhere"])
    expected = weights[term_hash("theme")] * lexical.idf(5, 1)
    assert lexical.score(query, weights, 5, holding) == pytest.approx(expected)
    assert lexical.score(lexical.query_terms(["nowhere"]), weights, 5, holding) == 0


def test_a_shorter_text_with_the_same_match_scores_higher() -> None:
    """R-41: length counts, gently."""
    short = lexical.document_weights(["dashboard", "dark"])
    long = lexical.document_weights(["dashboard", *(f"w{n}" for n in range(60))])
    assert short[term_hash("dashboard")] > long[term_hash("dashboard")] > 0.7 * short[term_hash("dashboard")]


def test_a_passage_is_weighed_by_its_length_in_words() -> None:
    """R-105: abstracts want k1 1.2 and b 0.75; at the usual length a term once said weighs the same as in a memory."""
    usual = ["dashboard", *(f"w{n}" for n in range(99))]
    for weighting in (lexical.SAYINGS, lexical.PASSAGES):
        assert lexical.document_weights(usual, weighting)[term_hash("dashboard")] == pytest.approx(1.0)
    short, long = usual[:50], usual * 2
    assert lexical.document_weights(short, lexical.PASSAGES)[term_hash("dashboard")] == pytest.approx(2.2 / 1.75)
    assert lexical.document_weights(long, lexical.PASSAGES)[term_hash("dashboard")] == pytest.approx(4.4 / 4.1)


def test_a_script_without_spaces_is_no_longer_than_its_words() -> None:
    """R-105: four terms of Chinese, two characters with their pairs, are about one word."""
    chinese = terms("港口管理员每天早上检查水位", "zh") * 4
    assert len(chinese) == 100
    of_words = lexical.document_weights(["port", *(f"w{n}" for n in range(24))], lexical.PASSAGES)[term_hash("port")]
    once = lexical.document_weights([*chinese[1:], "once"], lexical.PASSAGES)[term_hash("once")]
    assert once == pytest.approx(of_words, rel=0.01)
    assert lexical.document_weights([*chinese[1:], "once"])[term_hash("once")] == pytest.approx(1.0)
