"""The options that every command takes, and the store that they open. What a command does stands with the command."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

import typer

from stemma.app.caller import tenant_named
from stemma.app.runtime import Runtime, open_runtime
from stemma.config import load_settings

StoreOption = Annotated[
    str | None,
    typer.Option("--store", help="A folder, or postgresql://… (default: STEMMA_STORE, else your own folder)"),
]
TenantOption = Annotated[str | None, typer.Option("--tenant", help="Whose store it is (default: default)")]
JsonOption = Annotated[bool, typer.Option("--json", help="Write the answer as JSON")]


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
