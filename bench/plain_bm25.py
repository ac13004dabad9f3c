"""The baseline of the design study: BM25 with k1 1.2, b 0.75, 33 English stop words and Snowball stems, in memory.

Fair to scripts that the study left out: vowel signs stay in Hindi words, Thai is cut into pairs as Chinese is.
"""

import math
import re
from collections import Counter
from collections.abc import Mapping
from itertools import pairwise

import Stemmer

K1, B = 1.2, 0.75
_STOP = frozenset(
    "a an and are as at be but by for if in into is it no not of on or such that the their then there these they this "
    "to was will with".split()
)
_ALGORITHMS = {
    "en": "english",
    "de": "german",
    "es": "spanish",
    "ar": "arabic",
    "ru": "russian",
    "hi": "hindi",
    "el": "greek",
    "ro": "romanian",
    "tr": "turkish",
}
_UNSPACED = r"\u4e00-\u9fff\u0e00-\u0e7f"
_SIGNS = r"\u0900-\u0903\u093a-\u094f\u0951-\u0957\u0962\u0963"
_WORD = re.compile(rf"(?P<unspaced>[{_UNSPACED}]+)|(?:(?![{_UNSPACED}])[\w{_SIGNS}])+")


class PlainBM25:
    """Texts by id with the mean length of the collection itself."""

    def __init__(self, texts: Mapping[str, str], language: str) -> None:
        self._stemmer = Stemmer.Stemmer(_ALGORITHMS[language]) if language in _ALGORITHMS else None
        counts = {name: Counter(self._tokens(text)) for name, text in texts.items()}
        self._mean = sum(each.total() for each in counts.values()) / len(counts)
        self._postings: dict[str, list[tuple[str, int]]] = {}
        for name, each in counts.items():
            for token, times in each.items():
                self._postings.setdefault(token, []).append((name, times))
        self._lengths = {name: each.total() for name, each in counts.items()}

    def rank(self, question: str) -> list[str]:
        """Give the ids of the texts that share a token, best first."""
        scores: dict[str, float] = {}
        for token in set(self._tokens(question)):
            rows = self._postings.get(token, [])
            worth = math.log(1 + (len(self._lengths) - len(rows) + 0.5) / (len(rows) + 0.5))
            for name, times in rows:
                norm = K1 * (1 - B + B * self._lengths[name] / self._mean)
                scores[name] = scores.get(name, 0.0) + worth * times * (K1 + 1) / (times + norm)
        return sorted(scores, key=lambda name: (-scores[name], name))

    def _tokens(self, text: str) -> list[str]:
        tokens: list[str] = []
        for found in _WORD.finditer(text.lower()):
            word = found.group()
            if found["unspaced"]:
                tokens.extend([a + b for a, b in pairwise(word)] or [word])
            elif word not in _STOP:
                tokens.append(self._stemmer.stemWord(word) if self._stemmer else word)
        return tokens
