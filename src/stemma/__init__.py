"""The public names of Stemma. Nothing is decided or done here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stemma.app.stemma import Stemma

__version__ = "0.1.0"
__all__ = ["Stemma", "__version__"]


def __getattr__(name: str) -> Any:
    """Load a public name at its first use: whoever wants the version alone need not load the store's driver."""
    if name == "Stemma":
        from stemma.app.stemma import Stemma

        return Stemma
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """List the public names, loaded or not."""
    return __all__
