"""Tells near copies from texts that only speak of the same (R-65)."""

from __future__ import annotations

import random

import pytest

from stemma.core.copies import KEPT, KEYS, NEAR_COPY, SHINGLE_WORDS, bands, likeness, signature


def text_of(seed: int, size: int = 300) -> list[str]:
    draw = random.Random(seed)
    return [f"w{draw.randrange(5000)}" for _ in range(size)]


def shingles(words: list[str]) -> set[tuple[str, ...]]:
    return {tuple(words[at : at + SHINGLE_WORDS]) for at in range(len(words) - SHINGLE_WORDS + 1)}


def test_case_width_and_spacing_make_no_difference() -> None:
    one, other = signature("The pump\nstands on PIER three, café."), signature("the  ｐump stands on pier three cafe")
    assert one == other
    assert likeness(one, other) == 1.0


def test_texts_of_few_shingles_are_compared_exactly() -> None:
    one, other = text_of(1, 60), text_of(1, 60)
    other[30] = "changed"
    left, right = shingles(one), shingles(other)
    assert likeness(signature(" ".join(one)), signature(" ".join(other))) == len(left & right) / len(left | right)


@pytest.mark.parametrize("changes", [1, 4, 10, 30])
def test_long_texts_are_compared_within_three_standard_errors(changes: int) -> None:
    one = text_of(2, 3000)
    other = list(one)
    for at in random.Random(changes).sample(range(3000), changes * 10):
        other[at] = "changed"
    exact = len(shingles(one) & shingles(other)) / len(shingles(one) | shingles(other))
    assert (
        abs(likeness(signature(" ".join(one)), signature(" ".join(other))) - exact)
        <= 3 * (exact * (1 - exact) / KEPT) ** 0.5
    )


def test_near_copies_share_a_key_and_strangers_none() -> None:
    for seed in range(200):
        one = text_of(seed, 300)
        other = list(one)
        for at in random.Random(seed).sample(range(300), 8):
            other[at] = "changed"
        left, right = signature(" ".join(one)), signature(" ".join(other))
        stranger = signature(" ".join(text_of(seed + 1000, 300)))
        assert set(bands(left)) & set(bands(right))
        assert not set(bands(left)) & set(bands(stranger))
        assert likeness(left, stranger) < 0.05
    assert len(bands(left)) == KEYS
    assert all(-(2**63) <= key < 2**63 for key in bands(left))


def test_texts_on_one_subject_by_different_hands_are_no_copies() -> None:
    one = "The ferry to the island leaves from pier three at seven forty every morning except on Sundays in winter."
    other = (
        "Every morning but Sundays in winter, a ferry sails for the island at seven forty; it departs from pier three."
    )
    assert likeness(signature(one), signature(other)) < 0.2 < NEAR_COPY


def test_scripts_without_spaces_are_compared_by_characters() -> None:
    one, other = (
        "备用钥匙在三号柜，水泵在码头旁边的仓库里，阀门已经关闭。",
        "备用钥匙在三号柜，水泵在码头旁边的仓库里，阀门已经打开。",
    )
    assert 0.7 < likeness(signature(one), signature(other)) < 1.0


def test_a_text_without_words_is_like_nothing() -> None:
    assert signature(" … ") == b""
    assert bands(b"") == ()
    assert likeness(b"", b"") == 0.0
