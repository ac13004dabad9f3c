"""The store that a command opens, with the options that name it. What a command does stands with the command."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass

from stemma.app.caller import tenant_named
from stemma.app.runtime import Runtime, open_runtime
from stemma.config import load_settings
from stemma.edges.cli_options import JsonOption, StoreOption, TenantOption

__all__ = ["JsonOption", "Session", "StoreOption", "TenantOption", "opened"]


@dataclass(frozen=True, slots=True)
class Session:
    """An opened store and the tenant that a command works for."""

    runtime: Runtime
    tenant: str


@contextlib.contextmanager
def opened(store: str | None, tenant: str | None) -> Iterator[Session]:
    """Open the store that is named, else the settings' one, for the length of a command."""
    settings = load_settings()
    named = tenant_named(settings.tenant if tenant is None else tenant)
    runtime = open_runtime(store, settings=settings)
    try:
        yield Session(runtime, named)
    finally:
        runtime.close()
