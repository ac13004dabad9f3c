"""How long a passage may be: what its embedder takes at once, by its own tokens. Cutting is `core/split`'s."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol, runtime_checkable

from stemma.models.embedder import Embedder
from stemma.models.tokens import counter, tokenizer_name

# About 300 words, so that an abstract is one passage: cut in two, SciFact's lose .010 nDCG@10 by words alone (220
# tokens: .796, 480: .806).
_GENERAL_TOKENS: Final = 432


@runtime_checkable
class Windowed(Protocol):
    """An embedder that takes so many tokens of a text at once, and counts them as it does itself."""

    @property
    def window_tokens(self) -> int:
        """Give the most tokens of one text, those that the embedder adds among them."""
        ...

    def tokens(self, text: str) -> int:
        """Count the tokens of a text that is stored, those that the embedder adds among them."""
        ...


@dataclass(frozen=True, slots=True)
class Ruler:
    """Counts the tokens of what is embedded, title and headings among them, of which `window` may be in one text.

    `name` says what counts, `name@version`: a document that was cut by another ruler has other passages.
    """

    name: str
    count: Callable[[str], int]
    window: int


def ruler_of(embedder: Embedder | None) -> Ruler:
    """Give the ruler of an embedder; of one that tells no window, and without any, the general one."""
    if embedder is not None and isinstance(embedder, Windowed):
        return Ruler(embedder.id, embedder.tokens, embedder.window_tokens)
    return general_ruler()


def general_ruler() -> Ruler:
    """Give the ruler by a general tokenizer, which loads when something is counted."""
    return Ruler(tokenizer_name(), lambda text: counter()(text), _GENERAL_TOKENS)
