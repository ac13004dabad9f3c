"""What an adapter asks for beside the package itself, named by the extra that brings it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from stemma.errors import StemmaError


class ExtraMissing(StemmaError, ImportError, code="extra_missing"):
    """The library that an adapter is a face of is not installed; an ImportError too, for who asks whether it is."""


@contextlib.contextmanager
def extra(name: str, package: str) -> Iterator[None]:
    """Import the library of an extra within. Raises ExtraMissing where its package is not there."""
    try:
        yield
    except ModuleNotFoundError as error:
        # Another module that is missing is a fault of that library's installation, and is told as what it is.
        if (error.name or "").partition(".")[0] != package:
            raise
        detail = f"this needs {package}, which is not installed: pip install 'stemma-memory[{name}]'"
        raise ExtraMissing(detail) from error
