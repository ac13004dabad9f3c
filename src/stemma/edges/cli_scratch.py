"""A store that a command makes for itself and throws away."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from stemma.app.runtime import open_runtime
from stemma.config import load_settings
from stemma.edges.cli_store import Session


@contextlib.contextmanager
def scratch(tenant: str | None) -> Iterator[Session]:
    """Open an empty store in a temporary folder that the server's user can reach, for the length of a command."""
    settings = load_settings()
    folder = Path(tempfile.mkdtemp(prefix="stemma-golden-"))
    folder.chmod(0o755)
    try:
        runtime = open_runtime(folder / "store", settings=settings)
        try:
            yield Session(runtime, tenant or settings.tenant)
        finally:
            runtime.close()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
