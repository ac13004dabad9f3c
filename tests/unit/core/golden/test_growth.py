"""Distractors, the forecast beside them, and the neighbours of an incident: pure, from a seed (R-48)."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from math import exp, log

import pytest

from stemma.core.golden.distractors import SHARES, Distractor, Mix, Told, distractors, words_of
from stemma.core.golden.forecast import LEAST, Tail, fit, poisson_at_most, stays
from stemma.core.golden.neighbours import other_thing, talk

DAY = datetime(2026, 1, 1, tzinfo=UTC)
TEXTS = [
    ("My printer in Berlin holds 250 sheets of paper.", "en"),
    ("We water the garden behind the house on Tuesdays.", "en"),
    ("Our supplier for envelopes is Miller in Leeds.", "en"),
    ("I keep 14 boxes of candles under the stairs.", "en"),
    ("Unser Drucker braucht 3 Patronen im Jahr.", "de"),
    ("Wir lüften den Keller jeden Morgen gründlich.", "de"),
]
ANCHOR = "The spare key hangs behind the oven at Rosa, number 7."
TOLD = [Told("ana", text, DAY + timedelta(days=place), code) for place, (text, code) in enumerate(TEXTS)]
WORDS = words_of([*TOLD, Told("ana", ANCHOR, DAY + timedelta(days=50), "en", is_anchor=True)])


def made(count: int, *, seed: int = 7, start: int = 0) -> list[Distractor]:
    """Some distractors of that store."""
    return distractors(WORDS, count, seed=seed, start=start)


def test_distractors_come_from_the_seed_and_go_on_where_they_ended() -> None:
    """A store that grows in two steps is the one that grew at once."""
    assert made(60) == [*made(25), *made(35, start=25)]
    assert made(60) != made(60, seed=8)


def test_no_text_comes_twice_and_none_is_the_stores() -> None:
    """Else a distractor would be a further right answer."""
    texts = [each.text for each in made(400)]
    assert len(set(texts)) == 400
    assert not set(texts) & {ANCHOR, *(text for text, _ in TEXTS)}


def test_the_mix_is_the_studys() -> None:
    """Over 2,000 within three standard errors of each share."""
    counts = Counter(each.mix for each in made(2_000))
    assert sum(share for _, share in SHARES) == 100
    for mix, share in SHARES:
        assert counts[mix] == pytest.approx(20 * share, abs=3 * (20 * share * (1 - share / 100)) ** 0.5)


def test_near_misses_of_anchors_were_said_before_them() -> None:
    """So that the anchor stands; they are about a tenth of all, and none says the same."""
    near = [each for each in made(2_000) if len(set(each.text.split()) & set(ANCHOR.split())) >= 7]
    assert 120 <= len(near) <= 280
    assert all(each.occurred_at < DAY + timedelta(days=50) for each in near)
    assert all(each.mix in (Mix.OTHER_VALUE, Mix.OTHER_SUBJECT) for each in near)


def test_boot_text_is_no_users() -> None:
    """It is said by the system; all else by the user."""
    assert {(each.mix is Mix.BOOT_TEXT, each.role) for each in made(300)} == {(True, "system"), (False, "user")}


def test_a_store_of_one_statement_still_grows() -> None:
    """There is nothing to cross or swap it with."""
    alone = words_of([Told("ana", "I like tea.", DAY, "en")])
    assert len({each.text for each in distractors(alone, 20, seed=1)}) == 20


@pytest.mark.parametrize(
    ("most", "mean", "chance"),
    [(0, 0.0, 1.0), (0, 1.0, exp(-1)), (1, 1.0, 2 * exp(-1)), (2, 3.0, exp(-3) * (1 + 3 + 4.5)), (60, 1.0, 1.0)],
)
def test_a_poisson_number_is_at_most(most: int, mean: float, chance: float) -> None:
    """By hand."""
    assert poisson_at_most(most, mean) == pytest.approx(chance)


def test_the_tail_of_an_exponential_law_is_found_again() -> None:
    """Scores at the quantiles of an exponential law of scale 0.1: shape near 0, and the share above as it is."""
    total = 1_000
    scores = [-0.1 * log((place + 0.5) / total) for place in range(total)]
    tail = fit(scores, total)
    assert tail is not None
    assert tail.share == pytest.approx(0.06)
    assert tail.shape == pytest.approx(0.0, abs=0.1)
    assert tail.scale == pytest.approx(0.1, rel=0.1)
    for score in (0.3, 0.4, 0.5):
        assert tail.above(score) == pytest.approx(exp(-score / 0.1), rel=0.25)


def test_few_scores_are_no_tail() -> None:
    """Then what stands above is counted."""
    assert fit([0.5] * (LEAST - 1), 100) is None
    assert fit([0.5] * LEAST, LEAST - 1) is None
    level = fit([0.5] * LEAST, 100)
    assert level is not None
    assert (level.above(0.5), level.above(0.6)) == (0.08, 0.0)


def test_an_anchor_stays_as_long_as_there_is_room() -> None:
    """At today's size for certain; below the room never; else by the number that would stand above it."""
    tail = Tail(threshold=0.2, share=0.05, shape=0.0, scale=0.1)
    assert stays(tail, 0.5, rank=1, room=8, total=400, factor=1) == 1.0
    assert stays(tail, 0.5, rank=9, room=8, total=400, factor=1) == 0.0
    mean = 9 * 400 * 0.05 * exp(-3)
    assert stays(tail, 0.5, rank=3, room=8, total=400, factor=10) == pytest.approx(poisson_at_most(5, mean))
    assert stays(None, 0.1, rank=3, room=8, total=400, factor=2) == pytest.approx(poisson_at_most(5, 2.0))


@pytest.mark.parametrize(
    ("query", "kept", "gone"),
    [
        ("What do we label the samples with?", ["What do we ", " the ", " with?"], ["label", "samples"]),
        ("Where does Ana live?", ["Where does ", "?"], ["Ana", "live"]),
        ("Wo wohnt mein Zahnarzt?", ["Wo ", "?"], ["Zahnarzt"]),
    ],
)
def test_the_first_neighbour_asks_the_same_of_what_does_not_exist(query: str, kept: list[str], gone: list[str]) -> None:
    """The form stays, every word that carries meaning is made up, the same each time."""
    found = other_thing(query)
    assert found is not None
    assert found == other_thing(query)
    assert all(part in found for part in kept)
    assert not any(part in found for part in gone)


def test_the_second_neighbour_is_talk_in_the_same_language() -> None:
    """A script without spaces has no first one."""
    assert other_thing("ひろしさんは何を食べられませんか。") is None
    assert other_thing("?!") is None
    assert talk("Where do I live?").startswith("Hello")
    assert talk("ひろしさんは何を食べられませんか。").startswith("こんにちは")
