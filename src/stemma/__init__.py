"""The public names of Stemma. Nothing is decided or done here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stemma.app.stemma import Stemma
    from stemma.client.asynchronous import AsyncStemmaClient
    from stemma.client.synchronous import StemmaClient

__version__ = "0.1.0"
__all__ = ["AsyncStemmaClient", "Stemma", "StemmaClient", "__version__"]


def __getattr__(name: str) -> Any:
    """Load a public name at its first use: a client needs no store, the version needs neither."""
    match name:
        case "Stemma":
            from stemma.app.stemma import Stemma

            return Stemma
        case "StemmaClient":
            from stemma.client.synchronous import StemmaClient

            return StemmaClient
        case "AsyncStemmaClient":
            from stemma.client.asynchronous import AsyncStemmaClient

            return AsyncStemmaClient
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """List the public names, loaded or not."""
    return __all__
