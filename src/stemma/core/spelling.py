"""Words that are often mistyped, by their spellings with one letter wrong. Of listed words alone; knows no language."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

FEWEST_LETTERS = 5


def spellings(words: Iterable[str]) -> dict[str, str]:
    """Map every spelling of a word that lacks one letter to the word; one that two words share stands for neither."""
    found: dict[str, str] = {}
    shared: set[str] = set()
    listed = sorted(set(words))
    for word in listed:
        for spelt in set(_without_one(word)):
            if found.setdefault(spelt, word) != word:
                shared.add(spelt)
    known = {word: word for word in listed}
    return {spelt: word for spelt, word in found.items() if spelt not in shared and spelt not in known} | known


def meant(word: str, spelt: dict[str, str]) -> str:
    """Give the listed word that one wrong, missing, doubled or exchanged letter makes of another, else the word."""
    if len(word) < FEWEST_LETTERS or word in spelt:
        return spelt.get(word, word)
    return next((spelt[short] for short in _shortened(word) if short in spelt), word)


@lru_cache(maxsize=8192)
def _shortened(word: str) -> tuple[str, ...]:
    return tuple(_without_one(word))


def _without_one(word: str) -> Iterator[str]:
    return (word[:at] + word[at + 1 :] for at in range(len(word)))
