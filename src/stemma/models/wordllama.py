"""The cheapest embedder: static token vectors (package `wordllama`), English above all; fused with a fixed weight."""

from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any, Final

from stemma.errors import EmbedderMissing
from stemma.models.embedder import require_no_nul

_DIMENSIONS: Final = 256


class WordLlama:
    """One table in process; a text of any length is read whole (the mean of its tokens)."""

    def __init__(self) -> None:
        try:
            self._version = version("wordllama")
        except PackageNotFoundError:
            raise EmbedderMissing(
                "the package wordllama is not installed: stemma-memory[wordllama] brings it"
            ) from None
        self._loading = Lock()
        self._model: Any = None

    @property
    def id(self) -> str:
        """Name the vector space."""
        return f"wordllama@{self._version}"

    @property
    def dimensions(self) -> int:
        """Give the length of every vector."""
        return _DIMENSIONS

    def passages(self, texts: Sequence[str]) -> list[list[float]]:
        """Embed what is stored, in order."""
        return [self.query(text) for text in texts]  # one by one: padding would change the last bits

    def query(self, text: str) -> list[float]:
        """Embed what is searched for; this model makes no difference."""
        require_no_nul([text])
        vector: list[float] = self._loaded().embed(text, norm=True)[0].tolist()
        return vector

    def _loaded(self) -> Any:
        with self._loading:
            if self._model is None:
                from wordllama import WordLlama as Model

                # The wheel finds its own tokenizer only when its folder is named as the cache; else it would download.
                self._model = Model.load(cache_dir=_package_folder(), disable_download=True)
            return self._model


def _package_folder() -> Path:
    spec = find_spec("wordllama")
    if spec is None or spec.origin is None:
        raise EmbedderMissing("the package wordllama is installed but cannot be found")
    return Path(spec.origin).parent
