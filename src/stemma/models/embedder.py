"""What every embedder is: the port, and the check on what goes in. Which one is used is `embedding`'s choice."""

from collections.abc import Sequence
from typing import Protocol

from stemma.errors import ControlCharacter


class Embedder(Protocol):
    """Texts to vectors of length one; the same text gives the same vector alone, in a batch and from any thread."""

    @property
    def id(self) -> str:
        """Name the vector space, `name@version`; vectors of two ids never meet."""
        ...

    @property
    def dimensions(self) -> int:
        """Give the length of every vector; may load the model."""
        ...

    def passages(self, texts: Sequence[str]) -> list[list[float]]:
        """Embed what is stored, in order."""
        ...

    def query(self, text: str) -> list[float]:
        """Embed what is searched for."""
        ...


def require_no_nul(texts: Sequence[str]) -> None:
    """Refuse NUL by name: an engine that takes C strings would silently embed only what stands before it."""
    for text in texts:
        if (at := text.find("\0")) >= 0:
            raise ControlCharacter(f"text to embed has the control character U+0000 at character {at}; remove it")
